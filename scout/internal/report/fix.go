package report

import (
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"github.com/harena-go/arena/scout/internal/fix"
	"github.com/harena-go/arena/scout/internal/scout"
)

// This file shows the patch of -fix: what it moves, how the arena travels, and what proves it.

// Fix writes what is known of a patch, without the patch itself.
func Fix(w io.Writer, l *scout.Look, r *fix.Result) {
	if r.Why != "" {
		fmt.Fprintf(w, "fixed   nothing: %s\n", r.Why)
	} else if r.Moved == 0 {
		fmt.Fprintf(w, "fixed   nothing: of %s none can be moved by a patch\n", plural(r.Movable, "expression"))
	} else {
		fmt.Fprintf(w, "fixed   %s in %s, of %d: %s takes the arena, %s\n", plural(r.Moved, "expression"),
			plural(r.Changed(), "file"), r.Movable, r.Unit, travels(r))
		if r.Share > 0 && r.Share < 0.995 {
			fmt.Fprintf(w, "        they save %.0f%% of what all would, with %d lines\n", 100*r.Share, r.Lines())
		}
		if len(r.NoFields) > 0 {
			fmt.Fprintf(w, "        not as a field of %s\n", strings.Join(r.NoFields, ", "))
		}
		if len(r.Clears) > 0 {
			fmt.Fprintf(w, "        it ends with %s: else its next call follows pointers to what the arena had\n",
				strings.Join(r.Clears, " and "))
		}
		fmt.Fprintf(w, "        %s\n", testsText(r))
		until := "its unit"
		if r.Lag {
			until = "the next unit, with two arenas in turn,"
		}
		fmt.Fprintf(w, "        nothing outlived %s in %s with checked arenas, %s of arena in one\n", until,
			plural(r.Checked.Units, "unit"), size(float64(r.Checked.Used)))
		fmt.Fprintf(w, "        %s\n", measured(l, &r.Measured))
		if len(r.Grammars) > 0 {
			fmt.Fprintf(w, "        %s is changed with what goyacc has made of it\n", strings.Join(r.Grammars, ", "))
		}
		if r.Guard != "" {
			fmt.Fprintf(w, "        %s stays: it fails when something outlives its unit again\n", r.Guard)
		} else if r.NoGuard != "" {
			fmt.Fprintf(w, "        no test of it is added: %s\n", r.NoGuard)
		}
	}
	leftOut(w, r.Left)
	if r.Moved > 0 && r.Requires {
		fmt.Fprintln(w, "needs   go get github.com/harena-go/arena@latest, which go.mod doesn't require yet; it "+
			"brings Go 1.26")
	}
	if r.Moved > 0 {
		fmt.Fprintln(w, "then    go run github.com/harena-go/arena/arenavet/cmd/arenavet@latest ./... looks at what "+
			"no unit ran: appends that leave the arena (-fix), and what keeps its memory")
	}
}

// leftOut writes what a patch leaves as it is, what has the same reason in one line.
func leftOut(w io.Writer, all []fix.Left) {
	// In the order in which the reasons came, so that the output stays the same from run to run.
	var whys []string
	places := map[string][]string{}
	for _, left := range all {
		f := left.Finding
		if places[left.Why] == nil {
			whys = append(whys, left.Why)
		}
		places[left.Why] = append(places[left.Why], fmt.Sprintf("%s:%d %s", filepath.Base(f.Place.File), f.Place.Line,
			What(f)))
	}
	for _, why := range whys {
		fmt.Fprintf(w, "left    %s: %s\n", strings.Join(places[why], ", "), why)
	}
}

// travels says how the arena gets to what was moved.
func travels(r *fix.Result) string {
	var ways []string
	if len(r.Fields) > 0 {
		ways = append(ways, "a field of "+strings.Join(r.Fields, ", "))
	}
	if r.Params > 0 {
		ways = append(ways, "a parameter of "+plural(r.Params, "function"))
	}
	if len(r.Twins) > 0 {
		ways = append(ways, strings.Join(r.Twins, ", ")+" beside what keeps its signature")
	}
	if len(ways) == 0 {
		return "and nobody else"
	}
	return "it travels as " + strings.Join(ways, ", and as ")
}

// testsText says how the tests of the changed packages have ended.
func testsText(r *fix.Result) string {
	// Tests that fail without the patch as well are named: a reader would find them otherwise, and blame the
	// patch.
	passed, failed := 0, 0
	for _, t := range r.Tests {
		passed += t.Passed
		failed += len(t.Failed)
	}
	text := fmt.Sprintf("the package's own tests pass, without an arena and with one for each unit: %d of them", passed)
	if passed == 0 {
		text = "the package has no tests of its own that could fail"
	}
	if failed > 0 {
		text += "; " + failing(failed)
	}
	return text
}

// failing says how many tests fail with the patch and without it.
func failing(n int) string {
	if n == 1 {
		return "1 fails without the patch, too"
	}
	return fmt.Sprintf("%d fail without the patch, too", n)
}
