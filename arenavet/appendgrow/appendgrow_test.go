package appendgrow_test

import (
	"testing"

	"golang.org/x/tools/go/analysis/analysistest"

	"github.com/harena-go/arena/arenavet/appendgrow"
)

func TestAppendgrow(t *testing.T) {
	analysistest.RunWithSuggestedFixes(t, "../testdata", appendgrow.Analyzer, "./appendgrow/...")
}
