package server

import (
	"net/http"
	"runtime"
	"runtime/debug"

	"github.com/harena-go/arena/bench/measure"
	"github.com/harena-go/arena/bench/suite"
)

// This file holds what it costs to watch a server. That is less than two runs of the same program differ by, so that
// both kinds of requests are answered in one process, in turns of some 50 ms.

const (
	observedName = "server-observed"

	turnRequests = 2000

	// observedPools is how many pools of each kind take turns: where its memory lies makes one faster than another
	// by 1.5%.
	observedPools = 6
)

// Observed compares arenas, some of them observed, with others in the same process.
func Observed() suite.Suite {
	return suite.Suite{
		Name:  observedName,
		Title: "Server without sockets: what it costs to observe it",
		About: "The handler of the server, called by 100 goroutines, in turns of 2,000 requests for each of two " +
			"kinds of pools of one process, six of each: those whose arenas nobody looks at, and those of the row, " +
			"\"harena-observed\" with WithObserveRate(256), \"harena\" with none: how far that is from 1 is noise. " +
			"The ratio is the median of all pairs of turns. One in 32 of what is observed is checked for escapes, " +
			"too: it is a new arena, whose memory the collector has to find, in a cycle for as many bytes as are " +
			"live: " + live + " That is in the second ratio.",
		Peers:  []string{suite.Harena, observed},
		Rounds: 5,
		Plot:   suite.TableOnly,
		Run: func(peer string, c suite.Config) (suite.Output, error) {
			return setting(c).observed(peer)
		},
		Seconds: func(c suite.Config) float64 { return 3 + float64(c.Requests)/10000 },
	}
}

// A side is one of two kinds of pools, and what they took.
type side struct {
	handlers [observedPools]http.Handler
	cpu      []float64 // seconds, by turn
	garbage  uint64    // bytes of the Go heap
}

// turn has the side answer requests.
func (s *side) turn(bodies [][]byte, callers []*caller, n int) error {
	h := s.handlers[len(s.cpu)%observedPools]
	garbage, cpu := measure.Allocated(), measure.ProcessCPU()
	_, err := callAll(h, bodies, callers, n)
	s.cpu = append(s.cpu, measure.ProcessCPU()-cpu)
	s.garbage += measure.Allocated() - garbage
	return err
}

// observed answers requests with the arenas of the peer and with plain ones in turns, so many each.
func (c Config) observed(peer string) (out suite.Output, err error) {
	var sides [2]side
	all, callers := bodies(c.Requests), c.callers()
	background := newSessions(c.Objects)
	n := min(turnRequests, c.Requests)
	for i, name := range []string{suite.Harena, peer} {
		for k := range sides[i].handlers {
			if sides[i].handlers[k], err = handler(name); err != nil {
				return out, err
			}
			if _, err = callAll(sides[i].handlers[k], all, callers, c.Warmup/observedPools); err != nil {
				return out, err
			}
		}
	}
	runtime.GC()
	defer debug.SetGCPercent(debug.SetGCPercent(-1)) // one side would pay for the other's garbage
	turns := max(4, c.Requests/n)
	for i := range turns {
		for k := range 2 {
			if err := sides[(i+k)%2].turn(all, callers, n); err != nil {
				return out, err
			}
		}
		if i%16 == 15 {
			runtime.GC()
		}
	}
	ratios, own := make([]float64, turns), make([]float64, turns)
	for i, cpu := range sides[0].cpu {
		ratios[i], own[i] = sides[1].cpu[i]/cpu, cpu/float64(n)
	}
	garbage := max(0, float64(sides[1].garbage)-float64(sides[0].garbage)) / float64(n*turns)
	ratio, each := measure.Median(ratios), measure.Median(own)
	row := func(name, title string, unit suite.Unit, value float64) {
		out.Results = append(out.Results, suite.Result{Suite: observedName, Row: name, Title: title, Peer: peer,
			Unit: unit, Values: []float64{value}})
	}
	row("cpu", "CPU time of a request", suite.Seconds, each*ratio)
	row("cpu-ratio", "the same, against arenas that nobody looks at", suite.Ratio, ratio)
	row("garbage", "garbage of a request more than there", suite.Bytes, garbage)
	row("cpu-ratio-gc", "CPU time against theirs, with that of the collector", suite.Ratio,
		ratio+garbage*collectByte()/each)
	var s measure.Sample
	err = c.finish(&s, background)
	out.Note = s.Note
	return out, err
}

// collectByte is what a byte of garbage costs the collector, in seconds: it runs when there is as much as what is live.
func collectByte() float64 {
	cpu := measure.ProcessCPU()
	const cycles = 3
	for range cycles {
		runtime.GC()
	}
	cpu = (measure.ProcessCPU() - cpu) / cycles
	return cpu / float64(max(measure.HeapBytes(), 4<<20))
}
