package collections

import (
	"math/rand/v2"
	"testing"

	"github.com/harena-go/arena/internal/tuning"
)

// TestTags compares them with an array of bytes. Many hashes have the same tag, or tags
// that differ in one bit.
func TestTags(t *testing.T) {
	var x tags
	var want [tuning.SmallLen]byte
	for range 100_000 {
		h := uint32(0xFE+rand.IntN(4)) << 24 // tags FF, 01 and 03; 01 comes from 00 and 01
		if rand.IntN(2) == 0 {
			h = rand.Uint32()
		}
		i := rand.IntN(tuning.SmallLen)
		x.remove(uint32(i))
		want[i] = 0
		if rand.IntN(3) > 0 {
			x.set(uint32(i), h)
			want[i] = byte(tagOf(h))
			if want[i] == 0 {
				t.Fatalf("the tag of %x is that of an entry that isn't there", h)
			}
		}
		h ^= uint32(rand.IntN(2)) << 25
		var got [tuning.SmallLen]bool
		for w := range x {
			for found := x.matches(w, everywhere(tagOf(h))); found != 0; found &= found - 1 {
				got[first(w, found)] = true
			}
		}
		for i := range want {
			if got[i] != (want[i] == byte(tagOf(h))) {
				t.Fatalf("%x: tag %x is at %d: %t", want, tagOf(h), i, got[i])
			}
		}
	}
}

// TestTagsDiffer: two keys out of 100 or so have the same tag, no more.
func TestTagsDiffer(t *testing.T) {
	m := NewMap[int, int](nil, 0)
	same := 0
	for i := range 10_000 {
		if tagOf(m.hash(i)) == tagOf(m.hash(-1-i)) {
			same++
		}
	}
	if same > 200 {
		t.Errorf("%d of 10,000 pairs have the same tag; want about %d", same, 10_000/128)
	}
}

// TestSmallMapHasNoIndex: not until it has more entries than tags, after any insertions and
// deletions.
func TestSmallMapHasNoIndex(t *testing.T) {
	m := NewMap[int, int](nil, tuning.SmallLen)
	for i := range 1000 {
		m.Set(i, i)
		if m.Len() == tuning.SmallLen {
			m.Delete(i - 7)
		}
	}
	if !m.none() || m.Len() > tuning.SmallLen {
		t.Fatalf("an index of %d slots for %d entries", len(m.slots), m.Len())
	}
	for i := range m.Len() + 1 {
		m.Set(-i, i)
	}
	if m.none() || m.tags != (tags{}) {
		t.Errorf("%d entries: tags %x, %d slots", m.Len(), m.tags, len(m.slots))
	}
	m.Clear()
	for i := range 2 * tuning.SmallLen {
		if m.Set(i, i); m.Len() != i+1 || !m.Has(i) || m.Has(i+1) {
			t.Errorf("%d entries of %d after Clear", m.Len(), i+1)
		}
	}
}
