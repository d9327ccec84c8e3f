package peers

import (
	"github.com/flier/goutil/pkg/arena"
	"github.com/flier/goutil/pkg/arena/slice"
)

func newGoutil() *Ops {
	a := new(arena.Arena)
	o := &Ops{
		KeepAlive: a.KeepAlive,
		Reset:     a.Reset,
		Remarks: map[string]string{
			"new-node": unscanned,
			"string":   bytesCopied,
		},
	}
	goutilFixed(o, a)
	goutilSlices(o, a)
	return o
}

//go:noinline
func goutilFixed(o *Ops, a *arena.Arena) {
	o.New8 = func(n int) {
		for i := range n {
			Keep(arena.New(a, int64(0)), i)
		}
	}
	o.New64 = func(n int) {
		for i := range n {
			Keep(arena.New(a, Bytes64{}), i)
		}
	}
	o.NewNode = func(n int) {
		for i := range n {
			Keep(arena.New(a, Node{}), i)
		}
	}
	o.New1K = func(n int) {
		for i := range n {
			Keep(arena.New(a, Bytes1K{}), i)
		}
	}
}

//go:noinline
func goutilSlices(o *Ops, a *arena.Arena) {
	o.String = func(n int, s string) {
		for range n {
			b := slice.Make[byte](a, len(s)).Raw()
			copy(b, s)
			KeepCopy(b)
		}
	}
	o.Ints = func(n, length int) {
		for i := range n {
			KeepInts(slice.Make[int](a, length).Raw(), i)
		}
	}
	o.Append = func(n, length int) {
		for i := range n {
			var s slice.Slice[int]
			for j := range length {
				s = s.AppendOne(a, j)
			}
			KeepInts(s.Raw(), i)
		}
	}
}
