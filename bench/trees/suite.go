package trees

import (
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strconv"

	"github.com/harena-go/arena/bench/bumpalo"
	"github.com/harena-go/arena/bench/measure"
	"github.com/harena-go/arena/bench/suite"
)

const name = "trees"

// Suite plays the game with each peer.
func Suite() suite.Suite {
	return suite.Suite{
		Name:  name,
		Title: "binary-trees",
		About: "The Computer Language Benchmarks Game: trees of nodes of two pointers are built, counted and " +
			"dropped, on all processors at once, while a long-lived tree stays. With arenas, each worker has one " +
			"that is reset after each tree. Nothing else is live. All peers must print the same.",
		Peers: []string{suite.Heap, suite.SyncPool, suite.Runtime, suite.Bumpalo, suite.Harena,
			suite.SelfContained},
		Rounds:  6,
		Plot:    suite.Bars,
		Run:     run,
		Seconds: seconds,
	}
}

// seconds estimates the time of most peers on a machine with two processors.
func seconds(c suite.Config) float64 {
	const each = 60e-9 // for each level of the tree and each node of the deepest
	return 0.2 + each*float64(c.Depth)*float64(nodes(c.Depth))
}

func run(peer string, c suite.Config) (suite.Output, error) {
	if peer == suite.Bumpalo {
		return runBumpalo(c)
	}
	r := measure.Start()
	g, err := play(peer, c.Depth)
	s := r.Stop()
	if err != nil {
		return suite.Output{}, err
	}
	s.MeasureLive()
	runtime.KeepAlive(g)

	out := suite.Output{
		Results:  wanted(s.Rows(name, peer), c),
		Checksum: g.String(),
		Note:     fmt.Sprintf("depth %d, %d nodes", c.Depth, g.nodes),
	}
	if peer == suite.Runtime {
		out.Remarks = []suite.Remark{{Peer: peer, Text: "It can't be reset. Each tree has a new arena."}}
	}
	return out, nil
}

func wanted(rows []suite.Result, c suite.Config) []suite.Result {
	return slices.DeleteFunc(rows, func(r suite.Result) bool { return !c.Wants(r.Row) })
}

// runBumpalo plays with the program in Rust. It has no collector.
func runBumpalo(c suite.Config) (out suite.Output, err error) {
	lines, err := bumpalo.Lines(c.Program, "trees",
		"-depth", strconv.Itoa(c.Depth), "-workers", strconv.Itoa(runtime.GOMAXPROCS(0)))
	if err != nil {
		return out, err
	}
	if len(lines) != 1 {
		return out, errors.New("the program in Rust must print one line")
	}
	l := lines[0]
	out.Checksum = l.Checksum
	s := measure.Sample{Wall: l.Wall, CPU: l.CPU, RSS: uint64(l.RSS)}
	for _, r := range wanted(s.Rows(name, suite.Bumpalo), c) {
		switch r.Row {
		case "wall", "cpu", "peak-rss":
			out.Results = append(out.Results, r)
		}
	}
	return out, nil
}
