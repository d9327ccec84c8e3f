package report

import (
	"cmp"
	"math"
	"slices"

	"github.com/harena-go/arena/bench/measure"
	"github.com/harena-go/arena/bench/suite"
)

// A row is one row of a suite with all peers that have it, in the order of the
// suite.
type row struct {
	Name, Title, Group string
	Unit               suite.Unit
	More               bool
	X                  float64
	Base               string // the peer that the others are compared with
	Cells              []cell
}

// A cell is what was measured of one peer.
type cell struct {
	Peer string
	measure.Summary
	values []float64
	// Ratio is how many times better than the base's this peer's value is: the
	// median of the rounds' ratios. NaN if there is none.
	Ratio       float64
	Rounds      []float64 // the ratio of each round
	Significant bool      // it differs from the base by more than noise
	Remark      string
}

// A group is some rows that belong together.
type group struct {
	Name string
	Rows []row
}

// groups are the suite's rows, in the order in which they were measured.
func (r *Report) groups(s Suite) []group {
	var gs []group
	for _, row := range r.rows(s) {
		i := slices.IndexFunc(gs, func(g group) bool { return g.Name == row.Group })
		if i < 0 {
			gs = append(gs, group{Name: row.Group})
			i = len(gs) - 1
		}
		gs[i].Rows = append(gs[i].Rows, row)
	}
	return gs
}

func (r *Report) rows(s Suite) []row {
	var rows []row
	for _, m := range r.Results {
		if m.Suite != s.Name || len(m.Values) == 0 {
			continue
		}
		i := slices.IndexFunc(rows, func(have row) bool { return have.Name == m.Row })
		if i < 0 {
			rows = append(rows, row{Name: m.Row, Title: cmp.Or(m.Title, m.Row), Group: m.Group, Unit: m.Unit,
				More: m.More, X: m.X})
			i = len(rows) - 1
		}
		rows[i].Cells = append(rows[i].Cells, cell{Peer: m.Peer, Summary: measure.Summarize(m.Values),
			values: m.Values, Ratio: math.NaN(), Remark: m.Remark})
	}
	for i := range rows {
		rows[i].compare(s.Peers)
	}
	return rows
}

// compare puts the peers into their order and sets their ratios to the base:
// the first one that has this row.
func (w *row) compare(order []string) {
	slices.SortStableFunc(w.Cells, func(a, b cell) int {
		return cmp.Compare(place(order, a.Peer), place(order, b.Peer))
	})
	base := w.Cells[0]
	w.Base = base.Peer
	for i := range w.Cells[1:] {
		c := &w.Cells[i+1]
		c.Rounds = w.ratios(*c, base)
		c.Ratio = measure.Median(c.Rounds)
		c.Significant = measure.Compare(c.values, base.values).Significant
	}
}

// place is the index of a name; unknown ones come last.
func place(order []string, name string) int {
	if i := slices.Index(order, name); i >= 0 {
		return i
	}
	return len(order)
}

// ratio is how many times better a is than b.
func (w *row) ratio(a, b cell) float64 { return measure.Median(w.ratios(a, b)) }

// ratios is how many times better a is than b in each round.
func (w *row) ratios(a, b cell) []float64 {
	if w.More {
		return measure.Ratios(a.values, b.values)
	}
	return measure.Ratios(b.values, a.values)
}

// find is the cell of a peer, nil if it doesn't have this row.
func (w *row) find(peer string) *cell {
	for i := range w.Cells {
		if w.Cells[i].Peer == peer {
			return &w.Cells[i]
		}
	}
	return nil
}

// sorted is the cells from best to worst.
func (w *row) sorted() []cell {
	s := slices.Clone(w.Cells)
	slices.SortStableFunc(s, func(a, b cell) int {
		if w.More {
			a, b = b, a
		}
		return cmp.Compare(a.Median, b.Median)
	})
	return s
}

// best is the best cell of those peers that are wanted, nil if there is none.
func (w *row) best(wanted func(peer string) bool) *cell {
	for _, c := range w.sorted() {
		if wanted(c.Peer) {
			return &c
		}
	}
	return nil
}

// rival compares the best arena of this project with the best foreign one in
// Go; ok is false if one of them is missing.
func (w *row) rival() (ours, foreign *cell, ratio float64, ok bool) {
	ours, foreign = w.best(suite.Ours), w.best(suite.Foreign)
	if ours == nil || foreign == nil {
		return nil, nil, 0, false
	}
	ratio = w.ratio(*ours, *foreign)
	return ours, foreign, ratio, !math.IsNaN(ratio)
}

// once reports whether the peer is there to explain the others' numbers.
func (s Suite) once(peer string) bool { return slices.Contains(s.Once, peer) }
