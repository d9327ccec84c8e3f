package report

import (
	"fmt"
	"io"
	"path/filepath"
	"slices"

	"github.com/harena-go/arena/scout/internal/scout"
	"github.com/harena-go/arena/scout/internal/trial"
)

// This file shows what a trial has measured, in the form of the screen:
//
//	tried   10 expressions in 1 file moved, of 10; nothing outlived its unit in 44 units with checked arenas
//	        1.26x less CPU a unit: 9.4 us before, 7.4 us after, the best of 5 rounds in turn (1.25-1.61x)
//	left    orders.go:70 "item " + s: it outlives its unit
//
// The range is of the rounds' ratios: if 1.0 lies in it the gain may be noise.

// Trial writes what a trial has shown.
func Trial(w io.Writer, l *scout.Look, r *trial.Result) {
	if r.Moved == 0 {
		fmt.Fprintf(w, "tried   nothing: none of %s can be moved automatically\n", plural(r.Movable, "expression"))
	} else {
		fmt.Fprintf(w, "tried   %s in %s moved, of %d; nothing outlived its unit in %s with checked arenas\n",
			plural(r.Moved, "expression"), plural(r.Files, "file"), r.Movable, plural(r.Checked, "unit"))
		fmt.Fprintf(w, "        %.2fx less CPU a unit%s: %s before, %s after, the best of %d rounds in turn "+
			"(%.2f-%.2fx)", r.Times(), beside(l), short(r.Before), short(r.After),
			r.Rounds, slices.Min(r.PerRound), slices.Max(r.PerRound))
		if l.Costs != nil {
			fmt.Fprintf(w, "; expected %.2fx", r.Expected)
		}
		fmt.Fprintln(w)
	}
	for _, left := range r.Left {
		f := left.Finding
		fmt.Fprintf(w, "left    %s:%d %s: %s\n", filepath.Base(f.Place.File), f.Place.Line, What(f), left.Why)
	}
}

// beside says what was alive while it was measured.
func beside(l *scout.Look) string {
	if l.Live == 0 {
		return ""
	}
	return " with " + size(float64(l.Live)) + " alive beside"
}
