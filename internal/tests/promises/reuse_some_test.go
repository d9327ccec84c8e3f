package promises_test

import (
	"sync"
	"testing"

	"github.com/harena-go/arena"
)

// TestChecksOfSomeKeys: in a Pool that reuses memory of one key, only values of that key are looked for after Put, by
// checks and by guards. What others keep stays what it was.
func TestChecksOfSomeKeys(t *testing.T) {
	for name, o := range map[string]arena.PoolOption{
		"checks": arena.WithChecks(arena.CheckObjects), "rate": arena.WithCheckRate(1), "guards": arena.WithGuardRate(1),
	} {
		t.Run(name, func(t *testing.T) {
			var mu sync.Mutex
			var reports []arena.Escape
			p := arena.NewPool(arena.WithReuse("reused"), o, arena.OnEscape(func(e arena.Escape) {
				mu.Lock()
				defer mu.Unlock()
				reports = append(reports, e)
			}))
			kept := map[string]*session{}
			for _, key := range []string{"reused", "", "other"} {
				for range 3 {
					a := p.GetKeyed(key)
					kept[key] = arena.NewOf(a, session{user: a.AllocString("somebody"), hits: [4]int{3: 7}})
					p.Put(a)
				}
			}
			arena.FindEscapes()
			for key, s := range kept {
				if key != "reused" && (s.user != "somebody" || s.hits[3] != 7) {
					t.Errorf("%q: %+v", key, s)
				}
			}
			mu.Lock()
			defer mu.Unlock()
			if len(reports) == 0 || p.Stats().Keys["reused"].Escapes == 0 {
				t.Error("what is kept isn't found")
			}
			for _, e := range reports {
				if e.Key != "reused" {
					t.Errorf("%q: %v", e.Key, e)
				}
			}
		})
	}
}
