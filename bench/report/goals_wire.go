package report

import (
	"strings"

	"github.com/harena-go/arena/bench/suite"
	"github.com/harena-go/arena/bench/wire"
)

const ofWire = "protobuf"

// wire wants our decoder to be some times faster than the official one, or than that of gogo/protobuf, and
// at least as fast without an arena; not to be behind hyperpb, also where fields are read; and not to allocate.
func (j *judge) wire() {
	s := j.report.suite("wire")
	if s == nil {
		return
	}
	targets := map[string]float64{wire.Traces: 8, wire.Logs: 8, wire.Metrics: 8, wire.Span: 5, wire.Small: 3,
		wire.RemoteWrite: 10, wire.Pods: 4}
	hyperpb := func(peer string) bool { return peer == suite.Hyperpb || peer == suite.HyperpbProfiled }
	for _, w := range j.report.rows(*s) {
		ours, heap := w.find(suite.Harena), w.find(suite.HarenaOnHeap)
		if ours == nil {
			continue
		}
		if w.Group == wire.Mallocs {
			if w.Name != wire.Mallocs+"-"+wire.Pods { // Go maps are made by the runtime
				j.atMost(ofWire, "wire/"+w.Name, w.Title, "allocs", 0, ours.Median)
			}
			continue
		}
		add := func(key, what string, target float64, ours cell, other *cell) {
			if other != nil {
				j.add(Goal{Key: "wire/" + key + w.Name, Group: ofWire, What: w.Title + what + ", against " + other.Peer,
					Target: target, AtLeast: true,
					Unit: "x as fast", Got: w.ratio(ours, *other)})
			}
		}
		base := w.best(func(peer string) bool { return peer == suite.Protobuf || peer == suite.Gogo })
		if target := targets[strings.TrimPrefix(w.Name, wire.Decode+"-")]; target > 0 {
			add("", "", target, *ours, base)
		}
		if heap != nil {
			add("heap/", ", without an arena", 1, *heap, base)
		}
		add("hyperpb/", "", 1, *ours, w.best(hyperpb))
	}
}
