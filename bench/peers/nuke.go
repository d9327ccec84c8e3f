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
			"string":   bytesCopied,
		},
	}
	nukeFixed(o, a)
	nukeSlices(o, a)
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
