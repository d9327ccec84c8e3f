package arenajson

import (
	"unsafe"

	"github.com/harena-go/arena"
	"github.com/harena-go/arena/arenajson/internal/mem"
	"github.com/harena-go/arena/arenajson/internal/option"
	"github.com/harena-go/arena/arenajson/internal/text"
)

// This file holds how arrays go to slices and to Go arrays. A slice begins with the room that the
// last ones of its kind needed, grows where it is, and gives back what is left.

// firstRoom is how many bytes a slice begins with at most, of what it has learned.
const firstRoom = 1 << 10

func (d *decoder) slice(n *node, p unsafe.Pointer, i int) int {
	if d.peek(i) != '[' {
		return d.notList(n, p, i, true)
	}
	if !d.enter() {
		return -1
	}
	data := d.data
	s := mem.At[mem.Slice](p)
	i = text.SkipSpace(data, i+1)
	if uint(i) < uint(len(data)) && data[i] == ']' {
		d.depth++
		*s = mem.EmptySlice()
		return i + 1
	}
	elem, size := n.elem, n.elem.size
	alloc := arena.ForType(d.a, elem.key)
	base, length, room, own := s.Data, 0, s.Cap, false
	for {
		if length == room {
			base, room = alloc.Grow(base, length, room, n.grown(room))
			own = true
		} else if !own && !elem.scalar && d.flags&option.Legacy == 0 {
			setZero(elem, mem.Add(base, uintptr(length)*size))
		}
		i = d.value(elem, mem.Add(base, uintptr(length)*size), i)
		length++
		if i < 0 {
			if !own && d.flags&option.Legacy == 0 && elem.scalar {
				setZero(elem, mem.Add(base, uintptr(length-1)*size))
			}
			if d.flags&option.Legacy != 0 {
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
	d.depth++
	if own {
		alloc.Trim(base, length, room)
		room = length
		n.learn(length)
	}
	*s = mem.Slice{Data: base, Len: length, Cap: room}
	return i
}

// grown returns how many elements a slice makes room for that has room for so many.
func (n *node) grown(room int) int {
	if room > 0 {
		return 2 * room
	}
	size := max(n.elem.size, 1)
	return max(int(n.room.Load()), int(max(32/size, min(4, 128/size))), 1)
}

// learn remembers how long a slice was, if that is far from what is known.
func (n *node) learn(length int) {
	want := int32(min(length, firstRoom/int(max(n.elem.size, 1))))
	if now := n.room.Load(); want > now || want < now/4 {
		n.room.Store(want)
	}
}

// notList is slice and array for what isn't an array.
//
//go:noinline
func (d *decoder) notList(n *node, p unsafe.Pointer, i int, nils bool) int {
	if end := d.word(i, "null"); end >= 0 {
		if nils || d.flags&option.Legacy == 0 {
			setZero(n, p)
		}
		return end
	}
	return d.mismatchToken(n.typ, i, nil)
}

func (d *decoder) array(n *node, p unsafe.Pointer, i int) int {
	if d.peek(i) != '[' {
		return d.notList(n, p, i, false)
	}
	if !d.enter() {
		return -1
	}
	start, k := i, 0
	i = text.SkipSpace(d.data, i+1)
	for more := d.peek(i) != ']'; more; k++ {
		if k < n.len {
			q := mem.Add(p, uintptr(k)*n.elem.size)
			if !n.elem.scalar && d.flags&option.Legacy == 0 {
				setZero(n.elem, q)
			}
			if i = d.value(n.elem, q, i); i < 0 && n.elem.scalar && d.flags&option.Legacy == 0 {
				setZero(n.elem, q)
			}
		} else {
			i = d.skip(i)
		}
		if i < 0 {
			return -1
		}
		switch i = text.SkipSpace(d.data, i); d.peek(i) {
		case ',':
			i = text.SkipSpace(d.data, i+1)
		case ']':
			more = false
		default:
			return -1
		}
	}
	d.depth++
	for j := k; j < n.len; j++ {
		setZero(n.elem, mem.Add(p, uintptr(j)*n.elem.size))
	}
	if k != n.len && d.flags&option.Legacy == 0 {
		e := d.faultAt(n.typ, start, ']', lengthError(k, n.len))
		e.Offset = int64(i)
		return d.report(e, i+1)
	}
	return i + 1
}
