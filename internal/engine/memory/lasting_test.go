package memory

import (
	"testing"
	"unsafe"
)

// TestLastingMarks: Rewinds to marks of all sorts, again and again, cut chunks into smaller ones and give used memory
// to nobody else. The lists don't grow.
func TestLastingMarks(t *testing.T) {
	m := newShadow(t, lastingKind|64)
	mark := func() {
		m.marks = append(m.marks, shadowMark{m.space.Mark(nil, m.last()), len(m.held), m.space.Used()})
	}
	take := func(sizes ...uintptr) {
		for _, n := range sizes {
			m.take("TakeTop", m.region.TakeTop(n), n, 1, true, false)
			m.take("TakeLow", m.region.TakeLow(n, 1, false), n, 1, true, false)
			m.take("TakeUnit", m.units.TakeUnit(), m.units.Unit, 1, true, true)
		}
	}
	take(8)
	m.restart(32) // without a new handle: the chunk in use is empty
	mark()
	take(3, 5) // a string that ends at an odd address
	mark()
	m.take("big", m.region.TakeLow(5000, 8, false), 5000, 8, true, false)
	mark()
	m.extend(100) // of the big chunk, which the Rewind takes back
	for i := range 3000 {
		m.rewind(len(m.marks) - 1 - i%7/6*(i%3))
		if len(m.marks) < 3 {
			take(1, 9)
			mark()
		}
		take(40, 7, 250)
		if i%100 == 0 {
			m.check()
		}
	}
	m.check()
	for r := range m.space.Regions {
		for _, l := range [...]*list{&r.chunks, &r.big} {
			if cap(l.chunks) > 200 {
				t.Errorf("a list has room for %d chunks", cap(l.chunks))
			}
		}
	}
	m.restart(0)
	m.check()
}

// TestLastingEmptyMiddle: a chunk that is used up to the last byte, or all but a part of a unit, isn't cut.
func TestLastingEmptyMiddle(t *testing.T) {
	for rest := range uintptr(20) {
		m := newShadow(t, lastingKind|4)
		m.take("TakeTop", m.region.TakeTop(17), 17, 1, true, false)
		if room := m.region.Room(); room > rest {
			m.take("TakeLow", m.region.TakeLow(room-rest, 1, false), room-rest, 1, true, false)
		}
		m.check()
		for range 3 {
			m.restart(48)
			m.check()
			m.take("TakeTop", m.region.TakeTop(1+rest), 1+rest, 1, true, false)
			m.take("TakeLow", m.region.TakeLow(8, 8, false), 8, 8, true, false)
			m.check()
		}
	}
}

// TestLastingEpoch: at the end of an epoch the slabs have no chunks, and their values stay.
func TestLastingEpoch(t *testing.T) {
	m := newShadow(t, lastingKind)
	for range 100 {
		for range 50 {
			m.take("TakeUnit", m.units.TakeUnit(), unsafe.Sizeof(element{}), 1, true, true)
			m.pin()
		}
		m.restart(0)
		if m.units.Total() != 0 || m.units.Len() != 0 {
			t.Fatalf("%d bytes in %d chunks at the end of an epoch", m.units.Total(), m.units.Len())
		}
	}
	m.check()
}

// TestLastingBig: a big chunk that grew after a mark doesn't grow again after the Rewind, over older values.
func TestLastingBig(t *testing.T) {
	m := newShadow(t, lastingKind|128)
	m.region.RoomToMove(5000, 8000, 1, 20_000) // a chunk with room, as for a slice that grows up to a limit
	m.take("TakeLow", m.region.TakeLow(5000, 8, false), 5000, 8, true, false)
	m.step(8, 0) // Mark
	for range 5 {
		m.extend(100)
		m.check()
		m.rewind(0)
		m.check()
	}
	if len(m.past) != 1 {
		t.Fatalf("a big chunk grew %d times", len(m.past))
	}
}
