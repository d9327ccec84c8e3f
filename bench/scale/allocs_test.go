//go:build !race && !asan && !msan

// The race detector has sync.Pool drop things at random, and others allocate on
// their own.

package scale

import (
	"runtime"
	"testing"

	"github.com/harena-go/arena/bench/suite"
)

// TestAllocations says how many objects an order takes, and which peers use
// memory again.
func TestAllocations(t *testing.T) {
	const requests = 1000
	for peer, want := range map[string]float64{
		suite.Heap:          199,
		suite.SyncPool:      3 + 2*items, // strings
		suite.Harena:        0,
		suite.SelfContained: 0,
		Shared:              0,
	} {
		d, err := newDesk(peer)
		if err != nil {
			t.Fatal(err)
		}
		answer := d.worker()
		for request := range 100 {
			answer(request)
		}
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		for request := range requests {
			answer(request)
		}
		runtime.ReadMemStats(&after)
		if got := float64(after.Mallocs-before.Mallocs) / requests; got < want || got > want+1 {
			t.Errorf("%s: %v heap allocations for an order, want %v", peer, got, want)
		}
		// An order takes more than 10 KB, and not a tenth of that may come from the
		// heap where memory is used again.
		if bytes := after.TotalAlloc - before.TotalAlloc; want == 0 && bytes > requests*1000 {
			t.Errorf("%s: %d orders take %d bytes from the heap", peer, requests, bytes)
		}
	}
}
