package peers

import "github.com/harena-go/arena"

func newHarena() *Ops { return inArena(arena.NewArena()) }

func inArena(a *arena.Arena) *Ops {
	o := &Ops{Reset: a.Reset}
	harenaFixed(o, a)
	harenaSlices(o, a)
	return o
}

//go:noinline
func harenaFixed(o *Ops, a *arena.Arena) {
	o.New8 = func(n int) {
		for i := range n {
			Keep(arena.New[int64](a), i)
		}
	}
	o.New64 = func(n int) {
		for i := range n {
			Keep(arena.New[Bytes64](a), i)
		}
	}
	o.NewNode = func(n int) {
		for i := range n {
			Keep(arena.New[Node](a), i)
		}
	}
	o.New1K = func(n int) {
		for i := range n {
			Keep(arena.New[Bytes1K](a), i)
		}
	}
}

//go:noinline
func harenaSlices(o *Ops, a *arena.Arena) {
	o.String = func(n int, s string) {
		for range n {
			KeepString(a.AllocString(s))
		}
	}
	o.Ints = func(n, length int) {
		for i := range n {
			KeepInts(arena.MakeSlice[int](a, length, length), i)
		}
	}
	o.Append = func(n, length int) {
		for i := range n {
			var s []int
			for j := range length {
				s = arena.Append(a, s, j)
			}
			KeepInts(s, i)
		}
	}
}
