// Package report holds what a run of the benchmarks measured, judges it by the
// goals, and shows it: as tables on a terminal, as a page, as JSON.
package report

import (
	"slices"

	"github.com/harena-go/arena/bench/measure"
	"github.com/harena-go/arena/bench/micro"
)

// A Report is one run. Its JSON form is what -json writes.
type Report struct {
	Machine   Machine    `json:"machine"`
	Workloads []Workload `json:"workloads"`
	Micro     []MicroRow `json:"micro"`
	Goals     []Goal     `json:"goals"`
	Notes     []string   `json:"notes"`
}

// A Machine says where and how the run took place.
type Machine struct {
	CPU     string  `json:"cpu"`
	Cores   int     `json:"cores"`
	OS      string  `json:"os"`
	Go      string  `json:"go"`
	Date    string  `json:"date"`
	Command string  `json:"command"`
	Rounds  int     `json:"rounds"`
	Seconds float64 `json:"seconds"`
}

// A Workload is a program that was run with each allocator in turn. Runs of
// the same index belong to the same round.
type Workload struct {
	Name       string      `json:"name"`
	Title      string      `json:"title"`
	Note       string      `json:"note,omitempty"`
	Allocators []Allocator `json:"allocators"`
}

// An Allocator is where a workload's memory came from, and what each round cost.
type Allocator struct {
	Name string           `json:"name"`
	Runs []measure.Sample `json:"runs"`
}

// A MicroRow is a row of the micro benchmarks.
type MicroRow struct {
	Name   string         `json:"name"`
	Title  string         `json:"title"`
	Unit   string         `json:"unit"`
	Series []micro.Series `json:"series"`
}

// values picks one number out of each run of one allocator; nil if there is no
// such run.
func (r *Report) values(workload, allocator string, pick func(measure.Sample) float64) []float64 {
	i := slices.IndexFunc(r.Workloads, func(w Workload) bool { return w.Name == workload })
	if i < 0 {
		return nil
	}
	return r.Workloads[i].values(allocator, pick)
}

func (w *Workload) values(allocator string, pick func(measure.Sample) float64) []float64 {
	var v []float64
	for _, a := range w.Allocators {
		if a.Name == allocator {
			for _, s := range a.Runs {
				v = append(v, pick(s))
			}
		}
	}
	return v
}

// series finds a variant of a micro row, nil if it was not measured.
func (r *Report) series(row, variant string) *micro.Series {
	for i := range r.Micro {
		if r.Micro[i].Name == row {
			return r.Micro[i].series(variant)
		}
	}
	return nil
}

func (m *MicroRow) series(variant string) *micro.Series {
	for i := range m.Series {
		if m.Series[i].Variant == variant {
			return &m.Series[i]
		}
	}
	return nil
}
