//go:build !race && !asan && !msan

// The race detector makes sync.Pool drop things at random, and other checkers allocate on their own.

package small

import (
	"runtime"
	"testing"

	"github.com/harena-go/arena/bench/suite"
)

// TestAllocations checks which peers reuse memory.
func TestAllocations(t *testing.T) {
	const n, requests = 100, 1000
	for peer, want := range map[string]float64{
		suite.Heap:          2 * n,
		suite.SyncPool:      n,
		suite.Nuke:          0,
		suite.Harena:        0,
		suite.SelfContained: 0,
		Reset:               0,
		Mark:                0,
	} {
		do, err := server(peer)
		if err != nil {
			t.Fatal(err)
		}
		for range 100 {
			do(n)
		}
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		for range requests {
			do(n)
		}
		runtime.ReadMemStats(&after)
		if got := float64(after.Mallocs-before.Mallocs) / requests; got < want || got > want+1 {
			t.Errorf("%s: %v heap allocations for a request of %d objects, want %v", peer, got, n, want)
		}
		// Less than a tenth of the bytes of requests with reuse.
		if bytes := after.TotalAlloc - before.TotalAlloc; want == 0 && bytes > requests*n*88/10 {
			t.Errorf("%s: %d requests of %d objects take %d bytes from the heap", peer, requests, n, bytes)
		}
	}
}
