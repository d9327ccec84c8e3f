package arenaproto

import (
	"unsafe"

	"github.com/harena-go/arena/contrib/arenaproto/internal/mem"
)

// This file holds how lists are read. At the first element the tags that follow are counted,
// and there is room for all of them at once. Each takes two bytes of the input at
// least, so that the room is in proportion to the input.

const word = unsafe.Sizeof(uintptr(0))

// run returns how many more elements of a field with a length follow at i.
func run(f *op, b []byte, i int) (count int) {
	w := int(f.width)
	if w == 1 {
		tag := byte(f.wire)
		for uint(i) < uint(len(b)) && b[i] == tag {
			n, j := length(b, i+1)
			if j < 0 {
				break
			}
			i = j + n
			count++
		}
		return count
	}
	for isNext(f, b, i) {
		n, j := length(b, i+w)
		if j < 0 {
			break
		}
		i = j + n
		count++
	}
	return count
}

// isNext says whether the field's tag, as it is usually written, is at i.
func isNext(f *op, b []byte, i int) bool {
	if i+int(f.width) > len(b) || f.width > 4 {
		return false
	}
	wire := f.wire
	for k := range int(f.width) {
		if b[i+k] != byte(wire) {
			return false
		}
		wire >>= 8
	}
	return true
}

// extend makes room for count more elements in s. If there are some already, it doubles, so
// that lists which come in many parts take linear time.
func (d *decoder) extend(f *op, s *mem.Slice, count int) {
	switch {
	case s.Cap-s.Len >= count:
	case s.Cap == 0 && d.a == nil:
		*s = mem.Slice{Data: f.listOnHeap(count), Cap: count}
	case s.Cap == 0:
		*s = mem.Slice{Data: f.elem.MakeSlice(d.a, count), Cap: count}
	default:
		n := max(2*s.Cap, s.Len+count)
		p, c := f.elem.For(d.a).Grow(s.Data, s.Len, s.Cap, n)
		*s = mem.Slice{Data: p, Len: s.Len, Cap: c}
	}
}

// messages reads the messages of a list, the first of which are the n bytes at i. They
// lie in one block.
func (d *decoder) messages(f *op, at unsafe.Pointer, b []byte, i, n int) int {
	if d.depth == 0 {
		return -1
	}
	count := 1 + run(f, b, i+n)
	s := mem.At[mem.Slice](at)
	d.extend(f, s, count)
	if d.contained && f.sub.foreign {
		return d.messagesKept(f, s, b, i, n, count)
	}
	d.depth--
	var p unsafe.Pointer
	if d.a == nil {
		p = f.blockOnHeap(count)
	} else {
		p = f.block.MakeSlice(d.a, count)
	}
	to := mem.Add(s.Data, uintptr(s.Len)*word)
	for {
		mem.Set(to, p)
		s.Len++
		if i = d.message(f.sub, p, b[:i+n], i, 0); i < 0 {
			return -1
		}
		if count--; count == 0 {
			break
		}
		p, to = mem.Add(p, f.bytes), mem.Add(to, word)
		n, i = length(b, i+int(f.width))
	}
	d.depth++
	return i
}

// messagesKept is messages for those that can't lie in a self-contained arena.
func (d *decoder) messagesKept(f *op, s *mem.Slice, b []byte, i, n, count int) int {
	d.depth--
	for {
		p := d.new(f)
		mem.Set(mem.Add(s.Data, uintptr(s.Len)*word), p)
		s.Len++
		if i = d.message(f.sub, p, b[:i+n], i, 0); i < 0 {
			return -1
		}
		if count--; count == 0 {
			break
		}
		n, i = length(b, i+int(f.width))
	}
	d.depth++
	return i
}

// strings reads the strings of a list, the first of which are the n bytes at i.
func (d *decoder) strings(f *op, at unsafe.Pointer, b []byte, i, n int) int {
	count := 1 + run(f, b, i+n)
	s := mem.At[mem.Slice](at)
	d.extend(f, s, count)
	to := mem.Add(s.Data, uintptr(s.Len)*unsafe.Sizeof(""))
	for {
		if f.check && !valid(b, i, n) {
			return -1
		}
		setString(to, b, i, n)
		s.Len++
		i += n
		if count--; count == 0 {
			return i
		}
		to = mem.Add(to, unsafe.Sizeof(""))
		n, i = length(b, i+int(f.width))
	}
}

// byteses reads the bytes of a list, the first of which are the n at i.
func (d *decoder) byteses(f *op, at unsafe.Pointer, b []byte, i, n int) int {
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
		n, i = length(b, i+int(f.width))
	}
}

// packed reads a packed list from the n bytes at i.
func (d *decoder) packed(f *op, at unsafe.Pointer, b []byte, i, n int) int {
	s := mem.At[mem.Slice](at)
	if f.scalar == kindFixed32 || f.scalar == kindFixed64 {
		return d.packedFixed(f, s, b, i, n)
	}
	b = b[:i+n]
	count := varintsIn(b, i, n)
	if count == 0 {
		if n > 0 {
			return -1
		}
		return i
	}
	d.extend(f, s, count)
	to := mem.Add(s.Data, uintptr(s.Len)*uintptr(f.size))
	s.Len += count
	for i < len(b) {
		var v uint64
		if c := b[i]; c < 0x80 {
			v = uint64(c)
			i++
		} else if v, i = varint(b, i); i < 0 {
			return -1
		}
		setVarint(f.scalar, to, v)
		to = next(to, f.size, &count)
	}
	return i
}

// next returns where the element behind the one at p is, or nil if that was the last one
// of count: a pointer behind the block is none to have (fact 10).
func next(p unsafe.Pointer, size uint8, count *int) unsafe.Pointer {
	if *count--; *count == 0 {
		return nil
	}
	return mem.Add(p, uintptr(size))
}

// packedFixed is packed for numbers of a fixed size. They are copied as they are.
func (d *decoder) packedFixed(f *op, s *mem.Slice, b []byte, i, n int) int {
	size := int(f.size)
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
	if littleEndian {
		copy(mem.Raw(to, n), b[i:i+n])
		return i + n
	}
	for ; count > 0; i += size {
		setFixed(f, to, b, i)
		to = next(to, f.size, &count)
	}
	return i
}

// littleEndian says that numbers lie in memory as they do in messages.
var littleEndian = func() bool {
	n := uint32(1)
	return mem.Get[byte](unsafe.Pointer(&n)) == 1
}()

func setFixed(f *op, to unsafe.Pointer, b []byte, i int) {
	if f.size == 4 {
		mem.Set(to, mem.Load32(b, i))
	} else {
		mem.Set(to, mem.Load64(b, i))
	}
}

// varints reads a list of varints, each of which has a tag; that of the first is in front
// of i.
func (d *decoder) varints(f *op, at unsafe.Pointer, b []byte, i int) int {
	count := 0
	for j := i; ; count++ {
		if _, j = varint(b, j); j < 0 {
			break
		}
		if !isNext(f, b, j) {
			count++
			break
		}
		j += int(f.width)
	}
	if count == 0 {
		return -1
	}
	s := mem.At[mem.Slice](at)
	d.extend(f, s, count)
	to := mem.Add(s.Data, uintptr(s.Len)*uintptr(f.size))
	s.Len += count
	for {
		var v uint64
		v, i = varint(b, i)
		setVarint(f.scalar, to, v)
		if to = next(to, f.size, &count); to == nil {
			return i
		}
		i += int(f.width)
	}
}

// fixeds reads a list of numbers of a fixed size, each of which has a tag; that of the
// first is in front of i, and the first is there.
func (d *decoder) fixeds(f *op, at unsafe.Pointer, b []byte, i int) int {
	size, count := int(f.size), 1
	for j := i + size; isNext(f, b, j) && j+int(f.width)+size <= len(b); count++ {
		j += int(f.width) + size
	}
	s := mem.At[mem.Slice](at)
	d.extend(f, s, count)
	to := mem.Add(s.Data, uintptr(s.Len*size))
	s.Len += count
	for {
		setFixed(f, to, b, i)
		i += size
		if to = next(to, f.size, &count); to == nil {
			return i
		}
		i += int(f.width)
	}
}
