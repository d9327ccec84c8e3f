// Package collections measures the containers of package collections against the builtin ones.
package collections

import (
	"fmt"
	"runtime"
	"strings"
	"time"

	"github.com/harena-go/arena/bench/measure"
	"github.com/harena-go/arena/bench/suite"
)

const name = "collections"

// Suite measures containers of 10, 1,000 and a million entries.
func Suite() suite.Suite {
	return suite.Suite{
		Name:  name,
		Title: "Maps, slices, buffers",
		About: "One goroutine builds a container entry by entry, without a hint of its size, and drops it, again and " +
			"again, so that the collector's work is part of it; or it looks up all the keys of a map, or as many " +
			"that it hasn't. The time is for one entry. Rows named CPU are the time that all processors worked, " +
			"those that collected garbage meanwhile included. Keys are in random order; those of a map with a " +
			"million entries are looked up in another order than they came in. \"heap\" is Go's map, slice with " +
			"append, bytes.Buffer and container/list; the others are package collections with an arena, which is " +
			"reset when a container is dropped. Nothing else is live but the keys.",
		Peers:  []string{suite.Heap, suite.Harena, suite.SelfContained},
		Rounds: 5,
		Plot:   suite.Bars,
		Run:    run,
		Seconds: func(c suite.Config) float64 {
			if c.Quick {
				return 1
			}
			return 60
		},
	}
}

// sizes are the numbers of entries; a quick run has the first two.
var sizes = []int{10, 1000, 1_000_000}

// turns limits the timings of a row; the median counts.
const turns = 5

// A row does something with a container of n entries and returns a sum of the entries that it has seen, which is the
// same with all peers.
type row struct {
	group, name string
	do          func() int64
}

// builds reports whether the row builds containers, which makes work for the collector.
func (r row) builds() bool { return strings.HasSuffix(r.name, "-build") }

func run(peer string, c suite.Config) (out suite.Output, err error) {
	w, err := workshopOf(peer)
	if err != nil {
		return out, err
	}
	turn, sizes := 40*time.Millisecond, sizes
	if c.Quick {
		turn, sizes = 2*time.Millisecond, sizes[:2]
	}
	sum := int64(0)
	for _, n := range sizes {
		for _, r := range w.rows(n) {
			id := fmt.Sprintf("%s-%d", r.name, n)
			if !c.Wants(id) {
				continue
			}
			sum += r.do()
			result := suite.Result{Suite: name, Row: id, Title: fmt.Sprintf("%s, %s", r.name, entries(n)),
				Group: r.group, Peer: peer, Unit: suite.Seconds}
			wall, cpu := perRun(r.do, turn)
			result.Values = []float64{wall / float64(n)}
			out.Results = append(out.Results, result)
			if r.builds() && measure.ProcessCPU() > 0 {
				result.Row, result.Title, result.Values = id+"-cpu", result.Title+", CPU", []float64{cpu / float64(n)}
				out.Results = append(out.Results, result)
			}
			w.done()
		}
	}
	out.Checksum = fmt.Sprint(sum)
	return out, nil
}

func entries(n int) string {
	switch n {
	case 1000:
		return "1,000 entries"
	case 1_000_000:
		return "a million entries"
	}
	return fmt.Sprintf("%d entries", n)
}

// perRun returns the median time of do, and its CPU time.
func perRun(do func() int64, turn time.Duration) (wall, cpu float64) {
	runs := calibrate(do, turn)
	var walls, cpus []float64
	for range min(turns, 1+2*runs) { // a million entries take half a second and more
		w, c := timed(do, runs)
		walls = append(walls, w.Seconds()/float64(runs))
		cpus = append(cpus, c/float64(runs))
	}
	return measure.Median(walls), measure.Median(cpus)
}

// calibrate finds how many runs fill a turn.
func calibrate(do func() int64, turn time.Duration) int {
	for runs := 1; ; runs *= 2 {
		if t, _ := timed(do, runs); t >= turn/2 {
			return max(1, int(float64(runs)*float64(turn)/float64(t)))
		}
	}
}

// sink keeps the compiler from omitting unused results.
var sink int64

// timed measures a number of runs. It begins with a collection, so that no earlier garbage counts.
func timed(do func() int64, runs int) (wall time.Duration, cpu float64) {
	runtime.GC()
	before, began := measure.ProcessCPU(), time.Now()
	for range runs {
		sink += do()
	}
	return time.Since(began), measure.ProcessCPU() - before
}
