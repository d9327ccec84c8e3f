package memory

import (
	"slices"
	"testing"
	"unsafe"
)

// TestRefit: of a first chunk that doesn't fit, those go that fit as little.
func TestRefit(t *testing.T) {
	for _, c := range []struct{ have, want []uintptr }{
		{[]uintptr{4096, 8192, 4096, 16384}, []uintptr{8192, 16384}},
		{[]uintptr{65536, 8192, 65535, 65536, 4096, 131072}, []uintptr{8192, 65535}},
		{nil, nil},
	} {
		r := newRegion(Config{})
		for _, total := range c.have {
			r.chunks.chunks = append(r.chunks.chunks, Chunk{Total: total})
			r.lose(-total)
		}
		r.SetFirst(8192, func(head uintptr) bool { return head == c.have[0] })
		r.Refit()
		var got []uintptr
		sum := uintptr(0)
		for _, c := range r.chunks.chunks {
			got = append(got, c.Total)
			sum += c.Total
		}
		if !slices.Equal(got, c.want) || r.total != sum || r.Misfit() {
			t.Errorf("of %d stay %d, want %d; %d bytes are counted, %d there; misfit: %t", c.have, got, c.want, r.total, sum, r.Misfit())
		}
	}
}

// TestStaleChunksStay: nothing releases or lends chunks to which values of a life may lead, and everything does when
// the life is over.
func TestStaleChunksStay(t *testing.T) {
	owner, other := new(int), new(int)
	similar := func(s *Space, owner *int) *Space {
		to := new(Space)
		to.Init(new(Region), new(Window), s.config, false)
		to.SetOwner(unsafe.Pointer(owner))
		return to
	}
	for name, release := range map[string]func(s *Space){
		"Shed":       func(s *Space) { s.Shed(0) },
		"ShedTo":     func(s *Space) { s.ShedTo(0, true, nil) },
		"Trim":       func(s *Space) { s.Trim(true, 0) },
		"Retain":     func(s *Space) { s.config.MaxRetained = 0; s.Retain(true); s.Retain(true) },
		"TrimUnused": func(s *Space) { s.TrimUnused(); s.TrimUnused() },
		"DropUnused": func(s *Space) { s.DropUnused() },
		"Refit": func(s *Space) {
			s.plain.SetFirst(1<<20, func(uintptr) bool { return true })
			s.plain.Refit()
		},
		"GiveTo": func(s *Space) { s.plain.GiveTo(similar(s, other).plain) },
		"Lend": func(s *Space) {
			to := similar(s, other)
			for ok := true; ok; {
				_, ok = s.Lend(to.plain, 1, 8<<10)
			}
		},
		"Depot": func(s *Space) { new(Depot).Take(s, func(to Keeper) { s.ShedTo(0, true, to) }) },
	} {
		s := new(Space)
		s.Init(new(Region), new(Window), &Config{Chunk: 4 << 10, MaxChunk: 16 << 10, MaxRetained: 1 << 20}, false)
		s.SetOwner(unsafe.Pointer(owner))
		marks := s.Mark(nil, nil)
		for range 100 {
			s.plain.TakeLow(1<<10, 8, false)
		}
		s.plain.TakeLow(100<<10, 8, false)
		s.Rewind(marks)
		kept, before := s.plain.Kept(), s.Reserved()
		if release(s); s.Reserved() != before || len(s.plain.Kept()) != len(kept) || len(kept) < 5 {
			t.Errorf("%s: of %d bytes %d are left in the same life", name, before, s.Reserved())
		}
		s.EndLife()
		if release(s); s.Reserved() >= before {
			t.Errorf("%s: all %d bytes are left after the life", name, before)
		}
	}
}
