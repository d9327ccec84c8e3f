// Package report holds the measurements of a run of the benchmarks and shows them: as tables on a terminal, as a page,
// as Markdown, as charts. Its JSON form is that of -json.
package report

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/harena-go/arena/bench/measure"
	"github.com/harena-go/arena/bench/suite"
)

// A Report is one run.
type Report struct {
	Machine Machine       `json:"machine"`
	Suites  []suite.Suite `json:"suites"` // in the order of the report
	suite.Output
	Notes []string `json:"notes,omitempty"` // caveats about this run
}

// A Machine describes where and how the run took place.
type Machine struct {
	CPU      string            `json:"cpu"`
	Cores    int               `json:"cores"`
	MaxProcs int               `json:"gomaxprocs"`
	OS       string            `json:"os"`
	Kernel   string            `json:"kernel,omitempty"`
	Go       string            `json:"go"`
	Rustc    string            `json:"rustc,omitempty"` // "" if there is none
	Versions map[string]string `json:"versions"`        // of the peers' modules
	Date     string            `json:"date"`
	Command  string            `json:"command"`
	Seconds  float64           `json:"seconds"`
	Quick    bool              `json:"quick,omitempty"` // small inputs: good for a look, not for a claim
}

// A fact is a line about the machine.
type fact struct{ Name, Value string }

// facts returns the known facts about the machine.
func (m Machine) facts() (all []fact) {
	took := time.Duration(m.Seconds * 1e9).Round(time.Second).String()
	for _, f := range []fact{{"CPU", m.CPU}, {"cores", fmt.Sprint(m.Cores)}, {"GOMAXPROCS", fmt.Sprint(m.MaxProcs)},
		{"system", m.OS}, {"kernel", m.Kernel}, {"Go", m.Go}, {"Rust", m.Rustc}, {"date", m.Date},
		{"command", m.Command}, {"took", took}} {
		if f.Value != "" {
			all = append(all, f)
		}
	}
	return all
}

// A row is one row of a suite with all peers that have it, in the order of the suite.
type row struct {
	suite.Result // of any of them
	Base         string
	Cells        []cell
}

// A cell is the measurement of one peer.
type cell struct {
	Peer, Remark string
	measure.Summary
	values []float64
	// Ratio is how many times better this peer's value is than the base's: the median of the rounds' ratios. NaN if
	// there is none.
	Ratio  float64
	Rounds []float64 // the ratio of each round
	Sure   bool      // it differs from the base by more than noise
}

// A group is some rows that belong together.
type group struct {
	Name string
	Rows []row
}

// groups returns the suite's rows, in the order in which they were measured.
func (r *Report) groups(s suite.Suite) (all []group) {
	for _, w := range r.rows(s) {
		i := slices.IndexFunc(all, func(g group) bool { return g.Name == w.Group })
		if i < 0 {
			all, i = append(all, group{Name: w.Group}), len(all)
		}
		all[i].Rows = append(all[i].Rows, w)
	}
	return all
}

func (r *Report) rows(s suite.Suite) (all []row) {
	for _, m := range r.Results {
		if m.Suite != s.Name || len(m.Values) == 0 {
			continue
		}
		i := slices.IndexFunc(all, func(have row) bool { return have.Row == m.Row })
		if i < 0 {
			m.Title = cmp.Or(m.Title, m.Row)
			all, i = append(all, row{Result: m}), len(all)
		}
		all[i].Cells = append(all[i].Cells, cell{Peer: m.Peer, Remark: m.Remark, Summary: measure.Summarize(m.Values),
			values: m.Values, Ratio: math.NaN()})
	}
	for i := range all {
		all[i].compare(s.Peers)
	}
	return all
}

// row returns a row of a suite, nil if there is none.
func (r *Report) row(in, name string) *row {
	i := slices.IndexFunc(r.Suites, func(s suite.Suite) bool { return s.Name == in })
	if i < 0 {
		return nil
	}
	for _, w := range r.rows(r.Suites[i]) {
		if w.Row == name {
			return &w
		}
	}
	return nil
}

// compare sorts the peers and sets their ratios to the base: the first peer with this row.
func (w *row) compare(order []string) {
	byPlace(order, w.Cells, func(c cell) string { return c.Peer })
	base := w.Cells[0]
	w.Base = base.Peer
	for i := range w.Cells[1:] {
		c := &w.Cells[i+1]
		c.Rounds = w.ratios(*c, base)
		c.Ratio = measure.Median(c.Rounds)
		c.Sure = measure.Differ(c.values, base.values)
	}
}

// byPlace sorts things of peers in the order of a suite. Unknown ones come last.
func byPlace[T any](order []string, all []T, peer func(T) string) {
	place := func(t T) int {
		if i := slices.Index(order, peer(t)); i >= 0 {
			return i
		}
		return len(order)
	}
	slices.SortStableFunc(all, func(a, b T) int { return cmp.Compare(place(a), place(b)) })
}

// ratios returns how many times better a is than b in each round.
func (w *row) ratios(a, b cell) []float64 {
	if w.More {
		return measure.Ratios(a.values, b.values)
	}
	return measure.Ratios(b.values, a.values)
}

// find returns the cell of a peer, nil if it doesn't have this row.
func (w *row) find(peer string) *cell {
	return w.best(func(p string) bool { return p == peer })
}

// sorted returns the cells from best to worst.
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

// best returns the best cell of the wanted peers, nil if there is none.
func (w *row) best(wanted func(peer string) bool) *cell {
	for _, c := range w.sorted() {
		if wanted(c.Peer) {
			return &c
		}
	}
	return nil
}

// peersOf returns the peers that have any of the rows, in the suite's order.
func peersOf(s suite.Suite, rows []row) (all []string) {
	for _, w := range rows {
		for _, c := range w.Cells {
			if !slices.Contains(all, c.Peer) {
				all = append(all, c.Peer)
			}
		}
	}
	byPlace(s.Peers, all, func(p string) string { return p })
	return all
}
