package collections

import (
	"iter"
	"math/bits"

	"github.com/harena-go/arena"
)

// A Segmented is a list in an arena whose elements never move: a pointer to one is valid for as
// long as the list. [NewSegmented] makes one; the zero Segmented is an empty one on the Go heap. It
// must not be copied after its first use.
//
// A [Slice] that grows while others do leaves old copies behind, together as large as itself. A
// Segmented grows by segments and leaves nothing behind. It is for postings, tokens, children, and
// other lists that are built many at a time.
//
// All operations take constant time. An element takes its size, up to twice that while there are
// few, and from some thousand elements on hardly more.
type Segmented[T any] struct {
	_     noCopy
	_     cloning[Segmented[T]]
	arena *arena.Arena
	segs  [][]T // all of them full but for the last; their lengths are segmentLen
	n     int
}

// The first segment has 8 elements, each further one twice as many, up to 1,024: 8 of them double,
// and have 2,040 elements together.
const (
	firstSegment = 8
	doubling     = 8
	doubled      = firstSegment * (1<<doubling - 1)
	fullSegment  = firstSegment << (doubling - 1)
)

// segmentLen returns the capacity of segment k in elements.
func segmentLen(k int) int { return firstSegment << min(k, doubling-1) }

// place returns the segment of element i, and its index there.
func place(i int) (k, at int) {
	if i < doubled {
		k = bits.Len(uint(i)/firstSegment+1) - 1
		return k, i - firstSegment*(1<<k-1)
	}
	return doubling + (i-doubled)/fullSegment, (i - doubled) % fullSegment
}

// NewSegmented returns an empty list in a. It panics as [arena.New] does.
func NewSegmented[T any](a *arena.Arena) *Segmented[T] {
	s := arena.New[Segmented[T]](a)
	s.arena = a
	return s
}

// Len returns the number of elements.
func (s *Segmented[T]) Len() int { return s.n }

// Push adds v at the end, and returns a pointer to it, which stays valid. It panics as
// [arena.MakeSlice] does.
func (s *Segmented[T]) Push(v T) *T {
	k, at := place(s.n)
	if k == len(s.segs) {
		size := segmentLen(k)
		s.segs = arena.Append(s.arena, s.segs, arena.MakeSlice[T](s.arena, size, size))
	}
	p := &s.segs[k][at]
	*p = v
	s.n++
	return p
}

// Append adds all items at the end. It panics as Push does.
func (s *Segmented[T]) Append(items ...T) {
	for _, v := range items {
		s.Push(v)
	}
}

// Ref returns a pointer to element i, which stays valid. It panics if there is no such element.
func (s *Segmented[T]) Ref(i int) *T {
	s.check("Segmented.Ref", i)
	k, at := place(i)
	return &s.segs[k][at]
}

// At returns element i. It panics if there is none.
func (s *Segmented[T]) At(i int) T {
	s.check("Segmented.At", i)
	k, at := place(i)
	return s.segs[k][at]
}

// Set sets element i to v. It panics if there is none.
func (s *Segmented[T]) Set(i int, v T) {
	s.check("Segmented.Set", i)
	k, at := place(i)
	s.segs[k][at] = v
}

func (s *Segmented[T]) check(op string, i int) {
	if uint(i) >= uint(s.n) {
		panicIndex(op, i, s.n)
	}
}

// Clear removes all elements, and sets them to zero. The segments stay for new elements.
func (s *Segmented[T]) Clear() {
	for seg := range s.Segments() {
		clear(seg)
	}
	s.n = 0
}

// Clone returns a copy of the list in a. It is shallow, as [slices.Clone] is.
func (s *Segmented[T]) Clone(a *arena.Arena) *Segmented[T] {
	c := NewSegmented[T](a)
	for seg := range s.Segments() {
		c.Append(seg...)
	}
	return c
}

// Segments yields the elements as consecutive slices: the fastest way to iterate. The slices share
// memory with the list. Elements that are added meanwhile may be missing.
func (s *Segmented[T]) Segments() iter.Seq[[]T] {
	return func(yield func([]T) bool) {
		left := s.n
		for _, seg := range s.segs {
			seg = seg[:min(left, len(seg))]
			if left -= len(seg); len(seg) == 0 || !yield(seg) {
				return
			}
		}
	}
}

// All yields all elements with their indices. Elements that are added meanwhile may be missing.
func (s *Segmented[T]) All() iter.Seq2[int, T] {
	return func(yield func(int, T) bool) {
		i := 0
		for seg := range s.Segments() {
			for _, v := range seg {
				if !yield(i, v) {
					return
				}
				i++
			}
		}
	}
}

// Values yields all elements, as All does.
func (s *Segmented[T]) Values() iter.Seq[T] {
	return func(yield func(T) bool) {
		for _, v := range s.All() {
			if !yield(v) {
				return
			}
		}
	}
}
