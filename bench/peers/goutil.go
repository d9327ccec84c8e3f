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
			"mixed":    unscanned,
			"string":   bytesCopied,
		},
	}
	goutilFixed(o, a)
	goutilSlices(o, a)
	goutilMixed(o, a)
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
	o.Bytes = func(n, length int) {
		for i := range n {
			KeepBytes(slice.Make[byte](a, length).Raw(), i)
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

//go:noinline
func goutilMixed(o *Ops, a *arena.Arena) {
	o.Mixed = func(n int) *Mix512 {
		var m mixer
		for i := range n {
			m.add8(arena.New(a, Mix8{}), i)
			m.add16(arena.New(a, Mix16{}), i)
			m.add24(arena.New(a, Mix24{}), i)
			m.add40(arena.New(a, Mix40{}), i)
			m.add48(arena.New(a, Mix48{}), i)
			m.add64(arena.New(a, Mix64{}), i)
			m.add80(arena.New(a, Mix80{}), i)
			m.add96(arena.New(a, Mix96{}), i)
			m.add128(arena.New(a, Mix128{}), i)
			m.add192(arena.New(a, Mix192{}), i)
			m.add256(arena.New(a, Mix256{}), i)
			m.add512(arena.New(a, Mix512{}), i)
		}
		return m.last
	}
}
