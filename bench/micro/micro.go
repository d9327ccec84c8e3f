package micro

import (
	"fmt"

	"github.com/harena-go/arena/bench/peers"
	"github.com/harena-go/arena/bench/suite"
)

// Suite times all rows.
func Suite() suite.Suite {
	return suite.Suite{
		Name:  "micro",
		Title: "Single operations",
		About: "One operation in a loop that does nothing else, 16 Ki objects or up to 4 MiB between two resets; " +
			"resets are part of the time. Nothing else is live on the heap, and a collection before each row makes " +
			"it pay only for its own garbage. \"" + Floor + "\" is no allocator but a store into the next element " +
			"of a slice that is there already, set to zero first.",
		Peers: []string{suite.Heap, suite.SyncPool, suite.Runtime, suite.Nuke, suite.Pavanmanishd, suite.Goutil,
			suite.Bumpalo, Floor, suite.Harena, suite.Typed, suite.SelfContained},
		Rounds: 10,
		Plot:   suite.Bars,
		Run: func(peer string, c suite.Config) (suite.Output, error) {
			if peer == suite.Bumpalo {
				return inRust(c)
			}
			return newMeter(c).rows("micro", peer, c)
		},
		Seconds: suite.Takes(0.4, 1.5),
	}
}

// rows measures one peer.
func (m meter) rows(name, peer string, c suite.Config) (suite.Output, error) {
	// Lifetimes first: new arenas are measured, and arenas of other rows would be reused.
	lives, out := newRecorder(name, peer), newRecorder(name, peer)
	for _, l := range lifetimes {
		if f := l.of[peer]; f != nil && c.Wants(l.name) {
			lives.add(l.row, f(m), "")
		}
	}
	for _, r := range rows {
		counted := r.allocs && c.Wants(r.allocsName())
		if !c.Wants(r.name) && !counted {
			continue
		}
		// Each row has a new arena, so that its retained memory fits the row.
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
			out.add(r, m.seconds(b), ops.Remark(r.name, r.group))
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

func (r row) allocsName() string { return r.name + "-allocs" }

// ofAllocs returns the row that counts this one's allocations.
func (r row) ofAllocs() row {
	return row{name: r.allocsName(), title: "heap allocations: " + r.title, group: "allocs", unit: suite.Count}
}

// known returns all rows by name.
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
		Unit: r.unit, Values: []float64{value}, Remark: remark,
	})
}
