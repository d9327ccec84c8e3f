// Package safe measures requests whose values stay valid for as long as something points to them: on the heap, and in
// arenas of a Pool without reuse.
package safe

import (
	"fmt"
	"runtime"
	"sync"

	"github.com/harena-go/arena"
	"github.com/harena-go/arena/bench/measure"
	"github.com/harena-go/arena/bench/suite"
)

const name = "safe"

// The peers that differ in how an arena ends.
const (
	Freed   = "harena-freed"
	Dropped = "harena-dropped"
)

// Suite measures requests of 1, 10 and 199 small objects, and a cache of values made by requests.
func Suite() suite.Suite {
	return suite.Suite{
		Name:  name,
		Title: "Values that stay valid",
		About: "Each processor does one request after the other. A request allocates 199 objects of four types in " +
			"turn, two of them with pointers, 8 KB in all, or 10 objects, or one; 1,000 objects or a million stay " +
			"alive beside. Times are CPU times of the process, with the collector's. \"harena-first-gear\" gets an " +
			"arena from a Pool without reuse and puts it back, \"harena-freed\" frees it instead, and " +
			"\"harena-dropped\" makes a new arena for each request and drops it. \"harena\" is a Pool with reuse, in " +
			"which nothing may be kept. In the rows of the cache each 100th request keeps one of its objects, up " +
			"to 10,000.",
		Peers:   []string{suite.Heap, suite.FirstGear, Freed, Dropped, suite.Harena},
		Rounds:  10,
		Run:     run,
		Seconds: suite.Takes(0.2, 3),
	}
}

// A request is one row: objects in a request, beside live others.
type request struct {
	row, title string
	objects    int
	live       int
}

var requests = []request{
	{"request", "199 objects, 1,000 live", 199, 1000},
	{"request-live", "199 objects, 1 million live", 199, 1_000_000},
	{"objects-10", "10 objects", 10, 1000},
	{"objects-1", "1 object", 1, 1000},
}

func run(peer string, c suite.Config) (out suite.Output, err error) {
	newDoer := doers[peer]
	if newDoer == nil {
		return out, fmt.Errorf("the suite safe knows no peer %q", peer)
	}
	add := func(row, title string, unit suite.Unit, v float64) {
		out.Results = append(out.Results, suite.Result{
			Suite: name, Row: row, Title: title, Peer: peer, Unit: unit, Values: []float64{v},
		})
	}
	total, sum := 10_000_000, int64(0) // objects in a row
	if c.Quick {
		total = 50_000
	}
	for _, r := range requests {
		if !c.Wants(r.row) {
			continue
		}
		live := r.live
		if c.Quick {
			live = 1000
		}
		others, do := onHeap(live), newDoer()
		n := max(total/r.objects/4, 1) // a single object is mostly the cost of its arena
		// First until the Pool knows whether values are kept: after ten collections, where much is live.
		repeat(do, r.objects, 10*n)
		runtime.GC()
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		began := measure.ProcessCPU()
		sum += repeat(do, r.objects, n)
		cpu := measure.ProcessCPU() - began
		runtime.ReadMemStats(&after)
		add(r.row, r.title, suite.Seconds, cpu/float64(n))
		if r.objects > 1 {
			add(r.row+"-bytes", r.title+": bytes", suite.Bytes, float64(after.TotalAlloc-before.TotalAlloc)/float64(n))
		}
		if r.objects == 199 {
			add(r.row+"-gc", r.title+": collections in 100,000", suite.Count,
				float64(after.NumGC-before.NumGC)/float64(n)*100_000)
		}
		runtime.KeepAlive(others)
	}
	if c.Wants("cache") && peer != suite.Harena {
		add("cache", "cache of 10,000 kept objects: live memory", suite.Bytes, cached(newDoer(), c.Quick))
	}
	out.Checksum = fmt.Sprint(sum)
	return out, nil
}

// repeat does n requests on all processors, so that the collector only takes their time, and returns their sum.
func repeat(do doer, objects, n int) (sum int64) {
	var all sync.WaitGroup
	var mu sync.Mutex
	workers := runtime.GOMAXPROCS(0)
	for w := range workers {
		all.Go(func() {
			own := int64(0)
			for range (n + w) / workers {
				do(objects, &own)
			}
			mu.Lock()
			defer mu.Unlock()
			sum += own
		})
	}
	all.Wait()
	return sum
}

// cached returns the bytes kept alive by a cache that has an object of each 100th request.
func cached(do doer, quick bool) float64 {
	cache := make([]any, 10_000)
	lives := 100 * len(cache)
	if quick {
		lives /= 50
	}
	runtime.GC()
	before := measure.HeapBytes()
	for i := range lives {
		v := do(20, nil)
		if i%100 == 0 {
			cache[i/100%len(cache)] = v
		}
	}
	runtime.GC()
	runtime.GC()
	after := measure.HeapBytes()
	runtime.KeepAlive(cache)
	return float64(after) - float64(min(before, after))
}

// A doer does a request of n objects, adds the values it reads to *sum, and returns an object.
type doer func(n int, sum *int64) any

// doers make them, each with a new Pool, which has learned nothing yet.
var doers = map[string]func() doer{
	suite.Heap:      func() doer { return func(n int, sum *int64) any { return work(nil, n, sum) } },
	Dropped:         func() doer { return func(n int, sum *int64) any { return work(arena.NewArena(), n, sum) } },
	suite.FirstGear: func() doer { return lent(arena.NewPool(), (*arena.Pool).Put) },
	suite.Harena:    func() doer { return lent(arena.NewPool(arena.WithReuse()), (*arena.Pool).Put) },
	Freed: func() doer {
		return lent(arena.NewPool(), func(_ *arena.Pool, a *arena.Arena) { a.Free() })
	},
}

// lent does each request in an arena of a pool.
func lent(p *arena.Pool, end func(*arena.Pool, *arena.Arena)) doer {
	return func(n int, sum *int64) any {
		a := p.Get()
		v := work(a, n, sum)
		end(p, a)
		return v
	}
}

// The objects of a request: 40 bytes on average.
type (
	point struct{ x, y, z int64 }
	link  struct {
		point *point
		next  *link
		n     int64
	}
	text struct{ bytes [56]byte }
	pair struct {
		name  *text
		point *point
		n     [3]int64
	}
)

// onHeap returns n live objects.
func onHeap(n int) (last *link) {
	for range n {
		last = &link{next: last}
	}
	return last
}

// work makes n objects in a, or on the heap, and reads them.
func work(a *arena.Arena, n int, sum *int64) *pair {
	var l *link
	var last *pair
	for i := 0; i < n; i += 4 {
		p := arena.New[point](a)
		p.x = int64(i)
		if i+1 < n {
			l = arena.NewOf(a, link{p, l, int64(i)})
		}
		if i+3 < n {
			t := arena.New[text](a)
			t.bytes[i%56] = byte(i)
			last = arena.NewOf(a, pair{name: t, point: p})
		}
	}
	if sum != nil {
		for ; l != nil; l = l.next {
			*sum += l.point.x + l.n
		}
	}
	return last
}
