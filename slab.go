package arena

import (
	"reflect"
	"unsafe"

	"github.com/harena-go/arena/internal/block"
	"github.com/harena-go/arena/internal/layout"
)

// A slab is a region for the values of one type with pointers. Its chunks are
// ordinary []T, so the GC finds what they point to.
//
// An arena finds the slab of a type through a small hash table, by the address
// of the type's descriptor, which the caller of New has as a constant.
type slab struct {
	objects unsafe.Pointer // layout.Key of the type, if single values come from here
	region
	key  unsafe.Pointer // of the type for slices, as objects for single values if those differ
	kind block.Typed    // makes and erases chunks of the type
}

// firstShare: a slab's first chunk is this part of the arena's, so that ten
// types in a small arena don't cost ten chunks.
const firstShare = 8

// slabOf returns the slab of a type.
func (a *Arena) slabOf(t *layout.Type, zero any) *slab {
	if s := a.findSlab(unsafe.Pointer(t)); s != nil {
		return s
	}
	return a.newSlab(unsafe.Pointer(t), reflect.TypeOf(zero).Elem())
}

// slabOfObjects returns the slab for single values of a type. It is the same
// as slabOf's, but for types of 12, 20, 28 ... bytes on 32-bit machines: single
// values are aligned to 8 bytes there, which the elements of a []T are not, so
// that they come from a []struct{T; padding}.
func (a *Arena) slabOfObjects(t *layout.Type, zero any) *slab {
	if is32bit && t.Size > objectAlign && t.Size%objectAlign != 0 {
		return a.slabOfPadded(t, zero)
	}
	s := a.slabOf(t, zero)
	s.objects = layout.Key(zero)
	return s
}

const is32bit = unsafe.Sizeof(uintptr(0)) == 4

func (a *Arena) slabOfPadded(t *layout.Type, zero any) *slab {
	// Not layout.Key(zero), which is also the key of the slab of *T.
	key := unsafe.Add(unsafe.Pointer(t), 1)
	if s := a.findSlab(key); s != nil {
		return s
	}
	pad := reflect.ArrayOf(int(-t.Size&(objectAlign-1)), reflect.TypeFor[byte]())
	s := a.newSlab(key, reflect.StructOf([]reflect.StructField{
		{Name: "Value", Type: reflect.TypeOf(zero).Elem()},
		{Name: "Pad", Type: pad},
	}))
	s.objects = layout.Key(zero)
	return s
}

// typ returns the type of the values: that of the elements without the padding
// of slabOfPadded.
func (s *slab) typ() reflect.Type {
	t := s.kind.Elem()
	if is32bit && uintptr(s.key)&1 != 0 {
		return t.Field(0).Type
	}
	return t
}

// findSlab returns the slab with the key, or nil.
func (a *Arena) findSlab(key unsafe.Pointer) *slab {
	if len(a.table) == 0 {
		return nil
	}
	for i := hash(key); ; i++ {
		s := a.table[i&uintptr(len(a.table)-1)]
		if s == nil || s.key == key {
			return s
		}
	}
}

// hash spreads the addresses of descriptors, which are multiples of 32 and
// more, over the table.
func hash(key unsafe.Pointer) uintptr {
	h := uintptr(key)
	return h>>5 ^ h>>11
}

// newSlab adds a slab for elements of type elem.
func (a *Arena) newSlab(key unsafe.Pointer, elem reflect.Type) *slab {
	s := &slab{key: key}
	s.arena, s.slab = a, s
	s.unit = elem.Size()
	s.windowless = a.windowless
	s.kind.Init(elem)
	s.first = s.smallestFirst()
	if a.lease != nil && a.parent == nil {
		s.first = a.lease.class.learnedFirst(key, s.first)
	}
	s.next = s.first
	if a.shared != nil { // whose Free looks at all slabs
		a.shared.mu.Lock()
		defer a.shared.mu.Unlock()
	}

	a.slabs = append(a.slabs, s)
	if 2*len(a.slabs) > len(a.table) {
		a.table = make([]*slab, max(8, 2*len(a.table)))
		for _, s := range a.slabs {
			a.enterTable(s)
		}
	} else {
		a.enterTable(s)
	}
	return s
}

// smallestFirst returns the size of the first chunk of a region of which nothing
// is known.
func (r *region) smallestFirst() uintptr {
	if r.slab != nil {
		return max(r.arena.config.chunk/firstShare, r.unit)
	}
	return r.arena.config.chunk
}

func (a *Arena) enterTable(s *slab) {
	i := hash(s.key)
	for a.table[i&uintptr(len(a.table)-1)] != nil {
		i++
	}
	a.table[i&uintptr(len(a.table)-1)] = s
}

// regionLike returns the arena's region that has chunks of the same kind as r,
// or nil.
func (a *Arena) regionLike(r *region) *region {
	if r.slab == nil {
		return &a.region
	}
	if s := a.findSlab(r.slab.key); s != nil {
		return &s.region
	}
	return nil
}

// A Typed allocates values of one type from an arena, without looking up what
// to do with that type each time: about twice as fast as [New] for types with
// pointers, and the same for others. It stays usable after Reset and Rewind;
// like the arena, it belongs to one goroutine at a time. After Free its New
// panics. A Typed comes from [For]; the zero Typed can't be used.
type Typed[T any] struct {
	region *region
	arena  *Arena
}

// For returns an allocator of T from a. A nil a is the Go heap.
func For[T any](a *Arena) *Typed[T] {
	return &Typed[T]{typedRegion(a, (*T)(nil)), a}
}

// heap is the region of all Typed of nil arenas. Its window is never open.
var heap region

func typedRegion(a *Arena, zero any) *region {
	if a == nil {
		return &heap
	}
	a.check("For")
	t := layout.Of(zero)
	if t.PtrBytes > a.plainUpTo {
		return &a.slabOfObjects(t, zero).region
	}
	return &a.region
}

// New allocates a zero T. It is inlined, and panics as the function New does.
func (t *Typed[T]) New() (p *T) {
	return (*T)(t.region.bumpTyped(t.arena, p, unsafe.Sizeof(*p), typedSlow))
}

// typedSlow is newSlow for a Typed, whose arena may be nil.
func typedSlow(a *Arena, zero any) unsafe.Pointer {
	if a == nil {
		return reflect.New(reflect.TypeOf(zero).Elem()).UnsafePointer()
	}
	return newSlow(a, zero)
}

// bumpTyped is the fast path of Typed, as bump is that of New. In a
// slab the size is a multiple of 8, or rounding makes it the slab's unit.
func (r *region) bumpTyped(a *Arena, zero any, size uintptr, slow func(a *Arena, zero any) unsafe.Pointer) unsafe.Pointer {
	size = (r.left - size) &^ (objectAlign - 1)
	if int(size) <= 0 {
		return slow(a, zero)
	}
	r.left = size
	return unsafe.Add(r.base, size) // fact 1
}
