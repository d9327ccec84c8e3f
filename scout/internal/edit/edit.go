// Package edit changes texts at offsets. It must not depend on their language.
package edit

import (
	"cmp"
	"fmt"
	"slices"
)

// Several rewritings of nested expressions are collected independently and then applied together, so edits often meet
// at the same offset. Order makes their result nest correctly: at one offset, the text that encloses more source begins
// first and ends last.

// An Edit replaces the text between two offsets.
type Edit struct {
	From, To int
	Text     string
	Order    int // of insertions at the same place: the one that encloses more begins first, and ends last
}

// First and Last are the orders of insertions inside, and outside, of all others at their place.
const (
	First = -1 << 40
	Last  = 1 << 40
)

// An example of the order. In f(x) + y both the call and the sum are wrapped:
//
//	edit      offset  order   text
//	sum       0       -24     Concat(        the longer node begins first
//	call      0       -12     Copy(
//	call      4        12     )              and ends last
//	sum       8        24     )
//
// gives Concat(Copy(f(x)) + y).

// Around returns the edits that put text around the source between two offsets. Around the same source, a higher level,
// up to 2, encloses the lower ones: an operand's own text has 0, text around the operand has more.
func Around(from, to int, before, after string, level int) []Edit {
	size := 3*(to-from) + level // leaves room between sizes for levels
	return []Edit{{from, from, before, -size}, {to, to, after, size}}
}

// Apply makes the edits. Insertions at one place are made in their order; replacements may not overlap.
func Apply(text []byte, edits []Edit) ([]byte, error) {
	edits = slices.Clone(edits)
	slices.SortStableFunc(edits, func(a, b Edit) int {
		return cmp.Or(cmp.Compare(a.From, b.From), cmp.Compare(a.To, b.To), cmp.Compare(a.Order, b.Order))
	})
	var out []byte
	at := 0
	for _, e := range edits {
		// Overlapping replacements would lose source. They are a bug of the caller, and no patch is better than a wrong
		// one.
		if e.From < at || e.To < e.From || e.To > len(text) {
			return nil, fmt.Errorf("two changes at byte %d", e.From)
		}
		out = append(append(out, text[at:e.From]...), e.Text...)
		at = e.To
	}
	return append(out, text[at:]...), nil
}
