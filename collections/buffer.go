package collections

import (
	"errors"
	"io"
	"unicode/utf8"
	"unsafe"

	"github.com/harena-go/arena"
	"github.com/harena-go/arena/internal/tuning"
)

// A Buffer is a buffer of bytes in an arena: bytes are written to its end and read from its front,
// as with [bytes.Buffer]. [NewBuffer] makes one; the zero Buffer is an empty one on the Go heap. It
// must not be copied after its first use.
//
// All operations take time in proportion to their bytes, on average. A buffer grows as a [Slice]
// does. Writing uses the memory of read bytes again.
//
// String doesn't copy. The string that it returns still never changes while the arena's values
// live: a buffer whose bytes are in use as a string moves before it would overwrite them.
type Buffer struct {
	_      noCopy
	_      cloning[Buffer]
	arena  *arena.Arena
	buf    []byte
	off    int // the bytes before were read
	frozen int // the bytes before are in a string, and must not be overwritten
}

var errNegativeRead = errors.New("arena: Buffer.ReadFrom: the reader returned a negative count")

// NewBuffer returns an empty buffer in a, with room for capacity bytes. It panics
// as [arena.MakeSlice] does.
func NewBuffer(a *arena.Arena, capacity int) *Buffer {
	var buf []byte // first: if a limit refuses it, nothing was allocated
	if capacity != 0 {
		buf = arena.MakeSliceUninit[byte](a, 0, capacity)
	}
	b := arena.New[Buffer](a)
	b.arena, b.buf = a, buf
	return b
}

// Bytes returns the unread bytes. They are shared with the buffer, and valid until it is changed.
func (b *Buffer) Bytes() []byte { return b.buf[b.off:] }

// String returns the unread bytes, without a copy.
func (b *Buffer) String() string {
	s := b.buf[b.off:]
	if len(s) > 0 {
		b.frozen = len(b.buf)
	}
	return unsafe.String(unsafe.SliceData(s), len(s)) // fact 9; frozen keeps it from changing
}

// Len returns the number of unread bytes.
func (b *Buffer) Len() int { return len(b.buf) - b.off }

// Cap returns the capacity of the buffer in bytes.
func (b *Buffer) Cap() int { return cap(b.buf) }

// Truncate drops all but the first n unread bytes. It panics if there are fewer, or n is negative.
func (b *Buffer) Truncate(n int) {
	if n < 0 || n > b.Len() {
		panicRange("Buffer.Truncate", n, b.Len())
	}
	n += b.off
	if n < b.frozen {
		b.buf = b.buf[:n:n] // later writes go elsewhere
		return
	}
	b.buf = b.buf[:n]
}

// Reset drops all bytes. It keeps the memory, unless that is in use as a string.
func (b *Buffer) Reset() {
	if b.frozen > 0 {
		b.buf = nil
	}
	b.buf, b.off, b.frozen = b.buf[:0], 0, 0
}

// Grow makes room for n more bytes. It panics if n is negative or out of range.
func (b *Buffer) Grow(n int) {
	if n < 0 {
		panicNegative("Buffer.Grow", "n", n)
	}
	if n > cap(b.buf)-len(b.buf) {
		b.grow(n)
	}
}

// grow makes room for n more bytes, which there isn't yet.
//
//go:noinline
func (b *Buffer) grow(n int) {
	unread := b.buf[b.off:]
	if n > maxBytes-len(unread) {
		panicRange("Buffer.Grow", n, maxBytes-len(unread))
	}
	if cap(b.buf) == 0 {
		n = max(n, tuning.FirstBytes)
	}
	switch {
	case b.off <= len(unread): // also if nothing was read: it may grow in place
		old := unsafe.SliceData(b.buf)
		b.buf = arena.Grow(b.arena, b.buf, n)
		if unsafe.SliceData(b.buf) != old {
			b.frozen = 0
		}
		return
	case b.frozen == 0 && n <= cap(b.buf)-len(unread): // moves fewer bytes than were read
		b.buf = b.buf[:copy(b.buf, unread)]
	default: // moves fewer bytes than were read
		next := arena.Grow(b.arena, []byte(nil), len(unread)+n)
		b.buf = append(next, unread...)
		b.frozen = 0
	}
	b.off = 0
}

// Write adds p. It always returns len(p) and no error; it panics as allocating does.
func (b *Buffer) Write(p []byte) (int, error) {
	if len(p) > cap(b.buf)-len(b.buf) {
		b.grow(len(p))
	}
	b.buf = append(b.buf, p...)
	return len(p), nil
}

// WriteString adds s, as Write does.
func (b *Buffer) WriteString(s string) (int, error) {
	if len(s) > cap(b.buf)-len(b.buf) {
		b.grow(len(s))
	}
	b.buf = append(b.buf, s...)
	return len(s), nil
}

// WriteByte adds c. The error is always nil.
func (b *Buffer) WriteByte(c byte) error {
	if len(b.buf) == cap(b.buf) {
		b.grow(1)
	}
	b.buf = append(b.buf, c)
	return nil
}

// WriteRune adds r in UTF-8, and returns its length. The error is always nil.
func (b *Buffer) WriteRune(r rune) (int, error) {
	if cap(b.buf)-len(b.buf) < utf8.UTFMax {
		b.grow(utf8.UTFMax)
	}
	n := len(b.buf)
	b.buf = utf8.AppendRune(b.buf, r)
	return len(b.buf) - n, nil
}

// Read reads up to len(p) bytes. The error is io.EOF if there are none, unless p is empty.
func (b *Buffer) Read(p []byte) (int, error) {
	if b.Len() == 0 && len(p) > 0 {
		b.Reset()
		return 0, io.EOF
	}
	n := copy(p, b.buf[b.off:])
	b.off += n
	return n, nil
}

// ReadByte reads a byte. The error is io.EOF if there is none.
func (b *Buffer) ReadByte() (byte, error) {
	if b.Len() == 0 {
		b.Reset()
		return 0, io.EOF
	}
	c := b.buf[b.off]
	b.off++
	return c, nil
}

// Next reads and returns the next n bytes, or all if there are fewer. They are shared with the
// buffer, and valid until it is changed. It panics if n is negative.
func (b *Buffer) Next(n int) []byte {
	if n < 0 {
		panicNegative("Buffer.Next", "n", n)
	}
	n = min(n, b.Len())
	p := b.buf[b.off : b.off+n]
	b.off += n
	return p
}

// ReadFrom reads r until its end, and returns the number of bytes. The error is r's, but not
// io.EOF. It panics if r returns a negative count.
func (b *Buffer) ReadFrom(r io.Reader) (int64, error) {
	total := int64(0)
	for {
		b.Grow(tuning.MinRead)
		n, err := r.Read(b.buf[len(b.buf):cap(b.buf)])
		if n < 0 {
			panic(errNegativeRead)
		}
		b.buf = b.buf[:len(b.buf)+n]
		total += int64(n)
		if err == io.EOF {
			return total, nil
		}
		if err != nil {
			return total, err
		}
	}
}

// WriteTo writes all bytes to w, and removes those that w accepts. It returns their number. The
// error is w's, or io.ErrShortWrite.
func (b *Buffer) WriteTo(w io.Writer) (int64, error) {
	if b.Len() == 0 {
		b.Reset()
		return 0, nil
	}
	left := b.Len()
	n, err := w.Write(b.buf[b.off:])
	if n < 0 || n > left {
		panicRange("Buffer.WriteTo: the writer's count", n, left)
	}
	b.off += n
	if err == nil && n < left {
		err = io.ErrShortWrite
	}
	if n == left {
		b.Reset()
	}
	return int64(n), err
}
