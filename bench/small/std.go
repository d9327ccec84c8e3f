//go:build goexperiment.arenas

package small

import (
	std "arena"
	"unsafe"
)

// inRuntime needs an arena for each request: the runtime's can't be reset.
func inRuntime() (func(n int) int64, error) {
	return func(n int) int64 {
		a := std.NewArena()
		sum := inStd(a, n).sum()
		a.Free()
		return sum
	}, nil
}

func inStd(a *std.Arena, n int) (last *object) {
	for i := range n {
		o := std.New[object](a)
		b := std.MakeSlice[byte](a, len(text24), len(text24))
		copy(b, text24)
		o.set(i, last, unsafe.String(unsafe.SliceData(b), len(b)))
		last = o
	}
	return last
}
