package decode

import (
	"math/bits"
	"unsafe"

	"github.com/harena-go/arena"
	"github.com/harena-go/arena/contrib/arenaproto/internal/mem"
	"github.com/harena-go/arena/contrib/arenaproto/internal/plan"
	"github.com/harena-go/arena/contrib/arenaproto/internal/wire"
	"google.golang.org/protobuf/runtime/protoimpl"
)

// This file has the hot loop, and the functions for single values and messages.

// All decodes a whole input to the message at p, and reports whether the input is valid. If it panics because
// the arena's budget is exceeded, the cache isn't used again.
func (d *Decoder) All(pl *plan.Plan, p unsafe.Pointer, b []byte) bool {
	if len(b) < cacheFrom || d.Arena == nil {
		return d.Message(pl, p, b, 0, 0) >= 0
	}
	d.cache = caches.Get().(*allocCache)
	end := d.Message(pl, p, b, 0, 0)
	clear(d.cache[:]) // it would keep the arena alive
	caches.Put(d.cache)
	return end >= 0
}

// Message reads fields to the message at p, up to the end of b. If until isn't 0 it is the tag that ends a
// group, and Message reads up to that. seen has the bits of the required fields that were read.
func (d *Decoder) Message(pl *plan.Plan, p unsafe.Pointer, b []byte, i int, until uint) int {
	var seen uint64
	for uint(i) < uint(len(b)) {
		// The tag. Those of the first 15 fields have one byte.
		start, tag := i, uint(b[i])
		if i++; tag >= 0x80 {
			tag, i = wire.LongTag(b, start)
		}
		// The op. Without one it is an unknown field, an extension, or the end of a group.
		f := pl.OpOf(tag)
		if f == nil || f.Indirect == plan.Foreign {
			if tag&7 == wire.TypeEnd {
				return d.endGroup(pl, i, seen, tag, until)
			}
			if i = d.other(pl, p, b, start, i, tag); i < 0 {
				return -1
			}
			continue
		}
		at := mem.Add(p, f.Off)
		if f.Indirect != plan.Direct {
			at = d.follow(f, at)
		}
		// The value, by its wire type. Index has an op only for tags whose wire type fits the field.
		switch tag & 7 {
		case wire.TypeBytes:
			// n bytes from j on. Here a length of one byte is read without a call.
			n, j := 0, i+1
			if uint(i) < uint(len(b)) && b[i] < 0x80 {
				n = int(b[i])
			} else {
				n, j = wire.LongLength(b, i)
			}
			if n > len(b)-j {
				return -1
			}
			switch i = j + n; f.Kind {
			case plan.KindString:
				i = text(f, at, b, j, n)
			case plan.KindMessage:
				i = d.sub(f, at, b[:i], j, 0)
			case plan.KindMessages:
				i = d.messages(f, at, b, j, n)
			case plan.KindBytes:
				setBytes(f, at, b, j, n)
			default:
				i = d.rare(pl, f, p, at, b, start, j, n)
			}
		case wire.TypeVarint:
			// Try plain after a longer one: wide messages have many plain fields in a row.
			if uint(i) < uint(len(b)) && b[i] < 0x80 && f.Kind != plan.KindVarints {
				setVarint(f.Kind, at, uint64(b[i]))
				i++
			} else if i = d.varint(f, at, b, i); i > 0 && f.Plain {
				i, seen = plain(pl, p, b, i, seen)
			}
		case wire.TypeGroup:
			i = d.group(pl, f, p, at, b, start, i)
		default:
			if i = d.fixed(f, at, b, i); i > 0 && f.Plain {
				i, seen = plain(pl, p, b, i, seen)
			}
		}
		if i < 0 {
			return -1
		}
		// Record the field: its presence bit, and its bit of the required fields.
		if f.Present {
			protoimpl.X.SetPresentNonAtomic(mem.At[uint32](mem.Add(p, f.Part)), f.Bit, pl.Presence)
		}
		seen |= f.Required
	}
	if until != 0 {
		return -1 // the group didn't end
	}
	d.Check = d.Check || seen != pl.Required || pl.Overflow
	return i
}

// plain reads fields to the message at p from i on, up to one that it can't read or that is malformed, and
// returns the start of that field, or the end of b. Near the end of the loadable bytes it reads nothing. It is
// fast for wide messages: it has no calls, so the loop's variables stay in registers.
func plain(pl *plan.Plan, p unsafe.Pointer, b []byte, i int, seen uint64) (int, uint64) {
	index := pl.Index
	// 8 bytes can be loaded after a tag of two bytes at i < end, which is enough for most values.
	for end := min(len(b), cap(b)-10); i < end; {
		tag, j := uint(b[i]), i+1
		if tag >= 0x80 {
			if j >= len(b) || b[j] >= 0x80 {
				return i, seen
			}
			tag = tag&0x7f | uint(b[j])<<7
			j++
		}
		if tag >= uint(len(index)) || index[tag] == nil || !index[tag].Plain {
			return i, seen
		}
		f := index[tag]
		at, w := mem.Add(p, f.Off), mem.Load64(b, j)
		switch k := f.Kind; {
		case k == plan.KindFixed64:
			if j += 8; j > len(b) {
				return i, seen
			}
			mem.Set(at, w)
		case k == plan.KindFixed32:
			if j += 4; j > len(b) {
				return i, seen
			}
			mem.Set(at, uint32(w))
		case k >= plan.KindBool:
			v := w & 0x7f // 8 bytes of a varint are in w, two more are read one by one
			if w&0x80 != 0 {
				m := ^w & wire.Highs
				v = wire.Squeeze(w, m)
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
			case plan.KindInt64:
				mem.Set(at, v)
			case plan.KindInt32:
				mem.Set(at, uint32(v))
			case plan.KindBool:
				mem.Set(at, v != 0)
			case plan.KindSint32:
				mem.Set(at, wire.Unzigzag32(v))
			case plan.KindSint64:
				mem.Set(at, wire.Unzigzag64(v))
			}
		default:
			n := int(w & 0xff) // text or bytes with a length of one byte
			j++
			if n-1 >= 0x7f || j+n > len(b) { // 0 is a case of its own, see setBytes
				return i, seen
			}
			if k == plan.KindBytes {
				mem.Set(at, mem.Bytes(b, j, n))
			} else if f.Check && !(n < 8 && wire.IsShortASCII(b, j, n) || n >= 8 && wire.IsASCII(b, j, n)) {
				return i, seen
			} else {
				mem.Set(at, mem.String(b, j, n))
			}
			j += n
		}
		seen |= f.Required
		i = j
	}
	return i, seen
}

// endGroup ends a message at the tag that ends a group, which must be until.
//
//go:noinline
func (d *Decoder) endGroup(pl *plan.Plan, i int, seen uint64, tag, until uint) int {
	if tag != until {
		return -1
	}
	d.Check = d.Check || seen != pl.Required || pl.Overflow
	return i
}

// follow returns the address of a field's value that isn't in the struct itself. If there is none yet it
// allocates one: a box, or the wrapper of a oneof, which replaces another wrapper.
func (d *Decoder) follow(f *plan.Op, at unsafe.Pointer) (p unsafe.Pointer) {
	if f.Indirect == plan.Boxed {
		if p = mem.Get[unsafe.Pointer](at); p == nil {
			p = d.make(f, f.At, f.AtSlot)
			mem.Set(at, p)
		}
		return p
	}
	if p = mem.Held(at, f.Word); p == nil {
		p = d.make(f, f.At, f.AtSlot)
		mem.Hold(at, f.Word, p)
	}
	return p
}

// sub reads a message to the target of the pointer at at, or to a new message if it is nil.
func (d *Decoder) sub(f *plan.Op, at unsafe.Pointer, b []byte, i int, until uint) int {
	// Merge into an earlier message.
	p := mem.Get[unsafe.Pointer](at)
	if p == nil {
		p = d.new(f)
		mem.Set(at, p)
	}
	if d.Depth == 0 {
		return -1
	}
	d.Depth--
	i = d.Message(f.Sub, p, b, i, until)
	d.Depth++
	return i
}

// new allocates a message of a field's type, on the heap if it can't be in a self-contained arena.
func (d *Decoder) new(f *plan.Op) unsafe.Pointer {
	if d.Contained && f.Sub.HeapOnly {
		return d.kept(f.Block)
	}
	return d.make(f, f.Block, f.BlockSlot)
}

// kept allocates a value on the heap that the arena keeps alive.
//
//go:noinline
func (d *Decoder) kept(k arena.TypeKey) unsafe.Pointer {
	p := k.New(nil)
	d.Arena.KeepAlive(p)
	return p
}

// text stores the n bytes at i as a string.
func text(f *plan.Op, at unsafe.Pointer, b []byte, i, n int) int {
	if f.Check && !wire.Valid(b, i, n) {
		return -1
	}
	setString(at, b, i, n)
	return i + n
}

// setString stores the n bytes at i as a string that is a part of b.
func setString(at unsafe.Pointer, b []byte, i, n int) {
	if n == 0 {
		mem.Set(at, "")
		return
	}
	mem.Set(at, mem.String(b, i, n))
}

// nothing is the target of empty bytes that aren't nil.
var nothing [0]byte

// setBytes stores the n bytes at i as bytes that are a part of b. Whether empty bytes are nil depends on the
// field: the official runtime distinguishes present fields from absent ones by that.
func setBytes(f *plan.Op, at unsafe.Pointer, b []byte, i, n int) {
	switch {
	case n > 0:
		mem.Set(at, mem.Bytes(b, i, n))
	case f.Empty:
		mem.Set(at, nothing[:])
	default:
		mem.Set[[]byte](at, nil)
	}
}

// fixed reads a number of a fixed size to a field, or several to a list.
func (d *Decoder) fixed(f *plan.Op, at unsafe.Pointer, b []byte, i int) int {
	end := i + int(f.Size)
	switch {
	// The first number must be there in both cases.
	case end > len(b):
		return -1
	case f.Kind == plan.KindFixeds:
		return d.fixeds(f, at, b, i)
	}
	setFixed(f, at, b, i)
	return end
}

// varint reads a varint to a field, or several to a list.
func (d *Decoder) varint(f *plan.Op, at unsafe.Pointer, b []byte, i int) int {
	if f.Kind == plan.KindVarints {
		return d.varints(f, at, b, i)
	}
	v, i := wire.Varint(b, i)
	if i >= 0 {
		setVarint(f.Kind, at, v)
	}
	return i
}

// setVarint stores a varint as a number of a kind.
func setVarint(k plan.Kind, at unsafe.Pointer, v uint64) {
	switch k {
	case plan.KindInt32:
		mem.Set(at, uint32(v))
	case plan.KindInt64:
		mem.Set(at, v)
	case plan.KindBool:
		mem.Set(at, v != 0)
	case plan.KindSint32:
		mem.Set(at, wire.Unzigzag32(v))
	case plan.KindSint64:
		mem.Set(at, wire.Unzigzag64(v))
	}
}

// rare reads values with a length that Message doesn't read itself. The n bytes at i are within b; the tag is
// at start.
//
//go:noinline
func (d *Decoder) rare(pl *plan.Plan, f *plan.Op, p, at unsafe.Pointer, b []byte, start, i, n int) int {
	switch f.Kind {
	case plan.KindStrings:
		return d.strings(f, at, b, i, n)
	case plan.KindByteses:
		return d.byteses(f, at, b, i, n)
	case plan.KindPacked:
		return d.packed(f, at, b, i, n)
	case plan.KindMap:
		return d.mapping(f, at, b, i, n)
	case plan.KindStruct:
		return d.inPlace(f, at, b, i, n)
	case plan.KindStructs:
		return d.structs(f, at, b, i, n)
	case plan.KindLazy:
		if d.pending(f, p, at) {
			return d.foreignField(pl, p, b[start:i+n], i+n, true)
		}
		// A lazy field with nothing pending is one message or a list of them.
		g := f.Inner
		if g.Indirect != plan.Direct {
			at = d.follow(g, at)
		}
		if g.Kind == plan.KindMessages {
			return d.messages(g, at, b, i, n)
		}
		return d.sub(g, at, b[:i+n], i, 0)
	}
	return -1
}

// group reads a field that begins with the start of a group: a message that ends at a tag, one of a list, or
// a lazy one.
//
//go:noinline
func (d *Decoder) group(pl *plan.Plan, f *plan.Op, p, at unsafe.Pointer, b []byte, start, i int) int {
	if f.Kind == plan.KindLazy {
		if d.pending(f, p, at) {
			return d.foreign(pl, p, b, start, i, uint(f.Tag), true)
		}
		if f = f.Inner; f.Indirect != plan.Direct {
			at = d.follow(f, at)
		}
	}
	until := uint(f.Num)<<3 | wire.TypeEnd
	if f.Kind == plan.KindGroup {
		return d.sub(f, at, b, i, until)
	}
	if d.Depth == 0 {
		return -1
	}
	// A list of groups grows one by one: a group's end isn't known before it was read.
	q := d.new(f)
	d.Depth--
	i = d.Message(f.Sub, q, b, i, until)
	d.Depth++
	s := mem.At[mem.Slice](at)
	d.extend(f, s, 1)
	mem.Set(mem.Add(s.Data, uintptr(s.Len)*word), q)
	s.Len++
	return i
}

// pending reports whether the official runtime has read a lazy field but not decoded it: its bit is set, and
// its pointer is nil.
func (d *Decoder) pending(f *plan.Op, p, at unsafe.Pointer) bool {
	return mem.Get[unsafe.Pointer](at) == nil &&
		protoimpl.X.Present(mem.At[uint32](mem.Add(p, f.Part)), f.Bit)
}
