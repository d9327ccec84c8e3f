package promises_test

import (
	"runtime"
	"strings"
	"sync"
	"testing"
	"weak"

	"github.com/harena-go/arena"
	"github.com/harena-go/arena/internal/tests/testkit"
)

// This file tests the memory of a Shared: that Reset keeps it for the next
// life, and that the limit counts it.

// live lets goroutines do the same work, each in a local.
func live(s *arena.Shared, goroutines int) {
	var wg sync.WaitGroup
	for range goroutines {
		wg.Go(func() {
			a := s.Local()
			for range 3 {
				fill(a)
			}
			a.AllocBytes(50_000)
			c := a.Child()
			fill(c)
		})
	}
	wg.Wait()
}

// TestSharedResetReusesMemory: over many lives with the same work the heap doesn't
// grow, and hardly anything is taken from it. Locals get each other's chunks,
// so that it takes some lives until there are enough of each size.
func TestSharedResetReusesMemory(t *testing.T) {
	const goroutines, settled = 8, 15
	lives := 100
	if testkit.Sanitized {
		lives = 30
	}
	for kind, make := range sharedKinds {
		if kind == "nil" {
			continue
		}
		s := make()
		var first, warm int
		var before, after runtime.MemStats
		for life := range lives {
			live(s, goroutines)
			used := s.Stats()
			s.Reset()
			if life == 0 {
				first = used.Reserved
			}
			if life == settled {
				warm = testkit.HeapInUse()
				runtime.ReadMemStats(&before)
			}
			if used.Reserved > 3*first {
				t.Fatalf("%s, life %d: %v; %d bytes were reserved in the first life", kind, life, used, first)
			}
		}
		runtime.ReadMemStats(&after)
		if more := testkit.HeapInUse() - warm; more > first {
			t.Errorf("%s: %d lives that took %d bytes at first have left %d bytes", kind, lives-settled, first, more)
		}
		if taken := int(after.TotalAlloc - before.TotalAlloc); taken > lives*first/4 && !strings.HasPrefix(kind, "tiny") && testkit.Countable() {
			t.Errorf("%s: %d bytes were taken from the heap in %d lives of %d bytes each", kind, taken, lives-settled, first)
		}
		runtime.KeepAlive(s)
	}
}

// TestSharedKeepsWhatIsInUse: the Reset that releases what wasn't needed for a while must
// not take what each life needs.
func TestSharedKeepsWhatIsInUse(t *testing.T) {
	for kind, opts := range map[string][]arena.Option{"default": nil, "self-contained": {arena.WithNoScan()}} {
		s := arena.NewShared(opts...)
		least := 0
		for life := range 70 {
			a := s.Local()
			a.AllocBytes(300_000)
			fill(a)
			s.Reset()
			n := s.Stats().Retained
			if life == 2 {
				least = n
			} else if life > 2 && n < least {
				t.Errorf("%s: %d bytes are kept after life %d, %d after life 2", kind, n, life, least)
				break
			}
		}
	}
}

// TestSharedResetForgetsFreedLocals: values that a local has left at its Free live on with the others, and go with
// them.
func TestSharedResetForgetsFreedLocals(t *testing.T) {
	s := arena.NewShared(arena.WithNoScan())
	before := testkit.HeapInUse()
	free := func() weak.Pointer[testkit.Sentinel] {
		v, w := testkit.NewSentinel()
		a := s.Local()
		a.KeepAlive(v)
		a.AllocBytes(4 << 20)
		fill(a)
		a.Free()
		return w
	}
	for range 3 {
		w := free()
		kept := arena.New[int](s.Local())
		if testkit.Dead(w) {
			t.Error("lost before Reset")
		}
		runtime.KeepAlive(kept)
		s.Reset()
		if more := testkit.HeapInUse() - before; !testkit.Dead(w) || more > 1<<20 {
			t.Errorf("after Reset %d bytes are left; what KeepAlive was given is alive: %v", more, w.Value() != nil)
		}
	}
	runtime.KeepAlive(s)
}
