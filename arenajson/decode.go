package arenajson

import (
	"strings"
	"sync"
	"unsafe"

	"github.com/harena-go/arena"
	"github.com/harena-go/arena/arenajson/internal/mem"
)

// This file holds the decoder and how values of all kinds begin. Each of the functions that
// read a value gets where it begins and returns where it ends, or -1. It then has set d.err,
// or leaves it to diagnose to find out what is wrong with the syntax.

// A decoder reads one text.
type decoder struct {
	data  []byte
	a     *arena.Arena
	flags flags
	depth int // how many more levels there may be

	err    *Error // what has ended it, if that isn't the syntax
	saved  *Error // with the options of v1, the first value that didn't fit
	fault  error  // likewise, what a method returned
	fatal  error  // likewise, what it doesn't go on after
	faults int    // errors so far

	scratch   []byte // of the last string with escapes
	folded    []byte
	seen      []seenName
	unescaped []byte // names in seen
	indexes   *nameIndex
	bits      []uint64 // fields seen, of large structs
	values    []any    // of open arrays
	members   []Member // of open objects
	start     int      // of the value in the text, for diagnose
}

var decoders = sync.Pool{New: func() any { return new(decoder) }}

// keepScratch is up to how many bytes of scratch a decoder keeps for the next text.
const keepScratch = 64 << 10

// release gives the decoder back. What it has of the text and its values goes.
func (d *decoder) release() {
	d.data, d.a, d.err, d.saved, d.fault, d.fatal = nil, nil, nil, nil, nil, nil
	clear(d.values[:cap(d.values)])
	clear(d.members[:cap(d.members)])
	d.values, d.members, d.seen, d.bits = d.values[:0], d.members[:0], d.seen[:0], d.bits[:0]
	d.unescaped = d.unescaped[:0]
	if cap(d.scratch)+cap(d.values)*16+cap(d.members)*32+cap(d.seen)*24 > keepScratch {
		d.scratch, d.values, d.members, d.seen, d.indexes = nil, nil, nil, nil, nil
	}
	decoders.Put(d)
}

// value reads a value to p.
func (d *decoder) value(n *node, p unsafe.Pointer, i int) int {
	switch n.kind {
	case kindString:
		// A string of ordinary bytes, which most are, is read here.
		data := d.data
		if uint(i) >= uint(len(data)) || data[i] != '"' || d.flags&referenceInput != 0 {
			return d.string(n, p, i)
		}
		end := run(data, i+1)
		if uint(end) >= uint(len(data)) || data[end] != '"' {
			return d.string(n, p, i)
		}
		mem.Set(p, d.a.AllocString(mem.String(data[i+1:end])))
		return end + 1
	case kindStruct:
		return d.object(n, p, i)
	case kindInt64:
		return d.integer(n, p, i)
	case kindFloat64:
		return d.float64(n, p, i)
	case kindBool:
		return d.bool(n, p, i)
	case kindSlice:
		return d.slice(n, p, i)
	case kindPointer:
		return d.pointer(n, p, i)
	case kindInt:
		return d.integer(n, p, i)
	case kindUint:
		return d.unsigned(n, p, i)
	case kindFloat32:
		return d.number(n, p, i, d.flags&stringifyNumbers != 0)
	case kindAny:
		return d.anyTo(n, p, i)
	case kindMap:
		return d.mapping(n, p, i)
	case kindArray:
		return d.array(n, p, i)
	case kindBytes, kindByteArray:
		return d.bytes(n, p, i)
	}
	return d.rare(n, p, i)
}

// rare is value for the kinds that are.
//
//go:noinline
func (d *decoder) rare(n *node, p unsafe.Pointer, i int) int {
	switch n.kind {
	case kindInterface:
		return d.iface(n, p, i)
	case kindNumber:
		return d.jsonNumber(p, i, d.flags&stringifyNumbers != 0)
	case kindObject:
		return d.objectTo(n, p, i)
	case kindQuoted:
		return d.quotedValue(n, p, i)
	case kindMethod:
		return d.method(n, p, i)
	case kindText:
		return d.textMethod(n, p, i)
	case kindArena:
		return d.arenaMethod(n, p, i)
	case kindTime:
		return d.time(n, p, i)
	case kindDuration:
		return d.duration(n, p, i)
	case kindRaw:
		return d.raw(p, i)
	}
	return d.invalid(n, i)
}

// peek returns the first byte of the value at i, or 0 at the end.
func (d *decoder) peek(i int) byte {
	if uint(i) < uint(len(d.data)) {
		return d.data[i]
	}
	return 0
}

func (d *decoder) string(n *node, p unsafe.Pointer, i int) int {
	if d.peek(i) != '"' {
		return d.notString(n, p, i)
	}
	b, end := d.text(i)
	if end >= 0 {
		mem.Set(p, d.keep(b, i+1))
	}
	return end
}

// keep returns a string of what text returned, whose text begins at start.
func (d *decoder) keep(b []byte, start int) string {
	if d.flags&referenceInput != 0 && within(d.data, b, start) {
		return mem.String(b)
	}
	if len(b) == 0 {
		return ""
	}
	return d.a.AllocString(mem.String(b))
}

//go:noinline
func (d *decoder) notString(n *node, p unsafe.Pointer, i int) int {
	if end := d.word(i, "null"); end >= 0 {
		if d.flags&legacy == 0 {
			mem.Set(p, "")
		}
		return end
	}
	return d.mismatch(n.typ, i, nil)
}

func (d *decoder) bool(n *node, p unsafe.Pointer, i int) int {
	if end := d.word(i, "true"); end >= 0 {
		mem.Set(p, true)
		return end
	}
	if end := d.word(i, "false"); end >= 0 {
		mem.Set(p, false)
		return end
	}
	if end := d.word(i, "null"); end >= 0 {
		if d.flags&legacy == 0 {
			mem.Set(p, false)
		}
		return end
	}
	return d.mismatchToken(n.typ, i, nil)
}

func (d *decoder) pointer(n *node, p unsafe.Pointer, i int) int {
	if end := d.word(i, "null"); end >= 0 {
		mem.Set[unsafe.Pointer](p, nil)
		return end
	}
	q := mem.Get[unsafe.Pointer](p)
	if q == nil {
		q = arena.NewType(d.a, n.elem.key)
		mem.Set(p, q)
	}
	return d.value(n.elem, q, i)
}

// invalid is value for types that there is no JSON for. The options of v1 let null pass.
func (d *decoder) invalid(n *node, i int) int {
	if d.flags&legacy != 0 {
		if end := d.word(i, "null"); end >= 0 {
			return end
		}
		return d.mismatch(n.typ, i, nil)
	}
	if d.isName(i) {
		e := d.errorAt(n.typ, i, 0, nil)
		e.Pointer = e.Pointer[:strings.LastIndexByte(e.Pointer, '/')]
		return d.report(e, -1)
	}
	return d.misfit(n.typ, i, i, 0, nil)
}

// setZero sets a value of any type to zero.
func setZero(n *node, p unsafe.Pointer) {
	switch n.kind {
	case kindSlice, kindBytes:
		mem.Set(p, mem.Slice{})
	case kindPointer, kindMap:
		mem.Set[unsafe.Pointer](p, nil)
	case kindString, kindNumber:
		mem.Set(p, "")
	default:
		mem.Value(n.typ, p).SetZero()
	}
}

var nothing uint64 // what slices of length 0 point to

// emptySlice is stored for [].
func emptySlice() mem.Slice { return mem.Slice{Data: unsafe.Pointer(&nothing)} }

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
	i = space(data, i+1)
	if uint(i) < uint(len(data)) && data[i] == ']' {
		d.depth++
		*s = emptySlice()
		return i + 1
	}
	elem, size := n.elem, n.elem.size
	alloc := arena.ForType(d.a, elem.key)
	base, length, room, own := s.Data, 0, s.Cap, false
	for {
		if length == room {
			base, room = alloc.Grow(base, length, room, n.grown(room))
			own = true
		} else if !own && !elem.scalar && d.flags&legacy == 0 {
			setZero(elem, mem.Add(base, uintptr(length)*size))
		}
		i = d.value(elem, mem.Add(base, uintptr(length)*size), i)
		length++
		if i < 0 {
			if !own && d.flags&legacy == 0 && elem.scalar {
				setZero(elem, mem.Add(base, uintptr(length-1)*size))
			}
			if d.flags&legacy != 0 {
				length = max(length, s.Len)
			}
			break
		}
		if uint(i) < uint(len(data)) && data[i] != ',' {
			i = space(data, i)
		}
		if uint(i) >= uint(len(data)) {
			i = -1
			break
		}
		if data[i] == ',' {
			i = space(data, i+1)
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
		if nils || d.flags&legacy == 0 {
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
	i = space(d.data, i+1)
	for more := d.peek(i) != ']'; more; k++ {
		if k < n.len {
			q := mem.Add(p, uintptr(k)*n.elem.size)
			if !n.elem.scalar && d.flags&legacy == 0 {
				setZero(n.elem, q)
			}
			if i = d.value(n.elem, q, i); i < 0 && n.elem.scalar && d.flags&legacy == 0 {
				setZero(n.elem, q)
			}
		} else {
			i = d.skip(i)
		}
		if i < 0 {
			return -1
		}
		switch i = space(d.data, i); d.peek(i) {
		case ',':
			i = space(d.data, i+1)
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
	if k != n.len && d.flags&legacy == 0 {
		e := d.errorAt(n.typ, start, ']', lengthError(k, n.len))
		e.Offset = int64(i)
		return d.report(e, i+1)
	}
	return i + 1
}
