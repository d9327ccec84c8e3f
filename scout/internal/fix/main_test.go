package fix

import (
	"os"
	"testing"

	"github.com/harena-go/arena/scout/internal/testrun"
)

// TestMain builds each copy of a package once.
func TestMain(m *testing.M) {
	dir, remove, err := testrun.Scratch()
	if err != nil {
		panic(err)
	}
	testrun.Kept = dir
	code := m.Run()
	remove()
	os.Exit(code)
}
