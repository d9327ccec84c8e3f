//go:build race

// Package race is the fence around the race detector, which finds uses of memory that an
// arena has reclaimed. It may know ranges of memory, and nothing of arenas.
package race

import (
	"runtime"
	"slices"
	"unsafe"

	"github.com/harena-go/arena/internal/tuning"
)

// Enabled reports whether the build is one with the race detector.
const Enabled = true

// Ranges is what an arena remembers of memory that it has reclaimed, so as to tell the
// detector of it again: it forgets a write after some 200 further goroutine starts. The
// memory stays allocated for so long, or else the detector would be told of memory that
// belongs to somebody else by then. When the GC has reclaimed it, the runtime tells the
// detector that it allocates it anew.
//
// Its address must stay the same.
type Ranges struct {
	old, fresh []span // oldest first; Report hasn't told of the fresh ones yet
	reports    int
	last       byte // what the goroutines that report synchronize on
}

// A span is a piece of memory.
type span struct {
	mem  unsafe.Pointer
	size uintptr
}

// Remember adds size bytes at mem to what Report will tell of.
func (r *Ranges) Remember(mem unsafe.Pointer, size uintptr) {
	r.fresh = append(r.fresh, span{mem, size})
}

// Report tells the detector of what was remembered since the last time, and now and then
// of what was before. Any later access to it is reported as a data race, with the stacks
// of the access and of this call. letDie says that somebody looks whether the memory is
// still referenced, so that it must not be kept.
func (r *Ranges) Report(letDie bool) {
	if len(r.fresh) == 0 {
		return
	}
	lengthenHistory()
	r.reclaimed(r.due(letDie))
	clear(r.fresh)
	r.fresh = r.fresh[:0]
	r.forget()
}

// due returns what the detector is to be told of now.
func (r *Ranges) due(letDie bool) []span {
	if letDie {
		return r.fresh
	}
	r.old = append(r.old, r.fresh...)
	if r.reports++; r.reports%tuning.RaceEvery == 0 {
		return r.old
	}
	return r.fresh
}

// forget releases the oldest if there are too many.
func (r *Ranges) forget() {
	n, bytes := len(r.old), uintptr(0)
	for n > 0 && len(r.old)-n < tuning.RaceSpans && bytes+r.old[n-1].size <= tuning.RaceBytes {
		n--
		bytes += r.old[n].size
	}
	r.old = slices.Delete(r.old, 0, n)
}

// reclaimed makes the detector report each later access to the memory, by any
// goroutine. Accesses so far must have happened before the call, and so must
// earlier calls.
//
// A goroutine of its own writes there, as far as the detector can tell.
// That is after all that the caller has done, since it started the goroutine,
// and after what the goroutines before it wrote; but nothing that happens later,
// in whichever goroutine, is ordered after that write: nobody learns of its end
// by a synchronization that the detector knows. So the next access is a race
// with it. The report names both: the access, and where the goroutine was
// created, which is the call of Reset.
//
//go:norace
func (r *Ranges) reclaimed(spans []span) {
	written := false
	go r.arenaReclaimedThis(spans, &written)
	for !written { // read without the detector's knowledge, hence norace
		runtime.Gosched()
	}
}

// arenaReclaimedThis is what reports say of the write, which is none.
//
//go:norace
func (r *Ranges) arenaReclaimedThis(spans []span, written *bool) {
	runtime.RaceAcquire(unsafe.Pointer(&r.last))
	for _, s := range spans {
		write(s.mem, int(s.size))
	}
	runtime.RaceRelease(unsafe.Pointer(&r.last))
	*written = true
}

// write is a function that the detector knows of, so that its caller's name is in reports. It reads no memory.
//
//go:noinline
func write(p unsafe.Pointer, n int) { runtime.RaceWriteRange(p, n) }

// Unseen calls f. What it synchronizes with orders nothing, as far as the detector can tell.
func Unseen(f func()) {
	runtime.RaceDisable()
	defer runtime.RaceEnable()
	f()
}

// lengthenHistory has the detector remember more. It reports no access of which it has forgotten the stack, and it has stacks from
// the events of the goroutine, of which 32,768 are a part of its history. A goroutine that needs another part gets the oldest
// of all that belong to goroutines that have ended, once it has two of its own: to allocate some hundred values in a
// checked arena takes that long. Goroutines that have ended have up to 64 parts, but there are few
// of those at the beginning: then a use was reported only if less than 100 values had been allocated since, and with
// 64 goroutines that have ended, it is after 2,000.
//
// See TracePartAlloc and ThreadContext.OnFinished in the sources of ThreadSanitizer.
//
//go:norace
func lengthenHistory() {
	if lengthened { // no sync.Once, which would order what its callers do
		return
	}
	lengthened = true
	for range 64 {
		var r Ranges
		r.reclaimed([]span{{unsafe.Pointer(new(uint64)), 8}})
	}
}

var lengthened bool
