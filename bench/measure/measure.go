// Package measure observes one process from the inside: the time, CPU time, garbage collections and memory of a piece
// of work.
//
// One process runs one piece of work, so the peaks and the counters belong to that work alone.
package measure

import (
	"runtime"
	"runtime/metrics"
	"time"
)

// A Sample is the cost of one run of one workload. Times are seconds, sizes are bytes.
type Sample struct {
	Wall     float64 `json:"wall_s"`
	CPU      float64 `json:"cpu_s"`       // user + system, all threads
	Mallocs  uint64  `json:"mallocs"`     // heap allocations
	Bytes    uint64  `json:"alloc_bytes"` // bytes of those
	Cycles   uint64  `json:"gc_cycles"`
	GCCPU    float64 `json:"gc_cpu_s"`       // the runtime's own estimate
	FullGC   float64 `json:"full_gc_s"`      // one forced GC, result still live
	LiveHeap uint64  `json:"live_bytes"`     // heap objects after that GC
	PeakHeap uint64  `json:"peak_bytes"`     // highest sampled heap, garbage included
	RSS      uint64  `json:"rss_bytes"`      // high-water mark of resident memory
	Checksum string  `json:"checksum"`       // of the answers: must not depend on the peer
	Note     string  `json:"note,omitempty"` // something readable about the result

	// Of workloads that answer requests.
	Requests int     `json:"requests,omitempty"`
	Latency  Latency `json:"latency,omitzero"`
	LoadCPU  float64 `json:"load_cpu_s,omitempty"` // of the process that makes the requests
}

// names are the counters of runtime/metrics for a Sample, in the order of counters' fields.
var names = []string{
	"/gc/heap/allocs:objects",
	"/gc/heap/tiny/allocs:objects", // tiny objects share a block and are counted apart
	"/gc/heap/allocs:bytes",
	"/gc/cycles/total:gc-cycles",
	"/cpu/classes/gc/total:cpu-seconds",
}

type counters struct {
	objects, bytes, cycles uint64
	gcCPU, cpu             float64
}

func read() counters {
	s := make([]metrics.Sample, len(names))
	for i, n := range names {
		s[i].Name = n
	}
	metrics.Read(s)
	return counters{
		objects: s[0].Value.Uint64() + s[1].Value.Uint64(),
		bytes:   s[2].Value.Uint64(),
		cycles:  s[3].Value.Uint64(),
		gcCPU:   s[4].Value.Float64(),
		cpu:     ProcessCPU(),
	}
}

// Mallocs returns the number of heap allocations of this process so far. It allocates nothing.
func Mallocs() uint64 {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.Mallocs
}

// HeapBytes returns the number of bytes in heap objects, including dead ones that are not swept yet.
func HeapBytes() uint64 {
	s := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}}
	metrics.Read(s)
	return s[0].Value.Uint64()
}

// A Run is a measurement that has started.
type Run struct {
	began  time.Time
	before counters
	peak   *peak
}

// Start begins a measurement on a freshly collected heap.
func Start() *Run {
	runtime.GC()
	r := &Run{peak: watchHeap()}
	r.before = read()
	r.began = time.Now()
	return r
}

// Stop ends the measurement. It reads the memory peaks before it returns, so a GC that the caller forces afterwards
// doesn't count.
func (r *Run) Stop() Sample {
	wall := time.Since(r.began)
	after := read()
	return Sample{
		Wall:     wall.Seconds(),
		CPU:      after.cpu - r.before.cpu,
		Mallocs:  after.objects - r.before.objects,
		Bytes:    after.bytes - r.before.bytes,
		Cycles:   after.cycles - r.before.cycles,
		GCCPU:    after.gcCPU - r.before.gcCPU,
		PeakHeap: r.peak.stop(),
		RSS:      peakRSS(),
	}
}

// MeasureLive times full collections and sizes the heap, while the caller keeps the result of its work alive.
func (s *Sample) MeasureLive() {
	s.FullGC = FullGC()
	s.LiveHeap = HeapBytes()
}

// FullGC returns the median time of a few forced collections, in seconds. The first one doesn't count, since it also
// sweeps the program's garbage. Short ones are repeated more often: a collection of an empty heap takes a tenth of a
// millisecond, and losing the processor once makes it forty times that.
func FullGC() float64 {
	runtime.GC()
	var t []float64
	total := 0.0
	for len(t) < 5 || len(t) < 25 && total < 0.1 {
		began := time.Now()
		runtime.GC()
		t = append(t, time.Since(began).Seconds())
		total += t[len(t)-1]
	}
	return Median(t)
}

// peak samples the heap in the background. A peak between two samples is missed, but heaps of the size measured here
// take many samples to grow and to be collected.
type peak struct {
	quit chan struct{}
	max  chan uint64
}

func watchHeap() *peak {
	p := &peak{quit: make(chan struct{}), max: make(chan uint64)}
	go func() {
		s := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}}
		var max uint64
		tick := time.NewTicker(5 * time.Millisecond)
		defer tick.Stop()
		for {
			metrics.Read(s)
			if v := s[0].Value.Uint64(); v > max {
				max = v
			}
			select {
			case <-tick.C:
			case <-p.quit:
				p.max <- max
				return
			}
		}
	}()
	return p
}

func (p *peak) stop() uint64 {
	close(p.quit)
	return <-p.max
}
