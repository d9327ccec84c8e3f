package index

import (
	"fmt"
	"runtime"

	"github.com/harena-go/arena"
	"github.com/harena-go/arena/bench/measure"
	"github.com/harena-go/arena/bench/suite"
)

const (
	name     = "index"
	scanOnly = "scan-only" // reads the same and builds nothing
)

// Suite builds an index of Go's standard library and asks it.
func Suite() suite.Suite {
	return suite.Suite{
		Name:  name,
		Title: "Index: a searchable index of Go's standard library",
		About: "Every source file is tokenised; files, identifiers with each place, declarations and imports are " +
			"indexed, then queries are answered. scan-only reads the same and builds nothing: no arena gets below " +
			"that. Nothing else is live.",
		Peers:   []string{suite.Heap, suite.Harena, suite.SelfContained, scanOnly},
		Once:    []string{scanOnly},
		Rounds:  6,
		Fixed:   true,
		Run:     run,
		Seconds: func(c suite.Config) float64 { return 4 },
	}
}

// run builds the index and asks it. Both are the job: an index that can't be
// read is of no use.
func run(peer string, c suite.Config) (suite.Output, error) {
	var (
		a   *arena.Arena
		x   *Index
		err error
	)
	if err := Warm(c.Sources, c.Dirs); err != nil {
		return suite.Output{}, err
	}
	m := measure.Start()
	switch peer {
	case scanOnly:
		x, err = Scan(c.Sources, c.Dirs)
	case suite.Heap:
		x, err = OnHeap(c.Sources, c.Dirs)
	case suite.Harena:
		a = arena.NewArena()
		x, err = InArena(c.Sources, c.Dirs, a)
	case suite.SelfContained:
		a = arena.NewArena(arena.WithNoScan())
		x, err = InArena(c.Sources, c.Dirs, a)
	default:
		err = fmt.Errorf("the index has no peer %q", peer)
	}
	if err != nil {
		return suite.Output{}, err
	}
	var answers Answers
	if peer != scanOnly {
		answers = Ask(x)
	}
	s := m.Stop()
	s.MeasureLive()
	runtime.KeepAlive(x)
	runtime.KeepAlive(a)
	return suite.Output{Results: s.Rows(name, peer), Checksum: answers.Checksum, Note: answers.Summary}, nil
}
