package ignore_test

import (
	"slices"
	"testing"

	"golang.org/x/tools/go/analysis/analysistest"

	"github.com/harena-go/arena/arenavet/internal/ignore"
	"github.com/harena-go/arena/arenavet/leak"
)

func TestReasonIsRequired(t *testing.T) {
	analysistest.Run(t, "../../testdata", ignore.Analyzer, "./ignore")
}

// TestSilenced counts what is left of findings, one in each function of the
// test file, whose names say which ones are to be silenced.
func TestSilenced(t *testing.T) {
	var lines []int
	for _, r := range analysistest.Run(quiet{t}, "../../testdata", leak.Analyzer, "./ignore") {
		for _, d := range r.Diagnostics {
			lines = append(lines, r.Pass.Fset.Position(d.Pos).Line)
		}
	}
	want := []int{25, 29, 34, 41, 46}
	if !slices.Equal(lines, want) {
		t.Errorf("findings in lines %v, want %v", lines, want)
	}
}

// quiet leaves it to the test which findings are wanted: those that the file
// says are wanted are another analyzer's.
type quiet struct{ *testing.T }

func (quiet) Errorf(string, ...any) {}

var _ analysistest.Testing = quiet{}
