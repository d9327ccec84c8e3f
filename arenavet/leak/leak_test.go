package leak_test

import (
	"testing"

	"golang.org/x/tools/go/analysis/analysistest"

	"github.com/harena-go/arena/arenavet/leak"
)

func TestLeak(t *testing.T) {
	analysistest.Run(t, "../testdata", leak.Analyzer, "./leak/...")
}
