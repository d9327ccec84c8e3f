package decode

import (
	"unsafe"

	"github.com/harena-go/arena/arenajson/internal/mem"
	"github.com/harena-go/arena/arenajson/internal/option"
	"github.com/harena-go/arena/arenajson/internal/plan"
	"github.com/harena-go/arena/arenajson/internal/text"
)

// This file holds how arrays go to slices and to Go arrays.
//
// A slice begins with the room that the last ones of its kind needed, grows where
// it is as long as nothing was allocated behind it, and moves to twice the room if
// something was. In the end it gives back what is left. So most slices are
// allocated once, at their length.
//
// A slice that has elements already is written to from the first one on, as
// encoding/json does. Its memory may be anywhere; beyond its capacity the elements
// move to the arena.

// bytes reads a string of base64 to a slice or array of bytes. It reads an array of
// numbers instead where the byte type has a name, in version 2; with the options of
// v1 for Go arrays, and for slices wherever there is an array.
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

// slice reads an array to the slice at p. The elements that are there are written
// to; when their room is used up, all move to the arena. New memory is the arena's:
// it grows where it is, or moves, and what is left of it in the end is given back.
//
// With the options of v1 an element that is there already is merged into; in
// version 2 it is set to zero before, unless the value replaces all of it.
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
	// own says that the memory is the arena's and new, and what is left of it can
	// be given back.
	base, length, room, own := s.Data, 0, s.Cap, false
	for {
		// New memory is zero; what is there already may not be.
		if length == room {
			base, room = alloc.Grow(base, length, room, n.Grown(room))
			own = true
		} else if !own && !elem.Scalar && d.Flags&option.Legacy == 0 {
			setZero(elem, mem.Add(base, uintptr(length)*size))
		}
		// The value may allocate as well, and then the slice can't grow where it is
		// any more.
		i = d.value(elem, mem.Add(base, uintptr(length)*size), i)
		length++
		if i < 0 {
			// What a number that is wrong has left of an element that was there is
			// cleared.
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

// notList is slice and array for what isn't an array. nils says that the value can
// be nil, which null then makes it with the options of v1, too.
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

// array reads an array to the Go array at p. With the options of v1 what is too
// much is skipped, and what is missing is zero; in version 2 the length must be
// right.
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
		// As in slices, what is there is cleared before, unless it is replaced.
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
	// Reported only now, when the array is known to be complete.
	if k != n.Len && d.Flags&option.Legacy == 0 {
		e := d.faultAt(n.Type, start, ']', lengthError(k, n.Len))
		e.Offset = int64(i)
		return d.report(e, i+1)
	}
	return i + 1
}
