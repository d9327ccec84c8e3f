package page

import (
	"fmt"
	"math"
	"time"

	"github.com/harena-go/arena/scout/internal/report"
	"github.com/harena-go/arena/scout/internal/scout"
	"github.com/harena-go/arena/scout/internal/trial"
	"github.com/harena-go/arena/scout/internal/verdict"
)

// This file compares a unit before and after its values have moved into an arena. It must not depend on how bars are
// drawn.

// A measure is a number of a unit, before and after.
type measure struct {
	Name string
	Bars []amount // the first is before
}

// An amount is a bar of a measure.
type amount struct {
	Name, Value string
	Width       float64 // in percent of the longest of the measure
	Class       string  // before, expected or measured
}

// measures returns the bytes and objects from the heap, and CPU. r is nil if nothing was tried.
func measures(l *scout.Look, r *trial.Result) (all []measure) {
	objects, bytes := report.Sum(l.Findings)
	if bytes == 0 {
		return nil
	}
	// Clones aren't counted: a part of them stays on the heap, as a copy.
	movedObjects, movedBytes := report.Sum(report.With(l.Findings, verdict.Move))
	helpedObjects, helpedBytes := report.Sum(report.With(l.Findings, verdict.Helper))
	// heap adds a measure of the unit's allocations on the heap. They are counted, not estimated.
	heap := func(name string, before, moved, helped float64) {
		m := measure{Name: name}
		m.add("before", before, plain(before), "before")
		m.add("moved", before-moved, plain(before-moved), "expected")
		if helped > 0 {
			m.add("and helpers replaced", before-moved-helped, plain(before-moved-helped), "expected")
		}
		all = append(all, m.scaled())
	}
	heap("bytes from the heap", bytes, movedBytes, helpedBytes)
	heap("objects from the heap", objects, movedObjects, helpedObjects)
	cpu := measure{Name: "CPU"}
	c := l.Costs
	// The estimates start from the same run as the costs.
	unit := float64(c.Unit)
	cpu.add("before", unit, duration(unit), "before")
	for _, e := range []struct {
		name  string
		times float64
	}{{"moved, expected", c.Expect.Moved}, {"and helpers, expected", c.Expect.All}} {
		if e.times > 0 {
			cpu.add(e.name, unit/e.times, duration(unit/e.times), "expected")
		}
	}
	if r != nil && r.Moved > 0 { // both were measured in turn, apart from the costs
		cpu.add("tried: before", float64(r.Before), duration(float64(r.Before)), "before")
		cpu.add("tried: after", float64(r.After), duration(float64(r.After)), "measured")
		if r.Reuse != nil {
			cpu.add("with reuse", float64(r.Reuse.After), duration(float64(r.Reuse.After)), "measured")
		}
	}
	return append(all, cpu.scaled())
}

// add adds a bar. Its width is its value until scaled sets it.
func (m *measure) add(name string, value float64, text, class string) {
	m.Bars = append(m.Bars, amount{name, text, max(0, value), class})
}

// scaled returns the measure with widths in percent of its longest bar.
func (m measure) scaled() measure {
	longest := 0.0
	for _, b := range m.Bars {
		longest = max(longest, b.Width)
	}
	for i := range m.Bars {
		m.Bars[i].Width *= 100 / max(longest, 1e-9)
	}
	return m
}

// plain formats a number without insignificant digits. A difference of sums may be a little off zero.
func plain(v float64) string {
	if v >= 10 || math.Abs(v-math.Round(v)) < 0.005 {
		return fmt.Sprintf("%.0f", math.Abs(v))
	}
	return fmt.Sprintf("%.2f", v)
}

// duration formats nanoseconds as time.Duration does, to about three digits.
func duration(ns float64) string {
	d := time.Duration(ns)
	return d.Round(max(1, d/500)).String()
}
