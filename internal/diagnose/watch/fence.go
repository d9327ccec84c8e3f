package watch

import (
	"reflect"
	"slices"
	"time"
	"unsafe"
	"weak"

	"github.com/harena-go/arena/internal/engine/asan"
	"github.com/harena-go/arena/internal/engine/block"
	"github.com/harena-go/arena/internal/engine/fill"
	"github.com/harena-go/arena/internal/engine/guard"
	"github.com/harena-go/arena/internal/engine/memory"
	"github.com/harena-go/arena/internal/engine/race"
	"github.com/harena-go/arena/internal/tuning"
)

// This file puts fences around memory that arenas of a Pool with a guard rate reclaim, so that using it faults. It also
// finds the memory that a fault touched. It must not depend on how memory is guarded, or on the consequences of a
// fault.
//
// The pages of chunks without pointers are guarded. Slabs can't be, since the GC reads them: their values are
// overwritten, so that following a pointer in one faults, and a write is found.
//
//	Fence ──▶ Batch ──▶ raise: kept, and guarded ──▶ lower: looked at as without a fence
//
// A fence keeps its memory alive, so the tracker can't find other holders meanwhile. There are only a few fences at a
// time (see tuning); the oldest is lowered first.

// A fence surrounds the memory that one operation reclaimed. The tracker's lock guards it.
type fence struct {
	pages  []guard.Pages // of chunks without pointers; none once lowered
	slabs  []slab
	trap   unsafe.Pointer // the address that overwrote pointers in slabs
	bytes  uintptr
	raised time.Time
}

// A slab is a chunk for values of a type with pointers. The values were at its two ends.
type slab struct {
	mem        unsafe.Pointer // nil once the fence is lowered
	block      weak.Pointer[byte]
	kept       uint64 // checksum of the bytes that weren't overwritten
	elem       reflect.Type
	unit       uintptr // distance between values
	lo, hi     uintptr
	size, full uintptr // usable bytes of the chunk, and bytes of its block
}

// Fenced turns on fences around reclaimed memory if the platform supports them and allocations share blocks. Programs
// that don't call it don't link fences.
func (w *Watch) Fenced() {
	if !w.single && guard.PageSize > 0 && fill.Trap(0, 0) != nil {
		w.guards, w.puts = true, w.put
	}
}

// Fence puts a fence around chunks of a region that were given up.
func (w *Watch) Fence(r *memory.Region, gone []memory.Chunk) {
	if w.puts != nil && len(gone) > 0 {
		w.puts(r, gone)
	}
}

func (w *Watch) put(r *memory.Region, gone []memory.Chunk) {
	if w.fence == nil {
		w.fence = &fence{trap: fill.Trap(w.number, w.times)}
	}
	f, elem := w.fence, r.Type()
	for i := range gone {
		c := &gone[i]
		bytes := c.Total
		lo, hi := c.Middle()
		switch {
		case elem != nil:
			s := slab{c.Mem, weak.Make((*byte)(c.Mem)), 0, elem, r.Unit, lo, hi, c.Size, c.Total}
			asan.Unpoison(c.Mem, c.Size)
			s.fill(f.trap)
			f.slabs = append(f.slabs, s)
		case c.Paged:
			bytes = block.PagesOf(c.Size, guard.PageSize)
			f.pages = append(f.pages, guard.Pages{Start: c.Mem, Size: bytes})
		default:
			continue
		}
		f.bytes += bytes
	}
}

// fill overwrites the values of a slab that is still there. A use may have changed them before it faulted: a Go map,
// for example, notes a write in progress, and the next use would end the process.
func (s *slab) fill(trap unsafe.Pointer) {
	mem := unsafe.Pointer(s.block.Value())
	if s.kept = 0; mem != nil {
		s.all(mem, func(p unsafe.Pointer, n int) { s.kept += fill.Dead(s.elem, p, n, trap) })
	}
}

// all calls f for the values at each end, several per call.
func (s *slab) all(mem unsafe.Pointer, f func(p unsafe.Pointer, n int)) {
	s.part(mem, 0, s.lo, f)
	s.part(mem, s.hi, s.size, f)
}

func (s *slab) part(mem unsafe.Pointer, from, to uintptr, f func(p unsafe.Pointer, n int)) {
	if from < to && s.unit == s.elem.Size() { // an empty upper end begins past the block (fact 10)
		f(unsafe.Add(mem, from), int((to-from)/s.unit)) // fact 1
		return
	}
	for ; from < to; from += s.unit { // with padding, on 32-bit machines
		f(unsafe.Add(mem, from), 1)
	}
}

// touched reports whether a value was written to since it was overwritten.
func (s *slab) touched(trap unsafe.Pointer) bool {
	if race.Instrumented {
		return false
	}
	all, sum := true, uint64(0)
	s.all(s.mem, func(p unsafe.Pointer, n int) {
		kept, ok := fill.Untouched(s.elem, p, n, trap)
		sum += kept
		all = all && ok
	})
	return !all || sum != s.kept
}

// fencing is the tracker's view of fences; as an interface, it links them only if Fences is linked.
type fencing interface {
	empty() bool
	raise(b *Batch, then func(*Batch)) bool
	lower(all bool, then func(*Batch))
}

// Fences has the tracker raise fences.
func (t *Tracker) Fences() {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.fences == nil {
		t.fences = new(fences)
	}
}

// fences holds the raised fences.
type fences struct {
	list  []*Batch // oldest first
	bytes uintptr
}

// raise raises the fence of a batch, and reports whether it did. It lowers others to make room, and passes their
// batches to then.
func (l *fences) raise(b *Batch, then func(*Batch)) bool {
	f := b.fence
	if f == nil || f.bytes > tuning.FenceBytes || len(f.pages) > 0 && !guard.Guard(f.pages) {
		b.fence = nil
		return false
	}
	f.raised = time.Now()
	l.list = append(l.list, b)
	l.bytes += f.bytes
	for len(l.list) > tuning.FenceLives || l.bytes > tuning.FenceBytes {
		l.lowerOldest(1, then)
	}
	return true
}

func (l *fences) empty() bool { return len(l.list) == 0 }

// lower lowers all fences, or those raised for at least tuning.FenceTime.
func (l *fences) lower(all bool, then func(*Batch)) {
	n, now := 0, time.Now()
	for n < len(l.list) && (all || now.Sub(l.list[n].fence.raised) >= tuning.FenceTime) {
		n++
	}
	l.lowerOldest(n, then)
}

// lowerOldest lowers the n oldest fences. Slabs that were written to become findings.
func (l *fences) lowerOldest(n int, then func(*Batch)) {
	for _, b := range l.list[:n] {
		f := b.fence
		guard.Release(f.pages)
		l.bytes -= f.bytes
		for i := range f.slabs {
			s := &f.slabs[i]
			if s.touched(f.trap) {
				b.write(s)
			}
			s.mem = nil
		}
		f.pages = nil
		then(b)
	}
	l.list = slices.Delete(l.list, 0, n)
}

// write records a finding: a write to a slab. The slab isn't reported again as held.
func (b *Batch) write(s *slab) {
	for i := range b.doomed {
		if d := &b.doomed[i]; unsafe.Pointer(d.block.Value()) == s.mem {
			d.block = weak.Pointer[byte]{}
		}
	}
	found := &doomedBlock{Size: s.full, Elem: s.elem, watched: s.full}
	b.wrote = append(b.wrote, Finding{Batch: b, doomedBlock: found, addr: uintptr(s.mem), Written: true})
}

// A Touch describes the memory that a fault touched.
type Touch struct {
	*Batch
	Size  uintptr        // of the chunk without pointers; or 0
	Types []reflect.Type // else the followed pointer was in a value of one of these
}

// TouchAt finds the fence at the address of a fault; the newest, since addresses are reused. Pointers in values that
// something still holds lead to a lowered fence, until the tracker has looked and reported them. ok is false without a
// fence.
func (t *Tracker) TouchAt(addr uintptr) (found Touch, ok bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	var raised []*Batch
	if l, ok := t.fences.(*fences); ok {
		raised = l.list
	}
	for _, list := range [][]*Batch{raised, t.batches} {
		for _, b := range slices.Backward(list) {
			if b.fence != nil && b.fence.at(addr, &found) {
				found.Batch = b
				for i := range b.fence.slabs {
					b.fence.slabs[i].fill(b.fence.trap)
				}
				return found, true
			}
		}
	}
	return found, false
}

// Fenced returns a batch with a raised fence, the newest, or nil.
func (t *Tracker) Fenced() *Batch {
	t.mu.Lock()
	defer t.mu.Unlock()
	if l, ok := t.fences.(*fences); ok && len(l.list) > 0 {
		return l.list[len(l.list)-1]
	}
	return nil
}

// at reports whether an address is within the fence, and describes its memory in found.
func (f *fence) at(addr uintptr, found *Touch) bool {
	for _, p := range f.pages {
		if addr-uintptr(p.Start) < p.Size {
			found.Size = p.Size
			return true
		}
	}
	if addr-uintptr(f.trap) >= fill.TrapSize {
		return false
	}
	for _, s := range f.slabs {
		if !slices.Contains(found.Types, s.elem) {
			found.Types = append(found.Types, s.elem)
		}
	}
	return len(found.Types) > 0
}
