package promises_test

import (
	"runtime"
	"sync"
	"testing"
	"time"

	"github.com/harena-go/arena"
	"github.com/harena-go/arena/internal/tests/testkit"
	"github.com/harena-go/arena/internal/tests/testkit/arenakit"
)

// This file tests that a Pool gives back memory: that of idle arenas, of spikes,
// and of arenas that were lost.

// settled is heapInUse once sync.Pool has released idle values: through three cycles of the GC.
func settled() int {
	for range 3 {
		runtime.GC()
	}
	return testkit.HeapInUse()
}

// TestIdleArenasAreLetGo: nothing stays of a spike, in which many arenas were in
// use at a time, once all of them are idle.
func TestIdleArenasAreLetGo(t *testing.T) {
	const spike, each = 100, 1 << 20
	for kind, opts := range map[string][]arena.PoolOption{"default": nil, "self-contained": {arena.WithNoScan()}, "limited": {arena.WithPoolLimit(1 << 29)}} {
		p := arena.NewPool(append([]arena.PoolOption{arena.WithReuse()}, opts...)...)
		before := settled()
		lent := make([]*arena.Arena, spike)
		for i := range lent {
			lent[i] = p.GetKeyed([]string{"a", "b"}[i%2])
			for range each / 1024 / 2 {
				arena.New[[1024]byte](lent[i])
				arena.MakeSlice[*int](lent[i], 128, 128)
			}
		}
		if more := testkit.HeapInUse() - before; more < spike*each/2 || p.Stats().Reserved < spike*each/2 {
			t.Fatalf("%s: only %d bytes more in the spike: %v", kind, more, p.Stats())
		}
		for _, a := range lent {
			p.Put(a)
		}
		clear(lent)
		if more := settled() - before; more > 1<<20 {
			t.Errorf("%s: %d bytes are left of the spike", kind, more)
		}
		s := p.Stats()
		if s.Reserved != 0 || s.Gets != spike || s.Puts != s.Gets || s.Lost != 0 || s.Used == 0 || s.Keys["a"].Gets*2 != s.Gets {
			t.Errorf("%s: %v", kind, s)
		}
		runtime.KeepAlive(p)
	}
}

// TestPoolItselfIsLetGo: a Pool with idle, lent and lost arenas is garbage like
// any other once nobody has it.
func TestPoolItselfIsLetGo(t *testing.T) {
	before := settled()
	for range 50 {
		p := arena.NewPool(arena.WithReuse(), arena.WithPoolLimit(1<<29))
		lose(p, 3, 100_000)
		arenakit.Serve(p, 10, arenakit.Always(100_000))
		p.Do(func(a *arena.Arena) error { a.AllocBytes(100_000); a.Free(); return nil })
	}
	if more := settled() - before; more > 1<<20 {
		t.Errorf("%d bytes are left of 50 pools", more)
	}
}

// TestBooksStaySmall: the list of leases doesn't grow with the number of arenas that there were.
func TestBooksStaySmall(t *testing.T) {
	p := arena.NewPool(arena.WithReuse())
	cycle := func(n int) {
		for i := range n {
			a := p.Get()
			arena.New[int](a)
			if a.Free(); i%1000 == 0 {
				lose(p, 10, 100)
			}
		}
	}
	cycle(1000)
	before := settled()
	cycle(20_000)
	if more := settled() - before; more > 1<<20 {
		t.Errorf("%d bytes are kept for 20,000 arenas that were freed", more)
	}
	if s := p.Stats(); s.Freed != 21_000 || s.Lost != 210 || s.Gets != s.Freed+s.Lost || s.Live != 0 {
		t.Errorf("%v", s)
	}
}

// TestLostArenasAreFound, those that were used before as well.
func TestLostArenasAreFound(t *testing.T) {
	p := arena.NewPool(arena.WithReuse())
	arenakit.Serve(p, 3, arenakit.Always(1000))
	lent := p.GetKeyed("k")
	lose(p, 7, 100_000)
	if s := p.Stats(); s.Live+s.Lost != 8 { // the GC may have been at work
		t.Errorf("before the GC: %v", s)
	}
	if n := settled(); p.Stats().Lost != 7 {
		t.Errorf("after the GC, %d bytes in use: %v", n, p.Stats())
	}
	if s := p.Stats(); s.Live != 1 || s.Gets != s.Puts+s.Lost+1 || s.Keys["k"].Lost != 0 {
		t.Errorf("after the GC: %v", s)
	}
	p.Put(lent)
	if s := p.Stats(); s.Live != 0 || s.Lost != 7 || s.Reserved != s.Retained {
		t.Errorf("after Put: %v", s)
	}
}

// TestPutReleasesValues: an idle arena keeps nothing alive that its values pointed to.
func TestPutReleasesValues(t *testing.T) {
	testkit.NoGC(t)
	for name, store := range stores {
		p := arena.NewPool(arena.WithReuse())
		for range 3 {
			a := p.Get()
			w := store(a)
			if testkit.Dead(w) {
				t.Errorf("%s: lost while it was in use", name)
			}
			p.Put(a)
			if !testkit.Dead(w) {
				t.Errorf("%s: still held after Put", name)
			}
			runtime.KeepAlive(a)
		}
	}
}

// TestPoolDoesNotAllocate: a warm Get, with allocations and a Put, takes nothing from the Go heap.
func TestPoolDoesNotAllocate(t *testing.T) {
	if !testkit.Countable() {
		t.Skip("counts allocations")
	}
	testkit.NoGC(t)
	name, key := "a string of some length", "key"
	work := func(a *arena.Arena) error {
		n := arena.New[testkit.Node](a)
		n.Left = arena.NewOf(a, 1)
		arena.New[[40]uint64](a)
		a.AllocString(name)
		s := arena.MakeSlice[*testkit.Node](a, 0, 2)
		arena.Append(a, s, n, n, n)
		arena.Append(a, arena.MakeSlice[byte](a, 100, 100), 1, 2)
		*arena.For[testkit.Late](a).New() = testkit.Late{P: n.Left}
		a.Rewind(a.Mark())
		return nil
	}
	fail := func(a *arena.Arena) error { return nil }
	for kind, opts := range map[string][]arena.PoolOption{"default": nil, "self-contained": {arena.WithNoScan()}, "scrub": {arena.WithScrub()},
		"limited": {arena.WithLimit(1 << 20), arena.WithPoolLimit(1 << 24)}} {
		p := arena.NewPool(append([]arena.PoolOption{arena.WithReuse()}, opts...)...)
		for op, f := range map[string]func(){
			"Get":      func() { a := p.Get(); work(a); p.Put(a) },
			"GetKeyed": func() { a := p.GetKeyed(key); work(a); p.Put(a) },
			"Do":       func() { p.Do(work) },
			"DoKeyed":  func() { p.DoKeyed(key, work) },
			"empty":    func() { p.Put(p.Get()) },
			"empty Do": func() { p.Do(fail) },
		} {
			for range 500 {
				f()
			}
			if n := testing.AllocsPerRun(500, f); n != 0 {
				t.Errorf("%s: %s: %.3f heap allocations", kind, op, n)
			}
		}
	}
}

// TestPoolCostsLittle compares Get and Put of a warm pool with those of a sync.Pool, in turns. A ratio of 3 is the
// goal, which benchmarks watch; a busy machine doesn't turn it into 10.
func TestPoolCostsLittle(t *testing.T) {
	if !testkit.Countable() || testing.Short() {
		t.Skip("measures time")
	}
	testkit.NoGC(t)
	const calls, turns = 5000, 100
	p := arena.NewPool(arena.WithReuse())
	bare := sync.Pool{New: func() any { return new(testkit.Node) }}
	measure := func(f func()) time.Duration {
		return testkit.Took(func() {
			for range calls {
				f()
			}
		})
	}
	ours, theirs := time.Hour, time.Hour // the best of all turns
	for range turns {
		ours = min(ours, measure(func() { p.Put(p.Get()) }))
		theirs = min(theirs, measure(func() { bare.Put(bare.Get()) }))
	}
	t.Logf("%d times Get and Put: %v, sync.Pool: %v", calls, ours, theirs)
	if ours > 10*theirs {
		t.Error("more than ten times as much")
	}
}
