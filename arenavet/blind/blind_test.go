package blind_test

import (
	"testing"

	"golang.org/x/tools/go/analysis/analysistest"

	"github.com/harena-go/arena/arenavet/blind"
)

func TestBlind(t *testing.T) {
	analysistest.Run(t, "../testdata", blind.Analyzer, "./blind/...")
}
