package layout

import (
	"fmt"
	"reflect"
	"testing"
	"unsafe"
)

type list struct {
	next *list
	n    int
}

// check compares T's layout in the descriptor, in reflect and in the compiler.
func check[T any](t *testing.T, pointers bool) {
	t.Helper()
	zero := any((*T)(nil))
	var v T
	for _, trusted := range []bool{true, false} {
		Trusted = trusted
		l := Of(zero)
		if l.Size != uint(unsafe.Sizeof(v)) || int(l.Align) != int(unsafe.Alignof(v)) || (l.PtrBytes > 0) != pointers || l.PtrBytes > l.Size {
			t.Errorf("%v, trusted %v: size %d, alignment %d, %d bytes of pointers", reflect.TypeFor[T](), trusted, l.Size, l.Align, l.PtrBytes)
		}
		if Of(zero) != l || Of((*T)(nil)) != l || unsafe.Pointer(l) == Key(zero) {
			t.Errorf("%v, trusted %v: not a key", reflect.TypeFor[T](), trusted)
		}
	}
	Trusted = true
}

func TestOf(t *testing.T) {
	if !Trusted {
		t.Fatal("the descriptors of this toolchain are not known")
	}
	defer func() { Trusted = true }()
	check[bool](t, false)
	check[int](t, false)
	check[uintptr](t, false)
	check[complex128](t, false)
	check[struct{}](t, false)
	check[[0]string](t, false)
	check[[3]uint16](t, false)
	check[struct {
		_ [0]*int
		n int64
	}](t, false)
	check[struct {
		a byte
		b [2]struct{ c float64 }
	}](t, false)
	check[string](t, true)
	check[[]byte](t, true)
	check[any](t, true)
	check[error](t, true)
	check[fmt.Stringer](t, true)
	check[func()](t, true)
	check[chan int](t, true)
	check[map[int]int](t, true)
	check[unsafe.Pointer](t, true)
	check[[1]func()](t, true)
	check[[2][3]string](t, true)
	check[list](t, true)
	check[struct {
		n [100]int
		p *int
	}](t, true)
	check[struct{ a, b struct{ c []int } }](t, true)
	check[reflect.Value](t, true)
}

// TestKeysDiffer: both kinds of keys tell types apart. They don't mix: the Key
// of T is what Of returns for *T.
func TestKeysDiffer(t *testing.T) {
	type twin list
	keys, layouts := map[unsafe.Pointer]bool{}, map[*Type]bool{}
	zeros := []any{(*list)(nil), (*twin)(nil), (*int)(nil), (*uint)(nil), (**list)(nil)}
	for _, zero := range zeros {
		keys[Key(zero)] = true
		layouts[Of(zero)] = true
	}
	if len(keys) != len(zeros) || len(layouts) != len(zeros) {
		t.Errorf("%d keys and %d layouts of %d types", len(keys), len(layouts), len(zeros))
	}
}
