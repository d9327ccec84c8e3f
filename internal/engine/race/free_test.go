package race_test

import (
	"sync"
	"testing"
	"unsafe"

	"github.com/harena-go/arena"
	"github.com/harena-go/arena/internal/tests/testkit"
)

// TestFreeDuringFastPaths: a goroutine that allocates while its Shared is freed gets
// values from the local's memory until it gets a panic, in every build: also in those
// that load a variable anew wherever the source names it.
func TestFreeDuringFastPaths(t *testing.T) {
	type pointers struct {
		p *int
		n [2]uint64
	}
	ways := map[string]func(a *arena.Arena, t *arena.Typed[[2]uint64]) unsafe.Pointer{
		"New": func(a *arena.Arena, _ *arena.Typed[[2]uint64]) unsafe.Pointer {
			return unsafe.Pointer(arena.New[[2]uint64](a))
		},
		"New of pointers": func(a *arena.Arena, _ *arena.Typed[[2]uint64]) unsafe.Pointer {
			return unsafe.Pointer(arena.New[pointers](a))
		},
		"Typed.New": func(_ *arena.Arena, t *arena.Typed[[2]uint64]) unsafe.Pointer { return unsafe.Pointer(t.New()) },
		"AllocString": func(a *arena.Arena, _ *arena.Typed[[2]uint64]) unsafe.Pointer {
			return unsafe.Pointer(unsafe.StringData(a.AllocString(testkit.Static[:16])))
		},
	}
	rounds := 300
	if testing.Short() || testkit.Sanitized {
		rounds = 60
	}
	for name, alloc := range ways {
		t.Run(name, func(t *testing.T) {
			for range rounds {
				s := arena.NewShared()
				a := s.Local()
				typed := arena.For[[2]uint64](a)
				all := make([]unsafe.Pointer, 0, 1<<16)
				var started, done sync.WaitGroup
				started.Add(1)
				done.Go(func() {
					all = append(all, alloc(a, typed))
					started.Done()
					testkit.Caught(func() {
						for len(all) < cap(all) {
							all = append(all, alloc(a, typed))
						}
					})
				})
				started.Wait()
				s.Free()
				done.Wait()
				for i := 1; i < len(all); i++ { // a new window may lie anywhere above
					if uintptr(all[i]) > uintptr(all[i-1])-16 && uintptr(all[i]) < uintptr(all[i-1])+16 {
						t.Fatalf("values at %p and %p overlap", all[i-1], all[i])
					}
				}
			}
		})
	}
}
