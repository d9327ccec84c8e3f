// Package testkit has what tests of several packages share.
package testkit

import "runtime"

// Churn makes the GC collect, and the heap reuse what it collected for data that
// would be noticed.
func Churn() {
	runtime.GC()
	for i := range 2000 {
		b := make([]byte, 8+i%512)
		for j := range b {
			b[j] = 0xA5
		}
		sink = b
		p := make([]*int, 1+i%32)
		for j := range p {
			p[j] = &decoy
		}
		sink = p
	}
	runtime.KeepAlive(sink)
	runtime.GC()
}

var (
	sink  any // so that all of it comes from the heap
	decoy = -1
)
