//go:build race

package race_test

import (
	"strings"
	"testing"

	"github.com/harena-go/arena"
)

// TestDeadStrings: the detector doesn't see reads of a string's bytes. They must find neither the
// old text, which would hide the mistake, nor any other. That holds also after a Rewind into the
// midst of a chunk, where older values stay.
func TestDeadStrings(t *testing.T) {
	for _, size := range []int{12, 5000, 100_000} {
		a := arena.NewArena()
		before := a.AllocString(strings.Repeat("b", size))
		m := a.Mark()
		after := a.AllocString(strings.Repeat("a", size))
		number := arena.NewOf(a, 17)
		a.Rewind(m)
		if before != strings.Repeat("b", size) || after != strings.Repeat("\xdb", size) {
			t.Errorf("after Rewind %.20q and %.20q", before, after)
		}
		a.Reset()
		if before != strings.Repeat("\xdb", size) {
			t.Errorf("after Reset %.20q", before)
		}
		_ = number
	}
	a := arena.NewArena()
	free := a.AllocString("free")
	if a.Free(); free != "free" {
		t.Errorf("after Free %q", free)
	}
}
