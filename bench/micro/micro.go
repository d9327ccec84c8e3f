package micro

import (
	"fmt"
	"runtime"

	"github.com/harena-go/arena/bench/peers"
	"github.com/harena-go/arena/bench/suite"
)

// arenasAndPools are the peers of the main rows.
var arenasAndPools = []string{
	suite.Heap, suite.SyncPool, suite.Runtime,
	suite.Nuke, suite.Pavanmanishd, suite.Goutil, suite.Bumpalo, Floor,
	suite.Harena, suite.Typed, suite.SelfContained,
}

// Suite times all rows.
func Suite() suite.Suite {
	return suite.Suite{
		Name:  "micro",
		Title: "Single operations",
		About: "One operation in a loop that does nothing else, 16 Ki objects or up to 4 MiB between two resets; " +
			"resets are part of the time. Nothing else is live on the heap, and a collection before each row makes " +
			"it pay only for its own garbage. \"" + Floor + "\" is no allocator but a store into the next element " +
			"of a slice that is there already, set to zero first.",
		Peers:  arenasAndPools,
		Rounds: 10,
		Plot:   suite.Bars,
		Run: func(peer string, c suite.Config) (suite.Output, error) {
			if peer == suite.Bumpalo {
				return inRust("micro", c, known())
			}
			return newMeter(c).rows("micro", peer, c)
		},
		Seconds: seconds,
	}
}

// Stressed times the main rows while the collector never rests.
func Stressed() suite.Suite {
	return suite.Suite{
		Name:  "micro-gc",
		Title: "Single operations while the collector runs",
		About: "The rows of micro while another goroutine calls runtime.GC in a loop, so that write barriers are on " +
			"for much of the time " +
			"and everything reachable is scanned again and again. Nothing but what the peers hold is live on the heap.",
		Peers:  without(arenasAndPools, suite.Bumpalo),
		Rounds: 6,
		Plot:   suite.Bars,
		Run: func(peer string, c suite.Config) (suite.Output, error) {
			defer hammer()()
			m := newMeter(c)
			m.quiet = false
			m.turn *= 2 // collections take a part of it
			return m.rows("micro-gc", peer, c)
		},
		Seconds: func(c suite.Config) float64 { return 2 * seconds(c) },
	}
}

func seconds(c suite.Config) float64 {
	if c.Quick {
		return 0.4
	}
	return 1.5
}

func without(names []string, name string) (rest []string) {
	for _, n := range names {
		if n != name {
			rest = append(rest, n)
		}
	}
	return rest
}

// hammer collects in a loop until its result is called.
func hammer() (stop func()) {
	quit, done := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(done)
		for {
			select {
			case <-quit:
				return
			default:
				runtime.GC()
			}
		}
	}()
	return func() {
		close(quit)
		<-done
	}
}

// rows measures one peer. Only in quiet there are the rows of our arenas alone,
// and counts of allocations: under the hammer those of the collector are among
// them.
func (m meter) rows(name, peer string, c suite.Config) (suite.Output, error) {
	// Lifetimes first: arenas of other rows would be used again where new ones
	// are to be measured.
	lives, out := newRecorder(name, peer), newRecorder(name, peer)
	if m.quiet {
		for _, l := range lifetimes {
			if f := l.of[peer]; f != nil && c.Wants(l.name) {
				lives.add(l.row, f(m), "")
			}
		}
	}
	for _, r := range rows {
		counted := m.quiet && r.allocs && c.Wants(r.allocsName())
		if !c.Wants(r.name) && !counted {
			continue
		}
		// Each row has a new arena: what it keeps then fits the row.
		ops, err := opsOf(peer)
		if err != nil {
			return suite.Output{}, err
		}
		l := r.loop(ops)
		if l == nil {
			continue
		}
		b := batch{r.batch, func() {
			l(r.batch)
			if ops.Reset != nil {
				ops.Reset()
			}
		}}
		if c.Wants(r.name) {
			out.add(r, r.value(m.seconds(b)), ops.Remark(r.name, r.group))
		}
		if counted && peer != Floor {
			out.add(r.ofAllocs(), mallocs(b), "")
		}
	}
	out.Merge(lives.Output)
	return out.Output, nil
}

func opsOf(peer string) (*peers.Ops, error) {
	if peer == Floor {
		return floor(), nil
	}
	return peers.New(peer)
}

// value is a time of one operation in the row's unit.
func (r row) value(seconds float64) float64 {
	if r.unit == suite.BytesPerSecond {
		return float64(r.size) / seconds
	}
	return seconds
}

func (r row) allocsName() string { return r.name + "-allocs" }

// ofAllocs is the row that counts this one's allocations.
func (r row) ofAllocs() row {
	return row{name: r.allocsName(), title: "heap allocations: " + r.title, group: "allocs", unit: suite.Count}
}

// known are all rows by name.
func known() map[string]row {
	all := map[string]row{}
	add := func(r row) {
		if _, twice := all[r.name]; twice {
			panic(fmt.Sprintf("bench: two rows are called %s", r.name))
		}
		all[r.name] = r
	}
	for _, r := range rows {
		add(r)
		if r.allocs {
			add(r.ofAllocs())
		}
	}
	for _, l := range lifetimes {
		add(l.row)
	}
	return all
}

// A recorder collects the results of one peer.
type recorder struct {
	suite.Output
	suite, peer string
}

func newRecorder(suite, peer string) *recorder { return &recorder{suite: suite, peer: peer} }

func (o *recorder) add(r row, value float64, remark string) {
	o.Results = append(o.Results, suite.Result{
		Suite: o.suite, Row: r.name, Title: r.title, Group: r.group, Peer: o.peer,
		Unit: r.unit, More: r.more, Values: []float64{value}, Remark: remark,
	})
}
