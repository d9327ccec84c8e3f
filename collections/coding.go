package collections

import (
	"reflect"
	"unsafe"

	"github.com/harena-go/arena"
)

// This file is for decoders and encoders, such as package arenajson, which know a container only by
// its reflect.Type. A Map and a Slice have a field of a type of size zero, whose methods get the
// container's address. They are found by reflection, as those of cloning are. So neither package
// has to import the other, and the unsafe part isn't in the API.
//
// Each address passed in is that of a container, key or value of the type that Types returned (fact
// 7), and each returned address is in one.

// mapCoding is the type of such a field of Map[K, V].
type mapCoding[K comparable, V any] struct{}

// Types returns the type of the map, and those of its keys and values.
func (mapCoding[K, V]) Types() (container, key, value reflect.Type) {
	return reflect.TypeFor[Map[K, V]](), reflect.TypeFor[K](), reflect.TypeFor[V]()
}

// Adopt assigns the map to arena a if it has no memory yet and is on the Go heap, like a zero Map.
// It returns the map's arena.
func (mapCoding[K, V]) Adopt(at unsafe.Pointer, a *arena.Arena) *arena.Arena {
	m := (*Map[K, V])(at)
	if m.arena == nil && m.cap == 0 {
		m.arena = a
	}
	return m.arena
}

// Len returns the number of entries.
func (mapCoding[K, V]) Len(at unsafe.Pointer) int { return (*Map[K, V])(at).n }

// Forget makes the map an empty one without memory, in constant time.
func (mapCoding[K, V]) Forget(at unsafe.Pointer) {
	m := (*Map[K, V])(at)
	m.n, m.tags, m.index, m.entries = 0, tags{}, index{}, entries[K, V]{}
}

// Place returns the address of a key's value. If there is no entry it makes one with a zero value.
// The address is valid until the next entry is added, or this one is deleted.
func (mapCoding[K, V]) Place(at, key unsafe.Pointer) (value unsafe.Pointer, found bool) {
	m, k := (*Map[K, V])(at), *(*K)(key)
	e, found := m.place(k)
	if !found {
		var zero V
		e.value = zero
	} else if m.hasher.Kind.Distinguishes() {
		e.key = k
	}
	return unsafe.Pointer(&e.value), found
}

// Number returns the number of a key's entry, which must exist. It is less than the largest number
// of entries so far, and doesn't change until the entry is deleted.
func (mapCoding[K, V]) Number(at, key unsafe.Pointer) int {
	m, k := (*Map[K, V])(at), *(*K)(key)
	i, _ := m.search(m.hash(k), k)
	if !m.none() {
		i = int(uint32(m.slots[i]))
	}
	return i
}

// Next returns the addresses of the key and the value of the first entry whose number isn't less
// than i, and the number after it. Without one it returns nil. Iteration begins with 0.
func (mapCoding[K, V]) Next(at unsafe.Pointer, i int) (key, value unsafe.Pointer, next int) {
	m := (*Map[K, V])(at)
	for ; i < m.used; i++ {
		if m.live(i) {
			e := m.at(uint32(i))
			return unsafe.Pointer(&e.key), unsafe.Pointer(&e.value), i + 1
		}
	}
	return nil, nil, i
}

// sliceCoding is the type of such a field of Slice[T].
type sliceCoding[T any] struct{}

// Types returns the type of the slice, and that of its items.
func (sliceCoding[T]) Types() (container, items reflect.Type) {
	return reflect.TypeFor[Slice[T]](), reflect.TypeFor[[]T]()
}

// Adopt is mapCoding.Adopt for slices.
func (sliceCoding[T]) Adopt(at unsafe.Pointer, a *arena.Arena) *arena.Arena {
	s := (*Slice[T])(at)
	if s.arena == nil && cap(s.s) == 0 {
		s.arena = a
	}
	return s.arena
}

// Items returns the address of the elements, a []T that may be replaced by another one in the same
// arena.
func (sliceCoding[T]) Items(at unsafe.Pointer) unsafe.Pointer {
	return unsafe.Pointer(&(*Slice[T])(at).s)
}
