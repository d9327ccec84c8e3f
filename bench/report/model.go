// Package report holds what a run of the benchmarks measured, judges it by the
// goals, and shows it: as tables on a terminal, as a page, as Markdown, as
// charts, as JSON.
package report

import (
	"encoding/json"
	"fmt"
	"io"
	"slices"

	"github.com/harena-go/arena/bench/suite"
)

// A Report is one run. Its JSON form is what -json writes and -compare reads:
//
//	machine   where and how the run took place
//	suites    what was run, in the order of the report
//	results   one for each suite, row and peer, with a value for each round in
//	          the order of the rounds, in base units: seconds, bytes
//	curves    lines that one round drew on its own
//	remarks   what isn't like for like
//	goals     what was to be reached, and what was
//	notes     what else a reader must know of this run
//
// Fields are added over time, and none changes its meaning.
type Report struct {
	Machine Machine `json:"machine"`
	Suites  []Suite `json:"suites"`
	suite.Output
	Goals []Goal   `json:"goals,omitempty"`
	Notes []string `json:"notes,omitempty"`

	// Against is the comparison with an older run that the page shows; nil
	// for none.
	Against *Comparison `json:"-"`
}

// A Machine says where and how the run took place.
type Machine struct {
	CPU      string            `json:"cpu"`
	Cores    int               `json:"cores"`
	MaxProcs int               `json:"gomaxprocs,omitempty"`
	OS       string            `json:"os"`
	Kernel   string            `json:"kernel,omitempty"`
	Go       string            `json:"go"`
	Rustc    string            `json:"rustc,omitempty"`    // "" if there is none
	Versions map[string]string `json:"versions,omitempty"` // of the peers' modules
	Date     string            `json:"date"`
	Command  string            `json:"command"`
	Rounds   int               `json:"rounds"`
	Seconds  float64           `json:"seconds"`
	Quick    bool              `json:"quick,omitempty"` // small inputs: good for a look, not for a claim
}

// A Suite is the part of a suite.Suite that a reader of its results needs.
type Suite struct {
	Name  string   `json:"name"`
	Title string   `json:"title"`
	About string   `json:"about"`
	Plot  string   `json:"plot"`  // bars, loglog, lines or table
	Peers []string `json:"peers"` // those that took part; the first is the base
	Once  []string `json:"once,omitempty"`
	// Rounds is how often each peer's turn came.
	Rounds   int    `json:"rounds"`
	Note     string `json:"note,omitempty"`     // about the input: "2,131 files"
	Checksum string `json:"checksum,omitempty"` // of the answers, the same with all peers
}

var plots = map[suite.Plot]string{suite.Bars: "bars", suite.LogLog: "loglog", suite.Lines: "lines",
	suite.TableOnly: "table"}

// Of exports a suite.
func Of(s suite.Suite) Suite {
	return Suite{Name: s.Name, Title: s.Title, About: s.About, Plot: plots[s.Plot],
		Peers: s.Peers, Once: s.Once, Rounds: s.Rounds}
}

// Load reads what -json wrote.
func Load(r io.Reader) (*Report, error) {
	var rep Report
	if err := json.NewDecoder(r).Decode(&rep); err != nil {
		return nil, fmt.Errorf("this is not what -json writes: %w", err)
	}
	if len(rep.Results) == 0 {
		return nil, fmt.Errorf("there are no results in it")
	}
	return &rep, nil
}

// result finds what was measured, nil if nothing was.
func (r *Report) result(suite, row, peer string) *suite.Result {
	for i := range r.Results {
		if m := &r.Results[i]; m.Suite == suite && m.Row == row && m.Peer == peer {
			return m
		}
	}
	return nil
}

// values are the rounds of a result, nil if it isn't there.
func (r *Report) values(suite, row, peer string) []float64 {
	if m := r.result(suite, row, peer); m != nil {
		return m.Values
	}
	return nil
}

// suite finds a suite of this run, nil if it was not run.
func (r *Report) suite(name string) *Suite {
	i := slices.IndexFunc(r.Suites, func(s Suite) bool { return s.Name == name })
	if i < 0 {
		return nil
	}
	return &r.Suites[i]
}
