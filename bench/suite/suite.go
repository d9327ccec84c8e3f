// Package suite is the common form of all measurements of this module: a suite measures peers, the compared allocators,
// and returns rows of numbers.
package suite

import (
	"cmp"
	"slices"
	"strings"
	"time"
)

// A Suite is one program or one set of loops that runs with each of its peers in turn, each time in a process of its
// own. -json writes its first fields.
type Suite struct {
	Name  string `json:"name"` // of the flag -suites
	Title string `json:"title"`
	// About describes in a few sentences the measurement, and the other live objects on the heap meanwhile.
	About string `json:"about"`
	// Peers are the names of the participants, in the order of the tables. The first one is the base of the comparison.
	Peers  []string `json:"peers"`
	Rounds int      `json:"rounds"` // how often each peer's turn comes
	Plot   Plot     `json:"plot"`
	Note   string   `json:"note,omitempty"` // of the first Output that has one

	// Build makes a program outside this one for the peers: the one that measures them, or a server. It returns the
	// program's name, or the server's. It is nil for most suites.
	Build func() (program string, err error) `json:"-"`
	// Run measures one peer once. The process ends afterwards.
	Run func(peer string, c Config) (Output, error) `json:"-"`
	// Seconds estimates the time of Run with a peer, for the progress bar.
	Seconds func(c Config) float64 `json:"-"`
}

// Plot is the form of a suite in the report.
type Plot int

const (
	Bars      Plot = iota // a mark for each peer in each row, at its ratio to the first peer
	LogLog                // a line for each peer, over X, both axes logarithmic
	TableOnly             // nothing
)

// Config configures the run of a suite.
type Config struct {
	Quick    bool   `json:",omitempty"` // inputs that take a second in all
	Rows     string `json:",omitempty"` // measure only rows whose name starts with this
	Depth    int    `json:",omitempty"` // of binary-trees
	Requests int    `json:",omitempty"` // to a server
	Program  string `json:",omitempty"` // result of Suite.Build, or the program that measures the peer
}

// Wants reports whether a row of this name is to be measured.
func (c Config) Wants(row string) bool {
	return strings.HasPrefix(row, c.Rows)
}

// An Output is the measurement of one run of a suite with one peer.
type Output struct {
	Results []Result `json:"results"`
	Curves  []Curve  `json:"curves,omitempty"`
	Remarks []Remark `json:"remarks,omitempty"`
	// Checksum is of the answers, if there are any. It must be the same with all peers.
	Checksum string `json:"checksum,omitempty"`
	// Note describes the input or the result, for the reader: "2,131 files".
	Note string `json:"note,omitempty"`
}

// A Result is one number of one peer. A run gives it one value; the report has one for each round, in order.
type Result struct {
	Suite string `json:"suite"`
	// Row is a short name, unique in the suite: "new-8", "wall".
	Row   string `json:"row"`
	Title string `json:"title"` // of the row in tables: "New, 8 B"
	// Group is the part of the suite that the row belongs to, if it has parts.
	Group string `json:"group,omitempty"`
	Peer  string `json:"peer"`
	Unit  Unit   `json:"unit"`
	More  bool   `json:"more_is_better,omitempty"`
	// X is the row's place on the axis if the suite is drawn as lines: the number of live objects, or of goroutines.
	X      float64   `json:"x,omitempty"`
	Values []float64 `json:"values"`
	// Remark says what isn't comparable in this peer's row.
	Remark string `json:"remark,omitempty"`
}

// Turn returns the time for measuring a row that decodes or writes a text again and again.
func (c Config) Turn() time.Duration {
	if c.Quick {
		return time.Millisecond
	}
	return 100 * time.Millisecond
}

// Takes returns Suite.Seconds for a quick run and a full one.
func Takes(quick, full float64) func(Config) float64 {
	return func(c Config) float64 {
		if c.Quick {
			return quick
		}
		return full
	}
}

// Unit is the unit of a number. Numbers are kept in base units.
type Unit string

const (
	Seconds   Unit = "s"
	Bytes     Unit = "B"
	PerSecond Unit = "1/s"
	Count     Unit = "1"
	Ratio     Unit = "x"
	Quantile  Unit = "quantile" // of a distribution; drawn so that 0.9, 0.99, 0.999 are as far apart
)

// A Curve is a line drawn by one run: memory over time, or the distribution of latencies. The first round's is kept.
type Curve struct {
	Suite string    `json:"suite"`
	Name  string    `json:"name"` // all peers' curves of one name are drawn together
	Peer  string    `json:"peer"`
	XUnit Unit      `json:"x_unit"`
	YUnit Unit      `json:"y_unit"`
	XLog  bool      `json:"x_log,omitempty"`
	YLog  bool      `json:"y_log,omitempty"`
	X     []float64 `json:"x"`
	Y     []float64 `json:"y"`
}

// A Remark is a caveat about a peer: that its memory isn't zeroed, that the collector can't see into it.
type Remark struct {
	Peer string `json:"peer"`
	Text string `json:"text"`
}

// Merge adds the output of another run of the same or of another peer: its values to existing results, and everything
// else unchanged.
func (o *Output) Merge(more Output) {
	for _, r := range more.Results {
		i := slices.IndexFunc(o.Results, func(have Result) bool {
			return have.Suite == r.Suite && have.Row == r.Row && have.Peer == r.Peer
		})
		if i < 0 {
			o.Results = append(o.Results, r)
			continue
		}
		o.Results[i].Values = append(o.Results[i].Values, r.Values...)
		o.Results[i].Remark = cmp.Or(o.Results[i].Remark, r.Remark)
	}
	for _, c := range more.Curves {
		if !slices.ContainsFunc(o.Curves, func(have Curve) bool {
			return have.Suite == c.Suite && have.Name == c.Name && have.Peer == c.Peer
		}) {
			o.Curves = append(o.Curves, c)
		}
	}
	for _, r := range more.Remarks {
		if !slices.Contains(o.Remarks, r) {
			o.Remarks = append(o.Remarks, r)
		}
	}
}
