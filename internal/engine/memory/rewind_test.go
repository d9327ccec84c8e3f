package memory

import (
	"testing"

	"github.com/harena-go/arena/internal/engine/asan"
	"github.com/harena-go/arena/internal/tuning"
)

// TestRewindErasesLittleAtOnce: up to tuning.EraseNow bytes, of both ends together, so that the window stays open; more
// than that is erased later.
func TestRewindErasesLittleAtOnce(t *testing.T) {
	if asan.On {
		t.Skip("with the sanitizer windows stay closed")
	}
	for _, c := range []struct {
		low, top int
		atOnce   bool
	}{
		{0, 0, true}, {tuning.EraseNow, 0, true}, {tuning.EraseNow + 8, 0, false}, {0, tuning.EraseNow - 64, true}, {0, tuning.EraseNow + 64, false},
		{tuning.EraseNow / 2, tuning.EraseNow/2 - 64, true}, {tuning.EraseNow/2 + 64, tuning.EraseNow / 2, false}, {tuning.EraseNow / 2, tuning.EraseNow/2 + 64, false},
		{30 << 10, 0, false}, {0, 30 << 10, false}, {20 << 10, 20 << 10, false},
	} {
		for _, before := range []int{0, 10_000} {
			r := newRegion(Config{Chunk: 64 << 10})
			r.TakeLow(uintptr(before), 1, false)
			m := r.Position()
			for life := range 3 {
				if c.low > 0 {
					r.TakeLow(uintptr(c.low), ObjectAlign, false)
				}
				for range c.top / 8 {
					*(*uint64)(r.TakeTop(8)) = 1
				}
				r.Rewind(&m)
				if atOnce := r.zero == r.win; atOnce != c.atOnce {
					t.Errorf("life %d: %d bytes of slices behind %d and %d of objects are erased at once: %t", life, c.low, before, c.top, atOnce)
				}
				if c.top > 0 && c.atOnce && r.w.Left == 0 {
					t.Errorf("life %d: %d bytes of slices and %d of objects leave no window", life, c.low, c.top)
				}
			}
		}
	}
}

// newRegion returns the plain region of a new space, with the options of c or else the usual ones.
func newRegion(c Config) *Region {
	if c.Chunk == 0 {
		c.Chunk = 4 << 10
	}
	c.ChunkSet = true
	c.MaxChunk, c.MaxRetained = 1<<20, 64<<20
	s, r := new(Space), new(Region)
	s.Init(r, new(Window), &c, false)
	return r
}

// TestRoomIsWhatFits: Room bytes are allocated without another chunk, and not a byte more.
func TestRoomIsWhatFits(t *testing.T) {
	if asan.On {
		t.Skip("red zones take room, too")
	}
	r := newRegion(Config{})
	if r.Room() != 0 {
		t.Errorf("room for %d bytes without a chunk", r.Room())
	}
	for range 3 {
		r.TakeTop(40)
		r.TakeLow(100, 1, true)
		room, chunks := r.Room(), r.Len()
		r.TakeLow(room, 1, true)
		if r.Len() != chunks || r.Room() != 0 {
			t.Errorf("%d bytes of room: %d chunks, and room for %d afterwards", room, r.Len()-chunks, r.Room())
		}
		r.TakeLow(8, 8, true)
		if r.Len() != chunks+1 {
			t.Error("a full chunk had room for more")
		}
	}
}
