package compiled_test

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"
)

// This file measures what arenas add to a program: bytes at each place that allocates, bytes and compile time for
// each type, bytes of the package. docs/tuning.md has the figures; they come from
//
//	HARENA_SIZES=1 go test ./internal/tests/compiled -run TestSizes -v
//
// Without the variable there are fewer types, and no programs on the heap to compare with.

var all = os.Getenv("HARENA_SIZES") != ""

// sizes are the sizes of a program and its functions, in bytes, and the time of compiling it.
type sizes struct {
	site    float64 // of a function that allocates, on average
	program int64   // without symbols
	compile time.Duration
}

// A variant is a program that is generated: its functions differ in their results.
type variant struct{ name, imports, field, result, body string }

func TestSizes(t *testing.T) {
	if testing.Short() {
		t.Skip("compiles six programs")
	}
	const use = `"github.com/harena-go/arena"`
	types := 20
	if all {
		types = 200
	}
	measured := map[string]sizes{}
	for _, v := range []variant{
		{"nothing", "", "", "", ""},
		{"log/slog", `_ "log/slog"`, "", "", ""},
		{"the package", use, "", "", "var _ = arena.NewArena().UsedBytes()"},
		{"a pool", use, "", "", "var _ = arena.NewPool(arena.WithReuse()).Do(func(a *arena.Arena) error { arena.New[*int](a); return nil })"},

		{"new, no pointers", use, "uint64", "*T%d", "return new(T%[1]d)"},
		{"New, no pointers", use, "uint64", "*T%d", "return arena.New[T%[1]d](a)"},
		{"new, pointers", use, "*int", "*T%d", "return new(T%[1]d)"},
		{"New, pointers", use, "*int", "*T%d", "return arena.New[T%[1]d](a)"},
		{"&T{}, pointers", use, "*int", "*T%d", "return &T%[1]d{f: p}"},
		{"NewOf, pointers", use, "*int", "*T%d", "return arena.NewOf(a, T%[1]d{f: p})"},
		{"append", use, "*int", "[]*T%d", "return append(s, nil)"},
		{"Append", use, "*int", "[]*T%d", "return arena.Append(a, s, nil)"},
	} {
		if heap := v.field != "" && !strings.Contains(v.body, "arena."); heap && !all {
			continue
		}
		s := sizesOf(t, v, types)
		measured[v.name] = s
		t.Logf("%-18s program %5d KB; %4.0f bytes a function, compiled in %v", v.name, s.program/1000, s.site, s.compile.Round(time.Millisecond))
	}
	of := func(name string) sizes { return measured[name] }
	kb := func(name, less string) int64 { return (of(name).program - of(less).program) / 1000 }
	t.Logf("to hello, world, log/slog adds %d KB, an arena %d KB besides, a pool %d KB more", kb("log/slog", "nothing"), kb("the package", "log/slog"), kb("a pool", "the package"))
	if all {
		added, took := of("New, pointers").program-of("new, pointers").program, of("New, pointers").compile-of("new, pointers").compile
		t.Logf("a type adds %d bytes to a program, and %v to its compile time", int(added)/types, (took / time.Duration(types)).Round(10*time.Microsecond))
	}
	if runtime.GOARCH != "amd64" {
		return
	}
	for name, most := range map[string]float64{"New, no pointers": 180, "New, pointers": 186, "NewOf, pointers": 345, "Append": 490} {
		if got := of(name).site; got > most || got < 40 {
			t.Errorf("a function with %s has %.0f bytes, want at most %.0f", name, got, most)
		}
	}
	// 151 and 143 KB with Go 1.26 and 1.27, to which log/slog adds 131 and 286 KB, whose Value is
	// what LogValue returns. It was 200 KB more when what arenatest and DeepClone need was linked
	// into each program.
	if got := kb("the package", "log/slog"); got > 220 {
		t.Errorf("an arena adds %d KB to a program with log/slog", got)
	}
	if got := kb("a pool", "the package"); got > 620 { // 598 KB with Go 1.26; 548 before Pools without reuse
		t.Errorf("a pool adds %d KB to a program with an arena", got)
	}
}

// sizesOf generates a program, builds it, and measures it.
func sizesOf(t *testing.T, v variant, types int) (s sizes) {
	here, err := filepath.Abs(root)
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	fmt.Fprintf(&b, "package main\n\nimport (\n\t\"fmt\"\n\t%s\n)\n\n", v.imports)
	if v.field == "" {
		fmt.Fprintf(&b, "%s\n\nfunc main() { fmt.Println(\"hello, world\") }\n", v.body)
	} else {
		fmt.Fprintln(&b, "var p *int\n\nvar all = []any{")
		for i := range types {
			fmt.Fprintf(&b, "\tsite%d,\n", i)
		}
		fmt.Fprintln(&b, "}\n\nfunc main() { fmt.Println(len(all), arena.NewArena().UsedBytes()) }")
		for i := range types {
			fmt.Fprintf(&b, "\ntype T%d struct {\n\tf %s\n\tn [%d]int\n}\n", i, v.field, 1+i%8)
			param := "a *arena.Arena"
			if strings.HasPrefix(v.result, "[]") {
				param += fmt.Sprintf(", s []*T%d", i)
			}
			fmt.Fprintf(&b, "\n//go:noinline\nfunc site%d(%s) %s { %s }\n", i, param, fmt.Sprintf(v.result, i), bodyOf(v.body, i))
		}
	}
	dir := t.TempDir()
	for file, text := range map[string]string{"main.go": b.String(),
		"go.mod": "module size\n\ngo 1.26\n\nrequire github.com/harena-go/arena v0.0.0\n\nreplace github.com/harena-go/arena => " + here + "\n"} {
		if err := os.WriteFile(filepath.Join(dir, file), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	build := func(flags, out string) {
		goTool(t, "build", "-C", dir, "-mod=mod", "-ldflags="+flags, "-o", out, ".")
	}
	if all || v.field == "" {
		stripped := filepath.Join(dir, "stripped")
		build("-s -w", stripped)
		info, err := os.Stat(stripped)
		if err != nil {
			t.Fatal(err)
		}
		s.program = info.Size()
	}
	if v.field == "" {
		return s
	}
	whole, sum := filepath.Join(dir, "whole"), 0
	began := time.Now()
	build("", whole)
	s.compile = time.Since(began)
	for _, m := range regexp.MustCompile(`(?m)^\s*\w+\s+(\d+) T main\.site\d+$`).FindAllStringSubmatch(goTool(t, "tool", "nm", "-size", whole), -1) {
		n, _ := strconv.Atoi(m[1])
		sum += n
	}
	s.site = float64(sum) / float64(types)
	return s
}

func bodyOf(body string, i int) string {
	if !strings.Contains(body, "%[1]d") {
		return body
	}
	return fmt.Sprintf(body, i)
}
