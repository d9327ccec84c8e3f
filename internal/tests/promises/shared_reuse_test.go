package promises_test

import (
	"runtime"
	"strings"
	"sync"
	"testing"
	"weak"

	"github.com/harena-go/arena"
	"github.com/harena-go/arena/internal/tests/testkit"
	"github.com/harena-go/arena/internal/tests/testkit/arenakit"
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

// TestFreedLocalsLeaveNothingBehind: neither a place in a list nor a chunk.
func TestFreedLocalsLeaveNothingBehind(t *testing.T) {
	testkit.NeedsReuse(t)
	for kind, opts := range map[string][]arena.Option{"default": nil, "self-contained": {arena.WithNoScan()}} {
		s := arena.NewShared(opts...)
		a := s.Local()
		a.AllocBytes(100_000)
		n := a.Stats().Reserved
		a.Reset()
		a.Free()
		if st := s.Stats(); st.Reserved != n || st.Retained != n {
			t.Errorf("%s: of %d bytes came back: %v", kind, n, st)
		}
		before := testkit.HeapInUse()
		for range 20_000 {
			s.Local().Free()
		}
		if more := testkit.HeapInUse() - before; more > 256<<10 {
			t.Errorf("%s: 20,000 freed locals left %d bytes behind", kind, more)
		}
		runtime.KeepAlive(s)
	}
}

// TestSharedScrubs: with WithScrub, Reset and Free of the whole erase the values of its locals.
func TestSharedScrubs(t *testing.T) {
	if testkit.Sanitized {
		t.Skip("looks at dead memory")
	}
	for name, end := range map[string]func(s *arena.Shared){"Reset": (*arena.Shared).Reset, "Free": (*arena.Shared).Free} {
		for kind, opts := range map[string][]arena.Option{"default": nil, "self-contained": {arena.WithNoScan()}} {
			s := arena.NewShared(append(opts, arena.WithScrub())...)
			a := s.Local()
			b, v := a.AllocBytes(5000), arena.NewOf(a, testkit.Node{N: 7})
			for i := range b {
				b[i] = 0xEE
			}
			end(s)
			if !testkit.AllZero(b) || v.N != 0 {
				t.Errorf("%s, %s: secrets are left", name, kind)
			}
		}
	}
}

// TestSharedLimit is one for all locals, and counts chunks.
func TestSharedLimit(t *testing.T) {
	const limit = 100_000
	s := arena.NewShared(arena.WithLimit(limit), arena.WithName(named))
	for life := range 20 {
		a, b := s.Local(), s.Local()
		if e := limitOf(t, func() { a.AllocBytes(limit - 8) }); e != nil {
			t.Errorf("life %d: all of the limit: %v", life, e)
		}
		if e := limitOf(t, func() { b.AllocBytes(1) }); e == nil || e.Name != named || e.Used != limit || e.Asked != 1 || e.Limit != limit || !e.Total {
			t.Errorf("life %d: one byte more: %#v", life, e)
		}
		s.Reset()
	}
	s = arena.NewShared(arena.WithLimit(limit))
	if e := limitOf(t, func() { s.Local().AllocBytes(limit - 7) }); e == nil || e.Used != 0 {
		t.Errorf("one byte too many: %#v", e)
	}
	if err := arenakit.Works(s.Local()); err != nil {
		t.Error(err)
	}
}

// TestSharedLimitHolds: goroutines meet the limit at the same time; none gets more, and their values stay intact.
func TestSharedLimitHolds(t *testing.T) {
	const limit, goroutines = 1 << 20, 16
	for kind, opts := range map[string][]arena.Option{"default": nil, "self-contained": {arena.WithNoScan()}} {
		s := arena.NewShared(append(opts, arena.WithLimit(limit))...)
		for life := range 20 {
			var wg sync.WaitGroup
			for g := range goroutines {
				wg.Go(func() {
					a := s.Local()
					id := uint64(g)
					all, err := []*entry(nil), error(nil)
					if e := limitOf(t, func() { all, err = newEntries(a, id, 5) }); e == nil && err != nil {
						t.Error(err)
					}
					e := limitOf(t, func() {
						for {
							fill(a)
							runtime.Gosched()
						}
					})
					if e == nil || e.Limit != limit || e.Used > limit {
						t.Errorf("%s, life %d: %#v", kind, life, e)
					}
					if err := checkEntries(all, id); err != nil {
						t.Error(err)
					}
				})
			}
			wg.Wait()
			if st := s.Stats(); st.Reserved-st.Lists > limit || st.Reserved-st.Lists < limit/2 {
				t.Errorf("%s, life %d: %v; the limit is %d", kind, life, s.Stats(), limit)
			}
			s.Reset()
		}
	}
}

// TestSharedLimitAllowsTheSameAgain: work that fits into the limit once does so in each life.
func TestSharedLimitAllowsTheSameAgain(t *testing.T) {
	work := func(s *arena.Shared) {
		for range 8 {
			a := s.Local()
			fill(a)
			a.AllocBytes(50_000)
		}
	}
	s := arena.NewShared()
	work(s)
	s = arena.NewShared(arena.WithLimit(s.Stats().Reserved * 3 / 2))
	for life := range 40 {
		if e := limitOf(t, func() { work(s) }); e != nil {
			t.Fatalf("life %d: %v; %v", life, e, s.Stats())
		}
		s.Reset()
	}
}
