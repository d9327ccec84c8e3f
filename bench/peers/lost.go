package peers

import (
	"runtime"
	"runtime/debug"
)

// lostSteps is the number of checked objects with pointers to the heap.
const lostSteps = 1000

// losePointers stores pointers to fresh heap objects only in the peer's objects, runs the collector, uses the heap for
// other things, and counts the objects that don't point to the same values any more. No collection runs while a
// dangling pointer may be in a variable: the collector stops the program if it finds one.
func losePointers(ops *Ops, keep bool) (lost int) {
	defer debug.SetGCPercent(debug.SetGCPercent(-1))
	for range 3 {
		var root *Node
		for i := range lostSteps {
			ops.NewNode(1)
			n := (*Node)(Sink)
			if n.Left, n.Right = heapObject(i), root; keep {
				ops.KeepAlive(n.Left)
			}
			root = n
		}
		for range 2 {
			runtime.GC()
			churn()
		}
		bad := 0
		for n, i := root, lostSteps-1; n != nil; n, i = n.Right, i-1 {
			if n.Left.Value != int64(i) {
				bad++
			}
			n.Left = nil
		}
		lost = max(lost, bad)
		runtime.KeepAlive(ops)
		if ops.Reset != nil {
			ops.Reset()
		}
	}
	return lost
}

//go:noinline
func heapObject(i int) *Node { return &Node{Value: int64(i)} }

var garbage any

// churn fills freed memory with objects of the same size.
func churn() {
	objects := make([]*Node, 64*lostSteps)
	for i := range objects {
		objects[i] = heapObject(-1)
	}
	garbage = objects
	garbage = nil
}
