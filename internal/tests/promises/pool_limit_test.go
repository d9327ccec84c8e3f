package promises_test

import (
	"math/rand/v2"
	"runtime"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/harena-go/arena"
	"github.com/harena-go/arena/internal/tests/testkit"
)

// This file tests WithPoolLimit: all arenas together stay within it, one that fails leaves the others working, and
// bytes are given back.

// limitOf runs f and returns the *LimitError with which it panics, or nil.
func limitOf(t testing.TB, f func()) *arena.LimitError {
	t.Helper()
	switch v := testkit.Caught(f).(type) {
	case nil:
		return nil
	case *arena.LimitError:
		return v
	default:
		t.Errorf("panic: %v; want a LimitError", v)
		return nil
	}
}

// TestPoolLimitIsExact: a chunk that exactly fits is made, one a byte larger is not. The overhead of a chunk depends on
// its kind.
func TestPoolLimitIsExact(t *testing.T) {
	const words = 100
	size := words * testkit.SizeOfType(&testkit.Decoy)
	for name, c := range map[string]struct {
		opts  []arena.PoolOption
		limit int
		most  int // that can be taken at once
		take  func(a *arena.Arena, n int)
	}{
		"plain":          {nil, 10_000, 10_000 - 8, func(a *arena.Arena, n int) { a.AllocBytes(n) }},
		"odd limit":      {nil, 10_007, 10_000 - 8, func(a *arena.Arena, n int) { a.AllocBytes(n) }},
		"self-contained": {[]arena.PoolOption{arena.WithNoScan()}, 10_240, 10_240 - 24, func(a *arena.Arena, n int) { a.AllocBytes(n) }},
		"slab": {nil, 10 * size, 10, func(a *arena.Arena, n int) {
			arena.MakeSlice[[words]*int](a, n, n)
		}},
		"child": {nil, 10_000, 10_000 - 8, func(a *arena.Arena, n int) { a.Child().AllocBytes(n) }},
	} {
		t.Run(name, func(t *testing.T) {
			p := arena.NewPool(append(c.opts, arena.WithReuse(), arena.WithPoolLimit(c.limit), arena.WithName(named))...)
			for round := range 40 {
				a := p.Get()
				e := limitOf(t, func() { c.take(a, c.most+1) })
				if e == nil || e.Name != named || e.Used > c.limit || e.Asked < c.most || e.Limit != c.limit || !e.Total {
					t.Errorf("round %d: more than the limit: %#v", round, e)
				}
				if e := limitOf(t, func() { c.take(a, c.most) }); e != nil {
					t.Fatalf("round %d: as much as the limit: %v", round, e)
				}
				b := p.Get()
				if e := limitOf(t, func() { b.AllocBytes(1) }); e == nil || e.Used > c.limit || e.Used < c.limit-8 {
					t.Errorf("round %d: another arena: %#v", round, e)
				}
				if round%4 == 3 {
					a.Free()
				} else {
					p.Put(a)
				}
				if e := limitOf(t, func() { c.take(b, c.most) }); e != nil {
					t.Errorf("round %d: after it was given back: %v", round, e)
				}
				p.Put(b)
			}
		})
	}
}

// TestPoolLimitHolds makes goroutines fill their arenas until one of them fails. Each one notes, under a lock, the
// least bytes of its arena.
func TestPoolLimitHolds(t *testing.T) {
	const limit, goroutines = 1 << 20, 16
	for name, opts := range map[string][]arena.PoolOption{"default": nil, "self-contained": {arena.WithNoScan()},
		"tiny": {arena.WithChunkSize(256)}, "with a limit for each": {arena.WithLimit(limit - 1<<10)}} {
		p := arena.NewPool(append(opts, arena.WithReuse(), arena.WithPoolLimit(limit))...)
		var mu sync.Mutex
		var has [goroutines]int
		var most, failed int
		note := func(worker, bytes int) {
			mu.Lock()
			defer mu.Unlock()
			has[worker] = bytes
			sum := 0
			for _, n := range has {
				sum += n
			}
			if most = max(most, sum); sum > limit {
				t.Errorf("%s: %d bytes in use, limit %d", name, sum, limit)
			}
		}
		var wg sync.WaitGroup
		for worker := range goroutines {
			wg.Go(func() {
				r := rand.New(rand.NewPCG(3, uint64(worker)))
				for round := range 40 {
					a := p.Get()
					id := uint64(worker)<<32 | uint64(round)
					all, err := []*entry(nil), error(nil)
					if e := limitOf(t, func() { all, err = newEntries(a, id, 5) }); e == nil && err != nil {
						t.Error(err)
					}
					for range r.IntN(100) {
						if e := limitOf(t, func() {
							a.AllocBytes(r.IntN(9000))
							arena.MakeSlice[*int](a, r.IntN(500), 500)
							arena.New[testkit.Large](a)
						}); e != nil {
							mu.Lock()
							failed++
							mu.Unlock()
							break
						}
						note(worker, a.UsedBytes())
						runtime.Gosched()
					}
					if err := checkEntries(all, id); err != nil {
						t.Error(err)
					}
					note(worker, 0)
					p.Put(a)
				}
			})
		}
		wg.Wait()
		if most < limit/2 || failed == 0 {
			t.Errorf("%s: at most %d bytes of %d were in use, %d failures: nothing was tested", name, most, limit, failed)
		}
		wantLive(t, p, 0)
		all := p.Get()
		if e := limitOf(t, func() { all.AllocBytes(limit - 1<<10 - 64) }); e != nil {
			t.Errorf("%s: in the end not all is given back: %v", name, e)
		}
		p.Put(all)
	}
}

// TestPoolLimitCountsIdleArenasAgain: an arena's kept chunks count from Get on. If there is no room for them, they go;
// Get never fails.
func TestPoolLimitCountsIdleArenasAgain(t *testing.T) {
	if testkit.Sanitized {
		t.Skip("the race detector makes sync.Pool lose sight of arenas")
	}
	testkit.NoGC(t)
	const chunk, fit = 256 << 10, 4
	for kind, opts := range map[string][]arena.PoolOption{"default": nil, "self-contained": {arena.WithNoScan()}} {
		p := arena.NewPool(append(opts, arena.WithReuse(), arena.WithChunkSize(chunk), arena.WithPoolLimit(fit*chunk))...)
		var all [2 * fit]*arena.Arena
		lend := func() {
			for i := range all {
				all[i] = p.Get()
			}
		}
		use := func(a *arena.Arena) *arena.LimitError { return limitOf(t, func() { a.AllocBytes(chunk / 2) }) }
		putAll := func() {
			for _, a := range all {
				p.Put(a)
			}
			wantLive(t, p, 0)
		}
		for round := range 20 {
			for range 2 { // so that others have memory than the next time
				lend()
				for _, a := range all {
					use(a)
				}
				putAll()
			}
			lend()
			sum := 0
			var rich, poor []int // which of them have memory, and which not
			for i, a := range all {
				n := a.Stats().Reserved
				sum += n
				if n > 0 {
					rich = append(rich, i)
				} else {
					poor = append(poor, i)
				}
			}
			if sum != fit*chunk || p.Stats().Reserved != sum || len(rich) != fit {
				t.Fatalf("%s, round %d: %d arenas have %d bytes: %v", kind, round, len(rich), sum, p.Stats())
			}
			for _, i := range rich {
				if e := use(all[i]); e != nil {
					t.Errorf("%s, round %d: %v", kind, round, e)
				}
			}
			if e := use(all[poor[0]]); e == nil || e.Used != fit*chunk {
				t.Errorf("%s, round %d: beyond the limit: %v", kind, round, e)
			}
			p.Put(all[rich[0]])
			all[rich[0]] = nil
			if e := use(all[poor[0]]); e != nil {
				t.Errorf("%s, round %d: after Put: %v", kind, round, e)
			}
			putAll()
		}
	}
}

// TestPoolLimitInBubble: at its limit, a Pool in a synctest bubble finds arenas that were lost, also if one outside of
// the bubble has just looked for some.
func TestPoolLimitInBubble(t *testing.T) {
	find := func() *arena.LimitError {
		p := arena.NewPool(arena.WithReuse(), arena.WithPoolLimit(10_000))
		done := make(chan bool)
		go func() { // whose stack is gone when it has ended
			p.Get().AllocBytes(6_000)
			close(done)
		}()
		<-done
		return limitOf(t, func() { p.Get().AllocBytes(6_000) })
	}
	find()
	synctest.Test(t, func(t *testing.T) {
		if e := find(); e != nil {
			t.Errorf("an arena that was lost counts: %v", e)
		}
	})
}
