//go:build race

// Package race is the fence around the race detector, which finds uses of
// memory that an arena has taken back.
package race

import (
	"runtime"
	"unsafe"
)

// Enabled says whether the build is one with the race detector.
const Enabled = true

// A Range is a piece of memory.
type Range struct {
	Mem  unsafe.Pointer
	Size uintptr
}

// A Teller tells the race detector of memory that was taken back. Its address
// must stay the same.
type Teller struct{ last byte }

// TakenBack makes the detector report each later access to the ranges, by any
// goroutine. Accesses so far must have happened before the call, and so must
// earlier calls.
//
// A goroutine of its own writes to the ranges, as far as the detector can tell.
// That is after all that the caller has done, since it started the goroutine,
// and after what the goroutines before it wrote; but nothing that happens later,
// in whichever goroutine, is ordered after that write: nobody learns of its end
// by a synchronization that the detector knows. So the next access is a race
// with it. The report names both: the access, and where the goroutine was
// created, which is the call of Reset.
//
//go:norace
func (t *Teller) TakenBack(ranges []Range) {
	written := false
	go t.write(ranges, &written)
	for !written { // read without the detector's knowledge, hence norace
		runtime.Gosched()
	}
}

//go:norace
func (t *Teller) write(ranges []Range, written *bool) {
	runtime.RaceAcquire(unsafe.Pointer(&t.last))
	for _, r := range ranges {
		runtime.RaceWriteRange(r.Mem, int(r.Size))
	}
	runtime.RaceRelease(unsafe.Pointer(&t.last))
	*written = true
}
