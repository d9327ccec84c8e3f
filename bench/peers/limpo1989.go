package peers

import "github.com/limpo1989/arena"

// newLimpo1989 makes a new arena where others are reset: after Reset this one
// has no chunk, and the next allocation crashes. Its default chunks of 1 KiB
// are made larger.
func newLimpo1989() *Ops {
	fresh := func() *arena.Arena { return arena.NewArena(arena.WithChunkSize(256 << 10)) }
	a := fresh()
	o := &Ops{
		Reset: func() { a = fresh() },
		Remarks: map[string]string{
			"fixed":    anew,
			"array":    anew,
			"slice":    anew,
			"append":   anew,
			"raw":      anew,
			"new-node": unscanned + "; " + anew,
			"mixed":    unscanned + "; " + anew,
			"string":   bytesCopied + "; " + anew,
		},
	}
	limpo1989Fixed(o, &a)
	limpo1989Arrays(o, &a)
	limpo1989Slices(o, &a)
	limpo1989Raw(o, &a)
	limpo1989Mixed(o, &a)
	return o
}

//go:noinline
func limpo1989Fixed(o *Ops, a **arena.Arena) {
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
func limpo1989Arrays(o *Ops, a **arena.Arena) {
	o.Array1 = func(n int) {
		for i := range n {
			Keep(arena.New[[1]int](*a), i)
		}
	}
	o.Array2 = func(n int) {
		for i := range n {
			Keep(arena.New[[2]int](*a), i)
		}
	}
	o.Array64 = func(n int) {
		for i := range n {
			Keep(arena.New[[64]int](*a), i)
		}
	}
	o.Array1024 = func(n int) {
		for i := range n {
			Keep(arena.New[[1024]int](*a), i)
		}
	}
}

//go:noinline
func limpo1989Slices(o *Ops, a **arena.Arena) {
	o.String = func(n int, s string) {
		for range n {
			b := arena.NewSlice[byte](*a, len(s), len(s))
			copy(b, s)
			KeepCopy(b)
		}
	}
	o.Bytes = func(n, length int) {
		for i := range n {
			KeepBytes(arena.NewSlice[byte](*a, length, length), i)
		}
	}
	o.Ints = func(n, length int) {
		for i := range n {
			KeepInts(arena.NewSlice[int](*a, length, length), i)
		}
	}
	o.Append = func(n, length int) {
		for i := range n {
			var s []int
			for j := range length {
				s = arena.Append(*a, s, j)
			}
			KeepInts(s, i)
		}
	}
}

//go:noinline
func limpo1989Raw(o *Ops, a **arena.Arena) {
	o.Alloc64 = func(n int) {
		for i := range n {
			Keep((*Bytes64)((*a).Malloc(64)), i)
		}
	}
}

//go:noinline
func limpo1989Mixed(o *Ops, a **arena.Arena) {
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
