// Package collections measures the containers of package collections against the builtin ones.
package collections

import (
	"fmt"
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
		Peers:   []string{suite.Heap, suite.Harena, suite.SelfContained},
		Rounds:  5,
		Plot:    suite.Bars,
		Run:     run,
		Seconds: suite.Takes(1, 60),
	}
}

// sizes are the numbers of entries; a quick run has the first two.
var sizes = []int{10, 1000, 1_000_000}

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
			wall, cpu := measure.PerRun(func(int) int64 { return r.do() }, n, turn)
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
