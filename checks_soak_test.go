package arena_test

import (
	"testing"

	"github.com/harena-go/arena"
	"github.com/harena-go/arena/internal/tests/testkit/soak"
)

// TestCheckedSoak: correct programs have nothing reported, and what escapes is. It is here
// since only this package's own tests see how much the tracker holds.
func TestCheckedSoak(t *testing.T) { soak.Checked(t, arena.OpenBatches) }
