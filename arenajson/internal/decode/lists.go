package decode

import (
	"unsafe"

	"github.com/harena-go/arena/arenajson/internal/mem"
	"github.com/harena-go/arena/arenajson/internal/option"
	"github.com/harena-go/arena/arenajson/internal/plan"
	"github.com/harena-go/arena/arenajson/internal/text"
)

// This file decodes arrays into slices and Go arrays.
//
// A slice begins with the capacity that the last ones of its kind needed. It grows in place while
// nothing was allocated behind it, and otherwise moves to twice the capacity. At the end it returns
// the unused rest. So most slices are allocated once, at their length.
//
// A slice that has elements already is overwritten from the first one on, as in encoding/json. Its
// memory may be anywhere; beyond its capacity the elements move to the arena.

// bytes decodes a base64 string into a slice or array of bytes. It decodes an array of numbers
// instead for byte types with a name, in version 2; with the options of v1 for Go arrays, and for
// slices wherever the text has an array.
func (d *decoder) bytes(n *plan.Node, p unsafe.Pointer, i int) int {
	array, legacy := n.Kind == plan.KindByteArray, d.Flags&option.Legacy != 0
	switch c := d.Peek(i); {
	case n.NamedByte && !legacy, array && legacy, c == '[' && legacy:
		if array {
			return d.array(n, p, i)
		}
		return d.slice(n, p, i)
	case c == 'n':
		end := d.Word(i, "null")
		if end >= 0 && (d.Flags&option.Legacy == 0 || !array) {
			setZero(n, p)
		}
		return end
	case c != '"':
		return d.mismatch(n.Type, i, nil)
	}
	b, end := d.Text(i)
	if end < 0 {
		return -1
	}
	if err := d.base64(n, p, b); err != nil {
		if d.Flags&option.Legacy != 0 && option.Classic {
			d.note(err)
			return end
		}
		return d.mismatchValueless(n.Type, i, err)
	}
	return end
}

// slice decodes an array into the slice at p. It overwrites the present elements; beyond their
// capacity, all move to the arena. New memory is the arena's: it grows in place or moves, and the
// unused rest is returned.
//
// With the options of v1, values are merged into present elements; in version 2 these are set to
// zero first, unless the value replaces the whole element.
func (d *decoder) slice(n *plan.Node, p unsafe.Pointer, i int) int {
	if d.Peek(i) != '[' {
		return d.notList(n, p, i, true)
	}
	if !d.Enter() {
		return -1
	}
	data := d.Data
	s := mem.At[mem.Slice](p)
	i = text.SkipSpace(data, i+1)
	if uint(i) < uint(len(data)) && data[i] == ']' {
		d.Depth++
		*s = mem.EmptySlice()
		return i + 1
	}
	elem, size := n.Elem, n.Elem.Size
	alloc := elem.Key.For(d.a)
	// own: the memory is new and the arena's, so that its rest can be returned.
	base, length, room, own := s.Data, 0, s.Cap, false
	for {
		// New memory is zero; present elements may not be.
		if length == room {
			base, room = alloc.Grow(base, length, room, n.Grown(room))
			own = true
		} else if !own && !elem.Scalar && d.Flags&option.Legacy == 0 {
			setZero(elem, mem.Add(base, uintptr(length)*size))
		}
		// If the value allocates as well, the slice can't grow in place any more.
		i = d.value(elem, mem.Add(base, uintptr(length)*size), i)
		length++
		if i < 0 {
			// Clear a present element that a wrong number has changed.
			if !own && d.Flags&option.Legacy == 0 && elem.Scalar {
				setZero(elem, mem.Add(base, uintptr(length-1)*size))
			}
			// An error in version 1: the elements behind stay.
			if d.Flags&option.Legacy != 0 {
				length = max(length, s.Len)
			}
			break
		}
		if uint(i) < uint(len(data)) && data[i] != ',' {
			i = text.SkipSpace(data, i)
		}
		if uint(i) >= uint(len(data)) {
			i = -1
			break
		}
		if data[i] == ',' {
			i = text.SkipSpace(data, i+1)
			continue
		}
		if data[i] == ']' {
			i++
		} else {
			i = -1
		}
		break
	}
	d.Depth++
	if own {
		alloc.Trim(base, length, room)
		room = length
		n.Learn(length)
	}
	*s = mem.Slice{Data: base, Len: length, Cap: room}
	return i
}

// notList is slice and array for other kinds of values. nils: the type has nil, which null then
// sets with the options of v1, too.
//
//go:noinline
func (d *decoder) notList(n *plan.Node, p unsafe.Pointer, i int, nils bool) int {
	if end := d.Word(i, "null"); end >= 0 {
		if nils || d.Flags&option.Legacy == 0 {
			setZero(n, p)
		}
		return end
	}
	return d.mismatchToken(n.Type, i, nil)
}

// array decodes an array into the Go array at p. With the options of v1 surplus elements are
// skipped, and missing ones become zero; in version 2 the length must match.
func (d *decoder) array(n *plan.Node, p unsafe.Pointer, i int) int {
	if d.Peek(i) != '[' {
		return d.notList(n, p, i, false)
	}
	if !d.Enter() {
		return -1
	}
	start, k := i, 0
	i = text.SkipSpace(d.Data, i+1)
	for more := d.Peek(i) != ']'; more; k++ {
		// As in slices, clear the element first, unless the value replaces all of it.
		if k < n.Len {
			q := mem.Add(p, uintptr(k)*n.Elem.Size)
			if !n.Elem.Scalar && d.Flags&option.Legacy == 0 {
				setZero(n.Elem, q)
			}
			if i = d.value(n.Elem, q, i); i < 0 && n.Elem.Scalar && d.Flags&option.Legacy == 0 {
				setZero(n.Elem, q)
			}
		} else {
			i = d.Skip(i)
		}
		if i < 0 {
			return -1
		}
		switch i = text.SkipSpace(d.Data, i); d.Peek(i) {
		case ',':
			i = text.SkipSpace(d.Data, i+1)
		case ']':
			more = false
		default:
			return -1
		}
	}
	d.Depth++
	for j := k; j < n.Len; j++ {
		setZero(n.Elem, mem.Add(p, uintptr(j)*n.Elem.Size))
	}
	// Reported only now, since the array must be complete.
	if k != n.Len && d.Flags&option.Legacy == 0 {
		e := d.faultAt(n.Type, start, ']', lengthError(k, n.Len))
		e.Offset = int64(i)
		return d.report(e, i+1)
	}
	return i + 1
}
