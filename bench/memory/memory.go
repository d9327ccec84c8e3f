// Package memory measures whether memory goes back: what a program holds before,
// during and after a request that takes far more than the others, and how much
// small arenas take for what is in them.
package memory

import (
	"errors"
	"fmt"
	"runtime/debug"
	"time"

	"github.com/harena-go/arena/bench/measure"
	"github.com/harena-go/arena/bench/suite"
)

const name = "memory"

// Suite measures a server with a spike.
func Suite() suite.Suite {
	return suite.Suite{
		Name:  name,
		Title: "Memory, and what becomes of a spike",
		About: "One goroutine does a request of 100 KB each millisecond, for a second; then one of 256 MiB; then " +
			"small ones again for three seconds (in a quick run it is all smaller). A request makes records of about " +
			"1 KiB, of four parts each, and reads them in the end. \"RSS after the spike\" is the resident memory " +
			"after those three seconds: memory that the program has dropped is part of it until the collector and " +
			"the runtime's scavenger have run, and the less a program allocates the later they run. The next row " +
			"is measured after debug.FreeOSMemory, which makes them run at once: what is left then is really kept. " +
			"\"bytes taken for each byte used\" is how much the heap grows with 200 arenas that hold objects of six " +
			"types and strings. Nothing else is live.",
		Peers:  []string{suite.Heap, suite.SyncPool, suite.Nuke, suite.Wundergraph, suite.Harena, suite.SelfContained},
		Rounds: 4,
		Plot:   suite.Bars,
		Run:    func(peer string, c suite.Config) (suite.Output, error) { return run(peer, c, loadOf(c)) },
		Seconds: func(c suite.Config) float64 {
			l := loadOf(c)
			return (l.before + l.after).Seconds() + 0.5
		},
	}
}

// A load is how much there is to do.
type load struct {
	request, spike int // bytes
	before, after  time.Duration
}

func loadOf(c suite.Config) load {
	if c.Quick {
		return load{100 << 10, 32 << 20, 200 * time.Millisecond, 500 * time.Millisecond}
	}
	return load{100 << 10, 256 << 20, time.Second, 3 * time.Second}
}

// pause is what lies between two small requests. With all peers, the server is
// idle most of the time.
const pause = time.Millisecond

func run(peer string, c suite.Config, l load) (out suite.Output, err error) {
	do, err := server(peer, l.spike)
	if err != nil {
		return out, err
	}
	add := func(row, title string, unit suite.Unit, v float64) {
		if c.Wants(row) {
			out.Results = append(out.Results, suite.Result{
				Suite: name, Row: row, Title: title, Peer: peer, Unit: unit, Values: []float64{v},
			})
		}
	}
	if c.Wants("rss") {
		if err := withSpike(peer, do, l, add, &out); err != nil {
			return out, err
		}
	}
	for _, m := range []struct {
		size  string
		mixes int
	}{{"1k", 3}, {"10k", 28}, {"100k", 278}} {
		if ratio := reservedPerUsed(peer, m.mixes); ratio > 0 {
			add("reserved-per-used-"+m.size, "bytes taken for each byte used, arenas of "+m.size, suite.Ratio, ratio)
		}
	}
	if text := remarks[peer]; text != "" {
		out.Remarks = []suite.Remark{{Peer: peer, Text: text}}
	}
	return out, nil
}

var remarks = map[string]string{
	suite.SyncPool: "It uses structs and slices again, but its strings come from the heap.",
	suite.Nuke: "It is given as many buffers as the spike needs, which take memory when they are used first, " +
		"and is reset with them; the collector doesn't see what its objects point to.",
	suite.Wundergraph: "The collector doesn't see what its objects point to. Its pool keeps arenas by weak pointers, " +
		"so that the collector takes those that are idle.",
}

// withSpike does the requests and measures the resident memory.
func withSpike(peer string, do func(int) int64, l load, add func(row, title string, unit suite.Unit, v float64),
	out *suite.Output) error {
	w := startWatch()
	first := do(l.request)
	sound := repeat(do, l.request, first, l.before)
	before := float64(measure.RSS())

	began := time.Now()
	spike := do(l.spike)
	after := float64(measure.RSS())
	ended := time.Now()

	sound = repeat(do, l.request, first, l.after) && sound
	end := float64(measure.RSS())
	w.stop()
	debug.FreeOSMemory()
	scavenged := float64(measure.RSS())
	if !sound || do(l.request) != first {
		return fmt.Errorf("%s: the same request has different answers", peer)
	}
	if after < float64(l.spike)/2 {
		return errors.New("the resident memory doesn't show the spike")
	}
	add("rss-before", "RSS before the spike", suite.Bytes, before)
	add("rss-at-spike", "RSS at the spike", suite.Bytes, max(after, w.peak(began, ended)))
	add("rss-after", "RSS after the spike", suite.Bytes, end)
	add("rss-after-scavenge", "RSS after debug.FreeOSMemory", suite.Bytes, scavenged)
	out.Checksum = fmt.Sprint(first, " ", spike)
	out.Curves = []suite.Curve{{
		Suite: name, Name: "memory over time", Peer: peer, XUnit: suite.Seconds, YUnit: suite.Bytes, X: w.x, Y: w.y,
	}}
	return nil
}

// repeat does small requests for some time. It reports whether all had the same
// answer.
func repeat(do func(int) int64, size int, want int64, d time.Duration) bool {
	same := true
	for began := time.Now(); time.Since(began) < d; time.Sleep(pause) {
		same = do(size) == want && same
	}
	return same
}
