package goroutine_test

import (
	"testing"

	"golang.org/x/tools/go/analysis/analysistest"

	"github.com/harena-go/arena/arenavet/goroutine"
)

func TestGoroutine(t *testing.T) {
	analysistest.Run(t, "../testdata", goroutine.Analyzer, "./goroutine/...")
}
