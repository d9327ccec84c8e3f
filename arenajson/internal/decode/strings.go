package decode

import (
	"unsafe"

	"github.com/harena-go/arena/arenajson/internal/mem"
	"github.com/harena-go/arena/arenajson/internal/option"
	"github.com/harena-go/arena/arenajson/internal/plan"
	"github.com/harena-go/arena/arenajson/internal/text"
)

// This file decodes strings and bools.

// string decodes a string other than a run of ordinary bytes, or one that isn't to be copied: value
// decodes the others.
func (d *decoder) string(n *plan.Node, p unsafe.Pointer, i int) int {
	if d.Peek(i) != '"' {
		return d.notString(n, p, i)
	}
	b, end := d.Text(i)
	if end >= 0 {
		mem.Set(p, d.keep(b, i+1))
	}
	return end
}

// keep returns the string for b, a result of Text that begins at start. It is a copy in the arena,
// unless strings may refer to the input and the input has these bytes.
func (d *decoder) keep(b []byte, start int) string {
	if d.Flags&option.ReferenceInput != 0 && text.Within(d.Data, b, start) {
		return mem.String(b)
	}
	// An empty string needs no memory, which the arena would count.
	if len(b) == 0 {
		return ""
	}
	if d.a == nil {
		return d.onHeap(b)
	}
	return d.a.AllocString(mem.String(b))
}

// Without an arena short strings of a value share pieces of the Go heap, as allocating a string
// takes longer than decoding it. A string keeps its piece alive, so pieces are small. The first two
// strings of a text are allocated alone, which is cheapest for so few.
const (
	shortString              = 64 // bytes; longer ones have an allocation each
	firstPiece, largestPiece = 128, 512
)

// onHeap returns a copy of b on the Go heap.
func (d *decoder) onHeap(b []byte) string {
	n := len(b)
	if n == 0 || n > shortString {
		return string(b)
	}
	if n > len(d.piece) {
		if d.pieceSize < firstPiece {
			d.pieceSize += firstPiece / 2
			return string(b)
		}
		d.piece = make([]byte, d.pieceSize)
		d.pieceSize = min(2*d.pieceSize, largestPiece)
	}
	s := d.piece[:n]
	d.piece = d.piece[n:]
	copy(s, b)
	return mem.String(s)
}

// notString is string for other kinds of values. null makes the string "", or leaves it unchanged.
//
//go:noinline
func (d *decoder) notString(n *plan.Node, p unsafe.Pointer, i int) int {
	if end := d.Word(i, "null"); end >= 0 {
		if d.Flags&option.Legacy == 0 {
			mem.Set(p, "")
		}
		return end
	}
	return d.mismatch(n.Type, i, nil)
}

// bool decodes true, false or null into the bool at p. null means false, or with the options of v1
// leaves it unchanged.
func (d *decoder) bool(n *plan.Node, p unsafe.Pointer, i int) int {
	if end := d.Word(i, "true"); end >= 0 {
		mem.Set(p, true)
		return end
	}
	if end := d.Word(i, "false"); end >= 0 {
		mem.Set(p, false)
		return end
	}
	if end := d.Word(i, "null"); end >= 0 {
		if d.Flags&option.Legacy == 0 {
			mem.Set(p, false)
		}
		return end
	}
	return d.mismatchToken(n.Type, i, nil)
}

// setZero sets a value of any type to zero: the frequent kinds by address, all others by reflect,
// which knows where their pointers are.
func setZero(n *plan.Node, p unsafe.Pointer) {
	switch n.Kind {
	case plan.KindSlice, plan.KindBytes:
		mem.Set(p, mem.Slice{})
	case plan.KindPointer, plan.KindMap:
		mem.Set[unsafe.Pointer](p, nil)
	case plan.KindString, plan.KindNumber:
		mem.Set(p, "")
	default:
		mem.Value(n.Type, p).SetZero()
	}
}
