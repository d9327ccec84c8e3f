//go:build race

package race

import (
	"slices"
	"testing"
	"unsafe"

	"github.com/harena-go/arena/internal/tuning"
)

// TestRangesAreToldOfAgain: each report has the new ranges, and every so often all remembered ones, the new ones
// included.
func TestRangesAreToldOfAgain(t *testing.T) {
	memory := make([]byte, 8*tuning.RaceEvery*3)
	for _, watched := range []bool{false, true} {
		var g Ranges
		for i := range tuning.RaceEvery * 3 {
			r := span{unsafe.Pointer(&memory[8*i]), 8}
			g.fresh = append(g.fresh, r)
			want := []span{r}
			if (i+1)%tuning.RaceEvery == 0 && !watched {
				want = append(slices.Clone(g.old), r)
				if len(g.old) != tuning.RaceSpans {
					t.Errorf("after %d reports %d ranges are remembered, want %d", i, len(g.old), tuning.RaceSpans)
				}
			}
			if due := g.due(watched); !slices.Equal(due, want) {
				t.Fatalf("report %d, watched %t: %d ranges are due, want %d", i+1, watched, len(due), len(want))
			}
			g.fresh = g.fresh[:0]
			g.forget()
			if watched && len(g.old) > 0 {
				t.Fatal("what is watched is kept from dying")
			}
		}
	}
}

// TestRangesAreForgotten: the newest are remembered, as far as there is room.
func TestRangesAreForgotten(t *testing.T) {
	for _, c := range []struct {
		size uintptr
		want int
	}{
		{8, tuning.RaceSpans}, {tuning.RaceBytes / 2, 2}, {tuning.RaceBytes/2 + 1, 1}, {tuning.RaceBytes, 1}, {tuning.RaceBytes + 1, 0},
		{tuning.RaceBytes / tuning.RaceSpans, tuning.RaceSpans},
	} {
		memory := make([]byte, 20)
		var g Ranges
		for i := range memory {
			g.old = append(g.old, span{unsafe.Pointer(&memory[i]), c.size})
		}
		g.forget()
		if len(g.old) != c.want || c.want > 0 && g.old[c.want-1].mem != unsafe.Pointer(&memory[len(memory)-1]) {
			t.Errorf("of ranges of %d bytes %d are remembered, want %d, the newest", c.size, len(g.old), c.want)
		}
	}
}
