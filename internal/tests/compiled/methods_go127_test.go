//go:build go1.27

package compiled_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unsafe"

	"github.com/harena-go/arena"
)

// TestMethodsAllocateInTheArena checks where each method's memory comes from,
// and that a nil arena is the Go heap for all of them.
func TestMethodsAllocateInTheArena(t *testing.T) {
	type node struct {
		name string
		next *node
	}
	seq := slices.Values([]node{{name: "seq"}})
	old := []node{{name: "old"}}
	methods := []struct {
		name string
		call func(a *arena.Arena) (p *node, len, cap int)
		want string
		len  int
	}{
		{"New", func(a *arena.Arena) (*node, int, int) { return a.New[node](), 1, 1 }, "", 1},
		{"NewOf", func(a *arena.Arena) (*node, int, int) { return a.NewOf(node{name: "of"}), 1, 1 }, "of", 1},
		{"MakeSlice", func(a *arena.Arena) (*node, int, int) { return parts(a.MakeSlice[node](2, 3)) }, "", 2},
		{"MakeSliceUninit", func(a *arena.Arena) (*node, int, int) { return parts(a.MakeSliceUninit[node](2, 3)) }, "", 2},
		{"Append", func(a *arena.Arena) (*node, int, int) { return parts(a.Append(old, node{}, node{})) }, "old", 3},
		{"AppendSeq", func(a *arena.Arena) (*node, int, int) { return parts(a.AppendSeq(old, seq)) }, "old", 2},
		{"Collect", func(a *arena.Arena) (*node, int, int) { return parts(a.Collect(seq)) }, "seq", 1},
		{"Grow", func(a *arena.Arena) (*node, int, int) { return parts(a.Grow(old, 7)) }, "old", 1},
		{"CopySlice", func(a *arena.Arena) (*node, int, int) { return parts(a.CopySlice(old)) }, "old", 1},
	}
	for _, m := range methods {
		t.Run(m.name, func(t *testing.T) {
			for _, a := range []*arena.Arena{nil, arena.NewArena(), arena.NewArena(arena.WithNoScan())} {
				p, length, capacity := m.call(a)
				if p.name != m.want || p.next != nil {
					t.Errorf("got %+v; want the name %q", *p, m.want)
				}
				if length != m.len || capacity < length {
					t.Errorf("len %d, cap %d; want len %d", length, capacity, m.len)
				}
				if got, want := a.Owns(unsafe.Pointer(p)), a != nil; got != want {
					t.Errorf("Owns = %v; want %v", got, want)
				}
			}
		})
	}
	t.Run("For", func(t *testing.T) {
		a := arena.NewArena()
		if p := a.For[node]().New(); !a.Owns(unsafe.Pointer(p)) || *p != (node{}) {
			t.Errorf("got %+v, owned: %v", *p, a.Owns(unsafe.Pointer(p)))
		}
	})
}

func parts[T any](s []T) (p *T, length, capacity int) {
	return unsafe.SliceData(s), len(s), cap(s)
}

// TestMethodsAreTheFunctions checks that each generic method has a function
// with the same name and parameters, to which it adds nothing.
func TestMethodsAreTheFunctions(t *testing.T) {
	a := arena.NewArena()
	pairs := []struct{ method, function any }{
		{a.New[int], arena.New[int]},
		{a.NewOf[int], arena.NewOf[int]},
		{a.NewFunc[int], arena.NewFunc[int]},
		{a.Box[int], arena.Box[int]},
		{a.For[int], arena.For[int]},
		{a.MakeSlice[int], arena.MakeSlice[int]},
		{a.MakeSliceUninit[int], arena.MakeSliceUninit[int]},
		{a.Append[int], arena.Append[int]},
		{a.AppendSeq[int], arena.AppendSeq[int]},
		{a.Collect[int], arena.Collect[int]},
		{a.Grow[int], arena.Grow[int]},
		{a.CopySlice[int], arena.CopySlice[int]},
	}
	for _, p := range pairs {
		m, f := reflect.TypeOf(p.method), reflect.TypeOf(p.function)
		got := []reflect.Type{reflect.TypeFor[*arena.Arena]()}
		for in := range m.Ins() {
			got = append(got, in)
		}
		if want := slices.Collect(f.Ins()); !slices.Equal(got, want) || m.Out(0) != f.Out(0) || m.IsVariadic() != f.IsVariadic() {
			t.Errorf("method %v, function %v", m, f)
		}
	}
}

// TestMethodsInline asks the compiler whether the hot methods are inlined into
// a caller, all the way down.
func TestMethodsInline(t *testing.T) {
	const caller = `package main

import "github.com/harena-go/arena"

type node struct{ left, right *node }

var sink any

func main() {
	a := arena.NewArena()
	sink = a.New[int]()               // New
	sink = a.New[node]()              // New
	sink = a.NewOf(7)                 // NewOf
	sink = a.NewOf(node{})            // NewOf
	sink = a.Append([]int(nil), 1)    // Append
	sink = a.Append([]string{}, "a")  // Append
}
`
	folder, err := filepath.Abs(root)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	mod := "module caller\n\ngo 1.27\n\nrequire github.com/harena-go/arena v0.0.0\n\nreplace github.com/harena-go/arena => " + folder + "\n"
	for name, text := range map[string]string{"main.go": caller, "go.mod": mod} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	build := exec.Command("go", "build", "-gcflags=-m", "-o", os.DevNull, ".")
	build.Dir = dir
	build.Env = append(os.Environ(), "GOWORK=off", "GOTOOLCHAIN=local", "GOFLAGS=")
	out, err := build.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	line := 0
	for text := range strings.Lines(caller) {
		line++
		_, method, ok := strings.Cut(strings.TrimSpace(text), "// ")
		if !ok {
			continue
		}
		for _, callee := range map[string][]string{
			"New":    {"New", "take"},
			"NewOf":  {"NewOf", "take"},
			"Append": {"Append"},
		}[method] {
			inlined := regexp.MustCompile(fmt.Sprintf(`main\.go:%d:\d+: inlining call to arena\.\(\*Arena\)\.%s\b`, line, callee))
			if !inlined.Match(out) {
				t.Errorf("%s: %s is not inlined; go build -gcflags=-m=2 says why", strings.TrimSpace(text), callee)
			}
		}
	}
}
