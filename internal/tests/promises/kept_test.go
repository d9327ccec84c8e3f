package promises_test

import (
	"runtime"
	"testing"

	"github.com/harena-go/arena"
	"github.com/harena-go/arena/internal/tests/testkit"
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
}

// TestLivesThatKeepNothing: where nothing is kept, lives share chunks.
func TestLivesThatKeepNothing(t *testing.T) {
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
