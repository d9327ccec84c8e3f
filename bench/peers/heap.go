package peers

import "strings"

func newHeap() *Ops {
	o := new(Ops)
	heapFixed(o)
	heapSlices(o)
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
