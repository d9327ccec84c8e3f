package arena

import (
	"io"
	"sync"

	"github.com/harena-go/arena/internal/engine/memory"
	"github.com/harena-go/arena/internal/tuning"
)

// This file holds ReadAll. What it reads goes to a block of the size that was
// announced; or else, and beyond that, to pieces outside of the arena, which are
// joined in a block of the right size when all of it is there. So the arena gets what
// was read and nothing else, whoever announced what, and all that a limit leaves can be
// read.
//
// What is in pieces counts towards the limits from when it has been read, lest many
// that read at a time take many times what is allowed. This file may not know what limits
// there are: it asks for memory, and the budget answers.

// ReadAll reads from r until its end and returns what it read, as [io.ReadAll]
// does, in memory of the arena. size is how many bytes are expected; it may be
// wrong, and 0 or less if nothing is known, as the ContentLength of a request. If it
// is right, and 1 MiB at most, nothing is copied.
// With an error other than [io.EOF] it returns what was read until then. It
// panics as [MakeSlice] does: at once if a limit doesn't allow for a size of up to 1 MiB,
// else when it has read 32 KiB more than is allowed at most.
func (a *Arena) ReadAll(r io.Reader, size int64) ([]byte, error) {
	d := draft{a: a}
	if a != nil {
		a.check("ReadAll")
		d.account = a.budget.account
	}
	defer d.letGo()
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

// A piece is memory to read to, of 32 KiB with what the Go allocator puts in front.
type piece struct {
	next *piece
	n    int // bytes in use
	data [32<<10 - 32]byte
}

var pieces = sync.Pool{New: func() any { return new(piece) }}

// A draft is what a ReadAll has read so far.
type draft struct {
	a *Arena
	n int // bytes read

	// first is the block of the announced size, up to what was read; nil if there is
	// none. The arena's region went from before to after when it was allocated, and
	// serial is the arena's.
	first         []byte
	before, after memory.Position
	serial        uint64

	head, tail *piece // that hold what was read if first is nil, or is full

	account *account
	held    int64 // bytes that are charged to it
}

// expect allocates a block of the announced size. If a limit doesn't allow for it, the
// caller learns that before anything is read, and which limit it is.
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

// accept takes account of n bytes that were read to room.
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

// moveFirst moves what is in the block of the announced size to pieces, in front of the
// only one, and gives the block back if nothing was allocated behind it.
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
		a.plain.RewindUnseen(&d.before)
		a.reclaimed()
		if a.quarantines() {
			a.submitDead()
		}
	}
}

// charge charges what was read to the limit of a Pool or a Shared, as far as the
// current chunk has no room for it.
func (d *draft) charge() {
	if d.account == nil {
		return
	}
	d.a.insist(uintptr(d.n), func() bool {
		more := int64(d.n) - int64(d.a.plain.Room()) - d.held
		if more > 0 && !d.account.tryCharge(more) {
			return false
		}
		d.held += max(0, more)
		return true
	})
}

// letGo is the opposite of charge.
func (d *draft) letGo() {
	if d.held > 0 {
		d.account.bytes.Add(-d.held)
		d.held = 0
	}
}

// join returns what was read, in one block of the arena.
func (d *draft) join() []byte {
	b := d.first
	if b == nil {
		d.letGo()
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
