//go:build asan

package asan_test

import (
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"
	"unsafe"

	"github.com/harena-go/arena"
	"github.com/harena-go/arena/collections"
)

// This file holds programs that touch memory which isn't theirs. The address
// sanitizer ends each of them, so that they run in processes of their own.

// A misuse is such a program. It gets an arena, and must die on the line that is
// marked with its name.
type misuse struct {
	name string
	run  func(a *arena.Arena)
}

type fiveBytes struct{ b [5]byte } // not a multiple of 8

// byteAt returns where the byte off bytes from p is.
//
//go:nocheckptr
func byteAt[T any](p *T, off int) *byte { return (*byte)(unsafe.Add(unsafe.Pointer(p), off)) }

// seen keeps the compiler from leaving out reads.
var seen any

// testdata/misuse of arenatest has more that use dead memory.
var misuses = []misuse{
	{"object-after-reset", func(a *arena.Arena) {
		p := arena.New[plainWord](a)
		a.Reset()
		p.n = 1 // dies: object-after-reset
	}},
	{"pointers-after-reset", func(a *arena.Arena) {
		p := arena.NewOf(a, linked{name: "x"})
		a.Reset()
		seen = p.name // dies: pointers-after-reset
	}},
	{"slice-after-reset", func(a *arena.Arena) {
		s := arena.MakeSlice[int32](a, 3, 10)
		a.Reset()
		s[2]++ // dies: slice-after-reset
	}},
	{"large-after-reset", func(a *arena.Arena) {
		s := a.AllocBytes(1 << 20)
		a.Reset()
		s[1<<19] = 1 // dies: large-after-reset
	}},
	{"string-after-reset", func(a *arena.Arena) {
		s := a.AllocString(strings.Repeat("x", 13))
		a.Reset()
		seen = append([]byte(nil), s...) // dies: string-after-reset
	}},
	{"long-string-after-reset", func(a *arena.Arena) {
		s := a.AllocString(strings.Repeat("x", 2000))
		a.Reset()
		copy(make([]byte, 10), s[1990:]) // dies: long-string-after-reset
	}},
	{"raw-after-reset", func(a *arena.Arena) {
		p := (*[40]byte)(a.Alloc(40, 64))
		a.Reset()
		p[39] = 1 // dies: raw-after-reset
	}},
	{"scrubbed-after-reset", func(*arena.Arena) {
		a := arena.NewArena(arena.WithScrub())
		p := arena.New[plainWord](a)
		a.Reset()
		seen = p.n // dies: scrubbed-after-reset
	}},
	{"after-reset-that-kept-nothing", func(*arena.Arena) {
		a := arena.NewArena(arena.WithMaxRetained(0))
		p := arena.New[plainWord](a)
		a.Reset()
		runtime.GC()
		p.n = 1 // dies: after-reset-that-kept-nothing
	}},
	{"after-rewind", func(a *arena.Arena) {
		kept := arena.New[plainWord](a)
		m := a.Mark()
		lost := arena.New[plainWord](a)
		a.Rewind(m)
		kept.n = 1
		lost.n = 1 // dies: after-rewind
	}},
	{"grown-after-rewind", func(a *arena.Arena) {
		s := arena.MakeSlice[linked](a, 2, 2)
		m := a.Mark()
		s = arena.Append(a, s, linked{})
		a.Rewind(m)
		s[1].next = nil
		s[2].next = nil // dies: grown-after-rewind
	}},
	{"after-free-of-a-slot", func(a *arena.Arena) {
		s := collections.NewSlots[linked](a)
		p, q := s.New(), s.New()
		s.Free(q)
		p.next = s.New()
		seen = q.name // dies: after-free-of-a-slot
	}},

	{"over-object", func(a *arena.Arena) {
		arena.New[plainWord](a)
		p := arena.New[plainWord](a)
		*byteAt(p, 8) = 1 // dies: over-object
	}},
	{"over-first-object", func(a *arena.Arena) {
		*byteAt(arena.New[plainWord](a), 8) = 1 // dies: over-first-object
	}},
	{"over-odd-object", func(a *arena.Arena) {
		arena.New[plainWord](a)
		p := arena.New[fiveBytes](a)
		*byteAt(p, 4) = 1
		*byteAt(p, 5) = 1 // dies: over-odd-object
	}},
	{"over-pointers", func(a *arena.Arena) {
		p, _ := arena.New[linked](a), arena.New[linked](a)
		seen = *byteAt(p, int(unsafe.Sizeof(*p))) // dies: over-pointers
	}},
	{"under-object", func(a *arena.Arena) {
		p, _ := arena.New[plainWord](a), arena.New[plainWord](a)
		*byteAt(p, -1) = 1 // dies: under-object
	}},
	{"under-pointers", func(a *arena.Arena) {
		p, _ := arena.New[linked](a), arena.New[linked](a)
		seen = *byteAt(p, -1) // dies: under-pointers
	}},
	{"over-slice", func(a *arena.Arena) {
		s := arena.MakeSlice[uint16](a, 3, 5)
		arena.MakeSlice[uint16](a, 3, 3)
		s[:5][4] = 1
		*byteAt(&s[0], 10) = 1 // dies: over-slice
	}},
	{"under-slice", func(a *arena.Arena) {
		arena.MakeSlice[int](a, 3, 3)
		s := arena.MakeSlice[int](a, 3, 3)
		*byteAt(&s[0], -1) = 1 // dies: under-slice
	}},
	{"under-first-slice", func(a *arena.Arena) {
		*byteAt(&arena.MakeSlice[int](a, 3, 3)[0], -1) = 1 // dies: under-first-slice
	}},
	{"under-first-slice-of-pointers", func(a *arena.Arena) {
		*byteAt(&arena.MakeSlice[linked](a, 3, 3)[0], -1) = 1 // dies: under-first-slice-of-pointers
	}},
	{"over-slice-of-pointers", func(a *arena.Arena) {
		s, _ := arena.MakeSlice[*int](a, 3, 3), arena.MakeSlice[*int](a, 3, 3)
		*byteAt(&s[2], 8) = 1 // dies: over-slice-of-pointers
	}},
	{"over-grown-slice", func(a *arena.Arena) {
		s := arena.Append(a, arena.MakeSlice[byte](a, 5, 5), 1, 2, 3, 4, 5, 6)
		s = s[:cap(s)]
		s[len(s)-1] = 1
		*byteAt(&s[0], len(s)) = 1 // dies: over-grown-slice
	}},
	{"over-large-slice", func(a *arena.Arena) {
		*byteAt(&a.AllocBytes(1 << 20)[0], 1<<20) = 1 // dies: over-large-slice
	}},
	{"under-large-slice", func(a *arena.Arena) {
		*byteAt(&a.AllocBytes(1 << 20)[0], -1) = 1 // dies: under-large-slice
	}},
	{"over-large-slice-of-pointers", func(a *arena.Arena) {
		s := arena.MakeSlice[linked](a, 1<<16, 1<<16)
		*byteAt(&s[len(s)-1], int(unsafe.Sizeof(s[0]))) = 1 // dies: over-large-slice-of-pointers
	}},
	{"under-large-slice-of-pointers", func(a *arena.Arena) {
		*byteAt(&arena.MakeSlice[linked](a, 1<<16, 1<<16)[0], -1) = 1 // dies: under-large-slice-of-pointers
	}},
	{"over-string", func(a *arena.Arena) {
		s, _ := a.AllocString("gopher"), a.AllocString("gopher")
		seen = *byteAt(unsafe.StringData(s), 6) // dies: over-string
	}},
	{"over-what-realloc-left", func(a *arena.Arena) {
		p := (*byte)(a.Realloc(a.Alloc(100, 8), 100, 21, 8))
		*byteAt(p, 20) = 1
		*byteAt(p, 21) = 1 // dies: over-what-realloc-left
	}},
	{"over-what-realloc-left-below-others", func(a *arena.Arena) {
		p := a.Alloc(100, 8)
		a.Alloc(100, 8)
		q := (*byte)(a.Realloc(p, 100, 21, 8))
		*byteAt(q, 20) = 1
		*byteAt(q, 21) = 1 // dies: over-what-realloc-left-below-others
	}},
	{"over-object-after-free", func(a *arena.Arena) {
		p := arena.New[plainWord](a)
		a.Free()
		p.n = 1
		*byteAt(p, 8) = 1 // dies: over-object-after-free
	}},
}

var misuseArenas = map[string]func() *arena.Arena{
	"default":        func() *arena.Arena { return arena.NewArena() },
	"self-contained": func() *arena.Arena { return arena.NewArena(arena.WithNoScan()) },
}

// misuseVariable is the environment variable that asks for one program, as the
// kind of the arena and the name.
const misuseVariable = "HARENA_MISUSE"

// TestMisuseDies runs each program, with both kinds of arena, in a process of this
// test, and expects that it dies at the marked line and no earlier.
func TestMisuseDies(t *testing.T) {
	if asked := os.Getenv(misuseVariable); asked != "" {
		kind, name, _ := strings.Cut(asked, "/")
		i := slices.IndexFunc(misuses, func(m misuse) bool { return m.name == name })
		misuses[i].run(misuseArenas[kind]())
		fmt.Println("survived")
		return
	}
	for kind := range misuseArenas {
		for _, m := range misuses {
			t.Run(kind+"/"+m.name, func(t *testing.T) {
				t.Parallel()
				wantDeath(t, kind+"/"+m.name, markedLine(t, m.name))
			})
		}
	}
}

// wantDeath expects that a program dies in this file's line, and of nothing but
// touching poison.
func wantDeath(t *testing.T, program string, line int) {
	cmd := exec.Command(os.Args[0], "-test.run=^TestMisuseDies$")
	cmd.Env = append(os.Environ(), misuseVariable+"="+program)
	out, err := cmd.CombinedOutput()
	text := string(out)
	if err == nil || !strings.Contains(text, "AddressSanitizer: use-after-poison") || !strings.Contains(text, "an arena has reclaimed") {
		t.Fatalf("no report: %v\n%s", err, text)
	}
	_, stack, _ := strings.Cut(text, "[running]:") // of the goroutine that did it
	if where := regexp.MustCompile(`misuse_test\.go:\d+`).FindString(stack); where != fmt.Sprintf("misuse_test.go:%d", line) {
		t.Errorf("it died at %q, not in line %d\n%s", where, line, text)
	}
}

// markedLine returns the line of this file that is marked with a name.
func markedLine(t *testing.T, name string) int {
	source, err := os.ReadFile("misuse_test.go")
	if err != nil {
		t.Fatal(err)
	}
	mark := regexp.MustCompile(`// dies: ` + name + `\n`).FindIndex(source)
	if mark == nil {
		t.Fatalf("no line is marked with %q", name)
	}
	return 1 + strings.Count(string(source[:mark[0]]), "\n")
}
