package collections

import (
	"iter"
	"math/bits"
	"unsafe"

	"github.com/harena-go/arena"
	"github.com/harena-go/arena/internal/tuning"
)

// A Deque is a queue with two ends, in an arena. [NewDeque] makes one; the zero Deque is an empty
// one on the Go heap. It must not be copied after its first use.
//
// All operations take constant time, but one push in many doubles the capacity. An element takes
// its size, up to twice that with the spare capacity, and as much again in the memory that growing
// left behind.
type Deque[T any] struct {
	_     noCopy
	_     cloning[Deque[T]]
	arena *arena.Arena
	ring  []T // its length is a power of two; elements from head on, continued at the start
	head  int
	n     int
}

// NewDeque returns an empty deque in a with room for capacity elements. It panics
// as [arena.MakeSlice] does.
func NewDeque[T any](a *arena.Arena, capacity int) *Deque[T] {
	if capacity < 0 {
		panicNegative("NewDeque", "capacity", capacity)
	}
	first := Deque[T]{arena: a} // its ring comes first: if a limit refuses it, nothing was allocated
	if capacity > 0 {
		first.resize("NewDeque", capacity)
	}
	d := arena.New[Deque[T]](a)
	d.arena, d.ring = a, first.ring
	return d
}

// Len returns the number of elements.
func (d *Deque[T]) Len() int { return d.n }

// at returns the address of element i.
func (d *Deque[T]) at(i int) *T { return &d.ring[(d.head+i)&(len(d.ring)-1)] }

// At returns element i, counted from the front. It panics if there is none.
func (d *Deque[T]) At(i int) T {
	d.check("Deque.At", i)
	return *d.at(i)
}

// Set sets element i to v. It panics if there is none.
func (d *Deque[T]) Set(i int, v T) {
	d.check("Deque.Set", i)
	*d.at(i) = v
}

func (d *Deque[T]) check(op string, i int) {
	if uint(i) >= uint(d.n) {
		panicIndex(op, i, d.n)
	}
}

// PushBack adds v at the end.
func (d *Deque[T]) PushBack(v T) {
	if d.n == len(d.ring) {
		d.resize("Deque.PushBack", 1)
	}
	*d.at(d.n) = v
	d.n++
}

// PushFront adds v at the front.
func (d *Deque[T]) PushFront(v T) {
	if d.n == len(d.ring) {
		d.resize("Deque.PushFront", 1)
	}
	d.head = (d.head - 1) & (len(d.ring) - 1)
	d.n++
	*d.at(0) = v
}

// PopFront takes the first element. It panics if there is none.
func (d *Deque[T]) PopFront() T {
	if d.n == 0 {
		panicEmpty("Deque.PopFront")
	}
	v := d.take(0)
	d.head = (d.head + 1) & (len(d.ring) - 1)
	return v
}

// PopBack takes the last element. It panics if there is none.
func (d *Deque[T]) PopBack() T {
	if d.n == 0 {
		panicEmpty("Deque.PopBack")
	}
	return d.take(d.n - 1)
}

// take removes and returns an element, and clears its place.
func (d *Deque[T]) take(i int) T {
	p := d.at(i)
	v := *p
	*p = *new(T)
	d.n--
	return v
}

// Front returns the first element, or false.
func (d *Deque[T]) Front() (v T, ok bool) {
	if d.n == 0 {
		return v, false
	}
	return *d.at(0), true
}

// Back returns the last element, or false.
func (d *Deque[T]) Back() (v T, ok bool) {
	if d.n == 0 {
		return v, false
	}
	return *d.at(d.n - 1), true
}

// Grow makes room for n more elements. It panics if n is negative or out of range.
func (d *Deque[T]) Grow(n int) {
	if n < 0 {
		panicNegative("Deque.Grow", "n", n)
	}
	if n > len(d.ring)-d.n {
		d.resize("Deque.Grow", n)
	}
}

// resize makes room for n more elements.
//
//go:noinline
func (d *Deque[T]) resize(op string, n int) {
	maxRing := 1 << (bits.Len(uint(maxBytes/max(1, unsafe.Sizeof(*new(T))))) - 1)
	if n > maxRing-d.n {
		panicRange(op, n, maxRing-d.n)
	}
	size := max(tuning.MinRing, len(d.ring))
	for size < d.n+n {
		size *= 2
	}
	old := len(d.ring)
	d.ring = arena.Grow(d.arena, d.ring, size-old)[:size] // zero from old on
	if over := d.head + d.n - old; over > 0 {             // elements at the start move behind the old end
		copy(d.ring[old:], d.ring[:over])
		clear(d.ring[:over])
	}
}

// Clear deletes all elements and keeps the memory.
func (d *Deque[T]) Clear() {
	end := d.head + d.n
	clear(d.ring[d.head:min(end, len(d.ring))])
	clear(d.ring[:max(0, end-len(d.ring))])
	d.head, d.n = 0, 0
}

// Clone returns a copy in a, which may differ from the deque's arena.
func (d *Deque[T]) Clone(a *arena.Arena) *Deque[T] {
	c := NewDeque[T](a, d.n)
	for _, v := range d.All() {
		c.PushBack(v)
	}
	return c
}

// All returns an iterator over indexes and elements, from the front.
func (d *Deque[T]) All() iter.Seq2[int, T] {
	return func(yield func(int, T) bool) {
		for i := 0; i < d.n; i++ {
			if !yield(i, *d.at(i)) {
				return
			}
		}
	}
}

// Backward returns an iterator over indexes and elements, from the back.
func (d *Deque[T]) Backward() iter.Seq2[int, T] {
	return func(yield func(int, T) bool) {
		for i := d.n - 1; i >= 0; i-- {
			if i < d.n && !yield(i, *d.at(i)) {
				return
			}
		}
	}
}
