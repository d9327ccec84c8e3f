package promises_test

import (
	"math"
	"math/rand/v2"
	"runtime"
	"testing"

	"github.com/harena-go/arena"
	"github.com/harena-go/arena/internal/diagnose/inspect"
	"github.com/harena-go/arena/internal/tests/testkit"
	"github.com/harena-go/arena/internal/tuning"
)

// A session is a value that a service keeps.
type session struct {
	user, host string
	next       *session
	hits       [4]int
}

// TestLivesThatKeep: a Pool without reuse finds out that lives keep values, and has these keep nothing else from then
// on. Without that, each would keep an epoch and a chunk: some 100 KiB.
func TestLivesThatKeep(t *testing.T) {
	if !testkit.Countable() {
		t.Skip("the numbers are those of usual builds")
	}
	const lives, every = 100_000, 100
	kept := func(p *arena.Pool) (bytes int) {
		cache := make([]*session, 0, lives/every)
		before := testkit.HeapInUse()
		for i := range lives {
			a := p.Get()
			var last *session
			for range 20 {
				last = arena.NewOf(a, session{user: a.AllocString("a name of some length"), host: a.AllocString("example.com")})
				arena.MakeSlice[int](a, 20, 20)
			}
			if i%every == 0 {
				cache = append(cache, last)
			}
			p.Put(a)
		}
		bytes = testkit.HeapInUse() - before
		runtime.KeepAlive(cache)
		return bytes
	}
	p := arena.NewPool()
	heap, pool := kept(nil), kept(p)
	if pool > 2*heap+1<<20 {
		t.Errorf("%d values that are kept take %d KiB, on the heap %d KiB", lives/every, pool>>10, heap>>10)
	}
	if s := p.Stats(); s.Sampled < 100 || s.Kept == 0 {
		t.Errorf("%d sampled lives, %d kept", s.Sampled, s.Kept)
	}
	t.Logf("%d KiB, on the heap %d KiB", pool>>10, heap>>10)

	// From now on each value is allocated by itself, but not all of a large life, which shares no chunk with others.
	const large = 100
	cache, used := make([]*session, large), uint64(0)
	before, inUse := allocated(), testkit.HeapInUse()
	for i := range cache {
		a := p.Get()
		for range 5_000 {
			cache[i] = arena.NewOf(a, session{user: a.AllocString("a name of some length")})
		}
		used += uint64(a.UsedBytes())
		p.Put(a)
	}
	if n := allocated() - before; n > used+used/2 {
		t.Errorf("large lives allocate %d KiB for %d", n>>10, used>>10)
	}
	if n := testkit.HeapInUse() - inUse; n > large*4*tuning.EpochChunk+1<<20 {
		t.Errorf("%d values of large lives take %d KiB", large, n>>10)
	}
	runtime.KeepAlive(cache)
}

// TestNeighboursHoldNothing: under arenatest.Main a value that a Pool without reuse leaves keeps no dead one, which may
// point to memory of a checked arena that was reset since.
func TestNeighboursHoldNothing(t *testing.T) {
	inspect.All.Store(new(func(any) {}))
	defer inspect.All.Store(nil)
	type leads struct {
		to *[4]*int
		n  int
	}
	checked := arena.NewArena(arena.WithChecks(arena.CheckResets), arena.OnEscape(func(e arena.Escape) { t.Error(e) }))
	defer checked.Free()
	p := arena.NewPool()
	kept := make([]*leads, 10)
	for i := range kept {
		a := p.Get()
		arena.New[leads](a).to = arena.New[[4]*int](checked)
		kept[i] = arena.New[leads](a)
		p.Put(a)
		checked.Reset()
	}
	arena.FindEscapes()
	runtime.KeepAlive(kept)
}

// TestLivesOfAllSizes: where small lives follow large ones, chunks that are as large as those of the large ones waste
// little.
func TestLivesOfAllSizes(t *testing.T) {
	if !testkit.Countable() {
		t.Skip("the numbers are those of usual builds")
	}
	p := arena.NewPool()
	random := rand.New(rand.NewPCG(1, 2))
	for range 12000 {
		a := p.Get()
		for range int(math.Exp(random.Float64() * math.Log(5000))) {
			allocateOneOfEach(a)
		}
		p.Put(a)
	}
	if s := p.Stats(); s.Taken > s.Used+s.Used/2 {
		t.Errorf("%d KiB were taken from the heap for %d", s.Taken>>10, s.Used>>10)
	}
}

// allocated returns the bytes that were allocated from the heap so far.
func allocated() uint64 {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.TotalAlloc
}

// allocateOneOfEach allocates values of ten types.
func allocateOneOfEach(a *arena.Arena) {
	arena.New[*int](a)
	arena.New[[2]*int](a)
	arena.New[[3]*int](a)
	arena.New[[4]*int](a)
	arena.New[[5]*int](a)
	arena.New[[1]string](a)
	arena.New[[2]string](a)
	arena.New[[1]any](a)
	arena.New[[2]any](a)
	arena.New[[3]any](a)
}

// TestLivesThatKeepNothing: where nothing is kept, lives share chunks.
func TestLivesThatKeepNothing(t *testing.T) {
	if !testkit.Countable() {
		t.Skip("the race detector has each fourth Put of a sync.Pool drop its value")
	}
	p := arena.NewPool()
	for range 20_000 {
		a := p.Get()
		for range 20 {
			arena.NewOf(a, session{user: a.AllocString("a name of some length")})
		}
		p.Put(a)
	}
	if s := p.Stats(); s.Taken > s.Used+s.Used/2 {
		t.Errorf("%d bytes were taken from the heap for %d", s.Taken, s.Used)
	}
}
