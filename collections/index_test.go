package collections

import (
	"slices"
	"testing"

	"github.com/harena-go/arena/internal/tuning"
)

// TestIndexWithUnfortunateHashes: hashes that all have the last home use up the
// tuning.Overhang; the index says so, and grows to where they fit.
func TestIndexWithUnfortunateHashes(t *testing.T) {
	for _, homes := range []int{tuning.MinHomes, 64, 1024} {
		x := newIndex(nil, homes)
		var want []uint64
		for i := range uint64(100) {
			for x.full() {
				old := len(x.slots)
				x = x.grown(nil)
				if len(x.slots) <= old {
					t.Fatal("it doesn't grow")
				}
			}
			h := uint32(3 * (100 - i) * (1 << 12)) // small ones: the last homes
			v := uint64(h)<<32 | i
			x.insert(x.home(h), v)
			want = append(want, v)
			if last := x.slots[len(x.slots)-1]; last != 0 {
				t.Fatal("a search wouldn't end")
			}
			check(t, &x, want)
		}
		for len(want) > 0 {
			i := len(want) * 5 % 7 % len(want)
			x.remove(slices.Index(x.slots, want[i]))
			want = slices.Delete(want, i, i+1)
			check(t, &x, want)
		}
	}
}

// check fails the test unless the index has just these slots, each where it must be.
func check(t *testing.T, x *index, want []uint64) {
	t.Helper()
	want = slices.Clone(want)
	slices.Sort(want)
	slices.Reverse(want)
	var got []uint64
	for i, v := range x.slots {
		if v == 0 {
			continue
		}
		got = append(got, v)
		home := x.home(uint32(v >> 32))
		if home > i || home < i && x.slots[i-1] == 0 {
			t.Fatalf("slot %x is at %d, its home is %d", v, i, home)
		}
	}
	if !slices.Equal(got, want) {
		t.Fatalf("%x; want %x", got, want)
	}
	if room := roomFor(x.homes()) - len(want); x.room != room {
		t.Fatalf("room %d; want %d", x.room, room)
	}
}

func TestHomesFor(t *testing.T) {
	for n := range 100_000 {
		homes := homesFor(n)
		if roomFor(homes) < n || homes > tuning.MinHomes && roomFor(homes/2) >= n {
			t.Fatalf("%d homes for %d entries; %d fit", homes, n, roomFor(homes))
		}
	}
	if homes := homesFor(maxEntries); homes <= maxEntries || uint64(homes) > 1<<32 {
		t.Errorf("%d homes for all entries", homes)
	}
}

// TestZeroMapHasASeed: nobody can predict its hashes.
func TestZeroMapHasASeed(t *testing.T) {
	var m, o Map[int, int]
	m.Set(1, 1)
	o.Set(1, 1)
	if m.hash(1) == o.hash(1) && m.hash(2) == o.hash(2) {
		t.Error("two maps hash alike")
	}
}
