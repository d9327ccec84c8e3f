package report

import (
	"fmt"
	"io"
	"path/filepath"

	"github.com/harena-go/arena/scout/internal/scout"
	"github.com/harena-go/arena/scout/internal/trial"
)

// This file shows what a trial has measured, in the form of the screen:
//
//	tried   10 expressions in 1 file moved, of 10; nothing outlived its unit in 44 units with checked arenas
//	        1.26x less CPU a unit: 9.4 us before, 7.4 us after, medians of 9 rounds in turn (1.21-1.31x)
//	left    orders.go:70 "item " + s: it outlives its unit
//
// The range is that of the median: if 1.0 lies in it no difference was measured.

// Trial writes what a trial has shown.
func Trial(w io.Writer, l *scout.Look, r *trial.Result) {
	switch {
	case r.Movable == 0 && r.Later != nil: // which says it all
	case r.Moved == 0:
		fmt.Fprintf(w, "tried   nothing: none of %s can be moved automatically\n", plural(r.Movable, "expression"))
	default:
		turns, its := "", "its"
		if r.Lag {
			turns, its = ", with two arenas in turn", "the next"
		}
		fmt.Fprintf(w, "tried   %s in %s moved, of %d%s; nothing outlived %s unit in %s with checked arenas\n",
			plural(r.Moved, "expression"), plural(r.Files, "file"), r.Movable, turns, its, plural(r.Checked, "unit"))
		fmt.Fprintf(w, "        %s; expected %.2fx\n", measured(l, r), r.Expected)
		if _, high := r.Range(); high < 1 && l.Live == 0 && bytesOf(l) > fills {
			fmt.Fprintf(w, "        the arena keeps what it has, and what that leads to, until the unit ends: %s are "+
				"much of a heap of 4 MB, the smallest, and -live 64MB measures in a larger one\n", size(bytesOf(l)))
		}
	}
	for _, left := range r.Left {
		f := left.Finding
		fmt.Fprintf(w, "left    %s:%d %s: %s\n", filepath.Base(f.Place.File), f.Place.Line, What(f), left.Why)
	}
	if r.Late {
		fmt.Fprintln(w, "left    two arenas in turn: no time for them, -within allows more")
	}
	if r.Later != nil {
		Trial(w, l, r.Later)
	}
}

// fills is how many bytes a unit allocates from which on an arena fills the smallest heap: with 2.1 MB the collector
// ran 589 times instead of 416 (goja's RegexpMatchAll, 0.70x). With 64 MB alive beside there was no difference.
const fills = 1 << 20

// measured says how many times less CPU a unit takes, unless that may be noise.
func measured(l *scout.Look, r *trial.Result) string {
	low, high := r.Range()
	times := fmt.Sprintf("%.2fx less CPU a unit", r.Times())
	if low <= 1 && high >= 1 {
		times = "no difference measurable"
	}
	return fmt.Sprintf("%s%s: %s before, %s after, medians of %d rounds in turn (%.2f-%.2fx)", times, beside(l),
		short(r.Before), short(r.After), len(r.PerRound), low, high)
}

// beside says what was alive while it was measured.
func beside(l *scout.Look) string {
	if l.Live == 0 {
		return ""
	}
	return " with " + size(float64(l.Live)) + " alive beside"
}
