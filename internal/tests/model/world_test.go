package model_test

import (
	"bytes"
	"fmt"
	"slices"
	"testing"
	"unsafe"

	"github.com/harena-go/arena"
	"github.com/harena-go/arena/internal/tests/testkit"
	"github.com/harena-go/arena/internal/tests/testkit/arenakit"
)

// The model test runs programs, which are strings of bytes, on arenas and on a model of them: the place and the
// expected contents of each piece of live memory. world holds both.
type world struct {
	t       testing.TB
	set     optionSet
	program []byte
	pos     int
	step    int
	seed    uint64 // of the values that are stored; not a part of the program

	chunk int // the size of a first chunk; for the enumeration

	root *actor
	free []*block // of freed arenas: valid as long as we point to them

	lasts bool // nothing that arenas reclaim is used again: it becomes a part of free

	books func() error // compares those of a Pool or a Shared; or nil
	most  int          // the limit of that; 0 if there is none

	// About the operation that runs.
	need  int  // bytes that it may take, at most; for the check of the limit
	exact bool // it takes nothing if it fails
	trace []string
}

// An optionSet is the options of a program's arenas, and their consequences.
type optionSet struct {
	name      string
	opts      []arena.Option
	limit     int
	scrub     bool
	fills     bool // reclaimed memory is overwritten, but not with zeros
	untrusted bool
}

// A block is memory that was allocated at once, and grew since.
type block struct {
	ptr  unsafe.Pointer
	want []byte
	born int
}

func (b *block) end() uintptr { return uintptr(b.ptr) + uintptr(len(b.want)) }

// An actor is an arena and all that lives in it.
type actor struct {
	a        *arena.Arena
	parent   *actor
	born     int
	blocks   []*block
	slices   []slice
	raws     []*raw
	marks    []mark
	children []*actor
}

// slice is a *sliceOf[T].
type slice interface {
	grow(w *world, ac *actor, how, n int)
	part(w *world, ac *actor, tail bool, n int)
	copyTo(w *world, ac *actor)
	fill(w *world)
	changed() int
}

// raw is memory from Alloc.
type raw struct {
	p  unsafe.Pointer
	b  *block // nil if it has no bytes
	at int
}

// A mark remembers how large the blocks were.
type mark struct {
	m     arena.Mark
	at    int
	used  int
	sizes map[*block]int
}

func (w *world) failf(format string, args ...any) {
	w.t.Helper()
	last := w.trace[max(0, len(w.trace)-12):]
	w.t.Fatalf("%s, step %d: %s\nlast steps: %v\nprogram: %q", w.set.name, w.step, fmt.Sprintf(format, args...), last, w.program)
}

func (w *world) check(ok bool, format string, args ...any) {
	if !ok {
		w.t.Helper()
		w.failf(format, args...)
	}
}

// next returns the program's next byte; it reads as zeros behind its end.
func (w *world) next() int {
	w.pos++
	if w.pos > len(w.program) {
		return 0
	}
	return int(w.program[w.pos-1])
}

// size returns the size of something, which is often small.
func (w *world) size() int {
	n := w.next()
	switch {
	case n < 192:
		return n % 48
	case n < 240:
		return n * 3
	default:
		return n * (w.next() + 1) / 4
	}
}

// random returns a number that isn't zero and has no zero bytes.
func (w *world) random() uint64 {
	w.seed = w.seed*6364136223846793005 + 1442695040888963407
	return w.seed | 0x0101010101010101
}

// asked notes how many bytes an operation may take.
func (w *world) asked(size, align int) { w.need += size + align + 8 }

// add notes that the bytes at p were allocated, and checks them.
func (w *world) add(ac *actor, p unsafe.Pointer, want []byte, align uintptr) *block {
	w.t.Helper()
	if len(want) >= 8 {
		align = max(align, 8)
	}
	w.check(uintptr(p)%align == 0 || len(want) == 0, "%d bytes at %x, which is not aligned to %d", len(want), p, align)
	return w.addUnaligned(ac, p, want)
}

// addUnaligned is add for strings.
func (w *world) addUnaligned(ac *actor, p unsafe.Pointer, want []byte) *block {
	w.t.Helper()
	w.check(p != nil || len(want) == 0, "nil for %d bytes", len(want))
	if len(want) == 0 {
		return nil
	}
	b := &block{p, want, w.step}
	w.check(ac.a.Owns(p) && ac.a.Owns(unsafe.Add(p, len(want)-1)), "the arena doesn't own the %d bytes at %x", len(want), p)
	if ac.parent != nil {
		w.check(!ac.parent.a.Owns(p), "the parent owns its child's %d bytes at %x", len(want), p)
	}
	w.root.each(func(o *actor) {
		for _, other := range o.blocks {
			w.check(b.end() <= uintptr(other.ptr) || other.end() <= uintptr(p),
				"the %d bytes at %x overlap the %d live ones at %x", len(want), p, len(other.want), other.ptr)
		}
	})
	w.compare(b)
	ac.blocks = append(ac.blocks, b)
	return b
}

func (w *world) compare(b *block) {
	if got := testkit.BytesAt(b.ptr, len(b.want)); !bytes.Equal(got, b.want) {
		i := 0
		for got[i] == b.want[i] {
			i++
		}
		w.t.Helper()
		w.failf("byte %d of the %d at %x, from step %d, is %#x; want %#x", i, len(got), b.ptr, b.born, got[i], b.want[i])
	}
}

// each calls f for an actor and all below it.
func (ac *actor) each(f func(*actor)) {
	f(ac)
	for _, c := range ac.children {
		c.each(f)
	}
}

func (ac *actor) liveBytes() (n int) {
	for _, b := range ac.blocks {
		n += len(b.want)
	}
	return n
}

// total returns the bytes that count towards the limit.
func (w *world) total() (n int) {
	w.root.each(func(ac *actor) { n += ac.a.UsedBytes() + int(arenakit.Charged(ac.a)) })
	return n
}

// verify compares everything with the model.
func (w *world) verify() {
	w.t.Helper()
	all := slices.Clone(w.free)
	w.root.each(func(ac *actor) {
		all = append(all, ac.blocks...)
		w.verifyStats(ac)
	})
	for _, b := range all {
		w.compare(b)
	}
	slices.SortFunc(all, func(b, c *block) int {
		if uintptr(b.ptr) < uintptr(c.ptr) {
			return -1
		}
		return 1
	})
	for i := 1; i < len(all); i++ {
		b, c := all[i-1], all[i]
		if len(b.want) > 0 && len(c.want) > 0 {
			w.check(b.end() <= uintptr(c.ptr), "%d bytes at %x (step %d) and %d bytes at %x (step %d) overlap",
				len(b.want), b.ptr, b.born, len(c.want), c.ptr, c.born)
		}
	}
	w.verifyBooks()
	if n := w.total(); w.set.limit > 0 {
		w.check(n <= w.set.limit, "%d bytes used, limit %d", n, w.set.limit)
	}
}

func (w *world) verifyStats(ac *actor) {
	w.t.Helper()
	s := ac.a.Stats()
	ok := s.Used == ac.a.UsedBytes() && s.Used >= ac.liveBytes() && s.HighWater >= s.Used &&
		s.Wasted >= 0 && s.Retained >= 0 && s.Used+s.Wasted+s.Retained <= s.Reserved &&
		(s.Chunks > 0) == (s.Reserved > s.Lists)
	w.check(ok, "inconsistent statistics %+v; UsedBytes is %d, %d are live", s, ac.a.UsedBytes(), ac.liveBytes())
}

// verifyBooks compares the counters with the counted things.
func (w *world) verifyBooks() {
	w.t.Helper()
	err := arenakit.CheckBooks(w.root.a)
	if w.books != nil {
		err = w.books()
	}
	w.check(err == nil, "%v", err)
}

// attempt runs an operation that may meet the limit.
func (w *world) attempt(name string, op func()) {
	w.t.Helper()
	w.trace = append(w.trace, name)
	w.need, w.exact = 0, true
	before := w.total()
	v := testkit.Caught(op)
	if v == nil {
		return
	}
	e, isLimit := v.(*arena.LimitError)
	if isLimit && e.Total && w.most > 0 {
		w.check(e.Limit == w.most && 0 <= e.Used && e.Used <= e.Limit, "%v", e)
		w.check(!w.exact || w.total() == before, "%d bytes used after %v, %d before", w.total(), e, before)
		w.verify()
		return
	}
	if !isLimit || w.set.limit == 0 {
		panic(v)
	}
	w.check(e.Limit == w.set.limit && e.Used >= 0 && e.Used <= e.Limit, "%v", e)
	if w.exact {
		w.check(e.Used <= before && e.Asked <= w.need, "%v; %d in use, at most %d asked for", e, before, w.need)
		w.check(w.total() == before, "%d bytes used after %v, %d before", w.total(), e, before)
		w.check(before+w.need > w.set.limit, "%v, with %d in use and at most %d asked for", e, before, w.need)
	}
	w.verify()
}
