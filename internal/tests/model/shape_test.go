package model_test

import (
	"slices"
	"unsafe"

	"github.com/harena-go/arena/internal/tests/testkit"
)

// A shape is a Go type that the model test allocates.
type shape interface {
	newValue(w *world, ac *actor, how int)
	makeSlice(w *world, ac *actor, length, spare int, uninit bool)
}

// shapeOf is the shape of T. set stores a value other than zero, different for
// different x, in a T without padding; its pointers are to static data only,
// so that comparing memory byte for byte makes sense.
type shapeOf[T any] struct {
	set   func(p *T, x uint64)
	plain bool // T has no pointers
}

// plain is the shape of a T without pointers.
func plain[T any]() shape {
	return shapeOf[T]{plain: true, set: func(p *T, x uint64) {
		b := testkit.BytesAt(unsafe.Pointer(p), int(unsafe.Sizeof(*p)))
		for i := range b {
			b[i] = byte(x>>(i%8*8)) + byte(i) | 1
		}
	}}
}

var targets [16]int

var odds [4]testkit.Odd

func target(x uint64) *int { return &targets[x%16] }

// shapes holds types of all sizes that the fast paths tell apart.
var shapes = []shape{
	plain[struct{}](), plain[byte](), plain[[2]byte](), plain[uint32](), plain[[7]byte](), plain[uint64](),
	plain[[9]byte](), plain[[3]uint64](), plain[[64]byte](), plain[[100]byte](), plain[[512]byte](), plain[[5000]byte](),
	shapeOf[*int]{set: func(p **int, x uint64) { *p = target(x) }},
	shapeOf[string]{set: func(p *string, x uint64) { *p = testkit.Static[x%8 : 8+x%32] }},
	shapeOf[any]{set: func(p *any, x uint64) { *p = target(x) }},
	shapeOf[testkit.Node]{set: func(p *testkit.Node, x uint64) {
		*p = testkit.Node{Left: target(x), Right: target(x >> 4), N: uintptr(x) | 1}
	}},
	shapeOf[testkit.Odd]{set: func(p *testkit.Odd, x uint64) {
		*p = testkit.Odd{P: target(x), N: [2]uint32{uint32(x) | 1, uint32(x>>32) | 1}}
	}},
	shapeOf[*testkit.Odd]{set: func(p **testkit.Odd, x uint64) { *p = &odds[x%4] }}, // a pointer to another type of the list
	shapeOf[testkit.Late]{set: func(p *testkit.Late, x uint64) { *p = testkit.Late{P: target(x)}; p.N[x%7] = uintptr(x) | 1 }},
	shapeOf[testkit.Large]{set: func(p *testkit.Large, x uint64) {
		*p = testkit.Large{P: target(x), Q: target(x >> 4)}
		p.N[x%600] = uintptr(x) | 1
	}},
	shapeOf[[3]func()]{set: func(p *[3]func(), x uint64) { p[x%3] = func() {} }},
}

// newValue allocates one T.
func (sh shapeOf[T]) newValue(w *world, ac *actor, how int) {
	size := int(unsafe.Sizeof(*new(T)))
	w.asked(size, 8)
	var p *T
	var v T
	sh.set(&v, w.random())
	switch how {
	case 0:
		p = operationsFor[T](w).new(ac.a)
	case 1:
		p = operationsFor[T](w).newTyped(ac.a)
	default:
		p = operationsFor[T](w).newOf(ac.a, v)
		w.add(ac, unsafe.Pointer(p), testkit.BytesAt(unsafe.Pointer(&v), size), unsafe.Alignof(v))
		return
	}
	b := w.add(ac, unsafe.Pointer(p), make([]byte, size), unsafe.Alignof(v))
	*p = v
	if b != nil {
		copy(b.want, testkit.BytesAt(unsafe.Pointer(p), size))
	}
}

// sliceOf is a slice that the program may go on with.
type sliceOf[T any] struct {
	shape shapeOf[T]
	s     []T
	b     *block
	at    int // the step of its last change
}

func (sh shapeOf[T]) makeSlice(w *world, ac *actor, length, spare int, uninit bool) {
	size := int(unsafe.Sizeof(*new(T)))
	w.asked(size*(length+spare), 8)
	var s []T
	if uninit {
		s = operationsFor[T](w).makeSliceUninit(ac.a, length, length+spare)
	} else {
		s = operationsFor[T](w).makeSlice(ac.a, length, length+spare)
	}
	w.check(len(s) == length && cap(s) == length+spare, "length %d, capacity %d", len(s), cap(s))
	all := s[:cap(s)]
	uninit = uninit && sh.plain // the others are zero all the same
	if uninit {
		for i := range all { // over any contents
			var v T
			sh.set(&v, w.random())
			all[i] = v
		}
	}
	h := &sliceOf[T]{shape: sh, s: s, at: w.step}
	h.b = w.add(ac, unsafe.Pointer(unsafe.SliceData(s)), zeroedIf(!uninit, testkit.BytesOf(all)), unsafe.Alignof(*new(T)))
	h.fill(w)
	ac.slices = append(ac.slices, h)
}

// zeroedIf returns zeros of b's length, or a copy of b.
func zeroedIf(zero bool, b []byte) []byte {
	c := make([]byte, len(b))
	if !zero {
		copy(c, b)
	}
	return c
}

// fill writes to the slice, up to its length.
func (h *sliceOf[T]) fill(w *world) {
	for i := range h.s {
		h.shape.set(&h.s[i], w.random())
	}
	if h.b != nil {
		copy(h.b.want[h.offset():], testkit.BytesOf(h.s))
	}
}

// offset is where the slice starts in its block.
func (h *sliceOf[T]) offset() int {
	return int(uintptr(unsafe.Pointer(unsafe.SliceData(h.s))) - uintptr(h.b.ptr))
}

func (h *sliceOf[T]) changed() int { return h.at }

// grow appends n items or makes room for them.
func (h *sliceOf[T]) grow(w *world, ac *actor, how, n int) {
	size := int(unsafe.Sizeof(*new(T)))
	n = min(n, 1+16<<10/max(size, 1)) // or the programs take for ever
	w.asked(max(2*cap(h.s), len(h.s)+n, 32)*size, 8)
	items := make([]T, n)
	for i := range items {
		h.shape.set(&items[i], w.random())
	}
	var got []T
	switch how {
	case 0:
		got = operationsFor[T](w).append(ac.a, h.s, items...)
	case 1:
		got = operationsFor[T](w).grow(ac.a, h.s, n)
		w.check(cap(got)-len(got) >= n, "Grow by %d: length %d, capacity %d", n, len(got), cap(got))
		items = nil
	default:
		w.exact = false // a part may be appended before the limit is met
		if h.b != nil { // the first ones go where s is, even if it moves then
			n := min(n, cap(h.s)-len(h.s))
			copy(h.b.want[h.offset()+len(h.s)*size:], testkit.BytesOf(items[:n]))
		}
		if cap(h.s) == 0 {
			got = operationsFor[T](w).collect(ac.a, slices.Values(items))
		} else {
			got = operationsFor[T](w).appendSeq(ac.a, h.s, slices.Values(items))
		}
	}
	h.became(w, ac, got, items)
}

// became compares got, which is h.s with items appended, with the model.
func (h *sliceOf[T]) became(w *world, ac *actor, got, items []T) {
	old, size := h.s, int(unsafe.Sizeof(*new(T)))
	w.check(len(got) == len(old)+len(items), "length %d after %d and %d more", len(got), len(old), len(items))
	h.s, h.at = got, w.step
	switch {
	case size == 0 || cap(got) == 0:
	case h.b != nil && cap(old) > 0 && unsafe.SliceData(old) == unsafe.SliceData(got):
		off := h.offset()
		if more := (cap(got) - cap(old)) * size; more > 0 {
			w.check(off+cap(old)*size == len(h.b.want), "a slice grew over the rest of the one that it is a part of")
			h.b.want = append(h.b.want, make([]byte, more)...)
		}
		at := uintptr(unsafe.Pointer(unsafe.SliceData(got)))
		w.check(off > 0 || cap(got)*size < 8 || at%8 == 0, "a slice has grown from %d to %d bytes at %x", cap(old)*size, cap(got)*size, at)
		copy(h.b.want[off+len(old)*size:], testkit.BytesOf(items))
		w.compare(h.b)
	default:
		want := make([]byte, cap(got)*size)
		n := copy(want, testkit.BytesOf(old))
		copy(want[n:], testkit.BytesOf(items))
		h.b = w.add(ac, unsafe.Pointer(unsafe.SliceData(got)), want, unsafe.Alignof(*new(T)))
	}
}

// part adds a slice of the slice: s[from:], or s[:to:to].
func (h *sliceOf[T]) part(w *world, ac *actor, tail bool, n int) {
	c := &sliceOf[T]{shape: h.shape, b: h.b, at: w.step}
	n = min(n, len(h.s))
	if tail {
		c.s = h.s[n:]
	} else {
		c.s = h.s[:n:n]
	}
	if cap(c.s) == 0 {
		c.b = nil
	}
	ac.slices = append(ac.slices, c)
}

// copyTo adds a copy in an arena.
func (h *sliceOf[T]) copyTo(w *world, ac *actor) {
	w.asked(len(testkit.BytesOf(h.s)), 8)
	c := &sliceOf[T]{shape: h.shape, s: operationsFor[T](w).copySlice(ac.a, h.s), at: w.step}
	w.check(len(c.s) == len(h.s) && cap(c.s) == len(h.s), "CopySlice: length %d, capacity %d of %d", len(c.s), cap(c.s), len(h.s))
	c.b = w.add(ac, unsafe.Pointer(unsafe.SliceData(c.s)), append([]byte(nil), testkit.BytesOf(h.s)...), unsafe.Alignof(*new(T)))
	ac.slices = append(ac.slices, c)
}
