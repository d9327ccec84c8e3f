package collections

import (
	"math/bits"

	"github.com/harena-go/arena/internal/tuning"
)

// tags find the entries of a Map that has up to tuning.SmallLen of them, without an index:
// entry i has a tag of 8 bits of its key's hash at byte i, which isn't 0. All 8 of a
// word are compared at once, as in Go's own map (internal/runtime/maps/group.go, for
// processors without vectors); here no tag is found by mistake.
type tags [tuning.SmallLen / 8]uint64

const (
	lowBits  = 0x0101010101010101
	highBits = 0x8080808080808080
)

// tagOf returns the tag for a hash.
func tagOf(h uint32) uint64 { return uint64(h>>24 | 1) }

// set gives entry i a tag.
func (t *tags) set(i uint32, h uint32) { t[i/8] |= tagOf(h) << (i % 8 * 8) }

// remove removes the tag of entry i.
func (t *tags) remove(i uint32) { t[i/8] &^= 0xff << (i % 8 * 8) }

// everywhere returns 8 times the same tag.
func everywhere(tag uint64) uint64 { return lowBits * tag }

// matches returns the entries of word w that have a tag, which is everywhere: their
// bytes' highest bits.
func (t *tags) matches(w int, tag uint64) uint64 {
	x := t[w] ^ tag
	return ^((x&^highBits + ^uint64(highBits)) | x | ^uint64(highBits))
}

// first returns the first entry of those that matches found in word w.
func first(w int, matches uint64) uint32 {
	return uint32(w*8 + bits.TrailingZeros64(matches)/8)
}
