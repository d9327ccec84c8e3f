package peers

import "strings"

func newHeap() *Ops {
	o := new(Ops)
	heapFixed(o)
	heapSlices(o)
	heapMixed(o)
	return o
}

//go:noinline
func heapFixed(o *Ops) {
	o.New8 = func(n int) {
		for i := range n {
			Keep(new(int64), i)
		}
	}
	o.New64 = func(n int) {
		for i := range n {
			Keep(new(Bytes64), i)
		}
	}
	o.NewNode = func(n int) {
		for i := range n {
			Keep(new(Node), i)
		}
	}
	o.New1K = func(n int) {
		for i := range n {
			Keep(new(Bytes1K), i)
		}
	}
}

//go:noinline
func heapSlices(o *Ops) {
	o.String = func(n int, s string) {
		for range n {
			KeepString(strings.Clone(s))
		}
	}
	o.Bytes = func(n, length int) {
		for i := range n {
			KeepBytes(make([]byte, length), i)
		}
	}
	o.Ints = func(n, length int) {
		for i := range n {
			KeepInts(make([]int, length), i)
		}
	}
	o.Append = func(n, length int) {
		for i := range n {
			var s []int
			for j := range length {
				s = append(s, j)
			}
			KeepInts(s, i)
		}
	}
}

//go:noinline
func heapMixed(o *Ops) {
	o.Mixed = func(n int) *Mix512 {
		var m mixer
		for i := range n {
			m.add8(new(Mix8), i)
			m.add16(new(Mix16), i)
			m.add24(new(Mix24), i)
			m.add40(new(Mix40), i)
			m.add48(new(Mix48), i)
			m.add64(new(Mix64), i)
			m.add80(new(Mix80), i)
			m.add96(new(Mix96), i)
			m.add128(new(Mix128), i)
			m.add192(new(Mix192), i)
			m.add256(new(Mix256), i)
			m.add512(new(Mix512), i)
		}
		return m.last
	}
}
