package arena

import (
	"testing"

	"github.com/harena-go/arena/internal/asan"
	"github.com/harena-go/arena/internal/race"
)

// TestRewindErasesLittleAtOnce: up to eraseNow bytes, of both ends together, so that the
// window stays open; what is more it leaves for later.
func TestRewindErasesLittleAtOnce(t *testing.T) {
	if race.Enabled || asan.On {
		t.Skip("with the sanitizers nothing is erased here")
	}
	for _, c := range []struct {
		low, top int
		atOnce   bool
	}{
		{0, 0, true}, {eraseNow, 0, true}, {eraseNow + 8, 0, false}, {0, eraseNow - 64, true}, {0, eraseNow + 64, false},
		{eraseNow / 2, eraseNow/2 - 64, true}, {eraseNow/2 + 64, eraseNow / 2, false}, {eraseNow / 2, eraseNow/2 + 64, false},
		{30 << 10, 0, false}, {0, 30 << 10, false}, {20 << 10, 20 << 10, false},
	} {
		for _, before := range []int{0, 10_000} {
			a := NewArena(WithChunkSize(64 << 10))
			a.AllocBytes(before)
			m := a.Mark()
			for life := range 3 {
				a.AllocBytes(c.low)
				for range c.top / 8 {
					*New[uint64](a) = 1
				}
				a.Rewind(m)
				if atOnce := a.zero == a.win; atOnce != c.atOnce {
					t.Errorf("life %d: %d bytes of slices behind %d and %d of objects are erased at once: %t", life, c.low, before, c.top, atOnce)
				}
				if c.top > 0 && c.atOnce && a.left == 0 {
					t.Errorf("life %d: %d bytes of slices and %d of objects leave no window", life, c.low, c.top)
				}
			}
		}
	}
}
