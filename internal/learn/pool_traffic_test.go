package learn_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"strconv"
	"sync"
	"testing"

	"github.com/harena-go/arena"
	"github.com/harena-go/arena/internal/tests/testkit"
)

type traffic struct {
	name string
	next func(r *rand.Rand, i int) (route int, size int)
}

func heapAllocs() uint64 {
	s := []metrics.Sample{{Name: "/gc/heap/allocs:bytes"}}
	metrics.Read(s)
	return s[0].Value.Uint64()
}

func work(a *arena.Arena, size int) {
	for n := size; n > 0; n -= 1024 {
		arena.New[[512]byte](a)
		arena.New[testkit.Node](a)
		arena.New[[62]*byte](a)
		if n%(64<<10) < 1024 {
			runtime.Gosched()
		}
	}
}

var traffics = []traffic{
	{"two, 50%", func(r *rand.Rand, i int) (int, int) {
		if r.IntN(2) == 0 {
			return 1, 1500 << 10
		}
		return 0, 12 << 10
	}},
	{"two, 10%", func(r *rand.Rand, i int) (int, int) {
		if r.IntN(10) == 0 {
			return 1, 1500 << 10
		}
		return 0, 12 << 10
	}},
	{"two, 2%", func(r *rand.Rand, i int) (int, int) {
		if r.IntN(50) == 0 {
			return 1, 1500 << 10
		}
		return 0, 12 << 10
	}},
	{"three", func(r *rand.Rand, i int) (int, int) {
		switch r.IntN(10) {
		case 0:
			return 2, 3 << 20
		case 1, 2, 3:
			return 1, 150 << 10
		}
		return 0, 6 << 10
	}},
	{"varied two", func(r *rand.Rand, i int) (int, int) {
		if r.IntN(10) == 0 {
			return 1, 200<<10 + r.IntN(2<<20)
		}
		return 0, 4<<10 + r.IntN(20<<10)
	}},
	{"log-normal", func(r *rand.Rand, i int) (int, int) {
		k := r.IntN(100)
		kr := rand.New(rand.NewPCG(uint64(k), 1))
		return k, int(20e3 * math.Exp(1.7*kr.NormFloat64()))
	}},
	{"alternates", func(r *rand.Rand, i int) (int, int) {
		if i%2 == 0 {
			return 1, 12 << 10
		}
		return 1, 1500 << 10
	}},
}

func runTraffic(t traffic, workers, n int, get func(route int) (*arena.Pool, *arena.Arena)) (perReq float64, gcs uint32) {
	var before uint64
	var m0, m1 runtime.MemStats
	for phase := range 2 {
		if phase == 1 {
			before = heapAllocs()
			runtime.ReadMemStats(&m0)
		}
		var wg sync.WaitGroup
		for w := range workers {
			wg.Go(func() {
				r := rand.New(rand.NewPCG(uint64(w), uint64(phase)))
				for i := range n / workers {
					route, size := t.next(r, i)
					p, a := get(route)
					work(a, size)
					p.Put(a)
				}
			})
		}
		wg.Wait()
	}
	after := heapAllocs()
	runtime.ReadMemStats(&m1)
	return float64(after-before) / float64(n), m1.NumGC - m0.NumGC
}

var ballast []byte

func TestTraffic(t *testing.T) {
	for _, gc := range []string{"off"} {
		ballast = nil
		if gc == "ballast" {
			ballast = make([]byte, 30<<20)
		}
		for _, tr := range traffics {
			for _, workers := range []int{2, 8} {
				if gc == "off" {
					debug.SetGCPercent(-1)
				}
				n := 6000
				perRoute := make([]*arena.Pool, 100)
				for i := range perRoute {
					perRoute[i] = arena.NewPool()
				}
				line := ""
				res := func(name string, get func(route int) (*arena.Pool, *arena.Arena)) {
					runtime.GC()
					b, g := runTraffic(tr, workers, n, get)
					line += fmt.Sprintf("  %s %.1fKB(%dgc)", name, b/1024, g)
				}
				res("routes", func(route int) (*arena.Pool, *arena.Arena) {
					p := perRoute[route]
					return p, p.Get()
				})
				p := arena.NewPool()
				res("keyed", func(route int) (*arena.Pool, *arena.Arena) { return p, p.GetKeyed(strconv.Itoa(route)) })
				q := arena.NewPool()
				res("plain", func(route int) (*arena.Pool, *arena.Arena) { return q, q.Get() })
				fmt.Printf("%-8s %-12s %d:%s   kept %d / %d KB\n", gc, tr.name, workers, line, p.Stats().Retained>>10, q.Stats().Retained>>10)
				debug.SetGCPercent(100)
			}
		}
	}
	runtime.KeepAlive(ballast)
}
