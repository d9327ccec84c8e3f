package peers

import "github.com/pavanmanishd/arena"

// newPavanmanishd gives the arena one large chunk: after a reset it reuses only its first one.
func newPavanmanishd() *Ops {
	a := arena.NewArena(room)
	o := &Ops{
		Reset: a.Reset,
		Remarks: map[string]string{
			"new-node": unscanned,
			"string":   bytesCopied,
		},
	}
	pavanmanishdFixed(o, a)
	pavanmanishdSlices(o, a)
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
	o.Ints = func(n, length int) {
		for i := range n {
			KeepInts(arena.AllocSliceZeroed[int](a, length), i)
		}
	}
}
