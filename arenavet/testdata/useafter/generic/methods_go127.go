//go:build go1.27

package generic

import "github.com/harena-go/arena"

func genericMethod(a *arena.Arena) {
	p := a.New[int]()
	a.Reset()
	*p = 1 // want `arena memory is written to after Reset`
}

func OKGenericMethod(a *arena.Arena) {
	s := a.MakeSlice[int](3, 3)
	s[0] = 1
	a.Reset()
	s = a.Append(nil, 1)
	s[0] = 1
}

func genericAppend(a *arena.Arena) {
	s := a.Append([]int(nil), 1)
	a.Reset()
	s[0] = 1 // want `arena memory is written to after Reset`
}
