package decode

import (
	"unsafe"

	"github.com/harena-go/arena/contrib/arenaproto/internal/mem"
	"github.com/harena-go/arena/contrib/arenaproto/internal/plan"
	"github.com/harena-go/arena/contrib/arenaproto/internal/wire"
)

// This file reads lists. The first element counts the elements that follow, and makes room for all of them at
// once. Each takes at least two bytes of the input, so the room is in proportion to the input.
//
// The functions that count check lengths as they go. The loops that read afterwards don't check them again.
// They have the same form:
//
//	count := 1 + run(...)      // elements from the present one on
//	d.extend(f, s, count)      // room for them
//	for {
//		... store the n bytes at i, or the number there
//		if count--; count == 0 { return i }
//		n, i = wire.Length(b, i+int(f.Width))   // the next one, after its tag
//	}

// word is the size of a pointer.
const word = unsafe.Sizeof(uintptr(0))

// run returns the number of further elements at i, of a field with a length. Most tags have one byte.
func run(f *plan.Op, b []byte, i int) (count int) {
	// The loops end at the first byte that isn't the tag, or at a malformed length. Its value is read next, and
	// fails.
	w := int(f.Width)
	if w == 1 {
		tag := byte(f.Wire)
		for uint(i) < uint(len(b)) && b[i] == tag {
			n, j := wire.Length(b, i+1)
			if j < 0 {
				break
			}
			i = j + n
			count++
		}
		return count
	}
	for isNext(f, b, i) {
		n, j := wire.Length(b, i+w)
		if j < 0 {
			break
		}
		i = j + n
		count++
	}
	return count
}

// isNext reports whether the field's tag, in its usual encoding, is at i.
func isNext(f *plan.Op, b []byte, i int) bool {
	if i+int(f.Width) > len(b) || f.Width > 4 {
		return false
	}
	wire := f.Wire
	for k := range int(f.Width) {
		if b[i+k] != byte(wire) {
			return false
		}
		wire >>= 8
	}
	return true
}

// extend makes room for count more elements in s. If s has some already, its capacity doubles, so that
// lists that come in many parts take linear time.
func (d *Decoder) extend(f *plan.Op, s *mem.Slice, count int) {
	switch {
	// An empty list gets exactly the room it needs: most lists come in one part.
	case s.Cap-s.Len >= count:
	case s.Cap == 0 && d.Arena == nil:
		*s = mem.Slice{Data: listOnHeap(f, count), Cap: count}
	case s.Cap == 0:
		*s = mem.Slice{Data: f.Elem.MakeSlice(d.Arena, count), Cap: count}
	default:
		n := max(2*s.Cap, s.Len+count)
		p, c := f.Elem.For(d.Arena).Grow(s.Data, s.Len, s.Cap, n)
		*s = mem.Slice{Data: p, Len: s.Len, Cap: c}
	}
}

// messages reads the messages of a list. The first one is the n bytes at i. The messages are in one block, to
// which the list's pointers lead.
func (d *Decoder) messages(f *plan.Op, at unsafe.Pointer, b []byte, i, n int) int {
	if d.Depth == 0 {
		return -1
	}
	// Two blocks: the list's pointers, and the messages.
	count := 1 + run(f, b, i+n)
	s := mem.At[mem.Slice](at)
	d.extend(f, s, count)
	if d.Contained && f.Sub.HeapOnly {
		return d.messagesKept(f, s, b, i, n, count)
	}
	d.Depth--
	var p unsafe.Pointer
	if d.Arena == nil {
		p = blockOnHeap(f, count)
	} else {
		p = f.Block.MakeSlice(d.Arena, count)
	}
	// Each message is in the list before it is read, so that the list is right if reading fails.
	to := mem.Add(s.Data, uintptr(s.Len)*word)
	for {
		mem.Set(to, p)
		s.Len++
		if i = d.Message(f.Sub, p, b[:i+n], i, 0); i < 0 {
			return -1
		}
		if count--; count == 0 {
			break
		}
		p, to = mem.Add(p, f.Stride), mem.Add(to, word)
		n, i = wire.Length(b, i+int(f.Width))
	}
	d.Depth++
	return i
}

// messagesKept is messages for types that can't be in a self-contained arena. Each message is a block of its
// own on the heap.
func (d *Decoder) messagesKept(f *plan.Op, s *mem.Slice, b []byte, i, n, count int) int {
	d.Depth--
	for {
		p := d.new(f)
		mem.Set(mem.Add(s.Data, uintptr(s.Len)*word), p)
		s.Len++
		if i = d.Message(f.Sub, p, b[:i+n], i, 0); i < 0 {
			return -1
		}
		if count--; count == 0 {
			break
		}
		n, i = wire.Length(b, i+int(f.Width))
	}
	d.Depth++
	return i
}

// strings reads the strings of a list. The first one is the n bytes at i.
func (d *Decoder) strings(f *plan.Op, at unsafe.Pointer, b []byte, i, n int) int {
	// Len grows with each stored string: an error leaves the strings before it, and no others.
	count := 1 + run(f, b, i+n)
	s := mem.At[mem.Slice](at)
	d.extend(f, s, count)
	to := mem.Add(s.Data, uintptr(s.Len)*unsafe.Sizeof(""))
	for {
		if f.Check && !wire.Valid(b, i, n) {
			return -1
		}
		setString(to, b, i, n)
		s.Len++
		i += n
		if count--; count == 0 {
			return i
		}
		to = mem.Add(to, unsafe.Sizeof(""))
		n, i = wire.Length(b, i+int(f.Width))
	}
}

// byteses reads a list of bytes. The first ones are the n bytes at i.
func (d *Decoder) byteses(f *plan.Op, at unsafe.Pointer, b []byte, i, n int) int {
	count := 1 + run(f, b, i+n)
	s := mem.At[mem.Slice](at)
	d.extend(f, s, count)
	to := mem.Add(s.Data, uintptr(s.Len)*unsafe.Sizeof(mem.Slice{}))
	for {
		setBytes(f, to, b, i, n)
		s.Len++
		i += n
		if count--; count == 0 {
			return i
		}
		to = mem.Add(to, unsafe.Sizeof(mem.Slice{}))
		n, i = wire.Length(b, i+int(f.Width))
	}
}

// packed reads a packed list from the n bytes at i. It first counts the varints that end in these bytes. If the
// last one doesn't end there, reading it fails.
func (d *Decoder) packed(f *plan.Op, at unsafe.Pointer, b []byte, i, n int) int {
	// Len is set before the elements. They are zero until then, and a malformed element is an error anyway.
	s := mem.At[mem.Slice](at)
	if f.Scalar == plan.KindFixed32 || f.Scalar == plan.KindFixed64 {
		return d.packedFixed(f, s, b, i, n)
	}
	b = b[:i+n]
	count := wire.VarintsIn(b, i, n)
	if count == 0 {
		if n > 0 {
			return -1
		}
		return i
	}
	d.extend(f, s, count)
	to := mem.Add(s.Data, uintptr(s.Len)*uintptr(f.Size))
	s.Len += count
	for i < len(b) {
		var v uint64
		if c := b[i]; c < 0x80 {
			v = uint64(c)
			i++
		} else if v, i = wire.Varint(b, i); i < 0 {
			return -1
		}
		setVarint(f.Scalar, to, v)
		to = next(to, f.Size, &count)
	}
	return i
}

// next returns the address of the element after the one at p, or nil if that was the last one of count: a
// pointer must not point to the end of a block (fact 10).
func next(p unsafe.Pointer, size uint8, count *int) unsafe.Pointer {
	if *count--; *count == 0 {
		return nil
	}
	return mem.Add(p, uintptr(size))
}

// packedFixed is packed for numbers of a fixed size. On most machines they are copied unchanged.
func (d *Decoder) packedFixed(f *plan.Op, s *mem.Slice, b []byte, i, n int) int {
	// n gives the number of elements.
	size := int(f.Size)
	if n%size != 0 {
		return -1
	}
	if n == 0 {
		return i
	}
	count := n / size
	d.extend(f, s, count)
	to := mem.Add(s.Data, uintptr(s.Len*size))
	s.Len += count
	if LittleEndian {
		copy(mem.Raw(to, n), b[i:i+n])
		return i + n
	}
	for ; count > 0; i += size {
		setFixed(f, to, b, i)
		to = next(to, f.Size, &count)
	}
	return i
}

// LittleEndian means that numbers have the same bytes in memory as in messages. It is a variable for the test.
var LittleEndian = func() bool {
	n := uint32(1)
	return mem.Get[byte](unsafe.Pointer(&n)) == 1
}()

// setFixed stores the number at i, of 4 or 8 bytes.
func setFixed(f *plan.Op, to unsafe.Pointer, b []byte, i int) {
	if f.Size == 4 {
		mem.Set(to, mem.Load32(b, i))
	} else {
		mem.Set(to, mem.Load64(b, i))
	}
}

// varints reads a list of varints, each after a tag of its own. The first tag is before i.
func (d *Decoder) varints(f *plan.Op, at unsafe.Pointer, b []byte, i int) int {
	// Count them, up to another tag or a malformed varint.
	count := 0
	for j := i; ; count++ {
		if _, j = wire.Varint(b, j); j < 0 {
			break
		}
		if !isNext(f, b, j) {
			count++
			break
		}
		j += int(f.Width)
	}
	if count == 0 {
		return -1
	}
	s := mem.At[mem.Slice](at)
	d.extend(f, s, count)
	to := mem.Add(s.Data, uintptr(s.Len)*uintptr(f.Size))
	s.Len += count
	for {
		var v uint64
		v, i = wire.Varint(b, i)
		setVarint(f.Scalar, to, v)
		if to = next(to, f.Size, &count); to == nil {
			return i
		}
		i += int(f.Width)
	}
}

// fixeds reads a list of numbers of a fixed size, each after a tag of its own. The first tag is before i, and
// the first number is within b.
func (d *Decoder) fixeds(f *plan.Op, at unsafe.Pointer, b []byte, i int) int {
	// Count them, up to another tag or a truncated number.
	size, count := int(f.Size), 1
	for j := i + size; isNext(f, b, j) && j+int(f.Width)+size <= len(b); count++ {
		j += int(f.Width) + size
	}
	s := mem.At[mem.Slice](at)
	d.extend(f, s, count)
	to := mem.Add(s.Data, uintptr(s.Len*size))
	s.Len += count
	for {
		setFixed(f, to, b, i)
		i += size
		if to = next(to, f.Size, &count); to == nil {
			return i
		}
		i += int(f.Width)
	}
}
