package deepclone

import (
	"math"
	"math/bits"
	"unsafe"
)

// A span is a piece of source memory that something in the graph refers to.
// A large graph needs one for each object, so its size counts, and so do its pointers.
type span struct {
	src   unsafe.Pointer // n values of shape from here
	dst   unsafe.Pointer // the clone of src; nil until placed
	n     int            // at least 1
	shape *typeShape     // never an array; mapShape for a map, keptShape for a kept object
	spare uint32         // values in its block after the n; of mapShape: index in maps, likewise syncMapShape
}

// Marks for ranges that must not be placed.
var (
	mapShape     = &typeShape{size: 1}
	syncMapShape = &typeShape{size: 1}
	keptShape    = &typeShape{size: 1}
)

// A chunked list grows without copying, and without leaving old versions to the GC.
type chunked[T any] struct {
	chunks [][]T // full up to len, empty beyond
	len    int
}

const (
	chunkBits = 10
	chunkLen  = 1 << chunkBits
)

// at returns element i, which may move at the next add.
func (l *chunked[T]) at(i int) *T { return &l.chunks[i>>chunkBits][i%chunkLen] }

func (l *chunked[T]) add(v T) {
	if l.len>>chunkBits == len(l.chunks) {
		l.grow()
	}
	last := &l.chunks[l.len>>chunkBits]
	*last = append(*last, v)
	l.len++
}

// grow adds a chunk. The first one starts empty, for small lists.
func (l *chunked[T]) grow() {
	var chunk []T
	if l.len > 0 {
		chunk = make([]T, 0, chunkLen)
	}
	l.chunks = append(l.chunks, chunk)
}

// reset empties the list and clears its items, but keeps the chunks.
func (l *chunked[T]) reset() {
	for i, chunk := range l.chunks {
		clear(chunk)
		l.chunks[i] = chunk[:0]
	}
	l.len = 0
}

// find looks up a range. The hash is for adding it if it is new.
func (c *cloner) find(p unsafe.Pointer, s *typeShape, n int) (edge, hash uint32, found bool) {
	hash = cloneHash(uintptr(p), uintptr(unsafe.Pointer(s)), uintptr(n))
	slots := c.index.slots
	for at := int(hash); ; at++ {
		slot := slots[at&(len(slots)-1)]
		if slot == 0 {
			return 0, hash, false
		}
		if uint32(slot>>32) == hash {
			if r := c.ranges.at(int(uint32(slot))); r.src == p && r.shape == s && r.n == n {
				return uint32(slot), hash, true
			}
		}
	}
}

// add adds a range that find has not found.
func (c *cloner) add(r span, hash uint32) (edge uint32) {
	c.index.insert(hash, c.ranges.len)
	return c.addHidden(r)
}

// addHidden adds a range that is never looked up.
func (c *cloner) addHidden(r span) (edge uint32) {
	entry := c.ranges.len
	if uint64(entry) > math.MaxUint32 {
		panicTooManyRanges()
	}
	c.ranges.add(r)
	return uint32(entry)
}

//go:noinline
func panicTooManyRanges() {
	panic("arena: DeepClone: graph of more than 4294967292 objects")
}

// An index is a hash table with linear probing. A slot holds the hash in its upper half and the
// number of an entry in its lower half, and is 0 if free; entry 0 is never looked up.
type index struct {
	slots []uint64 // a power of two; undefined from the length to the capacity
	used  int      // at most half of them
	old   []uint64 // for grow
}

const minIndexSlots = 64

func newIndex() index { return index{slots: make([]uint64, minIndexSlots)} }

// reset keeps the memory, but it is used again only as the index grows, so that a small
// clone after a large one has not much to clear.
func (x *index) reset() {
	x.slots = x.slots[:minIndexSlots]
	clear(x.slots)
	x.used = 0
}

func (x *index) insert(hash uint32, entry int) {
	if x.used++; x.used > len(x.slots)/2 {
		x.grow()
	}
	x.put(uint64(hash)<<32 | uint64(entry))
}

func (x *index) grow() {
	old := x.slots
	if n := 2 * len(old); n > cap(old) {
		x.slots = make([]uint64, n)
	} else {
		x.old = append(x.old[:0], old...)
		old, x.slots = x.old, x.slots[:n]
		clear(x.slots)
	}
	for _, slot := range old {
		if slot != 0 {
			x.put(slot)
		}
	}
}

func (x *index) put(slot uint64) {
	mask := uint64(len(x.slots) - 1)
	at := slot >> 32 & mask
	for x.slots[at] != 0 {
		at = (at + 1) & mask
	}
	x.slots[at] = slot
}

func cloneHash(a, b, n uintptr) uint32 {
	hi, lo := bits.Mul64(uint64(a)^0x9e3779b97f4a7c15, uint64(b)^uint64(n)*0xd6e8feb86659fd93|1)
	return uint32(hi ^ lo ^ lo>>32)
}
