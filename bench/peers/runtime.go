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
			"mixed":  anew,
			"string": bytesCopied + "; " + anew,
		},
	}
	runtimeFixed(o, &a)
	runtimeSlices(o, &a)
	runtimeMixed(o, &a)
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
	o.Bytes = func(n, length int) {
		for i := range n {
			KeepBytes(arena.MakeSlice[byte](*a, length, length), i)
		}
	}
	o.Ints = func(n, length int) {
		for i := range n {
			KeepInts(arena.MakeSlice[int](*a, length, length), i)
		}
	}
}

//go:noinline
func runtimeMixed(o *Ops, a **arena.Arena) {
	o.Mixed = func(n int) *Mix512 {
		var m mixer
		for i := range n {
			m.add8(arena.New[Mix8](*a), i)
			m.add16(arena.New[Mix16](*a), i)
			m.add24(arena.New[Mix24](*a), i)
			m.add40(arena.New[Mix40](*a), i)
			m.add48(arena.New[Mix48](*a), i)
			m.add64(arena.New[Mix64](*a), i)
			m.add80(arena.New[Mix80](*a), i)
			m.add96(arena.New[Mix96](*a), i)
			m.add128(arena.New[Mix128](*a), i)
			m.add192(arena.New[Mix192](*a), i)
			m.add256(arena.New[Mix256](*a), i)
			m.add512(arena.New[Mix512](*a), i)
		}
		return m.last
	}
}
