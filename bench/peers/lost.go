package peers

import (
	"runtime"
	"runtime/debug"
	"strconv"
)

// lostSteps is the number of checked objects with pointers to the heap.
const lostSteps = 1000

// losePointers stores pointers to fresh heap objects, and heap strings, only in the peer's objects, runs the collector,
// uses the heap for other things, and counts the objects that don't point to the same values any more. No collection
// runs while a dangling pointer may be in a variable: the collector stops the program if it finds one.
func losePointers(ops *Ops, keep bool) (lost int) {
	defer debug.SetGCPercent(debug.SetGCPercent(-1))
	for range 3 {
		root := ops.Mixed(lostSteps)
		for p, i := root, 0; p != nil; p, i = p.last, i+1 {
			m := p.mix40()
			m.at, m.name = heapObject(i), heapString(i)
			if keep {
				ops.KeepAlive(m.at)
				ops.KeepAlive(m.name)
			}
		}
		for range 2 {
			runtime.GC()
			churn()
		}
		bad := 0
		for p, i := root, 0; p != nil; p, i = p.last, i+1 {
			if m := p.mix40(); *m.at != *heapObject(i) || m.name != heapString(i) {
				bad++
			}
			p.mix40().at, p.mix40().name = nil, ""
		}
		lost = max(lost, bad)
		runtime.KeepAlive(ops)
		if ops.Reset != nil {
			ops.Reset()
		}
	}
	return lost
}

// mix40 returns the Mix40 of the same turn as p.
func (p *Mix512) mix40() *Mix40 { return p.up.up.up.up }

//go:noinline
func heapObject(i int) *Mix24 { return &Mix24{id: int64(i), x: float64(i), y: 0.5} }

func heapString(i int) string { return "a string on the heap, number " + strconv.Itoa(100_000+i) }

var garbage any

// churn fills freed memory with objects of the same sizes.
func churn() {
	objects, strings := make([]*Mix24, 64*lostSteps), make([]string, 64*lostSteps)
	for i := range objects {
		objects[i] = &Mix24{id: -1, x: -1, y: -1}
		strings[i] = "something else on the heap, no. " + strconv.Itoa(100_000+i)
	}
	garbage = [2]any{objects, strings}
	garbage = nil
}
