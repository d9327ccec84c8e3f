package peers

import (
	"strings"
	"unsafe"
)

func newHeap() *Ops {

	return &Ops{
		New8: func(n int) {
			for i := range n {
				Keep(new(int64), i)
			}
		},
		New64: func(n int) {
			for i := range n {
				Keep(new(Bytes64), i)
			}
		},
		NewNode: func(n int) {
			for i := range n {
				Keep(new(Node), i)
			}
		},
		New1K: func(n int) {
			for i := range n {
				Keep(new(Bytes1K), i)
			}
		},
		Array1: func(n int) {
			for i := range n {
				Keep(new([1]int), i)
			}
		},
		Array2: func(n int) {
			for i := range n {
				Keep(new([2]int), i)
			}
		},
		Array64: func(n int) {
			for i := range n {
				Keep(new([64]int), i)
			}
		},
		Array1024: func(n int) {
			for i := range n {
				Keep(new([1024]int), i)
			}
		},
		String: func(n int, s string) {
			for range n {
				KeepString(strings.Clone(s))
			}
		},
		Bytes: func(n, length int) {
			for i := range n {
				KeepBytes(make([]byte, length), i)
			}
		},
		Ints: func(n, length int) {
			for i := range n {
				KeepInts(make([]int, length), i)
			}
		},
		Append: func(n, length int) {
			for i := range n {
				var s []int
				for j := range length {
					s = append(s, j)
				}
				KeepInts(s, i)
			}
		},
		Alloc64: func(n int) {
			for i := range n {
				Keep((*Bytes64)(unsafe.Pointer(unsafe.SliceData(make([]byte, 64)))), i)
			}
		},
		Realloc: func(n int) {
			for i := range n {
				b := make([]byte, reallocMin)
				b[0] = byte(i)
				for size := reallocMin; size < reallocMax; size *= 2 {
					more := make([]byte, 2*size)
					copy(more, b)
					b = more
				}
				KeepCopy(b)
			}
		},
		Mixed: func(n int) *Mix512 {
			var m mixer
			for i := range n {
				m.add8(new(Mix8), i)
				m.add16(new(Mix16), i)
				m.add24(new(Mix24), i)
				m.add40(new(Mix40), i)
				m.add48(new(Mix48), i)
				m.add64(new(Mix64), i)
				m.add80(new(Mix80), i)
				m.add96(new(Mix96), i)
				m.add128(new(Mix128), i)
				m.add192(new(Mix192), i)
				m.add256(new(Mix256), i)
				m.add512(new(Mix512), i)
			}
			return m.last
		},
		Remarks: map[string]string{
			"realloc": "a new slice and a copy: Go has no realloc",
		},
	}
}
