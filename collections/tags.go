package collections

import (
	"math/bits"

	"github.com/harena-go/arena/internal/tuning"
)

// tags find the entries of a Map with up to tuning.SmallLen of them, without an index: byte i is
// the tag of entry i, 8 bits of its key's hash and never 0. All 8 tags of a word are compared at
// once, as in Go's own map (internal/runtime/maps/group.go, for processors without vectors); here
// no tag is found by mistake.
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

// everywhere returns a word of the same tag 8 times.
func everywhere(tag uint64) uint64 { return lowBits * tag }

// matches returns the highest bits of the bytes in word w whose entries have a tag; tag is that tag
// everywhere.
func (t *tags) matches(w int, tag uint64) uint64 {
	x := t[w] ^ tag
	return ^((x&^highBits + ^uint64(highBits)) | x | ^uint64(highBits))
}

// first returns the first entry in the result of matches for word w.
func first(w int, matches uint64) uint32 {
	return uint32(w*8 + bits.TrailingZeros64(matches)/8)
}
