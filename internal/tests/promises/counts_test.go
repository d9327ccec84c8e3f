package promises_test

import (
	"sync"
	"testing"

	"github.com/harena-go/arena"
)

// TestStatsOfGuarded: of a guarded arena, too, what is used and wasted is a part of what is reserved. Its chunks have
// pages of their own, of which more is there than it has asked for.
func TestStatsOfGuarded(t *testing.T) {
	for _, chunk := range []int{256, 4037, 10_000} {
		p := arena.NewPool(arena.WithReuse(), arena.WithChunkSize(chunk), arena.WithMaxChunkSize(2*chunk), arena.WithGuardRate(1))
		p.Do(func(a *arena.Arena) error {
			for n := range 100 {
				a.AllocBytes(8 * n)
				if n%3 == 0 {
					a.Mark()
				}
				if s := a.Stats(); s.Used+s.Wasted+s.Retained > s.Reserved {
					t.Fatalf("chunks of %d bytes, %d values: %v", chunk, n, s)
				}
			}
			return nil
		})
	}
}

// TestCountsNeverFall: who looks while arenas are freed and put back sees counters that only grow.
func TestCountsNeverFall(t *testing.T) {
	for name, p := range map[string]*arena.Pool{"without": arena.NewPool(), "with": arena.NewPool(arena.WithReuse())} {
		stop := make(chan bool)
		var workers sync.WaitGroup
		for w := range 3 {
			workers.Go(func() {
				for i := 0; ; i++ {
					select {
					case <-stop:
						return
					default:
					}
					if a := p.Get(); i%3 == w {
						a.Free()
					} else {
						p.Put(a)
					}
				}
			})
		}
		last := p.Stats()
		for range 3000 {
			s := p.Stats()
			if s.Puts < last.Puts || s.Freed < last.Freed || s.Gets < last.Gets || s.Lost > 0 {
				t.Fatalf("%s reuse: %v after %v", name, s, last)
			}
			last = s
		}
		close(stop)
		workers.Wait()
		if s := p.Stats(); s.Gets != s.Puts+s.Freed || s.Live != 0 {
			t.Errorf("%s reuse: %v", name, s)
		}
	}
}

// TestGuardedReserve: memory that a life has reserved and not used is no part of what it reclaims, and so it isn't
// guarded when the next life uses it.
func TestGuardedReserve(t *testing.T) {
	p := arena.NewPool(arena.WithReuse(), arena.WithGuardRate(1), arena.WithNoScan())
	err := p.Do(func(a *arena.Arena) error {
		for range 3 {
			a.AllocBytes(10)
			a.Reserve(100_000)
			a.Reset()
			clear(a.AllocBytes(50_000))
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}
