package memory

import (
	"reflect"
	"unsafe"

	"github.com/harena-go/arena/internal/block"
	"github.com/harena-go/arena/internal/layout"
	"github.com/harena-go/arena/internal/tuning"
)

// A Slab is a region for the values of one type with pointers. Its chunks are
// ordinary []T, so the GC finds what they point to. This file may not know what a type is
// for, nor in which order its values are allocated.
//
// A space finds the slab of a type through a small hash table, by the address
// of the type's descriptor, which the caller of arena.New has as a constant.
//
// Invariant: all offsets in a slab are multiples of Unit, the size of an element; hence
// values of the slab need no alignment beyond that of the chunk, and what is erased is
// always a number of whole elements.
type Slab struct {
	Objects unsafe.Pointer // layout.Key of the type, if single values come from here
	Region
	// The key and the kind are set once, when the slab is added, and never change.
	key  Key
	kind block.Typed // makes and erases chunks of the type
}

// A Key is what a slab is found by: the address of its type's descriptor, or one more for
// the slab of single values, if that is another one; see KeyOf.
type Key struct{ typ unsafe.Pointer }

// Is32bit says that pointers have 32 bits.
const Is32bit = unsafe.Sizeof(uintptr(0)) == 4

// KeyOf returns the key of the slab for slices of a type, or for single values of it.
// These are the same, but for types of 12, 20, 28 ... bytes on 32-bit machines: single
// values are aligned to 8 bytes there, which the elements of a []T are not, so
// that they come from a []struct{T; padding}. Slices of such a T lie in a slab of their own,
// without padding, as they have to be a []T.
func KeyOf(t *layout.Type, single bool) Key {
	if Is32bit && single && t.Size > ObjectAlign && t.Size%ObjectAlign != 0 {
		return Key{unsafe.Add(unsafe.Pointer(t), 1)} // not layout.Key, which is also that of the slab of *T
	}
	return Key{unsafe.Pointer(t)}
}

// padded says whether the elements are structs of a value and of padding. The lowest bit
// tells: descriptors are aligned, so that it is free.
func (k Key) padded() bool { return Is32bit && uintptr(k.typ)&1 != 0 }

// Elem returns the type of the elements of a slab for values of type t: t itself, or the
// struct with its padding to a multiple of 8 bytes.
func (k Key) Elem(t reflect.Type) reflect.Type {
	if !k.padded() {
		return t
	}
	pad := reflect.ArrayOf(int(-t.Size()&(ObjectAlign-1)), reflect.TypeFor[byte]())
	return reflect.StructOf([]reflect.StructField{{Name: "Value", Type: t}, {Name: "Pad", Type: pad}})
}

// Elem returns the type of the elements, with padding if they have some.
func (b *Slab) Elem() reflect.Type { return b.kind.Elem() }

// Key returns the key of the region's slab, if it is one. Regions of different spaces with the
// same key, or both with none, have chunks of the same kind.
func (r *Region) Key() (key Key, ok bool) {
	if r.slab == nil {
		return
	}
	return r.slab.key, true
}

// Type returns the type of the values in the chunks of a region: that of the elements
// without padding; or nil outside of slabs. It is for reports and statistics: the engine finds
// slabs by their keys.
func (r *Region) Type() reflect.Type {
	switch b := r.slab; {
	case b == nil:
		return nil
	case b.key.padded():
		return b.Elem().Field(0).Type
	default:
		return b.Elem()
	}
}

// Find returns the slab with the key, or nil. The search ends, since at least half of the
// table is empty.
func (s *Space) Find(key Key) *Slab {
	if len(s.table) == 0 {
		return nil
	}
	for i := hash(key.typ); ; i++ {
		b := s.table[i&uintptr(len(s.table)-1)]
		if b == nil || b.key == key {
			return b
		}
	}
}

// hash spreads the addresses of descriptors, which are multiples of 32 and
// more, over the table. It must be cheap rather than good: it is on the path of each New of
// a type with pointers.
func hash(key unsafe.Pointer) uintptr {
	h := uintptr(key)
	return h>>5 ^ h>>11
}

// AddSlab adds a slab for elements of type elem, whose first chunk has so many bytes at
// least. The caller has asked Find before; a second slab with the same key would never be
// found. It takes no memory for values yet.
func (s *Space) AddSlab(key Key, elem reflect.Type, first uintptr) *Slab {
	b := &Slab{key: key}
	b.space, b.slab = s, b
	b.Unit = elem.Size()
	b.windowless, b.metered = s.plain.windowless, s.plain.metered
	b.careful = s.shared || s.limited()
	b.kind.Init(elem)
	b.first = max(first, b.SmallestFirst())
	b.next = b.first

	s.slabs = append(s.slabs, b)
	// The table stays half empty; the slabs themselves stay where they are, as others point to
	// them.
	if 2*len(s.slabs) > len(s.table) {
		s.table = make([]*Slab, max(8, 2*len(s.table)))
		for _, b := range s.slabs {
			s.enterTable(b)
		}
	} else {
		s.enterTable(b)
	}
	return b
}

// enterTable puts a slab where Find looks for it. There must be an empty place.
func (s *Space) enterTable(b *Slab) {
	i := hash(b.key.typ)
	for s.table[i&uintptr(len(s.table)-1)] != nil {
		i++
	}
	s.table[i&uintptr(len(s.table)-1)] = b
}

// ServesObjects says that single values of the type to which zero is a nil pointer come from
// here, so that Recent finds the slab by the type. Two types may take turns in a place of
// recent: that costs time, and nothing else.
func (b *Slab) ServesObjects(zero any) {
	b.Objects = layout.Key(zero)
	b.space.recent[hash(b.Objects)%uintptr(len(b.space.recent))] = b
}

// TakeUnit hands out one zeroed element: what New does once the fast path has found the
// window empty.
func (b *Slab) TakeUnit() unsafe.Pointer { return b.TakeTop(b.Unit) }

// SmallestFirst returns the size of the first chunk of a region of which nothing
// is known, in bytes of its block.
func (r *Region) SmallestFirst() uintptr {
	if r.slab != nil {
		return max(r.space.config.Chunk/tuning.SlabShare, r.Unit)
	}
	return r.space.config.Chunk
}
