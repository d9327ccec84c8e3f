package peers

import "github.com/ortuman/nuke"

// newNuke gives the arena one large buffer: it tries its buffers in order for each object, and falls back on the heap
// when all are full.
func newNuke() *Ops {
	a := nuke.NewMonotonicArena(room, 1)
	o := &Ops{
		Reset: func() { a.Reset(false) },
		Remarks: map[string]string{
			"new-node": unscanned,
			"mixed":    unscanned,
			"string":   bytesCopied,
		},
	}
	nukeFixed(o, a)
	nukeSlices(o, a)
	nukeMixed(o, a)
	return o
}

//go:noinline
func nukeFixed(o *Ops, a nuke.Arena) {
	o.New8 = func(n int) {
		for i := range n {
			Keep(nuke.New[int64](a), i)
		}
	}
	o.New64 = func(n int) {
		for i := range n {
			Keep(nuke.New[Bytes64](a), i)
		}
	}
	o.NewNode = func(n int) {
		for i := range n {
			Keep(nuke.New[Node](a), i)
		}
	}
	o.New1K = func(n int) {
		for i := range n {
			Keep(nuke.New[Bytes1K](a), i)
		}
	}
}

//go:noinline
func nukeSlices(o *Ops, a nuke.Arena) {
	o.String = func(n int, s string) {
		for range n {
			b := nuke.MakeSlice[byte](a, len(s), len(s))
			copy(b, s)
			KeepCopy(b)
		}
	}
	o.Bytes = func(n, length int) {
		for i := range n {
			KeepBytes(nuke.MakeSlice[byte](a, length, length), i)
		}
	}
	o.Ints = func(n, length int) {
		for i := range n {
			KeepInts(nuke.MakeSlice[int](a, length, length), i)
		}
	}
	o.Append = func(n, length int) {
		for i := range n {
			var s []int
			for j := range length {
				s = nuke.SliceAppend(a, s, j)
			}
			KeepInts(s, i)
		}
	}
}

//go:noinline
func nukeMixed(o *Ops, a nuke.Arena) {
	o.Mixed = func(n int) *Mix512 {
		var m mixer
		for i := range n {
			m.add8(nuke.New[Mix8](a), i)
			m.add16(nuke.New[Mix16](a), i)
			m.add24(nuke.New[Mix24](a), i)
			m.add40(nuke.New[Mix40](a), i)
			m.add48(nuke.New[Mix48](a), i)
			m.add64(nuke.New[Mix64](a), i)
			m.add80(nuke.New[Mix80](a), i)
			m.add96(nuke.New[Mix96](a), i)
			m.add128(nuke.New[Mix128](a), i)
			m.add192(nuke.New[Mix192](a), i)
			m.add256(nuke.New[Mix256](a), i)
			m.add512(nuke.New[Mix512](a), i)
		}
		return m.last
	}
}
