package arenadebug

import (
	"math"
	"runtime/metrics"

	"github.com/harena-go/arena"
)

// This file estimates the savings of pools for the Go heap. It must not depend on the form of the page.

// An example of the estimates. Pools reused 10 GiB, the live heap has 64 MiB, GOGC is 100, and the mean object
// of the program's heap has 80 bytes:
//
//	objects       10 GiB / 80 B          = 134 million
//	collections   10 GiB / (64 MiB × 1)  = 160
//
// The program would have had to allocate the objects one by one. Between two collections the heap grows by its live
// size times GOGC, so the bytes would have caused 160 more collections.

// saved is the memory that arenas used again instead of the Go heap. Bytes follows from the pools' numbers; the other
// two are estimates.
type saved struct {
	Bytes       int64
	Objects     int64 // Bytes divided by the mean size of the program's heap objects
	Collections int64 // Bytes divided by the growth of the heap between two collections; 0 if GOGC is off

	LiveHeap int // bytes that were live after the last collection
	GOGC     int // percent; negative if the collector is off
}

// A heap is the state of the Go heap for estimates.
type heap struct {
	live       float64 // bytes
	gogc       float64 // percent; +Inf if the collector is off
	meanObject float64 // bytes
}

// smallestHeap is the size in bytes at which the runtime collects for the first time if GOGC is 100.
const smallestHeap = 4 << 20

// readHeap reads the state from the runtime, without stopping anything.
func readHeap() heap {
	// Counters that the runtime maintains in any case.
	s := []metrics.Sample{
		{Name: "/gc/heap/live:bytes"}, {Name: "/gc/gogc:percent"},
		{Name: "/gc/heap/allocs:bytes"}, {Name: "/gc/heap/allocs:objects"},
	}
	metrics.Read(s)
	value := func(i int) float64 {
		if s[i].Value.Kind() != metrics.KindUint64 {
			return 0
		}
		return float64(s[i].Value.Uint64())
	}
	h := heap{value(0), value(1), value(2) / max(1, value(3))}
	// The runtime has -1 for a collector that is off, as an unsigned number.
	if h.gogc >= math.MaxUint64 {
		h.gogc = math.Inf(1)
	}
	return h
}

// reused returns the bytes that a pool allocated from memory that it had already: all bytes, minus those of new
// arenas or those of chunks from the heap, whichever are more.
func reused(s *arena.PoolStats) int64 {
	// A new arena takes all its memory from the heap, an idle one hardly any.
	made := float64(s.Used) * float64(s.Misses) / float64(max(1, s.Gets))
	taken := max(float64(s.Reserved), made, float64(s.Taken))
	return int64(max(0, float64(s.Used)-taken))
}

// estimate returns the savings for a number of reused bytes.
func (h heap) estimate(bytes int64) saved {
	v := saved{Bytes: bytes, LiveHeap: int(h.live), GOGC: -1}
	// 8 bytes is the smallest object of the Go heap for values with pointers.
	v.Objects = int64(float64(bytes) / max(8, h.meanObject))
	if !math.IsInf(h.gogc, 0) {
		v.GOGC = int(h.gogc)
		v.Collections = int64(float64(bytes) / max(1, max(h.live, smallestHeap)*h.gogc/100))
	}
	return v
}
