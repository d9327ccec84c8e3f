package appendgrow

import (
	"strconv"

	"github.com/harena-go/arena"

	"test/appendgrow/lib"
)

func OKArenaAppend(a *arena.Arena, s []int) []int {
	s = arena.Append(a, s, 1)
	return arena.Append(a, s, 2)
}

func OKRange(a *arena.Arena, xs []int) []string {
	s := arena.MakeSlice[string](a, 0, len(xs))
	for _, x := range xs {
		s = append(s, strconv.Itoa(x))
	}
	return s
}

func OKFilter(a *arena.Arena, xs []int) []int {
	s := arena.MakeSlice[int](a, 0, len(xs))
	for _, x := range xs {
		if x > 0 {
			s = append(s, x)
		}
	}
	return s
}

func OKFilterInPlace(a *arena.Arena, n int) []int {
	s := arena.MakeSlice[int](a, n, n)
	kept := s[:0]
	for _, x := range s {
		if x > 0 {
			kept = append(kept, x)
		}
	}
	return kept
}

func OKCount(a *arena.Arena, n int) []int {
	s := arena.MakeSlice[int](a, 0, n)
	for i := 0; i < n; i++ {
		s = append(s, i)
	}
	return s
}

func OKRangeInt(a *arena.Arena, n int) []int {
	s := arena.MakeSlice[int](a, 0, n)
	for i := range n {
		s = append(s, i)
	}
	return s
}

func OKConstantCount(a *arena.Arena) []int {
	s := arena.MakeSlice[int](a, 0, 5)
	for i := range 5 {
		s = append(s, i)
	}
	return s
}

func OKTwice(a *arena.Arena, xs []int) []int {
	s := arena.MakeSlice[int](a, 0, 2*len(xs)+1)
	s = append(s, 0)
	for _, x := range xs {
		s = append(s, x, -x)
	}
	return s
}

func OKMap(a *arena.Arena, m map[string]int) []string {
	keys := arena.MakeSlice[string](a, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	return keys
}

func OKTotal(a *arena.Arena, lists [][]int) []int {
	total := 0
	for _, l := range lists {
		total += len(l)
	}
	s := arena.MakeSlice[int](a, 0, total)
	for _, l := range lists {
		s = append(s, l...)
	}
	return s
}

func OKConcat(a *arena.Arena, x, y []byte) []byte {
	b := arena.MakeSlice[byte](a, 0, len(x)+len(y)+1)
	b = append(b, x...)
	b = append(b, '/')
	return append(b, y...)
}

func OKConstant(a *arena.Arena) []int {
	s := arena.MakeSlice[int](a, 1, 4)
	s = append(s, 1)
	s = append(s, 2, 3)
	return s
}

func OKBranches(a *arena.Arena, long bool) []int {
	s := arena.MakeSlice[int](a, 0, 2)
	if long {
		s = append(s, 1, 2)
	} else {
		s = append(s, 1)
	}
	return s
}

func OKText(a *arena.Arena) []byte {
	b := a.AllocBytes(8)[:0]
	return append(b, "8 bytes."...)
}

func OKGuard(a *arena.Arena, next func() (int, bool)) []int {
	s := arena.MakeSlice[int](a, 0, 16)
	for v, ok := next(); ok && len(s) < cap(s); v, ok = next() {
		s = append(s, v)
	}
	return s
}

func OKGrowWhenFull(a *arena.Arena, next func() (int, bool)) []int {
	s := arena.MakeSlice[int](a, 0, 16)
	for v, ok := next(); ok; v, ok = next() {
		if len(s) == cap(s) {
			s = arena.Grow(a, s, 16)
		}
		s = append(s, v) //arenavet:ignore there is always room
	}
	return s
}

func OKGrow(a *arena.Arena, s []int, xs []int) []int {
	s = arena.Grow(a, s, len(xs))
	for _, x := range xs {
		s = append(s, x)
	}
	return s
}

func OKGrowSpread(a *arena.Arena, s, xs []int) []int {
	return append(arena.Grow(a, s, len(xs)), xs...)
}

func OKGrowConstant(a *arena.Arena, s []int) []int {
	s = arena.Grow(a, s, 2)
	s = append(s, 1)
	return append(s, 2)
}

func OKDelete(a *arena.Arena, xs []int, i int) []int {
	s := arena.CopySlice(a, xs)
	return append(s[:i], s[i+1:]...)
}

func OKReused(a *arena.Arena, lines []string) int {
	n := 0
	b := a.AllocBytes(8)
	for _, line := range lines {
		b = append(b[:0], "line "...)
		b = append(b, line[0])
		n += len(b)
	}
	return n
}

func OKCopyToHeap(a *arena.Arena, xs []int) []int {
	s := arena.CopySlice(a, xs)
	return append([]int(nil), s...)
}

func OKCopyOnAppend(a *arena.Arena, xs []int) []int {
	s := arena.CopySlice(a, xs)
	return append(s[:len(s):len(s)], 1)
}

func OKHeap(n int) []int {
	s := make([]int, n)
	return append(s, 1)
}

func OKCloned(a *arena.Arena, xs []int) []int {
	s := arena.Clone(arena.CopySlice(a, xs))
	return append(s, 1)
}

func OKParameter(a *arena.Arena, s []int) []int {
	return append(s, len(arena.MakeSlice[int](a, 1, 1)))
}

func OKOnHeap(a *arena.Arena) []string { return append(lib.OnHeap(a), "x") }

func OKSecondResult(a *arena.Arena) []byte {
	_, tail := lib.Split(a, "xyz")
	return append(tail, 'x')
}

func OKHeapOfArena(a *arena.Arena) [][]int {
	var lists [][]int
	for i := range 3 {
		lists = append(lists, arena.MakeSlice[int](a, i, i))
	}
	return lists
}

func OKNilArena() []int {
	s := arena.MakeSlice[int](nil, 1, 1)
	return append(s, 1)
}

func OKComputed(a *arena.Arena, n int) []int {
	s := arena.MakeSlice[int](a, n, n+2)
	s = append(s, 1)
	return append(s, 2)
}

func OKConstantSlices(a *arena.Arena) []int {
	const n = 100
	values := make([]int, n)
	s := arena.MakeSlice[int](a, 0, n)
	for i := range values {
		s = append(s, i)
	}
	return s
}

func OKField(a *arena.Arena, long bool) *order {
	o := arena.New[order](a)
	o.items = arena.MakeSlice[int](a, 0, 3)
	o.items = append(o.items, 1)
	o.items = append(o.items, 2)
	if long {
		o.items = append(o.items, 3)
	}
	return o
}

func OKConstantGeneric[T any](a *arena.Arena, value func(int) T) (all [][]T) {
	n := 60
	for range 3 {
		values := make([]*T, n)
		grown, room := []T(nil), arena.MakeSlice[T](a, 0, n)
		for i := range values {
			grown = arena.Append(a, grown, value(i))
			room = append(room, value(i))
		}
		all = append(all, room, grown)
	}
	return all
}

func inPlace(a *arena.Arena, in []string) []string {
	s := arena.CopySlice(a, in)
	out := s[:0]
	for _, x := range s {
		if x != "" {
			out = append(out, x)
		}
	}
	return out
}
