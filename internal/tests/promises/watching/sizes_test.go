package watching

import (
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/harena-go/arena"
	"github.com/harena-go/arena/arenametrics"
)

// bucket returns where a use of n bytes is counted, by floating-point arithmetic.
func bucket(n int) int { return int(math.Ceil(4*math.Log2(float64(n)) - 1e-9)) }

// TestSizesCountEachUse: each Put and Free is counted in its bucket, also when its arena is gone
// and while somebody looks.
func TestSizesCountEachUse(t *testing.T) {
	p := arena.NewPool(arena.WithReuse(), arena.WithName("sizes"))
	r := rand.New(rand.NewPCG(1, 2))
	want := map[string][]uint64{"": make([]uint64, 200), "key": make([]uint64, 200)}
	zeros, uses := 0, 0
	for i := range 3000 {
		key := []string{"", "key"}[i%2]
		a := p.Get()
		if key != "" {
			p.Put(a)
			zeros++
			uses++
			a = p.GetKeyed(key)
		}
		n := r.IntN(1 << r.IntN(18))
		if i%4 == 0 {
			n = 1 << r.IntN(18) // where a bucket ends
		}
		a.AllocBytes(n)
		used := a.UsedBytes()
		if used == 0 {
			zeros++
		} else {
			want[key][bucket(used)]++
		}
		uses++
		switch {
		case i%50 == 0:
			a.Free()
		default:
			p.Put(a)
		}
		if i%500 == 0 {
			runtime.GC()
			runtime.GC()
		}
	}
	for range 2 { // Stats changes nothing
		s := p.Stats()
		for key, want := range want {
			got := s.Keys["key"].Sizes.Buckets
			for i := range want {
				n := at(got, i)
				if key == "" {
					n = at(s.Sizes.Buckets, i) - n
				}
				if n != want[i] {
					t.Errorf("key %q, bucket %d: %d, want %d", key, i, n, want[i])
				}
			}
		}
		h := s.Sizes
		if h.Count != uint64(uses) || h.Zero != uint64(zeros) || int(h.Count) != s.Puts+s.Freed || h.Sum != float64(s.Used) {
			t.Errorf("%d uses, %d of them of nothing: %+v, %+v", uses, zeros, h, s)
		}
	}
}

func at(n []uint64, i int) uint64 {
	if i < len(n) {
		return n[i]
	}
	return 0
}

// TestSizesOnlyGrow: who looks while arenas are lent and freed sees no number fall, and none that its parts don't have.
func TestSizesOnlyGrow(t *testing.T) {
	p := arena.NewPool(arena.WithReuse(), arena.WithName("growing"))
	var workers sync.WaitGroup
	for w := range 2 {
		workers.Go(func() {
			for i := range 5000 {
				a := p.Get()
				a.AllocBytes(8 + (i*37+w)%50_000)
				if i%100 == 99 {
					a.Free()
				} else {
					p.Put(a)
				}
			}
		})
	}
	done := make(chan bool)
	go func() { workers.Wait(); close(done) }()
	var last arena.Histogram
	for looks := 0; ; looks++ {
		select {
		case <-done:
			if last = p.Stats().Sizes; last.Count != 10_000 {
				t.Errorf("%d are counted, after %d looks", last.Count, looks)
			}
			return
		default:
			runtime.Gosched() // with WebAssembly nobody else does
		}
		h := p.Stats().Sizes
		sum := h.Zero
		for i, n := range h.Buckets {
			sum += n
			if n < at(last.Buckets, i) {
				t.Fatalf("bucket %d falls from %d to %d", i, at(last.Buckets, i), n)
			}
		}
		if sum != h.Count || h.Sum < last.Sum {
			t.Fatalf("%d in buckets, %d counted; the sum goes from %v to %v", sum, h.Count, last.Sum, h.Sum)
		}
		last = h
	}
}

// TestMetricsAddUp: numbers that are documented to add up do, and histograms are there for each key.
func TestMetricsAddUp(t *testing.T) {
	p := arena.NewPool(arena.WithReuse(), arena.WithName("adding up"))
	held := []*arena.Arena{p.GetKeyed(""), p.GetKeyed("a")}
	for _, a := range held {
		a.AllocBytes(1000)
	}
	for i := range 100 {
		a := p.GetKeyed([]string{"a", "b"}[i%2])
		a.AllocBytes(100)
		p.Put(a)
	}
	values := map[[2]string]map[string]arenametrics.Metric{}
	var order []string
	for _, m := range arenametrics.All() {
		if m.Pool == "adding up" {
			id := [2]string{m.Name, m.State}
			if values[id] == nil {
				values[id] = map[string]arenametrics.Metric{}
			}
			if _, ok := values[id][m.Key]; ok {
				t.Errorf("%v, %q is there twice", id, m.Key)
			}
			values[id][m.Key] = m
			if m.Name == "gets" {
				order = append(order, m.Key)
			}
			if !strings.HasSuffix(m.Help, ".") && !strings.Contains(m.Help, ";") {
				t.Errorf("%s: %q", m.Name, m.Help)
			}
		}
	}
	if !slices.Equal(order, []string{"", "a", "b"}) {
		t.Errorf("the order is %q", order)
	}
	for id, want := range map[[2]string][3]float64{{"gets", ""}: {102, 51, 50}, {"puts", ""}: {100, 50, 50}, {"leases", "used"}: {2, 1, 0}} {
		if of := values[id]; want != [3]float64{of[""].Value, of["a"].Value, of["b"].Value} {
			t.Errorf("%v is %v, want %v of all, a and b", id, of, want)
		}
	}
	for id, of := range values {
		sum := of["a"].Value + of["b"].Value
		if m := of[""]; m.Additive && len(of) > 1 && (sum > m.Value || sum == m.Value && id[1] == "used") {
			t.Errorf("%v: %v of all, %v of keys", id, m.Value, sum)
		}
		for key, m := range of {
			if (m.Kind == arenametrics.Distribution) != (m.Histogram != nil) {
				t.Errorf("%v, %q: %v", id, key, m.Histogram)
			}
		}
	}
	if h := values[[2]string{"request", ""}]["b"]; h.Value != 50 || h.Histogram.Count != 50 || at(h.Histogram.Buckets, bucket(100)) != 50 && at(h.Histogram.Buckets, bucket(104)) != 50 {
		t.Errorf("%v: %v", h, h.Histogram)
	}
	if u := values[[2]string{"used", ""}][""]; u.Value <= 2000 || u.Kind != arenametrics.Gauge {
		t.Errorf("used: %+v", u)
	}
	if len(values[[2]string{"limit", ""}]) != 1 {
		t.Error("the limit is the pool's alone")
	}
	for _, a := range held {
		p.Put(a)
	}
}
