package report

import (
	"fmt"
	"io"
	"math"
	"slices"

	"github.com/harena-go/arena/bench/measure"
	"github.com/harena-go/arena/bench/suite"
	"github.com/jedib0t/go-pretty/v6/table"
)

// A Comparison is what changed since an older run.
type Comparison struct {
	Differs []string // of the circumstances: they may explain every change
	Changes []Change // one for each row and peer that both runs have
	Missing []string // rows and peers that only one of the runs has, as words
}

// A Change is one number then and now.
type Change struct {
	Suite, Row, Title, Peer string
	Unit                    suite.Unit
	More                    bool
	Old, New                measure.Summary
	measure.Difference
}

// Compare this run with an older one, result by result.
func (r *Report) Compare(old *Report) Comparison {
	c := Comparison{Differs: r.Machine.differs(old.Machine)}
	only := 0
	for _, now := range r.Results {
		then := old.result(now.Suite, now.Row, now.Peer)
		if then == nil || then.Unit != now.Unit {
			only++
			continue
		}
		c.Changes = append(c.Changes, Change{
			Suite: now.Suite, Row: now.Row, Title: now.Title, Peer: now.Peer, Unit: now.Unit, More: now.More,
			Old: measure.Summarize(then.Values), New: measure.Summarize(now.Values),
			Difference: measure.Compare(then.Values, now.Values),
		})
	}
	if only > 0 {
		c.Missing = append(c.Missing, fmt.Sprintf("%d results of this run are not in the older one", only))
	}
	if gone := len(old.Results) - len(c.Changes); gone > 0 {
		c.Missing = append(c.Missing, fmt.Sprintf("%d results of the older run are not in this one", gone))
	}
	return c
}

// differs lists what isn't the same on two machines.
func (m Machine) differs(old Machine) []string {
	var d []string
	note := func(what string, then, now any) {
		if then != now {
			d = append(d, fmt.Sprintf("%s: %v then, %v now", what, then, now))
		}
	}
	note("processor", old.CPU, m.CPU)
	note("cores", old.Cores, m.Cores)
	note("GOMAXPROCS", old.MaxProcs, m.MaxProcs)
	note("system", old.OS, m.OS)
	note("kernel", old.Kernel, m.Kernel)
	note("Go", old.Go, m.Go)
	note("Rust", old.Rustc, m.Rustc)
	note("small inputs", old.Quick, m.Quick)
	for _, p := range suite.All() {
		if old.Versions[p.Module] != m.Versions[p.Module] && p.Module != "" && !suite.Ours(p.Name) {
			note(p.Name, old.Versions[p.Module], m.Versions[p.Module])
		}
	}
	return d
}

// Delta is the change in percent, or "~" if it may be noise.
func (c Change) Delta() string {
	switch {
	case !c.Significant:
		return "~"
	case c.Old.Median == 0:
		return "from 0"
	}
	return fmt.Sprintf("%+.1f%%", 100*(c.New.Median/c.Old.Median-1))
}

// Verdict is better, worse, or "" if nothing is sure.
func (c Change) Verdict() string {
	switch {
	case !c.Significant || c.New.Median == c.Old.Median:
		return ""
	case c.New.Median > c.Old.Median == c.More:
		return "better"
	}
	return "worse"
}

// Then and Now are the medians in words.
func (c Change) Then() string { return withSpread(c.Old, c.Unit) }
func (c Change) Now() string  { return withSpread(c.New, c.Unit) }

// Chance is the p-value in words.
func (c Change) Chance() string {
	if math.IsNaN(c.P) {
		return none
	}
	return fmt.Sprintf("p=%.3f", c.P)
}

// Worse and Better are the changes that are more than noise.
func (c Comparison) Worse() []Change  { return c.only("worse") }
func (c Comparison) Better() []Change { return c.only("better") }

func (c Comparison) only(verdict string) []Change {
	return slices.DeleteFunc(slices.Clone(c.Changes), func(h Change) bool { return h.Verdict() != verdict })
}

// Summary says in a sentence what changed.
func (c Comparison) Summary() string {
	better, worse := len(c.Better()), len(c.Worse())
	return fmt.Sprintf("Of %d results in both runs %d are better and %d worse; of the other %d nothing can be "+
		"said (~).", len(c.Changes), better, worse, len(c.Changes)-better-worse)
}

// Print writes the comparison as a table.
func (c Comparison) Print(w io.Writer) {
	fmt.Fprintf(w, "\nagainst the older run\n%s\n", c.Summary())
	for _, d := range append(c.Differs, c.Missing...) {
		fmt.Fprintln(w, "  not the same:", d)
	}
	t := newTable(w, 3)
	t.AppendHeader(table.Row{"suite", "row", "peer", "then", "now", "change", "chance"})
	for _, h := range c.Changes {
		t.AppendRow(table.Row{h.Suite, h.Row, h.Peer, h.Then(), h.Now(), h.Delta(), h.Chance()})
	}
	if len(c.Changes) > 0 {
		t.Render()
	}
}
