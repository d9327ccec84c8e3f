package arena

import "unsafe"

// This file breaks arenas as a bug would, for the test that such bugs are found.

// A Sabotage is a flaw, which is applied after every operation, and what must be
// said about it; that something else is odd too doesn't count.
type Sabotage struct {
	Flaw  func(a *Arena)
	Finds string // a regular expression
}

// Sabotages are flaws by name. None leads to memory beyond the chunk's, for what
// comes next in the heap belongs to others.
var Sabotages = map[string]Sabotage{
	"slices overlap": {Finds: "overlap", Flaw: func(a *Arena) {
		if a.lo >= objectAlign {
			a.lo -= objectAlign
			a.before += objectAlign
		}
	}},
	"objects overlap": {Finds: "overlap", Flaw: func(a *Arena) {
		if a.left > 0 && a.hi()+objectAlign <= a.size {
			a.left += objectAlign
			a.before += objectAlign
		}
	}},
	"slabs overlap": {Finds: "overlap", Flaw: func(a *Arena) {
		for _, s := range a.slabs {
			if s.left > 0 && s.hi()+s.unit <= s.size {
				s.left += s.unit
				s.before += s.unit
			}
		}
	}},
	"the window is dirty": {Finds: "is 0x1; want 0x0", Flaw: func(a *Arena) {
		if a.left > 0 {
			*(*byte)(unsafe.Add(a.base, a.left-1)) = 1 // fact 1
		}
	}},
	"the middle is dirty": {Finds: "is 0x1; want 0x0", Flaw: func(a *Arena) {
		if a.lo < a.zero {
			*(*byte)(unsafe.Add(a.mem, a.lo)) = 1 // fact 1
		}
	}},
	"memory is written to": {Finds: "; want 0x", Flaw: func(a *Arena) {
		if a.lo > 0 {
			*(*byte)(unsafe.Add(a.mem, a.lo-1)) ^= 1 // fact 1
		}
	}},
	"memory is misaligned": {Finds: "not aligned", Flaw: func(a *Arena) {
		if a.left == 0 && a.hi() == a.size && a.zero == a.win && a.lo+2*objectAlign < a.win {
			a.mem = unsafe.Add(a.mem, 1) // fact 1
			a.size -= objectAlign
			a.zero, a.win = a.size, a.size
		}
	}},
	"bytes aren't counted": {Finds: "inconsistent statistics|bytes used", Flaw: func(a *Arena) {
		a.before -= min(a.before, objectAlign)
	}},
	"more bytes are wasted than there are": {Finds: "inconsistent statistics", Flaw: func(a *Arena) {
		if a.mem != nil {
			a.waste = a.total
		}
	}},
	"Rewind forgets": {Finds: "used after Rewind", Flaw: func(a *Arena) {
		for i := range a.marks {
			if p := &a.marks[i].plain; p.chunks == a.chunks.used {
				p.lo = a.lo
			}
		}
	}},
}
