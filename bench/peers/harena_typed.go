package peers

import "github.com/harena-go/arena"

func newTyped() *Ops {
	a := arena.NewArena()
	o := &Ops{Reset: a.Reset}
	typedFixed(o, a)
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
