package escape_test

import (
	"testing"

	"golang.org/x/tools/go/analysis/analysistest"

	"github.com/harena-go/arena/arenavet/escape"
)

func TestEscape(t *testing.T) {
	analysistest.Run(t, "../testdata", escape.Analyzer, "./escape/...")
}
