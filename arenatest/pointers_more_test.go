package arenatest_test

import (
	"os"
	"runtime"
	"runtime/debug"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/harena-go/arena"
	"github.com/harena-go/arena/arenatest"
	"github.com/harena-go/arena/internal/diagnose/inspect"
)

// TestPointersOfShared: values of different locals may point to each other.
func TestPointersOfShared(t *testing.T) {
	use := func(s *arena.Shared, text func(a *arena.Arena) string) {
		var nodes [4]*node
		var group sync.WaitGroup
		for i := range nodes {
			group.Go(func() {
				a := s.Local()
				nodes[i] = arena.NewOf(a, node{name: text(a)})
				if i == 3 {
					a.Free() // its values live on
				}
			})
		}
		group.Wait()
		for i, n := range nodes {
			n.left, n.right = nodes[(i+1)%4], nodes[(i+2)%4]
		}
		a := s.Local()
		arena.New[node](a.Child()).left = nodes[0]
	}
	own := func(a *arena.Arena) string { return a.AllocString("own") }
	run(t, func(tb testing.TB) {
		s := arenatest.NewShared(tb, arena.WithNoScan())
		use(s, own)
		s.Reset()
		use(s, own)
	}).want(t)
	run(t, func(tb testing.TB) {
		s := arenatest.NewShared(tb, arena.WithNoScan())
		use(s, own)
		s.Local().KeepAlive(heapString)
		use(s, func(*arena.Arena) string { return heapString(12) })
	}).want(t, "ARENA POINTER: arenatest_test.node.name ", "a string of 12 bytes")
}

// TestPointersOfPool: Put and Free check the values of a piece of work.
func TestPointersOfPool(t *testing.T) {
	for _, text := range []string{"", heapString(12)} {
		d := run(t, func(tb testing.TB) {
			p := arenatest.NewPool(tb, arena.WithNoScan())
			for range 20 {
				_ = p.Do(func(a *arena.Arena) error {
					n := build(a)
					n.left.name = text
					m := map[string]int{"constant": 1}
					a.KeepAlive(m)
					return nil
				})
			}
		})
		if text == "" {
			d.want(t)
		} else if len(d.errors) == 0 || !strings.Contains(d.errors[0], "ARENA POINTER: arenatest_test.node.name ") {
			t.Errorf("got %s", d.errors)
		}
	}
}

// TestPointersOnce: pointers reported by Verify aren't reported again at the end.
func TestPointersOnce(t *testing.T) {
	run(t, func(tb testing.TB) {
		a := arenatest.New(tb, arena.WithNoScan())
		n := build(a)
		n.name = heapString(12)
		arenatest.Verify(tb)
		arenatest.Verify(tb)
	}).want(t, "arenatest_test.node.name ")
}

// TestPointersToFreed: a pointer to a freed object is reported as such.
func TestPointersToFreed(t *testing.T) {
	run(t, func(tb testing.TB) {
		a := arenatest.New(tb, arena.WithNoScan())
		n := build(a)
		n.name = heapString(100_000)
		runtime.GC()
	}).want(t, "arenatest_test.node.name ", "a string of 100000 bytes", "freed already")
}

// TestPointersToWhatTheArenaHas: objects that the arena itself leads to aren't kept for its values, though a kept value
// leads to the arena.
func TestPointersToWhatTheArenaHas(t *testing.T) {
	name := heapString(12)
	run(t, func(tb testing.TB) {
		a := arenatest.New(tb, arena.WithNoScan(), arena.WithName(name))
		n := build(a)
		a.KeepAlive(&node{left: n})
		n.left.name = name
	}).want(t, "arenatest_test.node.name ", "a string of 12 bytes")
}

// TestPointersWithoutDumps: at the end of the test there is a dump in any case.
func TestPointersWithoutDumps(t *testing.T) {
	run(t, func(tb testing.TB) {
		a := arenatest.New(tb, arena.WithNoScan())
		inspect.Dumps.Store(0)
		build(a).name = heapString(12)
		a.Reset() // which doesn't see it
		build(a).left.name = heapString(13)
	}).want(t, "arenatest_test.node.name ", "a string of 13 bytes")
}

// TestPointersOfRewind: only dying values are checked, and in a large arena not before each Rewind.
func TestPointersOfRewind(t *testing.T) {
	run(t, func(tb testing.TB) {
		a := arenatest.New(tb, arena.WithNoScan())
		build(a)
		m := a.Mark()
		build(a).name = heapString(12)
		a.Rewind(m)
	}).want(t, "arenatest_test.node.name ", "a string of 12 bytes")
	run(t, func(tb testing.TB) {
		a := arenatest.New(tb, arena.WithNoScan())
		for range 10_000 {
			build(a)
		}
		start := time.Now()
		m := a.Mark()
		for range 2000 {
			build(a)
			a.Rewind(m)
		}
		t.Logf("2000 rewinds among 30,000 objects: %v", time.Since(start))
	}).want(t)
}

// TestPointersOfMain: arenas that the code under test makes are checked, too.
func TestPointersOfMain(t *testing.T) {
	if os.Getenv(variable) == "main" {
		a := arena.NewArena(arena.WithNoScan(), arena.WithName("of the code"))
		build(a).right.name = heapString(12)
		a.Free()
		return
	}
	out := child("TestPointersOfMain", "main")
	for _, part := range []string{"--- PASS", "ARENA POINTER: arenatest_test.node.name ", `"of the code"`, "FAIL: arenatest"} {
		if !strings.Contains(out, part) {
			t.Errorf("no %q in\n%s", part, out)
		}
	}
}

// TestPointersWhileMarking: an arena reclaims values that point to freed objects, and a marking GC must not see these
// pointers. It ended the program once.
func TestPointersWhileMarking(t *testing.T) {
	if os.Getenv(variable) == "" {
		if out := child("TestPointersWhileMarking", "x"); !strings.Contains(out, "--- PASS") {
			t.Errorf("%.2000s", out)
		}
		return
	}
	go func() {
		for {
			runtime.GC()
		}
	}()
	for range 300 {
		a := arena.NewArena(arena.WithNoScan(), arena.WithChecks(arena.CheckObjects))
		for range 10 {
			arena.New[node](a).name = heapString(20_000)
		}
		runtime.GC()
		a.Reset()
	}
}

// TestPointersIntoAChild: the report says that the object is a child's, and whether the child has reclaimed it. The
// cycle that looks for escapes after Reset frees the name: no other object has its size, or one could lie there when
// the pointer is looked up.
func TestPointersIntoAChild(t *testing.T) {
	defer debug.SetGCPercent(debug.SetGCPercent(-1)) // after a few cycles the arena that reclaimed the name is forgotten
	run(t, func(tb testing.TB) {
		a := arenatest.New(tb, arena.WithNoScan(), arena.WithName("symbols"))
		child := a.Child()
		build(a).left.right = build(child.Child())
	}).want(t, `arenatest_test.node.right in self-contained arena "symbols" points to the arenatest_test.node of a *arenatest_test.node in a child of that arena, which ends on its own`,
		"What it leads to was allocated at ", "arenatest_test.go:")
	run(t, func(tb testing.TB) {
		a := arenatest.New(tb, arena.WithNoScan())
		first, second := a.Child(), a.Child()
		build(first).left = build(second)
	}).want(t, "arenatest_test.node.left ", "in another child of that arena")
	run(t, func(tb testing.TB) {
		a := arenatest.New(tb, arena.WithNoScan(), arena.WithName("symbols"))
		child := a.Child()
		build(a).name = child.AllocString(strings.Repeat("short-lived ", 100))
		child.Reset() // the name ends
		arenatest.Verify(tb)
	}).want(t, "arenatest_test.node.name ", `points to a string of 1200 bytes that arena "symbols" has reclaimed at `, here(t, "// the name ends"))
}
