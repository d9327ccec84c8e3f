package report

import (
	"fmt"
	"io"
	"strings"

	"github.com/harena-go/arena/scout/internal/fix"
	"github.com/harena-go/arena/scout/internal/scout"
)

// This file shows the patch of -fix: the moved expressions, the arena's way, and the savings.

// Fix describes a patch, without the patch itself.
func Fix(w io.Writer, l *scout.Look, r *fix.Result) {
	if r.Moved == 0 {
		fmt.Fprintf(w, "fixed   nothing: of %s none can be moved by a patch\n", plural(r.Movable, "expression"))
	} else {
		fmt.Fprintf(w, "fixed   %s in %s, with %d lines: %s lends an arena of a Pool; %s\n",
			plural(r.Moved, "expression"), plural(len(r.Files), "file"), r.Lines(), r.Unit, travels(r))
		fmt.Fprintf(w, "        %s\n", testsText(r))
		fmt.Fprintf(w, "        %s\n", measured(l, &r.Measured))
		if r.Measured.Times() < scout.Worth {
			fmt.Fprintln(w, "        that isn't worth the patch by itself; -try measures what reuse would add")
		}
	}
	leftOut(w, "left", r.Left)
	if r.Moved > 0 {
		fmt.Fprintln(w, "needs   go get github.com/harena-go/arena@latest, which brings Go 1.26")
	}
}

// travels says how the arena gets to the moved expressions.
func travels(r *fix.Result) string {
	text := "it goes to " + plural(r.Params, "function") + " as a parameter"
	if len(r.Fields) > 0 {
		text += ", and is a field of " + strings.Join(r.Fields, ", ")
	}
	return text
}

// testsText says how the tests of the changed packages have ended. It names those that fail without the patch, too:
// otherwise a reader would find them, and blame the patch.
func testsText(r *fix.Result) string {
	text := fmt.Sprintf("the package's own tests pass: %d of them", r.Passed)
	if r.Passed == 0 {
		text = "the package has no tests of its own that could fail"
	}
	if len(r.Failed) > 0 {
		text += "; failing without the patch, too: " + strings.Join(r.Failed, ", ")
	}
	return text
}
