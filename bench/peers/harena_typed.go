package peers

import "github.com/harena-go/arena"

func newTyped() *Ops {
	a := arena.NewArena()
	o := &Ops{Reset: a.Reset}
	typedFixed(o, a)
	typedArrays(o, a)
	typedMixed(o, a)
	return o
}

//go:noinline
func typedFixed(o *Ops, a *arena.Arena) {
	var (
		t8   = arena.For[int64](a)
		t64  = arena.For[Bytes64](a)
		node = arena.For[Node](a)
		t1k  = arena.For[Bytes1K](a)
	)
	o.New8 = func(n int) {
		for i := range n {
			Keep(t8.New(), i)
		}
	}
	o.New64 = func(n int) {
		for i := range n {
			Keep(t64.New(), i)
		}
	}
	o.NewNode = func(n int) {
		for i := range n {
			Keep(node.New(), i)
		}
	}
	o.New1K = func(n int) {
		for i := range n {
			Keep(t1k.New(), i)
		}
	}
}

//go:noinline
func typedArrays(o *Ops, a *arena.Arena) {
	var (
		a1    = arena.For[[1]int](a)
		a2    = arena.For[[2]int](a)
		a64   = arena.For[[64]int](a)
		a1024 = arena.For[[1024]int](a)
	)
	o.Array1 = func(n int) {
		for i := range n {
			Keep(a1.New(), i)
		}
	}
	o.Array2 = func(n int) {
		for i := range n {
			Keep(a2.New(), i)
		}
	}
	o.Array64 = func(n int) {
		for i := range n {
			Keep(a64.New(), i)
		}
	}
	o.Array1024 = func(n int) {
		for i := range n {
			Keep(a1024.New(), i)
		}
	}
}

//go:noinline
func typedMixed(o *Ops, a *arena.Arena) {
	var (
		m8   = arena.For[Mix8](a)
		m16  = arena.For[Mix16](a)
		m24  = arena.For[Mix24](a)
		m40  = arena.For[Mix40](a)
		m48  = arena.For[Mix48](a)
		m64  = arena.For[Mix64](a)
		m80  = arena.For[Mix80](a)
		m96  = arena.For[Mix96](a)
		m128 = arena.For[Mix128](a)
		m192 = arena.For[Mix192](a)
		m256 = arena.For[Mix256](a)
		m512 = arena.For[Mix512](a)
	)
	o.Mixed = func(n int) *Mix512 {
		var m mixer
		for i := range n {
			m.add8(m8.New(), i)
			m.add16(m16.New(), i)
			m.add24(m24.New(), i)
			m.add40(m40.New(), i)
			m.add48(m48.New(), i)
			m.add64(m64.New(), i)
			m.add80(m80.New(), i)
			m.add96(m96.New(), i)
			m.add128(m128.New(), i)
			m.add192(m192.New(), i)
			m.add256(m256.New(), i)
			m.add512(m512.New(), i)
		}
		return m.last
	}
}
