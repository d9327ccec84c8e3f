package peers

import "github.com/pavanmanishd/arena"

// newPavanmanishd gives the arena one large chunk: after a reset it reuses only its first one.
func newPavanmanishd() *Ops {
	a := arena.NewArena(room)
	o := &Ops{
		Reset: a.Reset,
		Remarks: map[string]string{
			"new-node": unscanned,
			"mixed":    unscanned,
			"string":   bytesCopied,
		},
	}
	pavanmanishdFixed(o, a)
	pavanmanishdSlices(o, a)
	pavanmanishdMixed(o, a)
	return o
}

//go:noinline
func pavanmanishdFixed(o *Ops, a *arena.Arena) {
	o.New8 = func(n int) {
		for i := range n {
			Keep(arena.Alloc[int64](a), i)
		}
	}
	o.New64 = func(n int) {
		for i := range n {
			Keep(arena.Alloc[Bytes64](a), i)
		}
	}
	o.NewNode = func(n int) {
		for i := range n {
			Keep(arena.Alloc[Node](a), i)
		}
	}
	o.New1K = func(n int) {
		for i := range n {
			Keep(arena.Alloc[Bytes1K](a), i)
		}
	}
}

//go:noinline
func pavanmanishdSlices(o *Ops, a *arena.Arena) {
	o.String = func(n int, s string) {
		for range n {
			b := a.AllocBytes(len(s))
			copy(b, s)
			KeepCopy(b)
		}
	}
	o.Bytes = func(n, length int) {
		for i := range n {
			KeepBytes(arena.AllocSliceZeroed[byte](a, length), i)
		}
	}
	o.Ints = func(n, length int) {
		for i := range n {
			KeepInts(arena.AllocSliceZeroed[int](a, length), i)
		}
	}
}

//go:noinline
func pavanmanishdMixed(o *Ops, a *arena.Arena) {
	o.Mixed = func(n int) *Mix512 {
		var m mixer
		for i := range n {
			m.add8(arena.Alloc[Mix8](a), i)
			m.add16(arena.Alloc[Mix16](a), i)
			m.add24(arena.Alloc[Mix24](a), i)
			m.add40(arena.Alloc[Mix40](a), i)
			m.add48(arena.Alloc[Mix48](a), i)
			m.add64(arena.Alloc[Mix64](a), i)
			m.add80(arena.Alloc[Mix80](a), i)
			m.add96(arena.Alloc[Mix96](a), i)
			m.add128(arena.Alloc[Mix128](a), i)
			m.add192(arena.Alloc[Mix192](a), i)
			m.add256(arena.Alloc[Mix256](a), i)
			m.add512(arena.Alloc[Mix512](a), i)
		}
		return m.last
	}
}
