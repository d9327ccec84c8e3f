package memory

import (
	"reflect"
	"slices"
	"unsafe"

	"github.com/harena-go/arena/internal/engine/block"
	"github.com/harena-go/arena/internal/engine/layout"
	"github.com/harena-go/arena/internal/tuning"
)

// A Slab is a region for the values of one type with pointers. Its chunks are ordinary []T, so the GC finds the
// pointers in them. This file must not depend on the purpose of a type, or on the order in which its values are
// allocated.
//
// A space finds the slab of a type through a small hash table, by the address of the type's
// descriptor, which the caller of arena.New has as a constant; see Catalog.
//
// Invariant: all offsets in a slab are multiples of Unit, the size of an element. So
// values need no alignment beyond that of the chunk, and only whole elements are erased.
type Slab struct {
	Region
	window  Window
	objects unsafe.Pointer // layout.Key of the type, if single values come from here
	// The key and the kind are set once, when the slab is added, and never change.
	key  Key
	kind block.Typed // makes and erases chunks of the type

	// Of an epoch of a lasting space.
	used uintptr // bytes that its lives have used
	made uintptr // bytes of chunks that were made in it

	listed bool // in the space's catalog
	busy   bool // something is in use, or was lately; see Catalog
}

// A Key identifies a slab: the address of its type's descriptor, or one more for the slab
// of single values if that is a separate one; see KeyOf.
type Key struct{ typ unsafe.Pointer }

// Is32bit reports whether pointers have 32 bits.
const Is32bit = unsafe.Sizeof(uintptr(0)) == 4

// KeyOf returns the key of the slab for slices of a type, or for single values of it. These are the
// same, except for types of 12, 20, 28 ... bytes on 32-bit machines. There single values are
// aligned to 8 bytes, which the elements of a []T are not, so they come from a []struct{T;
// padding}. Slices of such a T have to be a []T, and lie in a slab of their own without padding.
func KeyOf(t *layout.Type, single bool) Key {
	if Is32bit && single && t.Size > ObjectAlign && t.Size%ObjectAlign != 0 {
		return Key{unsafe.Add(unsafe.Pointer(t), 1)} // not layout.Key, which is also that of the slab of *T
	}
	return Key{unsafe.Pointer(t)}
}

// padded reports whether the elements are structs of a value and of padding. That is in the
// lowest bit, which is free since descriptors are aligned.
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

// Type returns the type of the values in a region's chunks, without padding, or nil if the
// region isn't a slab. It is for reports and statistics: the engine finds slabs by their keys.
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

// hash spreads the addresses of descriptors, which are multiples of 32 and more, over the table. It
// must be cheap rather than good: it is on the path of each New of a type with pointers.
func hash(key unsafe.Pointer) uintptr {
	h := uintptr(key)
	return h>>5 ^ h>>11
}

// AddSlab adds a slab for elements of type elem, whose first chunk has at least first bytes. The caller has called Find
// before; a second slab with the same key would never be found. It takes no memory for values yet.
func (s *Space) AddSlab(key Key, elem reflect.Type, first uintptr) *Slab {
	b := &Slab{key: key}
	b.space, b.slab = s, b
	b.Unit = elem.Size()
	b.setWindowOf(&b.window)
	b.kind.Init(elem)
	b.begin(max(first, b.SmallestFirst()))
	s.list(b)
	return b
}

// ServesObjects makes the slab serve single values of the type to which zero is a nil
// pointer, so that Recent finds it by the type. Two types may compete for a place in recent,
// which costs only time.
func (b *Slab) ServesObjects(zero any) {
	b.objects = layout.Key(zero)
	b.space.types.remember(b)
}

// remember puts a slab where Recent looks for it.
func (c *Catalog) remember(b *Slab) {
	c.recent[hash(b.objects)&uintptr(len(c.recent)-1)] = recent{b.objects, b.w}
}

// TakeUnit allocates one zeroed element. New calls it once the fast path has found the
// window empty.
func (b *Slab) TakeUnit() unsafe.Pointer { return b.TakeTop(b.Unit) }

// SmallestFirst returns the block size of the first chunk of a region without hints.
func (r *Region) SmallestFirst() uintptr {
	switch {
	case r.slab != nil && r.space.Lasting():
		return max(tuning.EpochLeast, r.Unit)
	case r.slab != nil:
		return max(r.space.config.Chunk/tuning.SlabShare, r.Unit)
	}
	return r.space.config.Chunk
}

// A slab is busy or at rest. One at rest has no chunk in use. Its next allocation finds no room
// and calls acquire, which wakes it, so no fast path has to check.
//
//	made           Restart or Rewind, when several have found nothing in use
//	  │                             │
//	  ▼       acquire               ▼            Trim                  Trim
//	at rest ──────────▶ busy ──▶ at rest ──▶ without chunks ──▶ gone
//	                      ▲         │                │            │
//	                      └─────────┴── acquire ─────┴────────────┘
//
// The work on slabs in each life covers the busy ones only. Trims for idle chunks cover all: they drop the chunks of
// slabs at rest and then the slabs, except for a share of the needs. A pointer to a dropped slab, such as that of a
// Typed, stays valid: the next allocation lists the slab again. There may be another slab of the same type by then, and
// values come from both.

// A Catalog holds the slabs of a space.
type Catalog struct {
	all   []*Slab
	table []*Slab // the same by key, a hash table of a power of two, half empty

	// busy holds those from which one of the last lives has allocated, in the order in which
	// they woke since Restart.
	busy []*Slab

	pinned []*Slab // their windows end with the life; see Pin

	// recent holds the windows of those from which values came last, by the hash: four places for each type at least,
	// since only one type finds its slab in a place. With 16 places for any number of types, an object of 12 types in
	// turn took 30 ns instead of 7, of 48 types 22 instead of 8.
	recent []recent

	// The memory of all four while there are few types.
	few       [4 * fewTypes]*Slab
	fewRecent [4 * fewTypes]recent
}

// A recent is a window from which single values of a type came lately.
type recent struct {
	objects unsafe.Pointer // layout.Key of the type
	window  *Window
}

// fewTypes is the number of slabs that few has room for.
const fewTypes = 4

func newCatalog() *Catalog {
	c := new(Catalog)
	c.all, c.busy = c.few[:0:fewTypes], c.few[fewTypes:fewTypes:2*fewTypes]
	c.table, c.recent = c.few[2*fewTypes:], c.fewRecent[:]
	return c
}

// busy returns the busy slabs.
func (s *Space) busy() []*Slab {
	if s.types == nil {
		return nil
	}
	return s.types.busy
}

// Types returns how many slabs there are.
func (s *Space) Types() int {
	if s.types == nil {
		return 0
	}
	return len(s.types.all)
}

// Slabs yields the slabs, in no particular order. Those that come meanwhile are not among them.
func (s *Space) Slabs(yield func(b *Slab) bool) {
	if s.types == nil {
		return
	}
	for _, b := range s.types.all {
		if !yield(b) {
			return
		}
	}
}

// Find returns the slab with the key, or nil. The search ends because at least half of
// the table is empty.
func (s *Space) Find(key Key) *Slab {
	if s.types == nil {
		return nil
	}
	table := s.types.table
	for i := hash(key.typ); ; i++ {
		b := table[i&uintptr(len(table)-1)]
		if b == nil || b.key == key {
			return b
		}
	}
}

// list adds a slab to the catalog. The slab stays where it is, as others point to it.
func (s *Space) list(b *Slab) {
	if s.lock != nil {
		s.lock.Lock()
		defer s.lock.Unlock()
	}
	if s.types == nil {
		s.types = newCatalog()
	}
	c := s.types
	c.all = append(c.all, b)
	if b.listed = true; 2*len(c.all) > len(c.table) {
		c.fill(2 * len(c.table))
	} else {
		c.enter(b)
	}
}

// fill puts all slabs into a table of the given size, and into recent.
func (c *Catalog) fill(size int) {
	if size != len(c.table) {
		c.table, c.recent = make([]*Slab, size), make([]recent, 2*size)
	} else {
		clear(c.table)
		clear(c.recent)
	}
	for _, b := range c.all {
		c.enter(b)
		if b.objects != nil {
			c.remember(b)
		}
	}
}

// enter puts a slab where Find looks for it. There must be an empty place.
func (c *Catalog) enter(b *Slab) {
	i := hash(b.key.typ)
	for c.table[i&uintptr(len(c.table)-1)] != nil {
		i++
	}
	c.table[i&uintptr(len(c.table)-1)] = b
}

// wake is called before the region takes a chunk into use.
func (r *Region) wake() {
	if r.slab != nil && !r.slab.busy {
		r.space.wake(r.slab)
	}
}

func (s *Space) wake(b *Slab) {
	if !b.listed {
		s.list(b)
	}
	b.busy, b.idleLives = true, 0
	b.careful, b.windowless, b.metered = s.lock != nil || s.limited(), s.plain.windowless, s.plain.metered
	s.types.busy = append(s.types.busy, b)
}

// restIfUnused is called when all of slab i of the busy ones was reclaimed. It puts the slab to rest if nothing was in
// use at the last times calls.
func (c *Catalog) restIfUnused(i int, used bool, times uint8) {
	if b := c.busy[i]; used {
		b.idleLives = 0
	} else if b.idleLives++; b.idleLives >= times {
		c.rest(i)
	}
}

// rest puts slab i of the busy ones to rest. Nothing in it may be in use. Its recent use is still to be learned from.
func (c *Catalog) rest(i int) {
	b, last := c.busy[i], len(c.busy)-1
	c.busy[i], c.busy[last] = c.busy[last], nil
	c.busy = c.busy[:last]
	b.retireCurrent()
	b.busy = false
}

// restUnused puts slabs to rest that no life has used since the last trim for idle chunks: Restart isn't called for
// lives that use nothing at all. It reports whether there are slabs at rest.
func (s *Space) restUnused() bool {
	c := s.types
	if c == nil {
		return false
	}
	for i := len(c.busy) - 1; i >= 0; i-- {
		if b := c.busy[i]; b.recentPeak == 0 && b.span() == 0 {
			c.rest(i)
		}
	}
	return len(c.busy) < len(c.all)
}

// dropEmpty removes the slabs at rest that have no chunks, and the excess room of the lists.
func (s *Space) dropEmpty() {
	if s.lock != nil {
		s.lock.Lock()
		defer s.lock.Unlock()
	}
	c := s.types
	n := len(c.all)
	c.all = slices.DeleteFunc(c.all, func(b *Slab) bool {
		b.listed = b.busy || b.total > 0
		return !b.listed
	})
	if len(c.all) == n {
		return
	}
	size := 2 * fewTypes
	for size < 2*len(c.all) {
		size *= 2
	}
	c.fill(size)
	if cap(c.all) > 4*max(len(c.all), fewTypes) {
		c.all = slices.Clone(c.all)
	}
	if cap(c.busy) > 4*max(len(c.busy), fewTypes) {
		c.busy = slices.Clone(c.busy)
	}
}

// slabSize is the size of a slab without its chunks.
const slabSize = unsafe.Sizeof(Slab{})

// Resting reports whether the region is a slab at rest.
func (r *Region) Resting() bool { return r.slab != nil && !r.slab.busy }
