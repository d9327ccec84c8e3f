// Package gc measures the cost of a program's live objects for the garbage collector: the time of a full collection
// against their number.
package gc

import (
	"fmt"
	"runtime"
	"time"

	"github.com/harena-go/arena/bench/measure"
	"github.com/harena-go/arena/bench/suite"
)

const name = "gc"

// Empty is the peer without a tree: the cost of a collection with nothing to do.
const Empty = "empty"

// Suite measures trees of 10,000 to 10 million nodes.
func Suite() suite.Suite {
	return suite.Suite{
		Name:  name,
		Title: "Cost of a garbage collection",
		About: "A balanced tree of nodes of 24 bytes, two pointers and a number, is live, and nothing else. " +
			"Full collections are forced, and the median of their times is noted; then the tree is checked. " +
			"The smaller trees come first, each dropped before the next is built. " +
			"\"empty\" is a program without a tree: what a collection costs that has nothing to do.",
		Peers: []string{suite.Heap, Empty, suite.Runtime, suite.Nuke,
			suite.Harena, suite.Typed, suite.SelfContained},
		Rounds:  5,
		Plot:    suite.LogLog,
		Run:     func(peer string, c suite.Config) (suite.Output, error) { return run(peer, c, sizes(c)) },
		Seconds: suite.Takes(0.5, 3),
	}
}

// sizes returns the trees' numbers of nodes.
func sizes(c suite.Config) []int {
	if c.Quick {
		return []int{1e4, 1e5, 1e6}
	}
	return []int{1e4, 1e5, 1e6, 1e7}
}

// A sample is the cost of one tree.
type sample struct {
	fullGC   float64 // seconds
	build    float64 // seconds
	reserved float64 // bytes
	live     float64 // bytes of all heap objects
}

// run measures trees of the given sizes; the last one is the largest.
func run(peer string, c suite.Config, sizes []int) (suite.Output, error) {
	var out suite.Output
	largest := sizes[len(sizes)-1]
	add := func(r suite.Result, v float64) {
		if c.Wants(r.Row) {
			r.Suite, r.Peer, r.Values = name, peer, []float64{v}
			out.Results = append(out.Results, r)
		}
	}
	runtime.GC()
	before := measure.HeapBytes()
	for _, n := range sizes {
		g, err := newGround(peer, n)
		if err != nil {
			return out, err
		}
		nodes := n
		if peer == Empty {
			nodes = 0
		}
		s, err := g.grow(nodes, before)
		if err != nil {
			return out, fmt.Errorf("%s: %w", peer, err)
		}
		add(suite.Result{Row: fmt.Sprintf("full-gc-%d", n), Title: "Full GC, " + thousands(n) + " nodes live",
			Unit: suite.Seconds, X: float64(n)}, s.fullGC)
		if n != largest {
			continue
		}
		add(suite.Result{Row: "live-bytes", Title: "Heap in use, " + thousands(n) + " nodes", Unit: suite.Bytes},
			s.live)
		if peer == Empty {
			continue
		}
		add(suite.Result{Row: "build", Title: "Build, for each of " + thousands(n) + " nodes", Unit: suite.Seconds},
			s.build/float64(n))
		add(suite.Result{Row: "reserved", Title: "Bytes taken for each byte of nodes", Unit: suite.Ratio},
			s.reserved/float64(n*NodeBytes))
	}
	out.Note = "up to " + thousands(largest) + " nodes"
	if peer == suite.Nuke {
		out.Remarks = []suite.Remark{{Peer: peer, Text: "The collector can't see into its memory, which is why it " +
			"has nothing to do. Nor does it see what is pointed to from there: the tree is whole as long as the " +
			"program keeps the arena, and a pointer to anything on the heap would not keep that alive."}}
	}
	return out, nil
}

// grow builds a tree of n nodes and times collections. before is the size of the heap before the first tree: the
// runtime's arenas leave a part of themselves to the next one.
func (g ground) grow(n int, before uint64) (s sample, err error) {
	runtime.GC() // of the tree before
	began := time.Now()
	root := Build(n, g.alloc)
	s.build = time.Since(began).Seconds()

	s.fullGC = measure.FullGC()
	s.live = float64(measure.HeapBytes())
	s.reserved = s.live - float64(before)
	if g.reserved != nil {
		s.reserved = float64(g.reserved())
	}
	if good := root.Count(); good != n {
		return s, fmt.Errorf("only %d of %d nodes are as they were built", good, n)
	}
	root = nil // the collector must not find it once its memory is free
	g.free()
	return s, nil
}

// thousands formats a number of at least a thousand.
func thousands(n int) string {
	if n >= 1e6 {
		return fmt.Sprintf("%d,%03d,%03d", n/1e6, n/1e3%1e3, n%1e3)
	}
	return fmt.Sprintf("%d,%03d", n/1e3, n%1e3)
}
