package collections

import (
	"iter"

	"github.com/harena-go/arena"
)

// A Set is a set of values in an arena. It is a [Map] without values, and the documentation of Map
// holds here too. [NewSet] makes one; the zero Set is an empty one on the Go heap. It must not be
// copied after its first use.
//
// An element takes its size and, on average, 16 bytes of the index.
type Set[T comparable] struct {
	m Map[T, struct{}]
}

// NewSet returns an empty set in a with room for about hint elements. It panics if hint is
// negative, or above the maximum, and as [arena.New] does.
func NewSet[T comparable](a *arena.Arena, hint int) *Set[T] {
	checkHint("NewSet", hint)
	s := arena.New[Set[T]](a)
	s.m.init(a, hint)
	return s
}

// Len returns the number of elements.
func (s *Set[T]) Len() int { return s.m.n }

// Has reports whether v is in the set.
func (s *Set[T]) Has(v T) bool { return s.m.find(v) != nil }

// Add adds v, and reports whether it wasn't there.
func (s *Set[T]) Add(v T) bool {
	_, found := s.m.place(v)
	return !found
}

// Insert adds the values of seq.
func (s *Set[T]) Insert(seq iter.Seq[T]) {
	for v := range seq {
		s.Add(v)
	}
}

// Delete deletes v, and reports whether it was there.
func (s *Set[T]) Delete(v T) bool {
	_, found := s.m.LoadAndDelete(v)
	return found
}

// Clear deletes all elements, and keeps the memory for others.
func (s *Set[T]) Clear() { s.m.Clear() }

// Clone returns a copy in a, which may differ from the set's arena.
func (s *Set[T]) Clone(a *arena.Arena) *Set[T] {
	c := NewSet[T](a, s.Len())
	c.Insert(s.All())
	return c
}

// All returns an iterator over the elements, in no particular order. The set may be
// changed meanwhile, as a [Map] may in a loop.
func (s *Set[T]) All() iter.Seq[T] { return s.m.Keys() }
