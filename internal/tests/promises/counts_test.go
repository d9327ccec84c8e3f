package promises_test

import (
	"sync"
	"testing"

	"github.com/harena-go/arena"
)

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
