package arena

import (
	"reflect"
	"unsafe"

	"github.com/harena-go/arena/internal/engine/layout"
	"github.com/harena-go/arena/internal/engine/memory"
)

// This file holds allocators of one type, for which the region is found beforehand. It may not
// know whether that is the plain one or a slab's.

// A Typed allocates values of one type from an arena, without looking up what
// to do with that type each time: about twice as fast as [New] for types with
// pointers, and the same for others. It stays usable after Reset and Rewind;
// like the arena, it belongs to one goroutine at a time. After Free its New
// panics. A Typed comes from [For]; the zero Typed can't be used.
type Typed[T any] struct {
	region *memory.Region
	arena  *Arena
}

// For returns an allocator of T from a. A nil a is the Go heap.
func For[T any](a *Arena) *Typed[T] {
	return &Typed[T]{typedRegion(a, (*T)(nil)), a}
}

// heap is the region of all Typed of nil arenas. Its window is never open.
var heap memory.Region

// typedRegion returns the region for single values of the type to which zero is a nil
// pointer. It stays the same for as long as the arena lives, hence a Typed may keep it; Free
// leaves it with an empty window, so that the slow path says what has ended.
func typedRegion(a *Arena, zero any) *memory.Region {
	if a == nil {
		return &heap
	}
	a.check("For")
	t := layout.Of(zero)
	if t.PtrBytes <= a.plain.UpTo {
		return &a.plain
	}
	a.enter("For")
	s := a.slabOfObjects(t, zero)
	a.leave()
	return &s.Region
}

// New allocates a zero T. It is inlined, and panics as the function New does.
func (t *Typed[T]) New() (p *T) {
	return (*T)(memory.TakeTyped(t.region, t.arena, p, unsafe.Sizeof(*p), typedSlow))
}

// typedSlow is newSlow for a Typed, whose arena may be nil.
func typedSlow(a *Arena, zero any) unsafe.Pointer {
	if a == nil {
		return reflect.New(reflect.TypeOf(zero).Elem()).UnsafePointer()
	}
	return newSlow(a, zero)
}
