package symbols

import (
	"debug/dwarf"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/harena-go/arena/internal/diagnose/holder/dump"
	"github.com/harena-go/arena/internal/tests/testkit"
)

// foreign is a program that is built for other machines, too.
const foreign = `package main

type tree struct {
	name  string
	left  *tree
	deep  struct{ nodes [4]*tree }
	any   any
	nodes []tree
	again node
}

type node *tree

var planted = tree{name: "x", nodes: make([]tree, 2)}

func main() {
	planted.left = &planted
	planted.any = &planted
	planted.again = &planted
	println(planted.name, planted.left, planted.any, len(planted.nodes))
}
`

// TestForeignExecutables: programs for all systems have their variables, the code that uses them, and the types in the
// debugging information read.
func TestForeignExecutables(t *testing.T) {
	testkit.NeedsGo(t)
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "main.go"), []byte(foreign), 0o666); err != nil {
		t.Fatal(err)
	}
	for _, platform := range []string{"linux/amd64", "linux/386", "darwin/arm64", "windows/amd64", "windows/386"} {
		t.Run(platform, func(t *testing.T) {
			if platform != runtime.GOOS+"/"+runtime.GOARCH {
				testkit.NeedsLong(t, "builds the runtime for "+platform)
			}
			system, machine, _ := strings.Cut(platform, "/")
			program := filepath.Join(dir, system+machine)
			build := exec.Command("go", "build", "-o", program, filepath.Join(dir, "main.go"))
			build.Env = append(os.Environ(), "GOOS="+system, "GOARCH="+machine, "CGO_ENABLED=0", "GOFLAGS=", "GOWORK=off")
			if out, err := build.CombinedOutput(); err != nil {
				t.Fatalf("%v\n%s", err, out)
			}
			e, err := Read(program)
			if err != nil {
				t.Fatal(err)
			}
			e.seePlanted(t, machine)
			if err := e.relocate(); err == nil || !strings.Contains(err.Error(), "not that of the process") {
				t.Errorf("code of another program is taken for this one's: %v", err)
			}
		})
	}
}

func (e *Executable) seePlanted(t *testing.T, machine string) {
	const name = "main.planted"
	word := uintptr(8)
	if machine == "386" {
		word = 4
	}
	var at uintptr
	for _, s := range e.symbols {
		if s.name == name {
			at = s.addr
		}
	}
	if s, ok := e.symbolAt(at + word); at == 0 || !ok || s.name != name {
		t.Fatalf("%s is not among %d symbols, or not where it is said to be: %#x is in %v", name, len(e.symbols), at+word, s)
	}
	if s, ok := e.symbolAt(0); ok {
		t.Errorf("address 0 is in %v", s)
	}
	if s := e.sectionOf(at); len(s.data) == 0 {
		t.Errorf("no section has %s", name)
	}
	if s := e.sectionOf(0); s.data != nil {
		t.Errorf("address 0 is in the section at %#x", s.addr)
	}
	uses := 0
	for _, s := range e.sections {
		eachReference(machine, s, func(_, to uintptr) {
			if to == at {
				uses++
			}
		})
	}
	if uses == 0 {
		t.Errorf("no code uses %s", name)
	}
	v := e.variable(name)
	if v == nil {
		t.Fatalf("no debugging information about %s", name)
	}
	if v := e.variable("main.missing"); v != nil {
		t.Errorf("there is %v", v)
	}
	if name := e.typeName(v); name != "main.tree" {
		t.Errorf("it is a %q", name)
	}
	y := NewTypes(&dump.Dump{WordSize: word}, e)
	for offset, want := range []string{0: ".name", 2: ".left", 3: ".deep.nodes", 6: ".deep.nodes", 7: ".any", 9: ".nodes", 12: ".again"} {
		if want == "" {
			continue
		}
		if path, next := y.insideEntry(e.typeOf(v, dwarf.AttrType), uintptr(offset)*word, 0); path != want || next.Elem != nil {
			t.Errorf("word %d is %s, want %s; it is of a type of this program: %v", offset, path, want, next)
		}
	}
}

// TestNoExecutable: a file that is no program, or an incomplete one, gives an error or nothing.
func TestNoExecutable(t *testing.T) {
	dir := t.TempDir()
	if _, err := Read(filepath.Join(dir, "missing")); err == nil {
		t.Error("no error of a file that isn't there")
	}
	text := filepath.Join(dir, "text")
	if err := os.WriteFile(text, []byte("#!/bin/sh\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	if _, err := Read(text); err == nil || !strings.Contains(err.Error(), "no known format") {
		t.Errorf("a text: %v", err)
	}
	e := &Executable{path: text}
	if v := e.variable("main.planted"); v != nil {
		t.Errorf("debugging information in a text: %v", v)
	}
	if start := e.typesStart(); start != 0 {
		t.Errorf("types start at %#x of nothing", start)
	}
	empty := &dwarf.Entry{}
	if name := e.typeName(empty); name != "" {
		t.Errorf("what has no type is a %q", name)
	}
	if entry := e.typeOf(empty, dwarf.AttrType); entry != nil {
		t.Errorf("what has no type is %v", entry)
	}
	y := NewTypes(&dump.Dump{WordSize: 8}, e)
	if path, next := y.insideEntry(nil, 8, 0); path != "" || next.Elem != nil {
		t.Errorf("%q and %v of nothing", path, next)
	}
	for symbol, want := range map[string]string{"a/b.c/d.e": "a/b.c/d", "main.x": "main", "type:int": "type:int"} {
		if got := packageOf(symbol); got != want {
			t.Errorf("package of %s: %s", symbol, got)
		}
	}
}
