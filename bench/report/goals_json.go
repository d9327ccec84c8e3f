package report

import (
	"fmt"
	"math"
	"slices"

	"github.com/harena-go/arena/bench/json/work"
	"github.com/harena-go/arena/bench/suite"
)

const ofJSON = "JSON"

// json wants our decoder to be faster than the best exact one in Go, in each row and in the mean, and
// as fast as those in Rust; and the encoder than two others.
func (j *judge) json() {
	s := j.report.suite("json")
	if s == nil {
		return
	}
	rows := j.report.rows(*s)
	of := func(group string) []row {
		return slices.DeleteFunc(slices.Clone(rows), func(w row) bool { return w.Group != group })
	}
	typed := of(work.ToType)
	j.each(typed, "", 1.8, suite.ExactJSON)
	j.mean("json/typed", "to structs, against the best exact library in Go", 2.3, typed, suite.ExactJSON)
	j.mean("json/typed/std-1.27", "to structs, against encoding/json of Go 1.27", 5, typed, is(suite.NewerJSON))
	j.mean("json/typed/std-1.27-v2", "to structs, against encoding/json/v2 of Go 1.27", 4, typed, is(suite.NewerV2JSON))
	j.each(typed, "rust/", 1, inRust)
	j.each(of(work.Few), "rust/", 1, inRust)
	j.each(of(work.Body), "", 2.5, suite.ExactJSON)
	j.each(of(work.Few), "", 1.3, suite.ExactJSON)
	j.mean("json/object", "to any, Object against the best exact library's maps", 2,
		objects(of(work.ToAny), of(work.ToMaps)), suite.ExactJSON)
	j.mean("json/any", "to any, Go's maps, against the best exact library", 1, of(work.ToMaps), suite.ExactJSON)
	j.mean("json/write/std-1.27", "from structs, against encoding/json of Go 1.27", 4,
		of(work.Write), is(suite.NewerJSON))
	j.mean("json/write/goccy", "from structs, against goccy", 1.2, of(work.Write), is(suite.GoccyJSON))
	for _, w := range of(work.Server) {
		target := 2.5
		if w.Name == work.Server+"-"+work.Places { // which has no maps
			target = 2.2
		}
		j.each([]row{w}, "", target, suite.ExactJSON)
	}
	j.each(of(work.InAny), "", 2.5, suite.ExactJSON)
	j.onHeap(append(of(work.Server), of(work.InAny)...))
	j.each(of(work.First), "", 1, is(suite.StandardJSON))
	for _, w := range of(work.Mallocs) {
		if c := w.find(suite.Harena); c != nil {
			j.atMost(ofJSON, "json/"+w.Name, w.Title, "allocs", 0, c.Median)
		}
	}
}

func is(name string) func(peer string) bool { return func(peer string) bool { return peer == name } }

func inRust(peer string) bool {
	return peer == suite.SerdeJSON || peer == suite.SonicRs || peer == suite.SimdJSON
}

// each has a goal for each row that ours and one of the others have: to be so much faster than the best
// of them.
func (j *judge) each(rows []row, key string, target float64, others func(peer string) bool) {
	for _, w := range rows {
		best, ours := w.best(others), w.find(suite.Harena)
		if best == nil || ours == nil {
			continue
		}
		aside := ""
		if c := w.find(suite.HarenaReference); c != nil {
			aside = fmt.Sprintf("with the strings left in the body: %.3gx", w.ratio(*c, *best))
		}
		j.add(Goal{Key: "json/" + key + w.Name, Group: ofJSON, What: w.Title + ", against " + best.Peer,
			Target: target, AtLeast: true,
			Unit: "x as fast", Got: w.ratio(*ours, *best), Aside: aside})
	}
}

// onHeap has a goal for each row in which we have no arena: to be as fast as the best exact library.
func (j *judge) onHeap(rows []row) {
	for _, w := range rows {
		best, ours := w.best(suite.ExactJSON), w.find(suite.HarenaOnHeap)
		if best != nil && ours != nil {
			j.add(Goal{Key: "json/heap/" + w.Name, Group: ofJSON, What: w.Title + ", without an arena, against " +
				best.Peer,
				Target: 1, AtLeast: true, Unit: "x as fast", Got: w.ratio(*ours, *best)})
		}
	}
}

// mean has a goal for the geometric mean of what each would have goals for.
func (j *judge) mean(key, what string, target float64, rows []row, others func(peer string) bool) {
	var ratios []float64
	low, worst := math.Inf(1), ""
	for _, w := range rows {
		best, ours := w.best(others), w.find(suite.Harena)
		if best == nil || ours == nil {
			continue
		}
		x := w.ratio(*ours, *best)
		if ratios = append(ratios, x); x < low {
			low, worst = x, w.Title
		}
	}
	if len(ratios) == 0 {
		return
	}
	j.add(Goal{Key: key, Group: ofJSON, What: fmt.Sprintf("%s, mean of %d", what, len(ratios)), Target: target,
		AtLeast: true, Unit: "x as fast",
		Got: geomean(ratios), Aside: fmt.Sprintf("least: %.3gx, %s", low, worst)})
}

// objects are rows with our objects and with the others' maps of the same text.
func objects(ours, maps []row) (rows []row) {
	for i := range ours {
		if i >= len(maps) {
			break
		}
		w := row{Name: ours[i].Name, Title: ours[i].Title, Group: ours[i].Group, Unit: ours[i].Unit}
		if c := ours[i].find(suite.Harena); c != nil {
			w.Cells = append(w.Cells, *c)
		}
		for _, c := range maps[i].Cells {
			if !suite.Ours(c.Peer) {
				w.Cells = append(w.Cells, c)
			}
		}
		rows = append(rows, w)
	}
	return rows
}
