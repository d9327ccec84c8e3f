package micro

import (
	"fmt"

	"github.com/harena-go/arena/bench/peers"
	"github.com/harena-go/arena/bench/suite"
)

// turns is the number of objects of each type in a batch of mixed types.
const turns = 1024

var mixedRows = []row{
	{name: "mixed-object", title: "an object made and filled", unit: suite.Seconds, batch: turns * peers.MixedTypes},
	{name: "mixed-batch", title: "12,288 objects made, filled and read again", unit: suite.Seconds, batch: 1},
}

// Mixed times objects of many types.
func Mixed() suite.Suite {
	return suite.Suite{
		Name:  "mixed",
		Title: "Mixed types",
		About: "Objects of 12 struct types in turn, 8 to 512 bytes, half of them with pointers, strings or slices " +
			"that point to each other and to " +
			"static data; 12,288 objects between two resets. Nothing else is live on the heap.",
		Peers: []string{suite.Heap, suite.SyncPool, suite.Runtime, suite.Nuke, suite.Pavanmanishd, suite.Goutil,
			suite.Bumpalo, suite.Harena, suite.SelfContained},
		Rounds:  10,
		Plot:    suite.Bars,
		Run:     runMixed,
		Seconds: suite.Takes(0.1, 0.4),
	}
}

func runMixed(peer string, c suite.Config) (suite.Output, error) {
	if peer == suite.Bumpalo {
		byName := map[string]row{}
		for _, r := range mixedRows {
			byName[r.name] = r
		}
		return inRust("mixed", c, byName)
	}
	m := newMeter(c)
	m.turn *= 4 // there are only two rows
	return m.mixed(peer, c)
}

func (m meter) mixed(peer string, c suite.Config) (suite.Output, error) {
	out := newRecorder("mixed", peer)
	for _, r := range mixedRows {
		if !c.Wants(r.name) {
			continue
		}
		ops, err := peers.New(peer)
		if err != nil {
			return suite.Output{}, err
		}
		reset := ops.Reset
		if reset == nil {
			reset = func() {}
		}
		wrong := 0
		b := batch{r.batch, func() { ops.Mixed(turns); reset() }}
		if r.name == "mixed-batch" {
			b.do = func() {
				if ops.Mixed(turns).Sum() != peers.MixedSum(turns) {
					wrong++
				}
				reset()
			}
		}
		value := m.seconds(b)
		if wrong > 0 {
			return suite.Output{}, fmt.Errorf("%s: %d batches of mixed objects didn't have the content that was stored",
				peer, wrong)
		}
		out.add(r, value, ops.Remark(r.name, "mixed"))
	}
	return out.Output, nil
}
