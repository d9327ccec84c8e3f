//go:build go1.27

package attack

import "github.com/harena-go/arena"

func init() {
	for name, f := range map[string]func(a *arena.Arena, n []int){
		"arena.Arena.MakeSlice": func(a *arena.Arena, n []int) {
			a.MakeSlice[struct{}](n[0], n[1])
			a.MakeSlice[[3]uint32](n[0], n[1])
		},
		"arena.Arena.MakeSliceUninit": func(a *arena.Arena, n []int) {
			a.MakeSliceUninit[struct{}](n[0], n[1])
			a.MakeSliceUninit[string](n[0], n[1])
		},
	} {
		functions[name] = numericFunction{2, f}
	}
	functions["arena.Arena.Grow"] = numericFunction{1, func(a *arena.Arena, n []int) {
		a.Grow([]struct{}{{}}, n[0])
		a.Grow([]*int{nil}, n[0])
	}}
}
