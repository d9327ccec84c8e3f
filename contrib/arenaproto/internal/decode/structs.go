package decode

import (
	"unsafe"

	"github.com/harena-go/arena/contrib/arenaproto/internal/mem"
	"github.com/harena-go/arena/contrib/arenaproto/internal/plan"
	"github.com/harena-go/arena/contrib/arenaproto/internal/wire"
)

// This file reads values in place, in a struct or in a list, and values with methods that decode them. Only
// plans of UnmarshalStruct have such values.

// inPlace reads the n bytes at i to the struct at p, or to a value that decodes itself by a method.
func (d *Decoder) inPlace(f *plan.Op, p unsafe.Pointer, b []byte, i, n int) int {
	// The method's error is returned unchanged, instead of ErrInvalid.
	if f.Custom != nil {
		if err := f.Custom(p, b[i:i+n:i+n]); err != nil {
			d.Err = err
			return -1
		}
		return i + n
	}
	if d.Depth == 0 {
		return -1
	}
	d.Depth--
	i = d.Message(f.Sub, p, b[:i+n], i, 0)
	d.Depth++
	return i
}

// structs reads a list of structs, or of values with a method. The first is the n bytes at i.
func (d *Decoder) structs(f *plan.Op, at unsafe.Pointer, b []byte, i, n int) int {
	count := 1 + run(f, b, i+n)
	s := mem.At[mem.Slice](at)
	d.extend(f, s, count)
	if f.Custom != nil {
		return d.customs(f, s, b, i, n, count)
	}
	if d.Depth == 0 {
		return -1
	}
	d.Depth--
	// The structs are the elements themselves, so there is one block.
	p := mem.Add(s.Data, uintptr(s.Len)*f.Stride)
	s.Len += count
	for {
		if i = d.Message(f.Sub, p, b[:i+n], i, 0); i < 0 {
			return -1
		}
		if count--; count == 0 {
			break
		}
		p = mem.Add(p, f.Stride)
		n, i = wire.Length(b, i+int(f.Width))
	}
	d.Depth++
	return i
}

// customs is structs for values with a method, or for pointers to such values.
func (d *Decoder) customs(f *plan.Op, s *mem.Slice, b []byte, i, n, count int) int {
	for size := f.Elem.Type().Size(); ; {
		// The pointers' targets are allocated one by one.
		p := mem.Add(s.Data, uintptr(s.Len)*size)
		if f.Pointers {
			q := f.Block.New(d.Arena)
			mem.Set(p, q)
			p = q
		}
		s.Len++
		if i = d.inPlace(f, p, b, i, n); i < 0 {
			return -1
		}
		if count--; count == 0 {
			return i
		}
		n, i = wire.Length(b, i+int(f.Width))
	}
}
