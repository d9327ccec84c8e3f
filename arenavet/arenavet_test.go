package arenavet_test

import (
	"testing"

	"golang.org/x/tools/go/analysis"

	"github.com/harena-go/arena/arenavet"
)

func TestAnalyzersAreValid(t *testing.T) {
	if err := analysis.Validate(arenavet.All); err != nil {
		t.Error(err)
	}
}
