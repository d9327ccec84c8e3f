package small

import (
	"unsafe"

	"github.com/harena-go/arena"
	"github.com/ortuman/nuke"
)

// The loops that make a request's n objects. They are written out for each allocator, so that its functions are inlined
// where the compiler can.

func onHeap(n int) (last *object) {
	for i := range n {
		o := new(object)
		o.set(i, last, string(text24))
		last = o
	}
	return last
}

func inArena(a *arena.Arena, n int) (last *object) {
	for i := range n {
		o := arena.New[object](a)
		o.set(i, last, a.AllocBytesToString(text24))
		last = o
	}
	return last
}

func inNuke(a nuke.Arena, n int) (last *object) {
	for i := range n {
		o := nuke.New[object](a)
		b := nuke.MakeSlice[byte](a, len(text24), len(text24))
		copy(b, text24)
		o.set(i, last, unsafe.String(unsafe.SliceData(b), len(b)))
		last = o
	}
	return last
}

// A kit holds the objects that a sync.Pool keeps for one request after another. Strings never change, so they can't be
// reused and come from the heap.
type kit struct{ objects []*object }

func (k *kit) make(n int) (last *object) {
	for i := range n {
		if i == len(k.objects) {
			k.objects = append(k.objects, new(object))
		}
		o := k.objects[i]
		*o = object{}
		o.set(i, last, string(text24))
		last = o
	}
	return last
}
