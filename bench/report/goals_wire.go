package report

import (
	"fmt"
	"strings"

	"github.com/harena-go/arena/bench/measure"
	"github.com/harena-go/arena/bench/rows"
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

const ofRows = "rows of a database"

// rows wants a row to cost hardly more than receiving it, and much less than with pgx and database/sql; a query of one
// row to be no slower than with pgx; and no allocations for a row.
func (j *judge) rows() {
	row := func(group string, n int) string { return fmt.Sprintf("%s-%d", group, n) }
	one, many := row(rows.Row, rows.Sizes[0]), row(rows.Row, rows.Sizes[len(rows.Sizes)-1])
	faster := func(row, peer, what string, target float64) {
		j.add(Goal{Key: "rows/" + row + "/" + peer, Group: ofRows, What: what + ", against " + peer, Target: target,
			AtLeast: true, Unit: "x as fast", Got: j.ratio("rows", row, peer, row, suite.Harena)})
	}
	faster(many, suite.Pgx, "a row of a query of 10,000", 5)
	faster(many, suite.DatabaseSQL, "a row of a query of 10,000", 3)
	faster(one, suite.Pgx, "a query of one row", 1)
	j.atMost(ofRows, "rows/"+many+"/bytes", "a row of a query of 10,000, against receiving its bytes", "x", 1.1,
		j.ratio("rows", many, suite.Harena, many, suite.BytesAlone))
	allocs := row(rows.Mallocs, rows.Sizes[len(rows.Sizes)-1])
	j.atMost(ofRows, "rows/"+allocs, "heap allocations of a row of a query of 10,000", "allocs", 0.01,
		measure.Median(j.report.values("rows", allocs, suite.Harena)))
}
