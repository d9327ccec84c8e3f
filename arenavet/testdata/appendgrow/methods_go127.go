//go:build go1.27

package appendgrow

import "github.com/harena-go/arena"

func method(a *arena.Arena) []int {
	s := a.MakeSlice[int](1, 1)
	return append(s, 2) // want `append may move this arena slice, from MakeSlice, to the heap: use arena.Append`
}

func methodAppend(a *arena.Arena) []int {
	s := a.Append[int](nil, 1)
	return append(s, 2) // want `append may move this arena slice, from Append`
}

func OKMethod(a *arena.Arena, xs []int) []int {
	s := a.MakeSlice[int](0, len(xs))
	for _, x := range xs {
		s = append(s, x)
	}
	return a.Append(s, 1)
}
