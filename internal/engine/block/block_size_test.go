//go:build !asan

package block

import (
	"runtime"
	"testing"
)

// TestOwnedFits: blocks of the usual sizes use their size class whole.
func TestOwnedFits(t *testing.T) {
	for size := uintptr(512); size <= 1<<20; size *= 2 {
		header := uintptr(0)
		if size <= smallMax {
			header = MallocHeader
		}
		if _, known := shapes[size-front-header]; !known {
			t.Errorf("an owned block of %d bytes has no shape made at compile time", size)
		}
		got := ^uintptr(0)
		for range 5 { // with GOGC=1 the collector's allocations may count, too
			got = min(got, perOwned(t, size))
		}
		if got > size+size/32 {
			t.Errorf("an owned block of %d bytes takes %d", size, got)
		}
	}
}

// perOwned returns how many bytes of the heap an owned block takes.
func perOwned(t *testing.T, size uintptr) uintptr {
	const n = 50
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	for range n {
		if _, usable := Owned(size, nil); usable+64 < size {
			t.Errorf("an owned block of %d bytes offers %d", size, usable)
		}
	}
	runtime.ReadMemStats(&after)
	return uintptr(after.TotalAlloc-before.TotalAlloc) / n
}
