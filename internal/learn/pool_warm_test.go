package learn_test

import (
	"testing"

	"github.com/harena-go/arena"
	"github.com/harena-go/arena/internal/tests/testkit"
)

// This file tests the results of a Pool's learning: arenas that take one chunk for each kind of memory, and those that
// take none any more.

// request is work with several types, most of them with pointers.
func request(a *arena.Arena) {
	var last *testkit.Node
	for i := range 300 {
		n := arena.New[testkit.Node](a)
		n.N = uintptr(i)
		last = n
		arena.New[[3]uint64](a)
	}
	*arena.For[testkit.Late](a).New() = testkit.Late{P: &testkit.Decoy}
	arena.Append(a, arena.MakeSlice[*testkit.Node](a, 50, 1000), last)
	for range 10 {
		arena.New[testkit.Large](a)
		a.AllocString(testkit.Static)
		arena.New[testkit.Odd](a)
	}
}

// TestNewArenaOfAWarmClassGrowsOnce: an arena that is made when much is known
// takes one chunk for each kind of memory.
func TestNewArenaOfAWarmClassGrowsOnce(t *testing.T) {
	for kind, opts := range map[string][]arena.PoolOption{"default": nil, "self-contained": {arena.WithNoScan()}, "scrub": {arena.WithScrub()}} {
		p := arena.NewPool(append([]arena.PoolOption{arena.WithReuse()}, opts...)...)
		cold := p.Get()
		request(cold)
		chunks := cold.Stats().Chunks
		p.Put(cold)
		for range 400 {
			a := p.Get()
			request(a)
			p.Put(a)
		}
		var lent []*arena.Arena
		for range 20 { // most are new
			lent = append(lent, p.Get())
		}
		before := p.Stats().Growths
		for _, a := range lent {
			idle := a.Stats().Reserved > 0
			request(a)
			if s := a.Stats(); s.Chunks > 1+s.Slabs || chunks < 2+s.Slabs {
				t.Errorf("%s: %v, was idle: %v; a first one: %d chunks", kind, s, idle, chunks)
			}
			if idle && p.Stats().Growths != before {
				t.Errorf("%s: an idle arena has grown by %d chunks", kind, p.Stats().Growths-before)
			}
			before = p.Stats().Growths
		}
	}
}

// TestFirstChunkFitsExactly: it is large enough though the sizes that a Pool
// tells apart end just there.
func TestFirstChunkFitsExactly(t *testing.T) {
	for kind, opts := range map[string][]arena.PoolOption{"default": nil, "self-contained": {arena.WithNoScan()}} {
		for _, size := range []int{8 << 10, 10 << 10, 64 << 10} {
			p := arena.NewPool(append([]arena.PoolOption{arena.WithReuse()}, opts...)...)
			work := func(a *arena.Arena) {
				for range size / 1024 {
					arena.New[[1024]byte](a)
				}
			}
			for range 100 {
				a := p.Get()
				work(a)
				p.Put(a)
			}
			fresh := p.Get()
			for fresh.Stats().Reserved > 0 {
				fresh = p.Get()
			}
			work(fresh)
			if s := fresh.Stats(); s.Chunks != 1 {
				t.Errorf("%s: %d bytes: %v; the first chunk of the pool: %d", kind, size, s, p.Stats().FirstChunk)
			}
		}
	}
}

// TestWarmPoolDoesNotGrow: after some uses an arena has chunks of the right size, and keeps them.
func TestWarmPoolDoesNotGrow(t *testing.T) {
	if testkit.Sanitized {
		t.Skip("the race detector makes sync.Pool lose sight of arenas")
	}
	testkit.NoGC(t)
	for kind, opts := range map[string][]arena.PoolOption{"default": nil, "self-contained": {arena.WithNoScan()}, "scrub": {arena.WithScrub()},
		"tiny": {arena.WithChunkSize(256)}, "limited": {arena.WithPoolLimit(1 << 24), arena.WithLimit(1 << 22)}} {
		p := arena.NewPool(append([]arena.PoolOption{arena.WithReuse()}, opts...)...)
		use := func(n int) {
			for range n {
				a := p.Get()
				request(a)
				p.Put(a)
			}
		}
		use(1000)
		before := p.Stats()
		use(1000)
		s := p.Stats()
		if s.Growths != before.Growths || s.Misses != before.Misses || s.Reserved != before.Reserved {
			t.Errorf("%s: %v\nafter 1,000 uses less: %v", kind, s, before)
		}
		a := p.Get()
		request(a)
		if as := a.Stats(); as.Chunks > 1+as.Slabs {
			t.Errorf("%s: %v", kind, as)
		}
	}
}

// TestPoolLearnsWithinOptions: the first chunk isn't larger than options say, nor smaller.
func TestPoolLearnsWithinOptions(t *testing.T) {
	const use = 200_000
	unit := (testkit.SizeOfType(testkit.Node{}) + 7) &^ 7
	for name, c := range map[string]struct {
		opts        []arena.PoolOption
		least, most int
	}{
		"maximum":        {[]arena.PoolOption{arena.WithMaxChunkSize(16 << 10)}, 16 << 10, 16 << 10},
		"above use":      {[]arena.PoolOption{arena.WithMaxChunkSize(1 << 20)}, use, use * 5 / 4},
		"retained":       {[]arena.PoolOption{arena.WithMaxRetained(64 << 10)}, 16 << 10, 16 << 10},
		"little kept":    {[]arena.PoolOption{arena.WithMaxRetained(10)}, 4 << 10, 4 << 10},
		"nothing kept":   {[]arena.PoolOption{arena.WithMaxRetained(0)}, 4 << 10, 4 << 10},
		"floor":          {[]arena.PoolOption{arena.WithChunkSize(1 << 20)}, 1 << 20, 1 << 20},
		"floor and keep": {[]arena.PoolOption{arena.WithChunkSize(1 << 16), arena.WithMaxRetained(1 << 16)}, 1 << 16, 1 << 16},
	} {
		p := arena.NewPool(append([]arena.PoolOption{arena.WithReuse()}, c.opts...)...)
		for range 100 {
			a := p.Get()
			a.AllocBytesUninit(use)
			for range use / unit {
				arena.New[testkit.Node](a)
			}
			if v := testkit.Caught(func() { p.Put(a) }); v != nil {
				t.Fatalf("%s: Put: %v", name, v)
			}
		}
		if n := p.Stats().FirstChunk; n < c.least || n > c.most {
			t.Errorf("%s: the first chunk is of %d bytes; want %d to %d", name, n, c.least, c.most)
		}
		lent := make([]*arena.Arena, 10) // most are new
		for i := range lent {
			lent[i] = p.Get()
			if s := lent[i].Stats(); s.Reserved > 0 {
				continue
			}
			arena.New[testkit.Node](lent[i])
			if n := lent[i].Stats().Reserved; n > max(c.most, 512)*(1+testkit.RedZoneMax/64) {
				t.Errorf("%s: the first chunk of a slab is of %d bytes; want at most %d", name, n, c.most)
				break
			}
		}
	}
}

// TestWarmPoolDoesNotGrowForFewValues: a slab whose smallest chunk isn't filled exactly by values of its type is as
// good as others.
func TestWarmPoolDoesNotGrowForFewValues(t *testing.T) {
	if testkit.Sanitized {
		t.Skip("the race detector makes sync.Pool lose sight of arenas")
	}
	testkit.NoGC(t)
	for kind, opts := range map[string][]arena.PoolOption{"default": nil, "self-contained": {arena.WithNoScan()}, "tiny": {arena.WithChunkSize(300)}} {
		p := arena.NewPool(append([]arena.PoolOption{arena.WithReuse()}, opts...)...)
		use := func(n int) {
			for range n {
				a := p.Get()
				arena.New[[10]*int](a)
				arena.New[[13]*int](a)
				a.AllocBytes(10)
				p.Put(a)
			}
		}
		use(100)
		before := p.Stats()
		use(1000)
		if s := p.Stats(); s.Growths != before.Growths {
			t.Errorf("%s: %d chunks were taken in 1,000 uses: %v", kind, s.Growths-before.Growths, s)
		}
	}
}
