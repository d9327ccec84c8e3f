package server

import (
	"fmt"
	"runtime"
	"runtime/debug"

	"github.com/harena-go/arena/bench/measure"
	"github.com/harena-go/arena/bench/suite"
)

// This file holds what it costs to watch a server. That is less than two runs of the same program differ
// by, so that both kinds of requests are answered in one process, in turns of some 50 ms.

const (
	observedName = "server-observed"

	observed = "harena-observed" // one arena in 256 is observed

	turnRequests = 2000

	// observedPools is how many pools of each kind take turns: where its memory lies makes one faster than another by
	// 1.5%.
	observedPools = 6
)

// Observed compares arenas, some of them observed, with others in the same process.
func Observed() suite.Suite {
	return suite.Suite{
		Name:  observedName,
		Title: "Server without HTTP: what it costs to observe it",
		About: "The handlers of the server, called by 100 goroutines, in turns of 2,000 requests for each of two " +
			"kinds of pools of one process, six of each: those whose arenas nobody looks at, and those of the row, " +
			"\"harena-observed\" with WithObserveRate(256), \"harena\" with none: how far that is from 1 is noise. " +
			"The ratio is the median of all pairs of turns. One in 32 of what is observed is checked for escapes, " +
			"too: it is a new arena, whose memory the collector has to find, in a cycle for as many bytes as are " +
			"live: " + live + " That is in the second ratio.",
		Peers:  []string{suite.Harena, observed},
		Rounds: 5,
		Plot:   suite.TableOnly,
		Run: func(peer string, c suite.Config) (suite.Output, error) {
			return RunObserved(peer, setting(c))
		},
		Seconds: func(c suite.Config) float64 { return 3 + float64(c.Requests)/10000 },
	}
}

// A side is one of two kinds of pools, and what they took.
type side struct {
	handlers [observedPools]Handler
	cpu      []float64 // seconds, by turn
	garbage  uint64    // bytes of the Go heap
}

// newSide returns a side of new pools, which have answered so many requests together.
func newSide(peer string, bodies [][]byte, audiences []audience, warmup int) (s *side, err error) {
	s = new(side)
	for i := range s.handlers {
		if s.handlers[i], err = NewHandler(peer); err != nil {
			return nil, err
		}
		if err = answerAll(s.handlers[i], bodies, audiences, warmup/observedPools); err != nil {
			return nil, err
		}
	}
	return s, nil
}

// turn has the side answer requests.
func (s *side) turn(bodies [][]byte, audiences []audience, n int) error {
	handler := s.handlers[len(s.cpu)%observedPools]
	garbage, cpu := measure.HeapBytes(), measure.ProcessCPU()
	err := answerAll(handler, bodies, audiences, n)
	s.cpu = append(s.cpu, measure.ProcessCPU()-cpu)
	s.garbage += measure.HeapBytes() - garbage
	return err
}

// RunObserved answers requests with the arenas of the peer and with plain ones in turns, so many each.
func RunObserved(peer string, c Config) (out suite.Output, err error) {
	var sides [2]*side
	bodies := c.bodies()
	background := newSessions(c.Objects)
	audiences := make([]audience, c.Connections)
	n := min(turnRequests, c.Requests)
	for i, name := range []string{suite.Harena, peer} {
		if sides[i], err = newSide(name, bodies, audiences, c.Warmup); err != nil {
			return out, err
		}
	}
	runtime.GC()
	defer debug.SetGCPercent(debug.SetGCPercent(-1)) // one side would pay for the other's garbage
	for i := range max(4, c.Requests/n) {
		for k := range 2 {
			if err := sides[(i+k)%2].turn(bodies, audiences, n); err != nil {
				return out, err
			}
		}
	}
	ratios, own := make([]float64, len(sides[0].cpu)), make([]float64, len(sides[0].cpu))
	for i, cpu := range sides[0].cpu {
		ratios[i], own[i] = sides[1].cpu[i]/cpu, cpu/float64(n)
	}
	requests := float64(n * len(own))
	garbage := max(0, float64(sides[1].garbage)-float64(sides[0].garbage)) / requests
	collecting := garbage * collectByte()
	ratio, each := measure.Median(ratios), measure.Median(own)
	_, checksum := merged(audiences)
	row := func(name, title string, unit suite.Unit, value float64) {
		out.Results = append(out.Results, suite.Result{Suite: observedName, Row: name, Title: title, Peer: peer,
			Unit: unit, Values: []float64{value}})
	}
	row("cpu", "CPU time of a request", suite.Seconds, each*ratio)
	row("cpu-ratio", "the same, against arenas that nobody looks at", suite.Ratio, ratio)
	row("garbage", "garbage of a request more than there", suite.Bytes, garbage)
	row("cpu-ratio-gc", "CPU time against theirs, with that of the collector", suite.Ratio, ratio+collecting/each)
	out.Checksum = checksum
	out.Note = fmt.Sprintf("%d requests of each kind, in turns of %d; %d other objects are live", int(requests), n,
		c.Objects)
	if !background.intact(c.Objects) {
		err = fmt.Errorf("the sessions in the background have changed")
	}
	return out, err
}

// collectByte is what a byte of garbage costs the collector, in seconds: it runs when there is as much as what is live.
func collectByte() float64 {
	runtime.GC()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	cpu := measure.ProcessCPU()
	const cycles = 3
	for range cycles {
		runtime.GC()
	}
	cpu = (measure.ProcessCPU() - cpu) / cycles
	runtime.ReadMemStats(&after)
	return cpu / float64(max(after.HeapAlloc, 4<<20))
}
