package arena

import (
	"io"
	"sync"
	"unsafe"

	"github.com/harena-go/arena/internal/diagnose/watch"
	"github.com/harena-go/arena/internal/engine/memory"
	"github.com/harena-go/arena/internal/tuning"
)

// This file holds memory without a type: raw bytes, and data read from an io.Reader. It must not depend on slabs: all
// of it comes from the plain region, at the low end.

// maxAlign is the largest alignment that Alloc offers.
const maxAlign = 4096

// Alloc returns size bytes of zeroed memory, aligned to align, which must be a power of two from 1 to 4096; 8 bytes and
// more are aligned to 8 at least. With a size of 0 it returns a pointer that must not be dereferenced. So an *Arena
// satisfies the interfaces of allocators that have such a method.
//
// The GC doesn't look into this memory. It must not hold pointers, unless the arena is self-contained; use [New] and
// [MakeSlice] for types with pointers.
//
// Pass it to C as a *C.char. With an unsafe.Pointer, cgo looks at the whole chunk and refuses it if there is a pointer,
// as in each chunk of a self-contained arena. The section "C" of docs/cookbook.md has more, also for values of [New].
//
// It panics if size or align is out of range, if the arena was freed, and with a *LimitError if its budget doesn't
// allow for the memory.
func (a *Arena) Alloc(size, align uintptr) unsafe.Pointer {
	if a != nil && a.core != nil && align == memory.ObjectAlign &&
		size-memory.ObjectAlign < maxBytes-memory.ObjectAlign {
		if p := a.plain.ReadyLow(size); p != nil {
			return p
		}
	}
	return a.allocSlow(size, align)
}

// allocSlow is Alloc where memory isn't ready, or the request isn't an ordinary one. A size of 0 takes a byte, so that
// the address is one of the arena's.
func (a *Arena) allocSlow(size, align uintptr) unsafe.Pointer {
	align = rawAlign("Alloc", size, align)
	if a == nil {
		return heapAlloc(size, align)
	}
	a.check("Alloc")
	a.expect("Alloc", nil, watch.Raw)
	return a.plain.TakeLow(max(size, 1), align, false)
}

// rawAlign checks a request for raw memory, and returns its alignment.
func rawAlign(op string, size, align uintptr) uintptr {
	if size > maxBytes {
		panicSize(op, size)
	}
	if align == 0 || align > maxAlign || align&(align-1) != 0 {
		panicAlign(op, align)
	}
	if size >= memory.ObjectAlign {
		return max(align, memory.ObjectAlign)
	}
	return align
}

// heapAlloc is Alloc of a nil arena.
func heapAlloc(size, align uintptr) unsafe.Pointer {
	if align <= memory.ObjectAlign {
		return unsafe.Pointer(unsafe.SliceData(make([]uint64, (size+7)/8+1))) // fact 4
	}
	return memory.AlignUp(unsafe.Pointer(unsafe.SliceData(make([]byte, size+align))), align)
}

// Realloc changes the size of memory that Alloc or Realloc of the same arena returned for oldSize bytes, and returns
// its new address. The memory grows in place if it is the newest of the arena's slices and raw memory, or has room in a
// chunk of its own. Else it is copied to a new place with the given alignment. The new part is zero. Shrinking never
// moves memory, and returns the rest to the arena if possible, which uses it again, also in a [Pool] without reuse.
// With a nil p it is Alloc.
//
// It panics as Alloc does, and if the oldSize bytes at p don't belong to the arena. The Go heap (a nil arena) can't
// check that. The check takes constant time for memory that can grow in place, and else time in proportion to the
// number of chunks.
func (a *Arena) Realloc(p unsafe.Pointer, oldSize, newSize, align uintptr) unsafe.Pointer {
	align = rawAlign("Realloc", newSize, align)
	if p == nil || oldSize == 0 {
		return a.Alloc(newSize, align)
	}
	aligned := uintptr(p)&(align-1) == 0
	if a != nil {
		a.check("Realloc")
		if !a.plain.Holds(p, oldSize) {
			panicForeign("Realloc", p, oldSize)
		}
	}
	end := uintptr(p) + oldSize // fact 10
	switch {
	case newSize <= oldSize && aligned:
		if a != nil && a.plain.EndsLow(end) {
			a.giveBackLow(oldSize - newSize)
		}
		memory.Poison(p, newSize, oldSize)
		return p
	case a != nil && aligned && a.plain.Extend(end, newSize-oldSize):
		return p
	}
	q := a.Alloc(newSize, align)
	copy(unsafe.Slice((*byte)(q), newSize), unsafe.Slice((*byte)(p), oldSize))
	return q
}

// AllocBytes returns n zeroed bytes. It panics as [MakeSlice] does.
func (a *Arena) AllocBytes(n int) []byte {
	return a.bytes("AllocBytes", n, false)
}

// AllocBytesUninit returns n bytes of undefined content, which may be data of earlier users of the arena. It panics as
// [MakeSlice] does.
func (a *Arena) AllocBytesUninit(n int) []byte {
	return a.bytes("AllocBytesUninit", n, true)
}

// bytes allocates n bytes for a caller of the name op.
func (a *Arena) bytes(op string, n int, uninit bool) []byte {
	if p := makeSlice(a, (*byte)(nil), op, n, n, uninit); p != nil {
		return unsafe.Slice((*byte)(p), n)
	}
	return make([]byte, n)
}

// ReadAll reads into a block of the announced size. Without one, and beyond it, it reads into pieces outside of the
// arena, which are joined in a block of the right size at the end. So the arena gets only the bytes read, even if more
// were announced, and reading may use up a limit. Pieces count towards the limits as soon as they have been read: else
// many goroutines that read at a time could take many times the allowed bytes.

// ReadAll reads from r until its end and returns the bytes, as [io.ReadAll] does, in memory of the arena. size is the
// expected number of bytes. It may be wrong, and is 0 or less if nothing is known, as the ContentLength of a request
// is. If it is right, and 1 MiB at most, nothing is copied. After an error other than [io.EOF] ReadAll returns the
// bytes read before.
//
// It panics as [MakeSlice] does: at once if a limit doesn't allow for a size of up to 1 MiB, else when it has read at
// most 32 KiB more than is allowed.
func (a *Arena) ReadAll(r io.Reader, size int64) ([]byte, error) {
	d := draft{a: a}
	if a != nil {
		a.check("ReadAll")
		d.total = a.account.total
	}
	defer d.uncharge()
	if 0 < size && size <= tuning.ReadFirst {
		d.expect(int(size))
	}
	for {
		n, err := r.Read(d.room())
		d.accept(n)
		if err != nil {
			b := d.join()
			if err == io.EOF {
				err = nil
			}
			return b, err
		}
	}
}

// A piece is memory to read to: 32 KiB with the Go allocator's header.
type piece struct {
	next *piece
	n    int // bytes in use
	data [32<<10 - 32]byte
}

var pieces = sync.Pool{New: func() any { return new(piece) }}

// A draft is the state of a ReadAll.
type draft struct {
	a *Arena
	n int // bytes read

	// first is the block of the announced size, with the bytes read; nil if there is none. Its allocation moved the
	// arena's region from before to after; serial is the arena's at that time.
	first         []byte
	before, after memory.Position
	serial        uint64

	head, tail *piece // with the bytes read if first is nil, or full

	total *total
	held  int64 // bytes that are charged to it
}

// expect allocates a block of the announced size. If a limit doesn't allow for it, it panics before anything is read.
func (d *draft) expect(size int) {
	if d.a == nil {
		d.first = make([]byte, 0, size)
		return
	}
	d.before = d.a.plain.Position()
	d.first = d.a.AllocBytesUninit(size)[:0]
	d.after, d.serial = d.a.plain.Position(), d.a.family.serial
}

// room returns memory to read to, at least one byte.
func (d *draft) room() []byte {
	if d.tail == nil && len(d.first) < cap(d.first) {
		return d.first[len(d.first):cap(d.first)]
	}
	if d.tail == nil || d.tail.n == len(d.tail.data) {
		d.push(pieces.Get().(*piece))
	}
	return d.tail.data[d.tail.n:]
}

// push adds a piece behind the others.
func (d *draft) push(p *piece) {
	if d.tail == nil {
		d.head = p
	} else {
		d.tail.next = p
	}
	d.tail = p
}

// accept counts n bytes that were read to room.
func (d *draft) accept(n int) {
	d.n += n
	p := d.tail
	if p == nil {
		d.first = d.first[:len(d.first)+n]
		return
	}
	p.n = len(p.data[:p.n+n])
	if n == 0 || d.a == nil && d.first == nil {
		return
	}
	if d.first != nil {
		d.moveFirst()
	}
	if d.a != nil {
		d.a.demand(uintptr(d.n))
		d.charge()
	}
}

// moveFirst moves the bytes in the block of the announced size to pieces in front of the only one, and reclaims the
// block if nothing was allocated behind it.
func (d *draft) moveFirst() {
	last := d.head
	d.head, d.tail = nil, nil
	for b := d.first; len(b) > 0; b = b[d.tail.n:] {
		p := pieces.Get().(*piece)
		p.n = copy(p.data[:], b)
		d.push(p)
	}
	d.push(last)
	d.first = nil
	if a := d.a; a != nil && a.plain.At(&d.after) && a.family.serial == d.serial {
		used := a.plain.Used()
		a.plain.RewindUnseen(&d.before)
		a.reclaimed()
		a.unsample(used - a.plain.Used())
		a.submitDead(false)
	}
}

// charge charges the bytes read to the limit of a Pool or a Shared, as far as the current chunk has no room for them.
func (d *draft) charge() {
	if d.total == nil {
		return
	}
	d.a.retry(uintptr(d.n), func() bool {
		more := int64(d.n) - int64(d.a.plain.Room()) - d.held
		if more > 0 && !d.total.tryCharge(more) {
			return false
		}
		d.held += max(0, more)
		return true
	})
}

// uncharge is the opposite of charge.
func (d *draft) uncharge() {
	if d.held > 0 {
		d.total.bytes.Add(-d.held)
		d.held = 0
	}
}

// join returns the bytes read, in one block of the arena.
func (d *draft) join() []byte {
	b := d.first
	if b == nil {
		d.uncharge()
		b = d.a.AllocBytesUninit(d.n)
	} else if d.a != nil {
		d.a.giveBackBytes(b[:cap(b)], len(b))
	}
	at := 0
	for p := d.head; p != nil; {
		at += copy(b[at:], p.data[:p.n])
		p = d.free(p)
	}
	return b[:d.n:d.n]
}

// free keeps a piece for others, and returns the next one.
func (d *draft) free(p *piece) *piece {
	next := p.next
	p.next, p.n = nil, 0
	if d.a != nil && d.a.config.Scrub {
		clear(p.data[:])
	}
	pieces.Put(p)
	return next
}
