//go:build race

// Package race makes the race detector find uses of memory that an arena has reclaimed. It depends on ranges of memory,
// and must not depend on arenas.
package race

import (
	"runtime"
	"slices"
	"unsafe"

	"github.com/harena-go/arena/internal/tuning"
)

// Enabled reports whether the build is one with the race detector.
const Enabled = true

// Ranges are the memory that an arena has reclaimed. They are reported to the detector again and again, since it
// forgets a write after some 200 further goroutine starts. The memory stays allocated until then, as the detector must
// not be told about memory that belongs to others. Once the GC has freed it, the runtime tells the detector when it
// allocates it anew.
//
// Its address must stay the same.
type Ranges struct {
	old, fresh []span // oldest first; the fresh ones weren't reported yet
	reports    int
	last       byte // on which the reporting goroutines synchronize
}

// A span is a piece of memory.
type span struct {
	mem  unsafe.Pointer
	size uintptr
}

// Remember adds size bytes at mem to the ranges for Report.
func (r *Ranges) Remember(mem unsafe.Pointer, size uintptr) {
	r.fresh = append(r.fresh, span{mem, size})
}

// Report tells the detector the ranges remembered since the last call, and now and then the earlier ones. Any later
// access to them is reported as a data race, with the stacks of the access and of this call. letDie means that the
// caller watches whether the memory is still referenced, so it must not be kept alive.
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

// due returns the ranges to report now.
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

// forget releases the oldest ranges if there are too many.
func (r *Ranges) forget() {
	n, bytes := len(r.old), uintptr(0)
	for n > 0 && len(r.old)-n < tuning.RaceSpans && bytes+r.old[n-1].size <= tuning.RaceBytes {
		n--
		bytes += r.old[n].size
	}
	r.old = slices.Delete(r.old, 0, n)
}

// reclaimed makes the detector report each later access to the memory, by any goroutine.
// Accesses so far, and earlier calls, must have happened before the call.
//
// As far as the detector can tell, a separate goroutine writes there. The write is ordered after
// all that the caller has done, since the caller started the goroutine, and after what earlier such
// goroutines wrote. But nothing that happens later, in any goroutine, is ordered after the write:
// no synchronization that the detector sees follows it. So the next access races with it. The
// report names the access, and where the goroutine was created, which is the call of Reset.
//
//go:norace
func (r *Ranges) reclaimed(spans []span) {
	written := false
	go r.arenaReclaimedThis(spans, &written)
	for !written { // the read is hidden from the detector, see norace
		runtime.Gosched()
	}
}

// arenaReclaimedThis is the name that reports show for the write, which isn't a real one.
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

// write is a function that the detector sees, so that its caller's name is in reports. It reads no
// memory.
//
//go:noinline
func write(p unsafe.Pointer, n int) { runtime.RaceWriteRange(p, n) }

// Forgive lets the caller, and all later operations, use the reported memory again: the writes
// happen before Forgive now.
func (r *Ranges) Forgive() { runtime.RaceAcquire(unsafe.Pointer(&r.last)) }

// Unseen calls f. The detector doesn't see f's synchronization.
func Unseen(f func()) {
	runtime.RaceDisable()
	defer runtime.RaceEnable()
	f()
}

// lengthenHistory makes the detector remember more. It reports no access whose stack it has
// forgotten. It has stacks from the events of a goroutine, in parts of 32,768 events. Once a
// goroutine has two parts, which takes it some hundred allocations in a checked arena, it gets its
// next part from the oldest goroutine that has ended. Goroutines that have ended have up to 64
// parts, but at the beginning there are few. A use was then reported only if less than 100 values
// had been allocated since; with 64 goroutines that have ended, it is reported after 2,000.
//
// See TracePartAlloc and ThreadContext.OnFinished in the sources of ThreadSanitizer.
//
//go:norace
func lengthenHistory() {
	if lengthened { // no sync.Once, which would order its callers' accesses
		return
	}
	lengthened = true
	for range 64 {
		var r Ranges
		r.reclaimed([]span{{unsafe.Pointer(new(uint64)), 8}})
	}
}

var lengthened bool
