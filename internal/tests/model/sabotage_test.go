package model_test

import (
	"unsafe"

	"github.com/harena-go/arena"
	"github.com/harena-go/arena/internal/engine/memory"
	"github.com/harena-go/arena/internal/tests/testkit"
)

// This file breaks arenas as a bug would, for the test that such bugs are found.

// A sabotage is a flaw, which is applied after every operation, and the failure that must report it; other failures
// don't count.
type sabotage struct {
	flaw  func(a *arena.Arena)
	finds string // a regular expression
}

// sabotages are flaws by name. None leads to memory beyond the chunk's, for what
// comes next in the heap belongs to others.
var sabotages = map[string]sabotage{
	"slices overlap": {finds: "overlap", flaw: func(a *arena.Arena) {
		if r := stateOf(plainOf(a)); *r.lo >= memory.ObjectAlign {
			*r.lo -= memory.ObjectAlign
			*r.before += memory.ObjectAlign
		}
	}},
	"objects overlap": {finds: "overlap", flaw: func(a *arena.Arena) {
		if r := stateOf(plainOf(a)); plainOf(a).Window().Left > 0 && r.hi()+memory.ObjectAlign <= *r.size {
			plainOf(a).Window().Left += memory.ObjectAlign
			*r.before += memory.ObjectAlign
		}
	}},
	"slabs overlap": {finds: "overlap", flaw: func(a *arena.Arena) {
		for s := range testkit.Field[memory.Space](a, "memory").Slabs {
			if r := stateOf(&s.Region); s.Window().Left > 0 && r.hi()+*r.unit <= *r.size {
				s.Window().Left += *r.unit
				*r.before += *r.unit
			}
		}
	}},
	"the window is dirty": {finds: "is 0x1; want 0x0", flaw: func(a *arena.Arena) {
		if plainOf(a).Window().Left > 0 {
			*(*byte)(unsafe.Add(plainOf(a).Window().Base, plainOf(a).Window().Left-1)) = 1 // fact 1
		}
	}},
	"the middle is dirty": {finds: "is 0x1; want 0x0", flaw: func(a *arena.Arena) {
		if r := stateOf(plainOf(a)); *r.lo < *r.zero {
			*(*byte)(unsafe.Add(*r.mem, *r.lo)) = 1 // fact 1
		}
	}},
	"memory is written to": {finds: "; want 0x", flaw: func(a *arena.Arena) {
		if r := stateOf(plainOf(a)); *r.lo > 0 {
			*(*byte)(unsafe.Add(*r.mem, *r.lo-1)) ^= 1 // fact 1
		}
	}},
	"memory is misaligned": {finds: "not aligned", flaw: func(a *arena.Arena) {
		r := stateOf(plainOf(a))
		if plainOf(a).Window().Left == 0 && r.hi() == *r.size && *r.zero == *r.win && *r.lo+2*memory.ObjectAlign < *r.win {
			*r.mem = unsafe.Add(*r.mem, 1) // fact 1
			*r.size -= memory.ObjectAlign
			*r.zero, *r.win = *r.size, *r.size
		}
	}},
	"bytes aren't counted": {finds: "inconsistent statistics|bytes used", flaw: func(a *arena.Arena) {
		r := stateOf(plainOf(a))
		*r.before -= min(*r.before, memory.ObjectAlign)
	}},
	"more bytes are wasted than there are": {finds: "inconsistent statistics", flaw: func(a *arena.Arena) {
		if r := stateOf(plainOf(a)); *r.mem != nil {
			*r.waste = plainOf(a).Total()
		}
	}},
	"Rewind forgets": {finds: "used after Rewind", flaw: func(a *arena.Arena) {
		now := plainOf(a).Position()
		if testkit.Value(a, "life.marks").IsNil() {
			return
		}
		list, positions := testkit.Value(a, "life.marks.list"), *testkit.Field[[]memory.Position](a, "life.marks.positions")
		for i := range list.Len() {
			p := &positions[list.Index(i).FieldByName("at").Int()]
			if *testkit.Field[int](p, "chunks") == *testkit.Field[int](&now, "chunks") {
				*testkit.Field[uintptr](p, "lo") = plainOf(a).Lo()
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
		n("size"), n("lo"), n("zero"), n("win"), n("Unit"), n("usedElsewhere"), n("waste"), n("w.Left")}
}

// plainOf returns the memory of values without pointers.
func plainOf(a *arena.Arena) *memory.Region { return testkit.Field[memory.Region](a, "plain") }

func (s regionState) hi() uintptr { return *s.win + *s.left }
