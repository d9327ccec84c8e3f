package promises_test

import (
	"fmt"
	"regexp"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"unsafe"

	"github.com/harena-go/arena"
	"github.com/harena-go/arena/internal/tests/testkit"
	"github.com/harena-go/arena/internal/tests/testkit/arenakit"
)

// This file tests the end of a Shared: locals that are used too late, also by
// goroutines that are still at work, and what does nothing.

const (
	sharedFreed = ` is of a Shared that was freed; nothing can be allocated after Free`
)

// TestFreeOfSharedInUse: goroutines that are still allocating get a panic soon, and values written by then stay as they
// were.
func TestFreeOfSharedInUse(t *testing.T) {
	const goroutines = 8
	work := map[string]func(a *arena.Arena){
		"locals":   func(*arena.Arena) {},
		"children": func(a *arena.Arena) { fill(a.Child()) },
		"ends":     func(a *arena.Arena) { c := a.Child(); fill(c); c.Reset(); c.Free() },
		"resets":   func(a *arena.Arena) { fill(a); a.Reset() },
		"rewinds":  func(a *arena.Arena) { m := a.Mark(); fill(a); a.Rewind(m) },
		"strings":  func(a *arena.Arena) { a.AllocString(testkit.Static); a.Sprintf("%d", 5) },
	}
	want := regexp.MustCompile(`^arena: [A-Z]\w+: the arena "n"` + sharedFreed + `$`)
	for kind, opts := range map[string][]arena.Option{"default": nil, "self-contained": {arena.WithNoScan()}, "tiny": {arena.WithChunkSize(256)}, "limited": {arena.WithLimit(1 << 29)}} {
		for what, extra := range work {
			t.Run(kind+"/"+what, func(t *testing.T) {
				for range testkit.Cases(10) {
					s := arena.NewShared(append(opts, arena.WithName(named))...)
					var at [goroutines]atomic.Int64 // the number of entries that each has
					var wg sync.WaitGroup
					for g := range goroutines {
						wg.Go(func() {
							a := s.Local()
							id := uint64(g) << 32
							var all []*entry
							var err error
							v := testkit.Caught(func() {
								for n := range 1_000_000 { // seconds
									if n%8 == 7 {
										runtime.Gosched() // so that Free comes soon
									}
									var more []*entry
									if what == "resets" {
										all = nil
									}
									if more, err = newEntries(a, id+uint64(len(all)), 1); err != nil {
										return
									}
									all = append(all, more...)
									at[g].Add(1)
									extra(a)
								}
							})
							if err != nil || !want.MatchString(fmt.Sprint(v)) {
								t.Errorf("goroutine %d, after %d entries: %v, panic %v", g, len(all), err, v)
							}
							runtime.Gosched()
							if what == "resets" && len(all) > 0 {
								return // that may be dead
							}
							for i, e := range all {
								if err := e.check(id + uint64(i)); err != nil {
									t.Errorf("goroutine %d: %v", g, err)
								}
							}
						})
					}
					for g := range at {
						for at[g].Load() < 3 {
							runtime.Gosched()
						}
					}
					s.Free()
					runtime.GC()
					wg.Wait()
				}
			})
		}
	}
}

// TestFreeOfSharedWhileLocalsAreMade: Local returns an arena that panics soon, or panics itself.
func TestFreeOfSharedWhileLocalsAreMade(t *testing.T) {
	want := regexp.MustCompile(`^arena: (Local: the Shared "n" was freed|[A-Z]\w+: the arena "n"` + sharedFreed + `)$`)
	for range 50 {
		s := arena.NewShared(arena.WithName(named))
		var locals atomic.Int32
		var wg sync.WaitGroup
		for range 8 {
			wg.Go(func() {
				v := testkit.Caught(func() {
					for {
						a := s.Local()
						fill(a)
						locals.Add(1)
						a.Free()
						runtime.Gosched() // nobody takes the thread away on wasm
					}
				})
				if !want.MatchString(fmt.Sprint(v)) {
					t.Errorf("panic %v", v)
				}
			})
		}
		for locals.Load() < 20 {
			runtime.Gosched()
		}
		s.Free()
		wg.Wait()
		wantMessage(t, func() { s.Local() }, `arena: Local: the Shared "n" was freed`)
	}
}

// TestCopiedShared is refused as a copied Arena is.
func TestCopiedShared(t *testing.T) {
	var s arena.Shared
	arenakit.Works(s.Local())
	c := new(arena.Shared)
	// Not *c = s, which go vet refuses.
	copy(testkit.BytesAt(unsafe.Pointer(c), int(unsafe.Sizeof(s))), testkit.BytesAt(unsafe.Pointer(&s), int(unsafe.Sizeof(s))))
	testkit.WantPanic(t, func() { c.Local() }, "arena: Local: the Arena is a copy")
	testkit.WantPanic(t, func() { c.Reset() }, "copy")
	testkit.WantPanic(t, func() { c.Free() }, "copy")
	if err := arenakit.Works(s.Local()); err != nil {
		t.Error(err)
	}
}
