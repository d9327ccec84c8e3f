package promises_test

import (
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/harena-go/arena"
	"github.com/harena-go/arena/internal/tests/testkit"
)

// This file tests that a Pool's limit counts what arenas have: no less, and no more once
// they have released it.

// TestPoolLimitDoublesNoMoreThanItAllows: near the limit Append takes the bytes it needs instead of twice as many, and
// chunks are as large as there is room.
func TestPoolLimitDoublesNoMoreThanItAllows(t *testing.T) {
	const limit = 100_000
	p := arena.NewPool(arena.WithReuse(), arena.WithPoolLimit(limit))
	a := p.Get()
	s := arena.MakeSlice[byte](a, 40_000, 40_000)
	if e := limitOf(t, func() { arena.Append(a, s[:40_000:40_000], 1) }); e != nil {
		t.Errorf("40,001 bytes to append to 40,000: %v", e)
	}
	p.Put(a)
	a = p.Get()
	sum := 0
	e := limitOf(t, func() {
		for ; ; sum += 100 {
			arena.New[[100]byte](a)
		}
	})
	if n := a.Stats().Chunks; e == nil || sum < limit*8/10 || n > 100 {
		t.Errorf("%d bytes could be had of %d, in %d chunks: %v", sum, limit, n, e)
	}
	p.Put(a)
}

// lose gets arenas, uses them, and forgets them.
//
//go:noinline
func lose(p *arena.Pool, n, bytes int) {
	for range n {
		a := p.Get()
		a.AllocBytes(bytes)
		*arena.New[*arena.Arena](a) = a
	}
}

// TestPoolStatsMean: the mean use is that of the turns that have ended in either way, and 0 without turns.
func TestPoolStatsMean(t *testing.T) {
	for want, s := range map[string]arena.PoolStats{
		"; 1024 B used each, ": {Puts: 3, Freed: 1, Used: 4096},
		"; 0 B used each, ":    {},
	} {
		if got := s.String(); !strings.Contains(got, want) {
			t.Errorf("%s; want %s", got, want)
		}
	}
}

// TestAppendUpToThePoolLimit: a slice that can't double settles for most of the bytes that the limit leaves.
func TestAppendUpToThePoolLimit(t *testing.T) {
	for name, opts := range map[string][]arena.PoolOption{"default": nil, "self-contained": {arena.WithNoScan()}} {
		for kib := 23; kib < 40; kib++ {
			p := arena.NewPool(append(opts, arena.WithReuse(), arena.WithPoolLimit(kib<<10), arena.WithChunkSize(256))...)
			a := p.Get()
			var s []byte
			if v := testkit.Caught(func() { s = arena.Append(a, make([]byte, 20<<10), 1) }); v != nil {
				t.Errorf("%s, limit %d KiB: %v", name, kib, v)
			}
			if cap(s) < kib<<10*3/4 {
				t.Errorf("%s, limit %d KiB: cap %d", name, kib, cap(s))
			}
			p.Put(a)
		}
	}
}

// TestLastChunksAreSmall: near the limit of a pool an arena takes a part of the rest, so that the others get something,
// too.
func TestLastChunksAreSmall(t *testing.T) {
	const limit, last = 1 << 20, 64 << 10
	for name, opts := range map[string][]arena.PoolOption{"default": nil, "self-contained": {arena.WithNoScan()}} {
		p := arena.NewPool(append(opts, arena.WithReuse(), arena.WithPoolLimit(limit+last))...)
		greedy, modest := p.Get(), p.Get()
		left := 0
		for greedy.Stats().Reserved <= limit {
			left = limit + last - greedy.Stats().Reserved
			arena.New[[8]int](greedy)
		}
		if took := left - (limit + last - greedy.Stats().Reserved); took > left/2 {
			t.Errorf("%s: of the last %d bytes one chunk takes %d", name, left, took)
		}
		if err := limitOf(t, func() { modest.AllocBytes(1000) }); err != nil {
			t.Errorf("%s: nothing is left for others: %v", name, err)
		}
		greedy.Free()
		modest.Free()
	}
}

// TestPoolLimitOfLeftArenas: arenas that were never put back don't hold the limit until a cycle of
// the GC happens to come. Where arenas are in use there are few such cycles.
func TestPoolLimitOfLeftArenas(t *testing.T) {
	testkit.NoGC(t)
	for name, opts := range map[string][]arena.PoolOption{"default": nil, "self-contained": {arena.WithNoScan()}} {
		p := arena.NewPool(append(opts, arena.WithReuse(), arena.WithPoolLimit(10<<20))...)
		for range 9 {
			p.Get().AllocBytes(1 << 20)
		}
		var e *arena.LimitError
		for start := time.Now(); time.Since(start) < 10*time.Second; time.Sleep(50 * time.Millisecond) {
			if e = limitOf(t, func() { a := p.Get(); defer p.Put(a); a.AllocBytes(2 << 20) }); e == nil {
				break
			}
		}
		if s := p.Stats(); e != nil || s.Lost != 9 {
			t.Errorf("%s: %v; %v", name, e, s)
		}
		inUse := p.Get()
		inUse.AllocBytes(9 << 20)
		cycles := gcCycles()
		for range 1000 {
			if err := p.Do(func(a *arena.Arena) error { a.AllocBytes(2 << 20); return nil }); err == nil {
				t.Fatalf("%s: more than the limit", name)
			}
		}
		if n := gcCycles() - cycles; n > 5 {
			t.Errorf("%s: %d cycles for 1,000 refusals", name, n)
		}
		p.Put(inUse)
	}
}

// gcCycles returns how many cycles the GC has completed.
func gcCycles() uint32 {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.NumGC
}
