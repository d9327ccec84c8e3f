package misuse_test

import (
	"testing"

	"golang.org/x/tools/go/analysis/analysistest"

	"github.com/harena-go/arena/arenavet/misuse"
)

func TestMisuse(t *testing.T) {
	analysistest.Run(t, "../testdata", misuse.Analyzer, "./misuse/...")
}
