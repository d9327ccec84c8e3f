// Package testkit has helpers for tests of several packages.
package testkit

import (
	"runtime"
	"runtime/debug"
	"testing"
	"weak"
)

// Churn makes the GC collect, and the heap reuse the memory for conspicuous data.
func Churn() {
	runtime.GC()
	for i := range 2000 {
		b := make([]byte, 8+i%512)
		for j := range b {
			b[j] = 0xA5
		}
		Sink = b
		p := make([]*int, 1+i%32)
		for j := range p {
			p[j] = &Decoy
		}
		Sink = p
	}
	runtime.KeepAlive(Sink)
	runtime.GC()
}

// NoGC stops the GC, which would release idle arenas, and lets goroutines run on one
// processor, so that no idle arena is out of reach on another.
func NoGC(t testing.TB) {
	percent, procs := debug.SetGCPercent(-1), runtime.GOMAXPROCS(1)
	t.Cleanup(func() {
		debug.SetGCPercent(percent)
		runtime.GOMAXPROCS(procs)
	})
}

// HeapInUse returns the bytes of live heap objects, once all dead ones are found. That takes two cycles: the second
// finishes the sweep and frees objects that the cleanups of the first have released.
func HeapInUse() int {
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int(m.HeapAlloc)
}

// A Sentinel is a heap object whose death can be observed.
type Sentinel struct {
	_ *Sentinel
	_ [100]byte
}

// NewSentinel returns a Sentinel, and a function that reports whether it is dead.
func NewSentinel() (*Sentinel, weak.Pointer[Sentinel]) {
	s := &Sentinel{}
	return s, weak.Make(s)
}

// Dead reports whether the GC has found that nothing points to a Sentinel.
func Dead(w weak.Pointer[Sentinel]) bool {
	runtime.GC()
	runtime.GC()
	return w.Value() == nil
}
