package arenaproto

import (
	"math/bits"
	"unsafe"

	"github.com/harena-go/arena"
	"github.com/harena-go/arena/contrib/arenaproto/internal/mem"
	"google.golang.org/protobuf/runtime/protoimpl"
)

// This file holds the decoder and how messages are read. Each of the functions that read
// something gets where it begins and returns where it ends, or -1: then something is wrong, and
// the official runtime finds out what.
//
// The input is a slice that ends where the message ends. Up to its capacity more may be
// read, which means nothing, so that words can be loaded near the end.

// A decoder reads one input.
type decoder struct {
	a         *arena.Arena
	depth     int  // how many more levels there may be
	contained bool // the arena is self-contained
	discard   bool // unknown fields are dropped
	noLazy    bool // nothing is left for later, by the official runtime
	check     bool // required fields may be missing
	resolver  resolver
	err       error // of a method of a type
	cache     *allocCache
}

// message reads fields to the message at p, up to the end of b, or to the tag until if that
// isn't 0.
func (d *decoder) message(pl *plan, p unsafe.Pointer, b []byte, i int, until uint) int {
	var seen uint64
	for uint(i) < uint(len(b)) {
		start, tag := i, uint(b[i])
		if i++; tag >= 0x80 {
			tag, i = longTag(b, start)
		}
		f := pl.opOf(tag)
		if f == nil || f.indirect == foreign {
			if tag&7 == wireEnd {
				return d.endGroup(pl, i, seen, tag, until)
			}
			if i = d.other(pl, p, b, start, i, tag); i < 0 {
				return -1
			}
			continue
		}
		at := mem.Add(p, f.off)
		if f.indirect != direct {
			at = d.follow(f, at)
		}
		switch tag & 7 {
		case wireBytes:
			n, j := 0, i+1
			if uint(i) < uint(len(b)) && b[i] < 0x80 {
				n = int(b[i])
			} else {
				n, j = longLength(b, i)
			}
			if n > len(b)-j {
				return -1
			}
			switch i = j + n; f.kind {
			case kindString:
				i = text(f, at, b, j, n)
			case kindMessage:
				i = d.sub(f, at, b[:i], j, 0)
			case kindMessages:
				i = d.messages(f, at, b, j, n)
			case kindBytes:
				setBytes(f, at, b, j, n)
			default:
				i = d.rare(pl, f, p, at, b, start, j, n)
			}
		case wireVarint:
			if uint(i) < uint(len(b)) && b[i] < 0x80 && f.kind != kindVarints {
				setVarint(f.kind, at, uint64(b[i]))
				i++
			} else if i = d.varint(f, at, b, i); i > 0 && f.plain {
				i, seen = pl.plain(p, b, i, seen)
			}
		case wireGroup:
			i = d.group(pl, f, p, at, b, start, i)
		default:
			if i = d.fixed(f, at, b, i); i > 0 && f.plain {
				i, seen = pl.plain(p, b, i, seen)
			}
		}
		if i < 0 {
			return -1
		}
		if f.present {
			protoimpl.X.SetPresentNonAtomic(mem.At[uint32](mem.Add(p, f.part)), f.bit, pl.presence)
		}
		seen |= f.required
	}
	if until != 0 {
		return -1
	}
	d.check = d.check || seen != pl.required || pl.overflow
	return i
}

// plainKinds are those that plain reads, if they lie in the struct itself.
const plainKinds = 1<<kindString | 1<<kindBytes | 1<<kindBool | 1<<kindInt32 | 1<<kindInt64 |
	1<<kindSint32 | 1<<kindSint64 | 1<<kindFixed32 | 1<<kindFixed64

// plain reads fields to the message at p from i on, up to one that it can't read or that is wrong, and returns where
// that begins, which may be the end of b. Near the end of what may be read it reads nothing. It is the fast way through
// a wide message: it calls nothing, so that all that the loop needs stays in registers.
func (pl *plan) plain(p unsafe.Pointer, b []byte, i int, seen uint64) (int, uint64) {
	index := pl.index
	for end := min(len(b), cap(b)-10); i < end; {
		tag, j := uint(b[i]), i+1
		if tag >= 0x80 {
			if j >= len(b) || b[j] >= 0x80 {
				return i, seen
			}
			tag = tag&0x7f | uint(b[j])<<7
			j++
		}
		if tag >= uint(len(index)) || index[tag] == nil || !index[tag].plain {
			return i, seen
		}
		f := index[tag]
		at, w := mem.Add(p, f.off), mem.Load64(b, j)
		switch k := f.kind; {
		case k == kindFixed64:
			if j += 8; j > len(b) {
				return i, seen
			}
			mem.Set(at, w)
		case k == kindFixed32:
			if j += 4; j > len(b) {
				return i, seen
			}
			mem.Set(at, uint32(w))
		case k >= kindBool:
			v := w & 0x7f
			if w&0x80 != 0 {
				m := ^w & highs
				v = squeeze(w, m)
				if m != 0 {
					j += bits.TrailingZeros64(m) >> 3
				} else if j += 8; j+1 < len(b) && b[j] < 0x80 {
					v |= uint64(b[j]) << 56
				} else if j+1 < len(b) && b[j+1] <= 1 {
					v |= uint64(b[j]&0x7f)<<56 | uint64(b[j+1])<<63
					j++
				} else {
					return i, seen
				}
			}
			if j++; j > len(b) {
				return i, seen
			}
			switch k {
			case kindInt64:
				mem.Set(at, v)
			case kindInt32:
				mem.Set(at, uint32(v))
			case kindBool:
				mem.Set(at, v != 0)
			case kindSint32:
				mem.Set(at, unzigzag32(v))
			case kindSint64:
				mem.Set(at, unzigzag64(v))
			}
		default:
			n := int(w & 0xff)
			j++
			if n-1 >= 0x7f || j+n > len(b) { // 0 has a meaning of its own
				return i, seen
			}
			if k == kindBytes {
				mem.Set(at, mem.Bytes(b, j, n))
			} else if f.check && !(n < 8 && isShortASCII(b, j, n) || n >= 8 && isASCII(b, j, n)) {
				return i, seen
			} else {
				mem.Set(at, mem.String(b, j, n))
			}
			j += n
		}
		seen |= f.required
		i = j
	}
	return i, seen
}

// endGroup ends a message at the tag that ends a group.
//
//go:noinline
func (d *decoder) endGroup(pl *plan, i int, seen uint64, tag, until uint) int {
	if tag != until {
		return -1
	}
	d.check = d.check || seen != pl.required || pl.overflow
	return i
}

// follow returns where the value of a field is that isn't in the struct itself.
func (d *decoder) follow(f *op, at unsafe.Pointer) (p unsafe.Pointer) {
	if f.indirect == boxed {
		if p = mem.Get[unsafe.Pointer](at); p == nil {
			p = d.make(f, f.at, f.atSlot)
			mem.Set(at, p)
		}
		return p
	}
	if p = mem.Held(at, f.word); p == nil {
		p = d.make(f, f.at, f.atSlot)
		mem.Hold(at, f.word, p)
	}
	return p
}

// sub reads a message to where the pointer at leads.
func (d *decoder) sub(f *op, at unsafe.Pointer, b []byte, i int, until uint) int {
	p := mem.Get[unsafe.Pointer](at)
	if p == nil {
		p = d.new(f)
		mem.Set(at, p)
	}
	if d.depth == 0 {
		return -1
	}
	d.depth--
	i = d.message(f.sub, p, b, i, until)
	d.depth++
	return i
}

// new makes a message of a field's type. If it can't lie in a self-contained arena, that
// keeps it alive.
func (d *decoder) new(f *op) unsafe.Pointer {
	if d.contained && f.sub.foreign {
		return d.kept(f.block)
	}
	return d.make(f, f.block, f.blockSlot)
}

//go:noinline
func (d *decoder) kept(k arena.TypeKey) unsafe.Pointer {
	p := k.New(nil)
	d.a.KeepAlive(p)
	return p
}

// text stores the n bytes at i as a string.
func text(f *op, at unsafe.Pointer, b []byte, i, n int) int {
	if f.check && !valid(b, i, n) {
		return -1
	}
	setString(at, b, i, n)
	return i + n
}

func setString(at unsafe.Pointer, b []byte, i, n int) {
	if n == 0 {
		mem.Set(at, "")
		return
	}
	mem.Set(at, mem.String(b, i, n))
}

// nothing is what bytes of length 0 point to that aren't nil.
var nothing [0]byte

func setBytes(f *op, at unsafe.Pointer, b []byte, i, n int) {
	switch {
	case n > 0:
		mem.Set(at, mem.Bytes(b, i, n))
	case f.empty:
		mem.Set(at, nothing[:])
	default:
		mem.Set[[]byte](at, nil)
	}
}

// fixed reads a number of a fixed size to a field, or several to a list.
func (d *decoder) fixed(f *op, at unsafe.Pointer, b []byte, i int) int {
	end := i + int(f.size)
	switch {
	case end > len(b):
		return -1
	case f.kind == kindFixeds:
		return d.fixeds(f, at, b, i)
	}
	setFixed(f, at, b, i)
	return end
}

// varint reads a varint to a field, or several to a list.
func (d *decoder) varint(f *op, at unsafe.Pointer, b []byte, i int) int {
	if f.kind == kindVarints {
		return d.varints(f, at, b, i)
	}
	v, i := varint(b, i)
	if i >= 0 {
		setVarint(f.kind, at, v)
	}
	return i
}

// setVarint stores a varint as what it means.
func setVarint(k kind, at unsafe.Pointer, v uint64) {
	switch k {
	case kindInt32:
		mem.Set(at, uint32(v))
	case kindInt64:
		mem.Set(at, v)
	case kindBool:
		mem.Set(at, v != 0)
	case kindSint32:
		mem.Set(at, unzigzag32(v))
	case kindSint64:
		mem.Set(at, unzigzag64(v))
	}
}

// rare reads what has a length and isn't read by message itself. The n bytes at i are there; the
// tag is at start.
//
//go:noinline
func (d *decoder) rare(pl *plan, f *op, p, at unsafe.Pointer, b []byte, start, i, n int) int {
	switch f.kind {
	case kindStrings:
		return d.strings(f, at, b, i, n)
	case kindByteses:
		return d.byteses(f, at, b, i, n)
	case kindPacked:
		return d.packed(f, at, b, i, n)
	case kindMap:
		return d.mapping(f, at, b, i, n)
	case kindStruct:
		return d.inPlace(f, at, b, i, n)
	case kindStructs:
		return d.structs(f, at, b, i, n)
	case kindLazy:
		if d.pending(f, p, at) {
			return d.foreignField(pl, p, b[start:i+n], i+n, true)
		}
		g := f.inner
		if g.indirect != direct {
			at = d.follow(g, at)
		}
		if g.kind == kindMessages {
			return d.messages(g, at, b, i, n)
		}
		return d.sub(g, at, b[:i+n], i, 0)
	}
	return -1
}

// group reads a field that begins with the start of a group.
//
//go:noinline
func (d *decoder) group(pl *plan, f *op, p, at unsafe.Pointer, b []byte, start, i int) int {
	if f.kind == kindLazy {
		if d.pending(f, p, at) {
			return d.foreign(pl, p, b, start, i, uint(f.tag), true)
		}
		if f = f.inner; f.indirect != direct {
			at = d.follow(f, at)
		}
	}
	until := uint(f.num)<<3 | wireEnd
	if f.kind == kindGroup {
		return d.sub(f, at, b, i, until)
	}
	if d.depth == 0 {
		return -1
	}
	q := d.new(f)
	d.depth--
	i = d.message(f.sub, q, b, i, until)
	d.depth++
	s := mem.At[mem.Slice](at)
	d.extend(f, s, 1)
	mem.Set(mem.Add(s.Data, uintptr(s.Len)*word), q)
	s.Len++
	return i
}

// pending says whether the field of a message that the official runtime has read is still to
// be decoded.
func (d *decoder) pending(f *op, p, at unsafe.Pointer) bool {
	return mem.Get[unsafe.Pointer](at) == nil &&
		protoimpl.X.Present(mem.At[uint32](mem.Add(p, f.part)), f.bit)
}
