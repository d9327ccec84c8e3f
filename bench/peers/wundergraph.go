package peers

import wundergraph "github.com/wundergraph/go-arena"

// newWundergraph gives the arena a buffer of the size that is needed, as its
// documentation suggests.
func newWundergraph() *Ops {
	a := wundergraph.NewMonotonicArena(wundergraph.WithMinBufferSize(room))
	o := &Ops{
		Reset: a.Reset,
		Remarks: map[string]string{
			"new-node": unscanned,
			"mixed":    unscanned,
			"string":   bytesCopied,
		},
	}
	wundergraphFixed(o, a)
	wundergraphArrays(o, a)
	wundergraphSlices(o, a)
	wundergraphRaw(o, a)
	wundergraphMixed(o, a)
	return o
}

//go:noinline
func wundergraphFixed(o *Ops, a wundergraph.Arena) {
	o.New8 = func(n int) {
		for i := range n {
			Keep(wundergraph.Allocate[int64](a), i)
		}
	}
	o.New64 = func(n int) {
		for i := range n {
			Keep(wundergraph.Allocate[Bytes64](a), i)
		}
	}
	o.NewNode = func(n int) {
		for i := range n {
			Keep(wundergraph.Allocate[Node](a), i)
		}
	}
	o.New1K = func(n int) {
		for i := range n {
			Keep(wundergraph.Allocate[Bytes1K](a), i)
		}
	}
}

//go:noinline
func wundergraphArrays(o *Ops, a wundergraph.Arena) {
	o.Array1 = func(n int) {
		for i := range n {
			Keep(wundergraph.Allocate[[1]int](a), i)
		}
	}
	o.Array2 = func(n int) {
		for i := range n {
			Keep(wundergraph.Allocate[[2]int](a), i)
		}
	}
	o.Array64 = func(n int) {
		for i := range n {
			Keep(wundergraph.Allocate[[64]int](a), i)
		}
	}
	o.Array1024 = func(n int) {
		for i := range n {
			Keep(wundergraph.Allocate[[1024]int](a), i)
		}
	}
}

//go:noinline
func wundergraphSlices(o *Ops, a wundergraph.Arena) {
	o.String = func(n int, s string) {
		for range n {
			b := wundergraph.AllocateSlice[byte](a, len(s), len(s))
			copy(b, s)
			KeepCopy(b)
		}
	}
	o.Bytes = func(n, length int) {
		for i := range n {
			KeepBytes(wundergraph.AllocateSlice[byte](a, length, length), i)
		}
	}
	o.Ints = func(n, length int) {
		for i := range n {
			KeepInts(wundergraph.AllocateSlice[int](a, length, length), i)
		}
	}
	o.Append = func(n, length int) {
		for i := range n {
			var s []int
			for j := range length {
				s = wundergraph.SliceAppend(a, s, j)
			}
			KeepInts(s, i)
		}
	}
}

//go:noinline
func wundergraphRaw(o *Ops, a wundergraph.Arena) {
	o.Alloc64 = func(n int) {
		for i := range n {
			Keep((*Bytes64)(a.Alloc(64, 8)), i)
		}
	}
}

//go:noinline
func wundergraphMixed(o *Ops, a wundergraph.Arena) {
	o.Mixed = func(n int) *Mix512 {
		var m mixer
		for i := range n {
			m.add8(wundergraph.Allocate[Mix8](a), i)
			m.add16(wundergraph.Allocate[Mix16](a), i)
			m.add24(wundergraph.Allocate[Mix24](a), i)
			m.add40(wundergraph.Allocate[Mix40](a), i)
			m.add48(wundergraph.Allocate[Mix48](a), i)
			m.add64(wundergraph.Allocate[Mix64](a), i)
			m.add80(wundergraph.Allocate[Mix80](a), i)
			m.add96(wundergraph.Allocate[Mix96](a), i)
			m.add128(wundergraph.Allocate[Mix128](a), i)
			m.add192(wundergraph.Allocate[Mix192](a), i)
			m.add256(wundergraph.Allocate[Mix256](a), i)
			m.add512(wundergraph.Allocate[Mix512](a), i)
		}
		return m.last
	}
}
