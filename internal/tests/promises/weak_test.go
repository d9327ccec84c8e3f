package promises_test

import (
	"runtime"
	"testing"
	"time"
	"weak"

	"github.com/harena-go/arena"
	"github.com/harena-go/arena/internal/tests/testkit"
)

// TestCleanupsAndWeakPointersAreOfTheChunk, as the package's documentation says: a value's Reset is nothing to them.
func TestCleanupsAndWeakPointersAreOfTheChunk(t *testing.T) {
	type node struct{ next *node }
	for name, opts := range map[string][]arena.Option{"default": nil, "self-contained": {arena.WithNoScan()}} {
		a := arena.NewArena(opts...)
		first := arena.New[node](a)
		ran := make(chan bool, 1)
		w := weak.Make(arena.New[node](a))
		runtime.AddCleanup(w.Value(), func(int) { ran <- true }, 0)
		gone := func() bool {
			for range 3 {
				runtime.GC()
			}
			select {
			case <-ran:
				return true
			case <-time.After(50 * time.Millisecond):
				return false
			}
		}
		if gone() || w.Value() == nil {
			t.Errorf("%s: gone while the arena has it", name)
		}
		a.Reset()
		if !testkit.Sanitized && (gone() || w.Value() == nil) {
			t.Errorf("%s: gone at Reset", name)
		}
		runtime.KeepAlive(first)
		a.Free()
		first = nil
		for range 100 {
			if gone() {
				break
			}
		}
		if w.Value() != nil {
			t.Errorf("%s: still there after Free", name)
		}
	}
}
