package useafter_test

import (
	"testing"

	"golang.org/x/tools/go/analysis/analysistest"

	"github.com/harena-go/arena/arenavet/useafter"
)

func TestUseAfter(t *testing.T) {
	analysistest.Run(t, "../testdata", useafter.Analyzer, "./useafter/...")
}
