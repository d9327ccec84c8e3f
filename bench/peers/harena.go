package peers

import "github.com/harena-go/arena"

func newHarena() *Ops { return inArena(arena.NewArena()) }

func inArena(a *arena.Arena) *Ops {

	return &Ops{
		New8: func(n int) {
			for i := range n {
				Keep(arena.New[int64](a), i)
			}
		},
		New64: func(n int) {
			for i := range n {
				Keep(arena.New[Bytes64](a), i)
			}
		},
		NewNode: func(n int) {
			for i := range n {
				Keep(arena.New[Node](a), i)
			}
		},
		New1K: func(n int) {
			for i := range n {
				Keep(arena.New[Bytes1K](a), i)
			}
		},
		Array1: func(n int) {
			for i := range n {
				Keep(arena.New[[1]int](a), i)
			}
		},
		Array2: func(n int) {
			for i := range n {
				Keep(arena.New[[2]int](a), i)
			}
		},
		Array64: func(n int) {
			for i := range n {
				Keep(arena.New[[64]int](a), i)
			}
		},
		Array1024: func(n int) {
			for i := range n {
				Keep(arena.New[[1024]int](a), i)
			}
		},
		String: func(n int, s string) {
			for range n {
				KeepString(a.AllocString(s))
			}
		},
		Bytes: func(n, length int) {
			for i := range n {
				KeepBytes(arena.MakeSlice[byte](a, length, length), i)
			}
		},
		Ints: func(n, length int) {
			for i := range n {
				KeepInts(arena.MakeSlice[int](a, length, length), i)
			}
		},
		Append: func(n, length int) {
			for i := range n {
				var s []int
				for j := range length {
					s = arena.Append(a, s, j)
				}
				KeepInts(s, i)
			}
		},
		Alloc64: func(n int) {
			for i := range n {
				Keep((*Bytes64)(a.Alloc(64, 8)), i)
			}
		},
		Realloc: func(n int) {
			for i := range n {
				p := a.Alloc(reallocMin, 8)
				*(*int)(p) = i
				for size := uintptr(reallocMin); size < reallocMax; size *= 2 {
					p = a.Realloc(p, size, 2*size, 8)
				}
				Sink = p
			}
		},
		Mixed: func(n int) *Mix512 {
			var m mixer
			for i := range n {
				m.add8(arena.New[Mix8](a), i)
				m.add16(arena.New[Mix16](a), i)
				m.add24(arena.New[Mix24](a), i)
				m.add40(arena.New[Mix40](a), i)
				m.add48(arena.New[Mix48](a), i)
				m.add64(arena.New[Mix64](a), i)
				m.add80(arena.New[Mix80](a), i)
				m.add96(arena.New[Mix96](a), i)
				m.add128(arena.New[Mix128](a), i)
				m.add192(arena.New[Mix192](a), i)
				m.add256(arena.New[Mix256](a), i)
				m.add512(arena.New[Mix512](a), i)
			}
			return m.last
		},
		Reset: a.Reset,
	}
}
