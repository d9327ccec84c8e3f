package learn_test

import (
	"iter"
	"math"
	"math/rand/v2"
	"runtime"
	"runtime/metrics"
	"slices"
	"strconv"
	"testing"

	"github.com/harena-go/arena"
	"github.com/harena-go/arena/internal/tests/testkit"
)

// This file tests that requests of different sizes find their memory again in one Pool, whether
// it can tell them apart by their keys or not.

// A traffic is requests to some routes: their route and their bytes.
type traffic func(r *rand.Rand, i int) (route, size int)

// share returns a traffic of two routes: some in a hundred requests are large.
func share(percent int, small, large func(r *rand.Rand) int) traffic {
	return func(r *rand.Rand, _ int) (route, size int) {
		if r.IntN(100) < percent {
			return 1, large(r)
		}
		return 0, small(r)
	}
}

func always(size int) func(*rand.Rand) int { return func(*rand.Rand) int { return size } }

func upTo(size int) func(*rand.Rand) int {
	return func(r *rand.Rand) int { return 4<<10 + r.IntN(size) }
}

var traffics = map[string]traffic{
	"half are large":   share(50, always(12<<10), always(1500<<10)),
	"a tenth is large": share(10, always(12<<10), always(1500<<10)),
	"any sizes":        share(10, upTo(20<<10), upTo(2<<20)),
	"three sizes": func(r *rand.Rand, _ int) (route, size int) {
		switch r.IntN(10) {
		case 0:
			return 2, 3 << 20
		case 1, 2, 3:
			return 1, 150 << 10
		}
		return 0, 6 << 10
	},
	"many routes": func(r *rand.Rand, _ int) (route, size int) {
		route = r.IntN(100)
		return route, int(20e3 * math.Exp(1.7*rand.New(rand.NewPCG(uint64(route), 1)).NormFloat64()))
	},
	"a route that alternates": func(_ *rand.Rand, i int) (route, size int) {
		return 1, pick(i%2 == 0, 12<<10, 1500<<10)
	},
}

// serve has tasks serve requests at the same time, and returns how many bytes they use, and take from the Go heap, on
// average. They take turns, as tasks would, but by a schedule that doesn't depend on how busy the machine is.
func (next traffic) serve(tasks, requests int, get func(route int) (*arena.Pool, *arena.Arena)) (used, taken int) {
	heap := []metrics.Sample{{Name: "/gc/heap/allocs:bytes"}}
	metrics.Read(heap)
	before := heap[0].Value.Uint64()
	var turns []func() (bool, bool)
	for g := range tasks {
		turn, stop := iter.Pull(func(others func(bool) bool) {
			r := rand.New(rand.NewPCG(uint64(g), uint64(requests)))
			for i := range requests / tasks {
				route, size := next(r, i)
				p, a := get(route)
				for n := size; n > 0; n -= 1 << 10 {
					arena.New[[512]byte](a)
					arena.New[[64]*byte](a)
					if n%(64<<10) < 1<<10 {
						others(true) // which have arenas too
					}
				}
				p.Put(a)
				used += size
			}
		})
		defer stop()
		turns = append(turns, turn)
	}
	for len(turns) > 0 {
		turns = slices.DeleteFunc(turns, func(turn func() (bool, bool)) bool { _, more := turn(); return !more })
	}
	metrics.Read(heap)
	return used / requests, int(heap[0].Value.Uint64()-before) / requests
}

// TestMixedTrafficFindsItsMemory: requests take about as little from the Go heap in one Pool as with
// a Pool for each route.
func TestMixedTrafficFindsItsMemory(t *testing.T) {
	if testkit.Sanitized {
		t.Skip("with the race detector nothing is used again, and with others this takes minutes")
	}
	testkit.NoGC(t)
	const requests = 4000
	for name, next := range traffics {
		for _, tasks := range []int{2, 8} {
			var routes [100]*arena.Pool
			keyed, plain := arena.NewPool(arena.WithReuse()), arena.NewPool(arena.WithReuse())
			keys := [len(routes)]string{}
			for i := range keys {
				keys[i], routes[i] = strconv.Itoa(i), arena.NewPool(arena.WithReuse())
			}
			measure := func(get func(route int) (*arena.Pool, *arena.Arena)) (used, taken int) {
				defer runtime.GC()
				next.serve(tasks, requests, get) // so that the sizes are learned
				return next.serve(tasks, requests, get)
			}
			used, apart := measure(func(route int) (*arena.Pool, *arena.Arena) { return routes[route], routes[route].Get() })
			for kind, get := range map[string]func(route int) (*arena.Pool, *arena.Arena){
				"with keys":    func(route int) (*arena.Pool, *arena.Arena) { return keyed, keyed.GetKeyed(keys[route]) },
				"without keys": func(int) (*arena.Pool, *arena.Arena) { return plain, plain.Get() },
			} {
				_, together := measure(get)
				t.Logf("%s, %d tasks, %s: %d bytes from the heap of %d; %d with a pool for each route",
					name, tasks, kind, together, used, apart)
				// The most is taken by many routes with keys: 12 to 27 KB of 76 in 60 runs, also after 100,000 requests.
				// Their idle arenas have most of the 4 MiB that a pool may keep for so little traffic.
				if together > 2*apart+used*2/5 {
					t.Errorf("%s, %d tasks, %s: requests of %d bytes take %d from the heap; %d with a pool for each route",
						name, tasks, kind, used, together, apart)
				}
			}
		}
	}
}

// TestMixedTrafficForgets: when there are no large requests any more their memory is released, by the other requests,
// and by the GC if there are none.
func TestMixedTrafficForgets(t *testing.T) {
	testkit.NeedsReuse(t)
	testkit.NoGC(t)
	for kind, opts := range map[string][]arena.PoolOption{"default": nil, "self-contained": {arena.WithNoScan()},
		"limited": {arena.WithPoolLimit(32 << 20)}} {
		p := arena.NewPool(append([]arena.PoolOption{arena.WithReuse()}, opts...)...)
		get := func(int) (*arena.Pool, *arena.Arena) { return p, p.Get() }
		mixed := traffics["a tenth is large"]
		mixed.serve(2, 4000, get)
		before := p.Stats()
		if before.Retained < 1500<<10 {
			t.Errorf("%s: while there are large requests: %v", kind, before)
		}
		share(0, always(12<<10), nil).serve(2, 60_000, get)
		if s := p.Stats(); s.Retained > 500<<10 {
			t.Errorf("%s: without large requests: %v", kind, s)
		}
		mixed.serve(2, 4000, get)
		for range 3 {
			runtime.GC()
		}
		if s := p.Stats(); s.Reserved != 0 || s.Idle != 0 {
			t.Errorf("%s: after the GC: %v", kind, s)
		}
		runtime.KeepAlive(p)
	}
}
