// Package scale measures how the throughput of request-shaped work grows with
// the goroutines that do it.
package scale

import (
	"errors"
	"fmt"
	"runtime"
	"slices"
	"sync"
	"time"

	"github.com/harena-go/arena/bench/gc"
	"github.com/harena-go/arena/bench/suite"
)

const name = "scale"

// Shared is the peer with one arena.Shared for all goroutines.
const Shared = "harena-shared"

// Suite measures 1, 2, 4 ... goroutines, up to the number of processors.
func Suite() suite.Suite {
	return suite.Suite{
		Name:  name,
		Title: "Throughput of many goroutines",
		About: "Goroutines answer requests, as fast as they can. A request makes an order of 199 small objects, " +
			"structs with pointers, strings and slices, reads all of it, and drops it; the sums of what was read are " +
			"compared. Meanwhile a tree of a million nodes of 24 bytes is live on the heap (100,000 in a quick run). " +
			"\"sync.Pool\" uses structs and slices again, but its strings come from the heap. \"harena\" and " +
			"\"harena-self-contained\" get an arena from an arena.Pool for each request and put it back. " +
			"\"harena-shared\" is one arena.Shared: each goroutine has a local that it rewinds after each request.",
		Peers:  []string{suite.Heap, suite.SyncPool, suite.Harena, suite.SelfContained, Shared},
		Rounds: 5,
		Plot:   suite.Lines,
		Run:    run,
		Seconds: func(c suite.Config) float64 {
			if c.Quick {
				return 0.2
			}
			return 4
		},
	}
}

// goroutines are the numbers of them that are measured: the powers of two up to
// that of processors, and 4 in any case, so that there are once more than can run.
func goroutines() []int {
	most := max(4, runtime.NumCPU())
	var n []int
	for g := 1; g < most; g *= 2 {
		n = append(n, g)
	}
	return append(n, most)
}

// A load is how much there is to do.
type load struct {
	requests   int // for each number of goroutines
	background int // nodes that are live
}

func loadOf(c suite.Config) load {
	l := load{requests: 200_000, background: 1e6}
	if c.Quick {
		l = load{requests: 4000, background: 1e5}
	}
	if c.Requests > 0 {
		l.requests = c.Requests
	}
	return l
}

func run(peer string, c suite.Config) (out suite.Output, err error) {
	l := loadOf(c)
	d, err := newDesk(peer)
	if err != nil {
		return out, err
	}
	background := gc.OnHeap(l.background)
	var sums []uint64
	for _, g := range goroutines() {
		row := fmt.Sprintf("goroutines-%d", g)
		if !c.Wants(row) {
			continue
		}
		d.answer(g, l.requests/10)
		runtime.GC()
		began := time.Now()
		sums = append(sums, d.answer(g, l.requests))
		out.Results = append(out.Results, suite.Result{
			Suite: name, Row: row, Title: title(g), Peer: peer, Unit: suite.PerSecond, More: true, X: float64(g),
			Values: []float64{float64(l.requests) / time.Since(began).Seconds()},
		})
	}
	if background.Count() != l.background {
		return out, errors.New("the tree in the background has changed")
	}
	if len(slices.Compact(sums)) > 1 {
		return out, fmt.Errorf("%s: the sum of the same requests depends on the number of goroutines", peer)
	}
	out.Note = fmt.Sprintf("%d requests for each number of goroutines, %d processors",
		l.requests, runtime.GOMAXPROCS(0))
	if len(sums) > 0 {
		out.Checksum = fmt.Sprintf("%d orders %x", l.requests, sums[0])
	}
	return out, nil
}

func title(goroutines int) string {
	if goroutines == 1 {
		return "1 goroutine"
	}
	return fmt.Sprintf("%d goroutines", goroutines)
}

// answer answers n requests in so many goroutines and returns the sum of the
// answers.
func (d desk) answer(goroutines, n int) (total uint64) {
	var wg sync.WaitGroup
	sums := make([]uint64, goroutines)
	for g := range goroutines {
		wg.Go(func() {
			answer := d.worker()
			sum := uint64(0)
			for request := g; request < n; request += goroutines {
				sum += answer(request)
			}
			sums[g] = sum // once, not per request: they share a cache line
		})
	}
	wg.Wait()
	d.end()
	for _, s := range sums {
		total += s
	}
	return total
}
