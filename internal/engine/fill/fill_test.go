package fill

import (
	"reflect"
	"testing"
	"unsafe"
)

type inner struct {
	b bool
	p *int
}

// all has a field of each kind of type, some of them nested.
type all struct {
	n     uint32
	p     *int
	s     []string
	str   string
	m     map[int]int
	i     any
	c     chan int
	f     func()
	u     unsafe.Pointer
	in    inner
	array [2]inner
	plain [3]struct{ a, b uint16 }
	empty struct{}
	none  [0]*int
	_     *int
	last  byte
}

// words returns the memory of v as words of 4 bytes.
func words(v *all) []uint32 {
	return unsafe.Slice((*uint32)(unsafe.Pointer(v)), unsafe.Sizeof(*v)/4)
}

// TestDead: no part of a value is left unchanged, except padding, and each pointer is the trap.
func TestDead(t *testing.T) {
	n := 7
	trap := Trap(3, 4)
	values := [2]all{}
	for i := range values {
		values[i] = all{1, &n, []string{"a"}, "b", map[int]int{}, n, make(chan int), func() {}, unsafe.Pointer(&n),
			inner{true, &n}, [2]inner{{true, &n}, {true, &n}}, [3]struct{ a, b uint16 }{}, struct{}{}, [0]*int{}, &n, 1}
	}
	typ := reflect.TypeFor[all]()
	Dead(typ, unsafe.Pointer(&values), len(values), trap)
	if _, ok := Untouched(typ, unsafe.Pointer(&values), len(values), trap); !ok {
		t.Error("touched, right after Dead")
	}
	for i := range values {
		v := &values[i]
		if v.n != 0xdbdbdbdb || v.last != Byte || v.plain[2].b != 0xdbdb || unsafe.Pointer(v.p) != trap || v.u != trap ||
			unsafe.Pointer(unsafe.SliceData(v.s)) != trap || len(v.s) != Len || cap(v.s) != Len ||
			unsafe.Pointer(unsafe.StringData(v.str)) != trap || len(v.str) != Len ||
			unsafe.Pointer(v.in.p) != trap || unsafe.Pointer(v.array[1].p) != trap {
			t.Errorf("value %d: % x", i, words(v))
		}
		for _, at := range []unsafe.Pointer{unsafe.Pointer(&v.m), unsafe.Pointer(&v.i), unsafe.Add(unsafe.Pointer(&v.i), word),
			unsafe.Pointer(&v.c), unsafe.Pointer(&v.f)} {
			if *(*unsafe.Pointer)(at) != trap {
				t.Errorf("value %d: no trap at offset %d", i, uintptr(at)-uintptr(unsafe.Pointer(v)))
			}
		}
	}
}

// TestUntouched: a change of any word is noticed, except in padding.
func TestUntouched(t *testing.T) {
	trap := Trap(1, 2)
	typ := reflect.TypeFor[all]()
	missed := 0
	for i := range words(new(all)) {
		v := new(all)
		Dead(typ, unsafe.Pointer(v), 1, trap)
		words(v)[i] ^= 0x01010101
		if _, ok := Untouched(typ, unsafe.Pointer(v), 1, trap); ok {
			missed++
		}
	}
	// Padding: behind n, three bools, plain and last.
	if most := 6; missed > most {
		t.Errorf("%d words whose change isn't noticed", missed)
	}
	b := make([]byte, 1000)
	for _, at := range []int{0, 1, 500, 999} {
		Dead(reflect.TypeFor[byte](), unsafe.Pointer(&b[0]), len(b), trap)
		b[at] = 0
		if _, ok := Untouched(reflect.TypeFor[byte](), unsafe.Pointer(&b[0]), len(b), trap); ok {
			t.Errorf("byte %d has changed", at)
		}
	}
}

// TestExplain: each trap is explained, also with an offset, and other addresses aren't.
func TestExplain(t *testing.T) {
	if Trap(0, 0) == nil {
		t.Skip("there is no memory to reserve here: dead pointers are nil")
	}
	r := reserved()
	for _, c := range []struct{ arena, times uint }{{0, 0}, {1, 0}, {0, 1}, {r.arenas - 1, r.times - 1}, {r.arenas + 2, r.times + 3}} {
		for _, off := range []uintptr{0, 8, slot - 1} {
			addr := uintptr(Trap(c.arena, c.times)) + off
			arena, times, ok := Explain(addr)
			if !ok || arena != c.arena%r.arenas || times != c.times%r.times {
				t.Errorf("Trap(%d, %d)+%d: arena %d, times %d, %v", c.arena, c.times, off, arena, times, ok)
			}
		}
	}
	for _, addr := range []uintptr{0, uintptr(unsafe.Pointer(new(int))), uintptr(r.base) - 1, uintptr(r.base) + r.size()} {
		if _, _, ok := Explain(addr); ok {
			t.Errorf("%#x is explained", addr)
		}
	}
}

// TestBytesUnseen overwrites all bytes, and no other.
func TestBytesUnseen(t *testing.T) {
	for n := range 70 {
		b := make([]byte, n+2)
		if n > 0 {
			BytesUnseen(unsafe.Pointer(&b[1]), uintptr(n))
		}
		for i, c := range b {
			if want := 0 < i && i <= n; want != (c == Byte) {
				t.Errorf("byte %d of %d is %#x", i, n, c)
			}
		}
	}
}
