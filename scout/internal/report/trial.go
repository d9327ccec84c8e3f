package report

import (
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"github.com/harena-go/arena/scout/internal/scout"
	"github.com/harena-go/arena/scout/internal/trial"
)

// This file shows the measurements of a trial, in the form of the screen:
//
//	tried   10 expressions in 1 file moved, of 10, to arenas of a Pool: safe, whatever outlives its unit
//	        1.26x less CPU a unit: 9.4 us before, 7.4 us after, medians of 9 rounds in turn (1.21-1.31x); ...
//	reuse   9 expressions with WithReuse(): 1.61x less CPU a unit: ...; expected 1.55x
//	kept    orders.go:70 "item " + s: it outlives its unit, as checked arenas have found, held by Service.names
//
// The range is that of the median: if it includes 1.0 no difference was measured.

// Trial writes the result of a trial.
func Trial(w io.Writer, l *scout.Look, r *trial.Result) {
	if r.Moved == 0 {
		fmt.Fprintf(w, "tried   nothing: none of %s can be moved automatically\n", plural(r.Movable, "expression"))
	} else {
		fmt.Fprintf(w, "tried   %s in %s moved, of %d, to arenas of a Pool: safe, whatever outlives its unit\n",
			plural(r.Moved, "expression"), plural(r.Files, "file"), r.Movable)
		fmt.Fprintf(w, "        %s\n", measured(l, &r.Measured))
		if _, high := r.Range(); high < 1 && l.Live == 0 && bytesOf(l) > fills {
			fmt.Fprintf(w, "        the arena keeps what it has, and what that leads to, until the unit ends: %s are "+
				"much of a heap of 4 MB, the smallest, and -live 64MB measures in a larger one\n", size(bytesOf(l)))
		}
	}
	switch {
	case r.Reuse != nil:
		fmt.Fprintf(w, "reuse   %s with WithReuse(): %s; expected %.2fx\n", plural(r.Reuse.Moved, "expression"),
			measured(l, &r.Reuse.Measured), r.Expected)
		fmt.Fprintf(w, "        nothing of them outlived its unit in %s with checked arenas\n",
			plural(r.Checked, "unit"))
	case r.Late:
		fmt.Fprintln(w, "reuse   no time for it, -within allows more")
	case r.Moved > 0:
		fmt.Fprintln(w, "reuse   with WithReuse() nothing could be moved")
	}
	leftOut(w, "kept", r.Kept)
	leftOut(w, "left", r.Left)
}

// leftOut writes the expressions that weren't moved, those with the same reason in one line.
func leftOut(w io.Writer, word string, all []trial.Left) {
	// In the order in which the reasons came, so that the output is the same in each run.
	var whys []string
	places := map[string][]string{}
	for _, left := range all {
		f, why := left.Finding, left.Why
		if left.Escaped && f.Holder != "" {
			why += ", held by " + f.Holder
		}
		if places[why] == nil {
			whys = append(whys, why)
		}
		places[why] = append(places[why], fmt.Sprintf("%s:%d %s", filepath.Base(f.Place.File), f.Place.Line, What(f)))
	}
	for _, why := range whys {
		fmt.Fprintf(w, "%-7s %s: %s\n", word, strings.Join(places[why], ", "), why)
	}
}

// fills is the number of bytes in a unit from which on an arena fills the smallest heap: with 2.1 MB the collector ran
// 589 times instead of 416 (goja's RegexpMatchAll, 0.70x). With 64 MB of ballast there was no difference.
const fills = 1 << 20

// measured says how many times less CPU a unit takes, unless it may be noise, and how many allocations.
func measured(l *scout.Look, m *trial.Measured) string {
	low, high := m.Range()
	times := fmt.Sprintf("%.2fx less CPU a unit", m.Times())
	if low <= 1 && high >= 1 {
		times = "no difference measurable"
	}
	text := fmt.Sprintf("%s%s: %s before, %s after, medians of %d rounds in turn (%.2f-%.2fx)", times, beside(l),
		short(m.Before), short(m.After), len(m.PerRound), low, high)
	if before, after := m.Runs[0], m.Runs[1]; len(before) > 0 && len(after) > 0 {
		text += fmt.Sprintf("; %s instead of %s allocations, %s instead of %s an iteration",
			thousands(after[0].Objects), thousands(before[0].Objects), size(float64(after[0].Bytes)),
			size(float64(before[0].Bytes)))
	}
	return text
}

// beside describes the ballast of the measurement.
func beside(l *scout.Look) string {
	if l.Live == 0 {
		return ""
	}
	return " with " + size(float64(l.Live)) + " alive beside"
}
