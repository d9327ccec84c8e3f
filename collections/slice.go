package collections

import (
	"iter"
	"slices"
	"unsafe"

	"github.com/harena-go/arena"
	"github.com/harena-go/arena/internal/tuning"
)

// A Slice is a slice that grows in an arena. [NewSlice] makes one; the zero Slice is an empty one
// on the Go heap. It must not be copied after its first use, as both would append to the same
// memory.
//
// It doubles when it is full. It grows in place if no other slice of its arena came after it, or if
// it has a chunk of its own; see [arena.Append]. Appending takes constant time on average. An
// element takes its size, up to twice that with the spare capacity, and as much again in the memory
// that growing left behind.
type Slice[T any] struct {
	_     noCopy
	_     cloning[Slice[T]]
	_     sliceCoding[T]
	arena *arena.Arena
	s     []T
}

// NewSlice returns an empty slice in a, with the given capacity. It panics as
// [arena.MakeSlice] does.
func NewSlice[T any](a *arena.Arena, capacity int) *Slice[T] {
	var items []T // first: if a limit refuses them, nothing was allocated
	if capacity != 0 {
		items = arena.MakeSlice[T](a, 0, capacity)
	}
	s := arena.New[Slice[T]](a)
	s.arena, s.s = a, items
	return s
}

// Slice returns the elements. It shares memory with s: both see a change to an element, until s
// moves to grow.
func (s *Slice[T]) Slice() []T { return s.s }

// Len returns the number of elements.
func (s *Slice[T]) Len() int { return len(s.s) }

// Cap returns the capacity in elements.
func (s *Slice[T]) Cap() int { return cap(s.s) }

// At returns element i. It panics if there is none, as indexing does.
func (s *Slice[T]) At(i int) T { return s.s[i] }

// Set sets element i to v. It panics if there is none.
func (s *Slice[T]) Set(i int, v T) { s.s[i] = v }

// Append adds items at the end.
func (s *Slice[T]) Append(items ...T) {
	appendOne(s, items, func() {
		//arenavet:ignore there is room
		s.s = append(room(s.arena, s.s, len(items)), items...)
	})
}

// appendOne is Append. As in [arena.Append], the slow path is a function literal passed as a
// parameter, so Append is inlined too, and the items stay on the stack.
func appendOne[T any](s *Slice[T], items []T, other func()) {
	if len(items) != 1 || len(s.s) == cap(s.s) {
		other()
		return
	}
	s.s = append(s.s, items[0])
}

// room returns s with room for n more elements.
//
//go:noinline
func room[T any](a *arena.Arena, s []T, n int) []T {
	if cap(s) == 0 && n > 0 {
		n = max(n, tuning.FirstBytes/max(1, int(unsafe.Sizeof(*new(T)))))
	}
	return arena.Grow(a, s, n)
}

// AppendSeq adds the values of seq at the end.
func (s *Slice[T]) AppendSeq(seq iter.Seq[T]) {
	for v := range seq {
		s.Append(v)
	}
}

// Insert adds items before element i, or at the end if i is the length. It panics if
// i is out of range.
func (s *Slice[T]) Insert(i int, items ...T) {
	if len(items) > cap(s.s)-len(s.s) {
		s.Grow(len(items))
	}
	s.s = slices.Insert(s.s, i, items...)
}

// Delete deletes the elements from i up to but not including j, and moves the later ones
// forward. It panics if s.Slice()[i:j] does.
func (s *Slice[T]) Delete(i, j int) { s.s = slices.Delete(s.s, i, j) }

// Clear deletes all elements and keeps the memory.
func (s *Slice[T]) Clear() { s.Delete(0, len(s.s)) }

// Grow makes room for n more elements. It panics if n is negative.
func (s *Slice[T]) Grow(n int) { s.s = arena.Grow(s.arena, s.s, n) }

// Clip drops the spare capacity, as slices.Clip does: appending to the result of Slice then copies.
// The memory stays in use until the arena's Reset.
func (s *Slice[T]) Clip() { s.s = slices.Clip(s.s) }

// Sort sorts the elements, as slices.SortFunc does: cmp.Compare[T], for instance, is
// the order of numbers and strings.
func (s *Slice[T]) Sort(compare func(x, y T) int) { slices.SortFunc(s.s, compare) }

// SortStable is Sort, and keeps equal elements in their order.
func (s *Slice[T]) SortStable(compare func(x, y T) int) { slices.SortStableFunc(s.s, compare) }

// Clone returns a copy in a, which may differ from the slice's arena.
func (s *Slice[T]) Clone(a *arena.Arena) *Slice[T] {
	c := NewSlice[T](a, len(s.s))
	c.Append(s.s...)
	return c
}

// All returns an iterator over indexes and elements.
func (s *Slice[T]) All() iter.Seq2[int, T] { return slices.All(s.s) }

// Values returns an iterator over the elements.
func (s *Slice[T]) Values() iter.Seq[T] { return slices.Values(s.s) }

// Backward returns an iterator over indexes and elements, from the last to the first.
func (s *Slice[T]) Backward() iter.Seq2[int, T] { return slices.Backward(s.s) }
