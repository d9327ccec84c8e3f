package dump

import (
	"encoding/binary"
	"errors"
	"fmt"
)

// A reader reads the parts of a dump. After its first error it returns zeros only, so that callers need to check err
// only once for each record.
type reader struct {
	data []byte
	pos  int
	err  error
}

// errShort is the error for a truncated dump, as when the disk is full.
var errShort = errors.New("the dump ends in the middle of a record")

// fail records the first error. Nothing is left to read then.
func (r *reader) fail(err error) {
	if r.err == nil {
		r.err = err
	}
	r.pos = len(r.data)
}

// number reads an integer: seven bits a byte, the lowest first.
func (r *reader) number() uint64 {
	// Most numbers have one byte.
	if r.pos < len(r.data) && r.data[r.pos] < 0x80 {
		r.pos++
		return uint64(r.data[r.pos-1])
	}
	v, n := binary.Uvarint(r.data[r.pos:])
	switch {
	case n > 0:
		r.pos += n
	case n == 0:
		r.fail(errShort)
	default:
		r.fail(fmt.Errorf("a number at byte %d of the dump has more than 64 bits", r.pos))
	}
	return v
}

// address reads an address or an offset.
func (r *reader) address() uintptr { return uintptr(r.number()) }

// skip skips n numbers.
func (r *reader) skip(n int) {
	for range n {
		r.number()
	}
}

// bytes reads the contents of a piece of memory, or a string, which has the same form. The result is a part of the
// dump, not a copy.
func (r *reader) bytes() []byte {
	n := r.number()
	if n > uint64(len(r.data)-r.pos) {
		r.fail(errShort)
		return nil
	}
	// The capacity ends here, so that nothing is appended to the dump.
	b := r.data[r.pos : r.pos+int(n) : r.pos+int(n)]
	r.pos += int(n)
	return b
}

// string reads a string and copies it.
func (r *reader) string() string { return string(r.bytes()) }

// The kinds of a field of a list of pointers. The runtime writes only the first two, since the GC now treats the
// pointers of interfaces like others.
const (
	fieldEnd   = 0
	fieldPtr   = 1
	fieldIface = 2
	fieldEface = 3
)

// field reads the next field of a list and returns the offset of its pointer,
// or false at the end.
func (r *reader) field(wordSize uintptr) (offset uintptr, ok bool) {
	switch kind := r.number(); kind {
	case fieldEnd:
		return 0, false
	case fieldPtr:
		return r.address(), true
	case fieldIface, fieldEface:
		return r.address() + wordSize, true
	default:
		r.fail(fmt.Errorf("a field at byte %d of the dump is of the unknown kind %d", r.pos, kind))
		return 0, false
	}
}
