//go:build goexperiment.arenas

package peers

import "arena"

// newRuntime frees the arena and makes the next one where others reset theirs. The collector must not see a pointer
// into a freed arena, so the sink is emptied first.
func newRuntime() *Ops {
	a := arena.NewArena()
	o := &Ops{
		Reset: func() {
			Sink = nil
			a.Free()
			a = arena.NewArena()
		},
		Remarks: map[string]string{
			"fixed":  anew,
			"slice":  anew,
			"string": bytesCopied + "; " + anew,
		},
	}
	runtimeFixed(o, &a)
	runtimeSlices(o, &a)
	return o
}

//go:noinline
func runtimeFixed(o *Ops, a **arena.Arena) {
	o.New8 = func(n int) {
		for i := range n {
			Keep(arena.New[int64](*a), i)
		}
	}
	o.New64 = func(n int) {
		for i := range n {
			Keep(arena.New[Bytes64](*a), i)
		}
	}
	o.NewNode = func(n int) {
		for i := range n {
			Keep(arena.New[Node](*a), i)
		}
	}
	o.New1K = func(n int) {
		for i := range n {
			Keep(arena.New[Bytes1K](*a), i)
		}
	}
}

//go:noinline
func runtimeSlices(o *Ops, a **arena.Arena) {
	o.String = func(n int, s string) {
		for range n {
			b := arena.MakeSlice[byte](*a, len(s), len(s))
			copy(b, s)
			KeepCopy(b)
		}
	}
	o.Ints = func(n, length int) {
		for i := range n {
			KeepInts(arena.MakeSlice[int](*a, length, length), i)
		}
	}
}
