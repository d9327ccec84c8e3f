package arena

import (
	"unsafe"

	"github.com/harena-go/arena/internal/memory"
	"github.com/harena-go/arena/internal/testkit"
)

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
		if r := stateOf(&a.plain); *r.lo >= memory.ObjectAlign {
			*r.lo -= memory.ObjectAlign
			*r.before += memory.ObjectAlign
		}
	}},
	"objects overlap": {Finds: "overlap", Flaw: func(a *Arena) {
		if r := stateOf(&a.plain); a.plain.Left > 0 && r.hi()+memory.ObjectAlign <= *r.size {
			a.plain.Left += memory.ObjectAlign
			*r.before += memory.ObjectAlign
		}
	}},
	"slabs overlap": {Finds: "overlap", Flaw: func(a *Arena) {
		for s := range a.memory.Slabs {
			if r := stateOf(&s.Region); s.Left > 0 && r.hi()+*r.unit <= *r.size {
				s.Left += *r.unit
				*r.before += *r.unit
			}
		}
	}},
	"the window is dirty": {Finds: "is 0x1; want 0x0", Flaw: func(a *Arena) {
		if a.plain.Left > 0 {
			*(*byte)(unsafe.Add(a.plain.Base, a.plain.Left-1)) = 1 // fact 1
		}
	}},
	"the middle is dirty": {Finds: "is 0x1; want 0x0", Flaw: func(a *Arena) {
		if r := stateOf(&a.plain); *r.lo < *r.zero {
			*(*byte)(unsafe.Add(*r.mem, *r.lo)) = 1 // fact 1
		}
	}},
	"memory is written to": {Finds: "; want 0x", Flaw: func(a *Arena) {
		if r := stateOf(&a.plain); *r.lo > 0 {
			*(*byte)(unsafe.Add(*r.mem, *r.lo-1)) ^= 1 // fact 1
		}
	}},
	"memory is misaligned": {Finds: "not aligned", Flaw: func(a *Arena) {
		r := stateOf(&a.plain)
		if a.plain.Left == 0 && r.hi() == *r.size && *r.zero == *r.win && *r.lo+2*memory.ObjectAlign < *r.win {
			*r.mem = unsafe.Add(*r.mem, 1) // fact 1
			*r.size -= memory.ObjectAlign
			*r.zero, *r.win = *r.size, *r.size
		}
	}},
	"bytes aren't counted": {Finds: "inconsistent statistics|bytes used", Flaw: func(a *Arena) {
		r := stateOf(&a.plain)
		*r.before -= min(*r.before, memory.ObjectAlign)
	}},
	"more bytes are wasted than there are": {Finds: "inconsistent statistics", Flaw: func(a *Arena) {
		if r := stateOf(&a.plain); *r.mem != nil {
			*r.waste = a.plain.Total()
		}
	}},
	"Rewind forgets": {Finds: "used after Rewind", Flaw: func(a *Arena) {
		now := a.plain.Position()
		for _, m := range a.marks.list {
			p := &a.marks.positions[m.at]
			if *testkit.Field[int](p, "chunks") == *testkit.Field[int](&now, "chunks") {
				*testkit.Field[uintptr](p, "lo") = a.plain.Lo()
			}
		}
	}},
}

// A regionState is the state of a region, which nobody else may change.
type regionState struct {
	mem                                            *unsafe.Pointer
	size, lo, zero, win, unit, before, waste, left *uintptr
}

func stateOf(r *memory.Region) regionState {
	n := func(name string) *uintptr { return testkit.Field[uintptr](r, name) }
	return regionState{testkit.Field[unsafe.Pointer](r, "mem"),
		n("size"), n("lo"), n("zero"), n("win"), n("Unit"), n("usedElsewhere"), n("waste"), n("Left")}
}

func (s regionState) hi() uintptr { return *s.win + *s.left }
