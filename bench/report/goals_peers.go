package report

import (
	"fmt"
	"math"
	"slices"

	"github.com/harena-go/arena/bench/measure"
	"github.com/harena-go/arena/bench/suite"
)

// How many times faster than the fastest other arena for Go the rows of a group
// have to be.
var rivalTargets = map[string]float64{"fixed": 2, "array": 2, "string": 1.5, "append": 1.5, "slice": 1, "raw": 1}

// timed is the rows of micro in some groups that are about time.
func (j *judge) timed(wanted func(group string) bool) []row {
	s := j.report.suite("micro")
	if s == nil {
		return nil
	}
	return slices.DeleteFunc(j.report.rows(*s), func(w row) bool {
		return !wanted(w.Group) || w.Unit != suite.Seconds && w.Unit != suite.BytesPerSecond
	})
}

// rivals has a goal for each row that other arenas in Go have too.
func (j *judge) rivals() {
	for _, w := range j.timed(func(group string) bool { return rivalTargets[group] > 0 }) {
		foreign := w.best(suite.Foreign)
		ours, name, aside := champion(w, foreign)
		if ours == nil || foreign == nil {
			continue
		}
		j.add(Goal{Key: "rivals/" + w.Name, Group: overRivals, What: w.Title + ", " + name + " against " + foreign.Peer,
			Target: rivalTargets[w.Group], AtLeast: true, Unit: "x as fast",
			Got: w.ratio(*ours, *foreign), Aside: aside})
	}
}

// champion is the arena that has to be faster. A node with pointers goes into a
// self-contained arena: the other arenas in Go put it into memory that the
// collector can't see into, too. What the default arena, whose nodes may point
// anywhere, takes is said beside it.
func champion(w row, other *cell) (c *cell, name, aside string) {
	def := w.find(suite.Harena)
	if w.Name != "new-node" {
		return def, suite.Harena, ""
	}
	if def != nil && other != nil {
		if r := w.ratio(*def, *other); !math.IsNaN(r) {
			aside = fmt.Sprintf("a default arena, which the collector sees into: %.3gx", r)
		}
	}
	return w.find(suite.SelfContained), suite.SelfContained, aside
}

// bumpalo has a goal for each row that the bar outside Go has too.
func (j *judge) bumpalo() {
	const limit = 1.5
	for _, w := range j.timed(func(group string) bool { return group == "fixed" }) {
		rust := w.find(suite.Bumpalo)
		ours, name, aside := champion(w, nil)
		if rust == nil || ours == nil {
			continue
		}
		j.add(Goal{Key: "bumpalo/" + w.Name, Group: nearBumpalo, What: w.Title + ", " + name, Target: limit, Unit: "x",
			Got: w.ratio(*rust, *ours), Aside: aside})
	}
	j.atMost(nearBumpalo, "bumpalo/trees", "binary-trees, wall time, "+suite.SelfContained, "x", limit,
		measure.Ratio(j.report.values("trees", "wall", suite.SelfContained),
			j.report.values("trees", "wall", suite.Bumpalo)))
}
