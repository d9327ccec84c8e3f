// Package edit changes texts at offsets. It must not depend on what the texts are.
package edit

import (
	"cmp"
	"fmt"
	"slices"
)

// Several rewritings of nested expressions are collected independently and then applied together, so edits
// meet at the same offset all the time. Order makes their result nest correctly: at one offset, the text that
// encloses more source begins first and ends last.

// An Edit puts text in the place of what is between two offsets.
type Edit struct {
	From, To int
	Text     string
	Order    int // of insertions at the same place: what encloses more begins first, and ends last
}

// First and Last are the orders of insertions that are inside of all others at their place, or rather outside.
const (
	First = -1 << 40
	Last  = 1 << 40
)

// An example of the order. In f(x) + y both the call and the sum are put into something else:
//
//	edit      offset  order   text
//	sum       0       -24     Concat(        the longer node begins first
//	call      0       -12     Copy(
//	call      4        12     )              and ends last
//	sum       8        24     )
//
// gives Concat(Copy(f(x)) + y).

// Around returns the edits that put text around what is between two offsets. Of texts around the same, one of a higher
// level, up to 2, encloses those of lower ones: an operand's own text has 0, what is put around it as an operand more.
func Around(from, to int, before, after string, level int) []Edit {
	size := 3*(to-from) + level // which leaves room between sizes for levels
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
		// Overlapping replacements would lose source. It is a bug of the caller, and no patch is better than a
		// wrong one.
		if e.From < at || e.To < e.From || e.To > len(text) {
			return nil, fmt.Errorf("two changes at byte %d", e.From)
		}
		out = append(append(out, text[at:e.From]...), e.Text...)
		at = e.To
	}
	return append(out, text[at:]...), nil
}
