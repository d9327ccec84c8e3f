package learn_test

import (
	"math/rand/v2"
	"runtime"
	"testing"

	"github.com/harena-go/arena"
	"github.com/harena-go/arena/internal/tests/testkit"
	"github.com/harena-go/arena/internal/tests/testkit/arenakit"
)

// This file tests the learning of a Pool: the first chunk of its arenas, and of their slabs, follows the needs of nine
// in ten pieces of work.
//
// A Pool looks at a random part of the uses, so that these tests see more of them than it takes, and bounds that a
// sample meets all but surely.

func TestPoolLearns(t *testing.T) {
	r := rand.New(rand.NewPCG(19, 23))
	const chunk = 4 << 10
	for name, c := range map[string]struct {
		size        func(int) int
		least, most int // of the first chunk
	}{
		"little":     {arenakit.Always(100), chunk, chunk},
		"constant":   {arenakit.Always(50_000), 50_008, 62_500},
		"chunk":      {arenakit.Always(chunk - 8), chunk, 5 << 10},
		"uniform":    {func(int) int { return r.IntN(100_000) }, 81_000, 125_000},
		"two to ten": {func(int) int { return pick(r.IntN(10) < 2, 200_000, 1000) }, 200_008, 250_000},
		"three in a hundred": {func(int) int { return pick(r.IntN(100) < 3, 200_000, 5000) },
			5008, 7 << 10},
	} {
		for kind, opts := range map[string][]arena.PoolOption{"default": nil, "self-contained": {arena.WithNoScan()}} {
			p := arena.NewPool(append([]arena.PoolOption{arena.WithReuse()}, opts...)...)
			arenakit.Serve(p, 5, c.size)
			if n := p.Stats().FirstChunk; n != chunk {
				t.Errorf("%s, %s: %d bytes after 5 uses; want %d, for too little is known", name, kind, n, chunk)
			}
			arenakit.Serve(p, 4000, c.size)
			if n := p.Stats().FirstChunk; n < c.least || n > c.most {
				t.Errorf("%s, %s: the first chunk is of %d bytes; want %d to %d", name, kind, n, c.least, c.most)
			}
		}
	}
}

func pick(large bool, yes, no int) int {
	if large {
		return yes
	}
	return no
}

// TestPoolForgets follows work that grows and shrinks again, and with it the
// memory that an idle arena has.
func TestPoolForgets(t *testing.T) {
	if !testkit.Sanitized { // the race detector makes sync.Pool lose sight of arenas, which the GC has to find
		testkit.NoGC(t)
	}
	// Else the arena of another processor isn't used any more, and keeps its memory.
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	const small, large = 10_000, 300_000
	for kind, opts := range map[string][]arena.PoolOption{"default": nil, "self-contained": {arena.WithNoScan()}} {
		p := arena.NewPool(append([]arena.PoolOption{arena.WithReuse()}, opts...)...)
		until := func(what string, size, most int, done func(s arena.PoolStats) bool) {
			t.Helper()
			for n := 0; n < most; n += 100 {
				arenakit.Serve(p, 100, arenakit.Always(size))
				if done(p.Stats()) {
					return
				}
			}
			t.Errorf("%s: %s: not after %d uses: %v", kind, what, most, p.Stats())
		}
		isLarge := func(s arena.PoolStats) bool { return s.FirstChunk >= large }
		isSmall := func(s arena.PoolStats) bool { return s.FirstChunk <= small*5/4 }
		until("learns", small, 100, isSmall)
		arenakit.Serve(p, 5000, arenakit.Always(small))
		until("learns what has become common", large, 1500, isLarge)
		arenakit.Serve(p, 5000, arenakit.Always(large))
		until("forgets what has become rare", small, 15_000, isSmall)
		until("releases the large chunk", small, 40_000, func(s arena.PoolStats) bool { return s.Retained < 16*small })
		until("learns again", large, 1500, isLarge)
	}
}

// TestPoolLearnsWhatWasReclaimed: the largest use of a piece of work counts, not the remainder at its end, and only in
// its own turn.
func TestPoolLearnsWhatWasReclaimed(t *testing.T) {
	testkit.NeedsReuse(t)
	testkit.NoGC(t)
	const much, little = 100_000, 1000
	for how, reclaim := range map[string]func(a *arena.Arena, m arena.Mark){
		"Reset":  func(a *arena.Arena, _ arena.Mark) { a.Reset() },
		"Rewind": func(a *arena.Arena, m arena.Mark) { a.Rewind(m) },
	} {
		p := arena.NewPool(arena.WithReuse())
		work := func(a *arena.Arena, bytes int) {
			m := a.Mark()
			a.AllocBytes(bytes)
			arena.MakeSlice[testkit.Node](a, bytes/testkit.SizeOfType(testkit.Node{}), bytes/testkit.SizeOfType(testkit.Node{}))
			reclaim(a, m)
			a.AllocBytes(100)
		}
		for range 100 {
			a := p.Get()
			work(a, much)
			p.Put(a)
		}
		if n := p.Stats().FirstChunk; n < much {
			t.Errorf("%s: the first chunk is of %d bytes", how, n)
		}
		fresh := p.Get()
		for fresh.Stats().Reserved > 0 {
			fresh = p.Get()
		}
		work(fresh, much)
		if s := fresh.Stats(); s.Chunks != 2 {
			t.Errorf("%s: %v", how, s)
		}
		p.Put(fresh) // which goes on with little
		for range 20_000 {
			a := p.Get()
			work(a, little)
			p.Put(a)
		}
		if n := p.Stats().FirstChunk; n > 4<<10 {
			t.Errorf("%s: the first chunk is of %d bytes after 20,000 uses of little", how, n)
		}
		for fresh = p.Get(); fresh.Stats().Reserved > 0; {
			fresh = p.Get()
		}
		arena.New[testkit.Node](fresh)
		if n := fresh.Stats().Reserved; n > 4<<10 {
			t.Errorf("%s: the first chunk of a slab is of %d bytes after 20,000 uses of little", how, n)
		}
	}
}

// TestPoolKeepsALargeChunkForSome: with one use in twelve, the first chunk of new arenas doesn't stay large for long,
// but an old large chunk stays.
func TestPoolKeepsALargeChunkForSome(t *testing.T) {
	if testkit.Sanitized {
		t.Skip("the race detector makes sync.Pool lose sight of arenas")
	}
	testkit.NoGC(t)
	p := arena.NewPool(arena.WithReuse())
	use := func(n, every int) {
		for i := range n {
			a := p.Get()
			for range pick(i%every == 0, 200, 5) {
				arena.New[[1000]byte](a)
			}
			p.Put(a)
		}
	}
	use(500, 1)
	use(20_000, 12)
	before := p.Stats()
	use(5000, 12)
	if s := p.Stats(); s.Growths != before.Growths {
		t.Errorf("%d chunks were taken in 5,000 uses: %v", s.Growths-before.Growths, s)
	}
}

// TestPoolLearnsPerKey: neither the keys nor the arenas without one know of each other.
func TestPoolLearnsPerKey(t *testing.T) {
	p := arena.NewPool(arena.WithReuse())
	sizes := map[string]int{"": 30_000, "a": 100, "b": 100_000, "c": 700_000}
	for range 200 {
		for key, size := range sizes {
			a := p.GetKeyed(key)
			a.AllocBytesUninit(size)
			p.Put(a)
		}
		a := p.Get()
		a.AllocBytesUninit(8000)
		p.Put(a)
	}
	s := p.Stats()
	sizes["none"], s.Keys["none"] = 8000, s
	for key, size := range sizes {
		if n, least := s.Keys[key].FirstChunk, max(size, 4096); n < least || n > least*5/4+64 {
			t.Errorf("key %q: the first chunk is of %d bytes, for work of %d", key, n, size)
		}
	}
}
