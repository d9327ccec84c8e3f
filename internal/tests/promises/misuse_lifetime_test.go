package promises_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"unsafe"

	"github.com/harena-go/arena"
	"github.com/harena-go/arena/internal/tests/testkit"
	"github.com/harena-go/arena/internal/tests/testkit/arenakit"
)

// This file tests use after Free, copies, options that can't be, and budgets.

// allocations are all calls that must panic when an arena may not be used.
var allocations = map[string]func(a *arena.Arena){
	"New":             func(a *arena.Arena) { arena.New[int](a) },
	"New of pointers": func(a *arena.Arena) { arena.New[*int](a) },
	"New of nothing":  func(a *arena.Arena) { arena.New[struct{}](a) },
	"NewOf":           func(a *arena.Arena) { arena.NewOf(a, 1) },
	"MakeSlice":       func(a *arena.Arena) { arena.MakeSlice[int](a, 1, 1) },
	"MakeSlice, zero": func(a *arena.Arena) { arena.MakeSlice[int](a, 0, 0) },
	"MakeSliceUninit": func(a *arena.Arena) { arena.MakeSliceUninit[*int](a, 1, 1) },
	"Append":          func(a *arena.Arena) { arena.Append(a, nil, 1) },
	"AppendSeq":       func(a *arena.Arena) { arena.AppendSeq(a, nil, func(yield func(int) bool) { yield(1) }) },
	"Collect":         func(a *arena.Arena) { arena.Collect(a, func(yield func(string) bool) { yield("") }) },
	"Grow":            func(a *arena.Arena) { arena.Grow(a, []string{}, 3) },
	"CopySlice":       func(a *arena.Arena) { arena.CopySlice(a, []string{""}) },
	"For":             func(a *arena.Arena) { arena.For[int](a) },
	"Alloc":           func(a *arena.Arena) { a.Alloc(1, 1) },
	"Alloc of 0":      func(a *arena.Arena) { a.Alloc(0, 1) },
	"Realloc":         func(a *arena.Arena) { a.Realloc(unsafe.Pointer(new(int)), 4, 8, 1) },
	"AllocBytes":      func(a *arena.Arena) { a.AllocBytes(1) },
	"AllocBytesUninit": func(a *arena.Arena) {
		a.AllocBytesUninit(1)
	},
	"AllocString":        func(a *arena.Arena) { a.AllocString("x") },
	"ReadAll":            func(a *arena.Arena) { a.ReadAll(strings.NewReader("x"), 1) },
	"AllocBytesToString": func(a *arena.Arena) { a.AllocBytesToString([]byte("x")) },
	"Sprintf":            func(a *arena.Arena) { a.Sprintf("x") },
	"Text":               func(a *arena.Arena) { _ = a.Text().Int(1).String() },
	"ToUpper":            func(a *arena.Arena) { a.ToUpper("x") },
	"ToLower":            func(a *arena.Arena) { a.ToLower("Ä") },
	"Map":                func(a *arena.Arena) { a.Map(func(r rune) rune { return r + 1 }, "x") },
	"Replace":            func(a *arena.Arena) { a.Replace("x", "x", "y", 1) },
	"Repeat":             func(a *arena.Arena) { a.Repeat("x", 2) },
	"KeepAlive":          func(a *arena.Arena) { a.KeepAlive(1) },
	"Reserve":            func(a *arena.Arena) { a.Reserve(1) },
	"Mark":               func(a *arena.Arena) { a.Mark() },
	"Rewind":             func(a *arena.Arena) { a.Rewind(arena.Mark{}) },
	"Child":              func(a *arena.Arena) { a.Child() },
}

func TestUseAfterFree(t *testing.T) {
	for kind, make := range arenakit.Kinds {
		if kind == "nil" {
			continue
		}
		for name, call := range allocations {
			a := make()
			arenakit.Works(a)
			a.Free()
			t.Run(kind+"/"+name, func(t *testing.T) {
				testkit.WantPanic(t, func() { call(a) }, "arena: ", "freed", "after Free")
				a.Free()
				a.Reset()
				if a.UsedBytes() != 0 || a.Owns(unsafe.Pointer(new(int))) || a.Stats().Reserved != 0 {
					t.Errorf("a freed arena has %v", a.Stats())
				}
			})
		}
		a := make()
		ints, ptrs, m := arena.For[int](a), arena.For[*int](a), a.Mark()
		ints.New()
		ptrs.New()
		a.Free()
		for range 2 {
			testkit.WantPanic(t, func() { ints.New() }, "freed")
			testkit.WantPanic(t, func() { ptrs.New() }, "freed")
			testkit.WantPanic(t, func() { a.Rewind(m) }, "arena: Rewind: ", "freed")
		}
	}
}

func TestCopiedArena(t *testing.T) {
	var a arena.Arena
	arenakit.Works(&a)
	b := new(arena.Arena)
	// Not *b = a, which go vet refuses.
	copy(testkit.BytesAt(unsafe.Pointer(b), int(unsafe.Sizeof(a))), testkit.BytesAt(unsafe.Pointer(&a), int(unsafe.Sizeof(a))))
	testkit.WantPanic(t, func() { arena.MakeSlice[byte](b, 100000, 100000) }, "arena: MakeSlice: the Arena is a copy")
	testkit.WantPanic(t, func() { b.Mark() }, "copy")
	testkit.WantPanic(t, func() { b.Reset() }, "copy")
	if err := arenakit.Works(&a); err != nil {
		t.Error(err)
	}
}

func TestBadOptions(t *testing.T) {
	for _, c := range []struct {
		opts  []arena.Option
		parts []string
	}{
		{[]arena.Option{arena.WithChunkSize(-1)}, []string{"arena: WithChunkSize: ", "-1"}},
		{[]arena.Option{arena.WithMaxChunkSize(-2)}, []string{"arena: WithMaxChunkSize: ", "-2"}},
		{[]arena.Option{arena.WithMaxRetained(-3)}, []string{"arena: WithMaxRetained: ", "-3"}},
		{[]arena.Option{arena.WithLimit(-4)}, []string{"arena: WithLimit: ", "-4"}},
		{[]arena.Option{arena.WithChunkSize(8192), arena.WithMaxChunkSize(4096)}, []string{"arena: NewArena: ", "8192", "4096"}},
		{[]arena.Option{arena.WithMaxChunkSize(4096), arena.WithChunkSize(8192)}, []string{"arena: NewArena: ", "8192", "4096"}},
		{[]arena.Option{arena.WithChunkSize(8191), arena.WithMaxChunkSize(4095)}, []string{"arena: NewArena: ", "8191", "4095"}},
	} {
		testkit.WantPanic(t, func() { arena.NewArena(c.opts...) }, c.parts...)
	}
	for _, opts := range [][]arena.Option{
		{arena.WithChunkSize(1 << 22)}, {arena.WithMaxChunkSize(300)}, {arena.WithChunkSize(1)}, {arena.WithMaxChunkSize(1)},
		{arena.WithChunkSize(1), arena.WithMaxChunkSize(2)}, {arena.WithChunkSize(0), arena.WithMaxChunkSize(0), arena.WithLimit(0)},
	} {
		if err := arenakit.Works(arena.NewArena(opts...)); err != nil {
			t.Error(err)
		}
	}
}

// TestOptionsOfZero: a chunk size of 0 is the default.
func TestOptionsOfZero(t *testing.T) {
	reserved := func(opts ...arena.Option) (sizes []int) {
		a := arena.NewArena(opts...)
		for range 10 {
			a.AllocBytes(100_000)
			arena.New[entry](a)
			sizes = append(sizes, a.Stats().Reserved)
		}
		return sizes
	}
	if got, want := reserved(arena.WithChunkSize(0), arena.WithMaxChunkSize(0)), reserved(); !slices.Equal(got, want) {
		t.Errorf("%d bytes reserved, %d without options", got, want)
	}
}

// TestLimitIsExact: all of a budget can be used, and no more.
func TestLimitIsExact(t *testing.T) {
	for _, limit := range []int{8, 24, 1000, 1001, 1024, 4096, 8192, 100000, 1 << 20} {
		for _, parts := range []int{1, 2, 4} {
			for name, opts := range map[string][]arena.Option{"default": nil, "self-contained": {arena.WithNoScan()},
				"tiny": {arena.WithChunkSize(256), arena.WithMaxChunkSize(512)}, "scrub": {arena.WithScrub()}} {
				a := arena.NewArena(append(opts, arena.WithLimit(limit), arena.WithName("n"))...)
				n := limit / parts &^ 7
				if n == 0 {
					continue
				}
				for round := range 3 {
					if v := testkit.Caught(func() {
						for range parts {
							a.AllocBytes(n)
						}
					}); v != nil {
						t.Errorf("%s, limit %d, %d times %d, round %d: %v", name, limit, parts, n, round, v)
					}
					var e *arena.LimitError
					v := testkit.Caught(func() { a.AllocBytes(n + 8) })
					if err, ok := v.(error); !ok || !errors.As(err, &e) || *e != (arena.LimitError{Name: "n", Used: parts * n, Asked: n + 8, Limit: limit}) {
						t.Errorf("%s, limit %d, %d bytes more: %#v", name, limit, n+8, v)
					} else if msg := e.Error(); !strings.HasPrefix(msg, "arena") || !strings.Contains(msg, fmt.Sprint(limit)) || !strings.Contains(msg, fmt.Sprint(n+8)) {
						t.Errorf("message %q", msg)
					}
					a.Reset()
				}
			}
		}
	}
}
