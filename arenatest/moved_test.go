package arenatest_test

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/harena-go/arena"
	"github.com/harena-go/arena/arenatest"
	"github.com/harena-go/arena/collections"
	"github.com/harena-go/arena/internal/tests/testkit"
)

// TestMoved: a write through a pointer of Map.Ref after another entry was added is found, each time
// while the map is small, also if the block was forgotten since, and in a self-contained arena.
// Nothing else is reported.
func TestMoved(t *testing.T) {
	fill := func(m *collections.Map[int, int], n int) {
		for i := range n {
			m.Set(i, i)
		}
	}
	for _, opts := range [][]arena.Option{nil, {arena.WithNoScan()}} {
		for _, had := range []int{1, 7, 16, 256} {
			testkit.Run(t, fmt.Sprint(len(opts), " ", had), func(t *testing.T) {
				run(t, func(tb testing.TB) {
					m := collections.NewMap[int, int](arenatest.New(tb, opts...), 0)
					fill(m, had)
					p := m.Ref(0)
					m.Set(1000, 1)
					*p++
				}).want(t, "[]collections.entry[int,int] (", `was written to after it had been moved`, "Map.Ref is valid until the next entry", "Moved by:\n",
					here(t, `m.Set(1000, 1)`))

				run(t, func(tb testing.TB) {
					a := arenatest.New(tb, opts...)
					m := collections.NewMap[int, int](a, 0)
					fill(m, had)
					p := m.Ref(0)
					m.Set(1000, 1)
					*p++
					p = nil
					a.Reset()
					m = collections.NewMap[int, int](a, 0)
					fill(m, had)
					a.Reset()
				}).want(t, "after it had been moved")

				run(t, func(tb testing.TB) {
					a := arenatest.New(tb, opts...)
					for range 3 {
						first := collections.NewMap[int, int](a, 0)
						fill(first, had)
						mark := a.Mark()
						m := collections.NewMap[int, int](a, 0)
						fill(m, had)
						p := m.Ref(0)
						*p++
						m.Set(1000, 1)
						for k, v := range m.All() {
							m.Set(k+2000, v)
						}
						*m.Ref(0)++
						a.Rewind(mark)
						if v, _ := first.Get(0); first.Len() != had || v != 0 {
							t.Error("the first map has changed")
						}
						a.Reset()
					}
				}).want(t)
			})
		}
	}
}

// TestMovedIsScrubbed: an arena's own erasing isn't reported as a write.
func TestMovedIsScrubbed(t *testing.T) {
	for name, opts := range map[string][]arena.Option{
		"plain": nil, "scrubbed": {arena.WithScrub()}, "self-contained": {arena.WithNoScan()}, "both": {arena.WithScrub(), arena.WithNoScan()},
	} {
		for end, f := range map[string]func(a *arena.Arena, m arena.Mark){
			"Reset":  func(a *arena.Arena, _ arena.Mark) { a.Reset() },
			"Rewind": func(a *arena.Arena, m arena.Mark) { a.Rewind(m) },
			"Free":   func(a *arena.Arena, _ arena.Mark) { a.Free() },
		} {
			for of, child := range map[string]func(a *arena.Arena) *arena.Arena{
				"an arena": func(a *arena.Arena) *arena.Arena { return a }, "a child": (*arena.Arena).Child,
			} {
				run(t, func(tb testing.TB) {
					a := arenatest.New(tb, opts...)
					m := a.Mark()
					c := child(a)
					numbers := collections.NewMap[int, int](c, 0)
					for i := range 5 {
						numbers.Set(i, i)
					}
					f(a, m)
				}).want(t)
				if t.Failed() {
					t.Fatalf("%s, %s of %s", name, end, of)
				}
			}
		}
	}
}

// TestMovedIsHeld: a pointer of Map.Ref that is kept beyond the arena's Reset is found like others; a pointer kept
// until then isn't.
func TestMovedIsHeld(t *testing.T) {
	for reset, parts := range map[bool][]string{true: {"is still referenced", "it was reclaimed"}, false: nil} {
		run(t, func(tb testing.TB) {
			a := arenatest.New(tb)
			m := collections.NewMap[string, node](a, 0)
			global.node = m.Ref("first")
			m.Set("second", node{})
			if reset {
				a.Reset()
			} else {
				global.node = nil
			}
		}).want(t, parts...)
	}
}

// TestMovedFault: Append follows a pointer in a moved value; the runtime attributes some of Append's function literals
// to the test.
func TestMovedFault(t *testing.T) {
	if os.Getenv(variable) != "" {
		a := arenatest.New(t)
		m := collections.NewMap[string, []*node](a, 0)
		p := m.Ref("first")
		*m.Ref("second") = nil                            // the move
		sinkBool = len(arena.Append(a, *p, nil, nil)) > 2 // the append
		return
	}
	out := child(t.Name(), "x")
	if _, report, ok := strings.Cut(out, "ARENA FAULT: "); !ok || !strings.Contains(report[:strings.Index(report, "\n")], here(t, "// the "+"append")) ||
		!strings.Contains(report, here(t, "// the "+"move")) {
		t.Errorf("the report doesn't say what has happened:\n%s", out)
	}
}
