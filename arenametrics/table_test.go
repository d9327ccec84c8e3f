package arenametrics

import (
	"fmt"
	"runtime"
	"strings"
	"sync"
	"testing"

	"github.com/harena-go/arena"
)

// use lends arenas of a key and puts them back.
func use(p *arena.Pool, key string, times int) {
	for range times {
		a := p.Get()
		if key != "" {
			p.Put(a)
			a = p.GetKeyed(key)
		}
		a.AllocBytes(100)
		p.Put(a)
	}
}

// find returns the series of a pool and a name, by key and state.
func find(all []Metric, pool, name string) map[string]Metric {
	found := map[string]Metric{}
	for _, m := range all {
		if m.Pool == pool && m.Name == name {
			if _, ok := found[m.Key+m.State]; ok {
				panic("twice: " + name)
			}
			found[m.Key+m.State] = m
		}
	}
	return found
}

// TestSumsAreThoseOfThePool: series add up to the pool's numbers, with and without keys.
func TestSumsAreThoseOfThePool(t *testing.T) {
	p := arena.NewPool(arena.WithReuse(), arena.WithName("sums"))
	for i := range 5 {
		use(p, "", i)
		use(p, fmt.Sprint("key", i), i)
	}
	held := p.GetKeyed("key4")
	held.AllocBytes(10_000)
	var table Table
	all := table.Metrics()
	whole := map[string]float64{}
	for _, m := range Of(p) {
		if m.Key == "" {
			whole[m.Name+m.State] = m.Value
		}
	}
	for name, want := range whole {
		base := strings.TrimSuffix(strings.TrimSuffix(name, "used"), "idle")
		if name == "used" {
			base = name
		}
		of := find(all, "sums", base)
		if isQuantile(name) {
			if len(of) > 0 {
				t.Errorf("%s: %v", name, of)
			}
			continue
		}
		sum, most := 0.0, 0.0
		adds := false
		for _, m := range of {
			if base+m.State != name {
				continue
			}
			adds = m.Additive
			sum += m.Value
			most = max(most, m.Value)
			if h := m.Histogram; h != nil {
				n := h.Zero
				for _, in := range h.Buckets {
					n += in
				}
				if n != h.Count || float64(n) != m.Value {
					t.Errorf("%s, %q: %v", name, m.Key, h)
				}
			}
		}
		if adds && sum != want || !adds && most != want {
			t.Errorf("%s: the sum is %v and the most %v, want %v", name, sum, most, want)
		}
	}
	if m := find(all, "sums", "gets")[""]; m.Value != 20 {
		t.Errorf("%v without a key", m.Value)
	}
	p.Put(held)
}

// TestKeysAreBounded: the first keys stay as they are, and all others become one.
func TestKeysAreBounded(t *testing.T) {
	p := arena.NewPool(arena.WithReuse(), arena.WithName("bounded"))
	var table Table
	use(p, "early", 1)
	table.Metrics()
	for i := range 300 {
		use(p, fmt.Sprint("key", i), 1+i/200)
	}
	use(p, "bad\xffkey", 5)
	use(p, OtherKey, 1)
	var before map[string]Metric
	for round := range 3 {
		gets := find(table.Metrics(), "bounded", "gets")
		if len(gets) != MaxKeys+2 || gets["early"].Value != 1 || gets["bad\uFFFDkey"].Value != 5 {
			t.Errorf("%d series; %v", len(gets), gets)
		}
		sum := 0.0
		for key, m := range gets {
			sum += m.Value
			if m.Value < before[key].Value || round > 0 && before[key].Name == "" {
				t.Errorf("%q: %v, was %v", key, m.Value, before[key].Value)
			}
			if strings.HasPrefix(key, "key") && round == 0 && m.Value != 2 {
				t.Errorf("%q is told apart", key)
			}
		}
		if want := float64(p.Stats().Gets); sum != want {
			t.Errorf("the sum is %v, want %v", sum, want)
		}
		before = gets
		use(p, "key0", 1000) // too late
	}
	if before[OtherKey].Value < 2000 {
		t.Errorf("others: %v", before[OtherKey].Value)
	}
}

// TestPoolsOfTheSameNameAreOne: and their counts don't fall when some are gone.
func TestPoolsOfTheSameNameAreOne(t *testing.T) {
	var table Table
	stay := arena.NewPool(arena.WithReuse(), arena.WithName("same"))
	use(stay, "a", 3)
	func() {
		for range 4 {
			p := arena.NewPool(arena.WithReuse(), arena.WithName("same"))
			use(p, "a", 10)
			use(p, "b", 1)
		}
		all := table.Metrics()
		if n := find(all, "same", "gets")["a"].Value; n != 43 {
			t.Errorf("%v gets", n)
		}
	}()
	for range 5 {
		runtime.GC()
	}
	use(stay, "a", 1)
	all := table.Metrics()
	gets, sizes := find(all, "same", "gets"), find(all, "same", "request")
	if gets["a"].Value != 44 || gets["b"].Value != 4 || sizes["a"].Value != 44 ||
		sizes["a"].Histogram.Count != 44 || sizes["a"].Histogram.Sum != 44*100 && sizes["a"].Histogram.Sum != 44*104 {
		t.Errorf("%v, %v, %v, %+v", gets["a"].Value, gets["b"].Value, sizes["a"].Value, sizes["a"].Histogram)
	}
	if idle := find(all, "same", "leases")["idle"]; idle.Value > 2 {
		t.Errorf("%v idle arenas", idle.Value)
	}
	if n := len(arena.Pools()); n > 20 {
		t.Errorf("%d pools are left", n)
	}
	runtime.KeepAlive(stay)
}

// TestManyLook: with the race detector.
func TestManyLook(t *testing.T) {
	p := arena.NewPool(arena.WithReuse(), arena.WithName("many"))
	var table Table
	var all sync.WaitGroup
	for i := range 4 {
		all.Go(func() {
			last := 0.0
			for range 20 {
				use(p, fmt.Sprint(i%2), 5)
				if m := find(table.Metrics(), "many", "gets")[fmt.Sprint(i%2)]; m.Value < last {
					t.Errorf("%v after %v", m.Value, last)
				} else {
					last = m.Value
				}
			}
		})
	}
	all.Wait()
}

// TestSampledAndKept: of lives without reuse, by key, as many as the statistics say, and all of them in the end.
func TestSampledAndKept(t *testing.T) {
	p := arena.NewPool(arena.WithName("samples"), arena.WithCheckRate(1))
	var kept []*[100]string
	for range 20 {
		for _, key := range []string{"keeps", "leaves"} {
			a := p.GetKeyed(key)
			if v := arena.New[[100]string](a); key == "keeps" {
				kept = append(kept, v)
			}
			p.Put(a)
		}
		runtime.GC()
	}
	s, all := p.Stats(), new(Table).Metrics()
	sampled, keeps := find(all, "samples", "sampled"), find(all, "samples", "kept")
	for key, of := range s.Keys {
		if got := sampled[key].Value; got != float64(of.Sampled) || got < 5 {
			t.Errorf("%s: %v were sampled, of %+v", key, got, of)
		}
		if got := keeps[key].Value; got != float64(of.Kept) || (got > 0) != (key == "keeps") {
			t.Errorf("%s: %v were kept, of %+v", key, got, of)
		}
	}
	runtime.KeepAlive(kept)
}
