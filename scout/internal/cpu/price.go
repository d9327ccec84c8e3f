package cpu

import (
	"runtime"
	"sync"
	"time"

	"github.com/harena-go/arena"
)

// This file measures the cost of an arena on this machine: for an object, for each byte, which a reused arena has to
// erase, and for the work that each unit repeats.

// A Price is the cost of allocating in an arena, in ns of CPU: for each object, for each byte, which is erased once,
// for each slice, which grows and moves, for the first object of each type in a unit, which needs a slab, and for each
// unit, whose arena is reset: that is too much for a unit of some 100 ns.
type Price struct{ Object, Byte, Slice, First, Unit float64 }

// Barrier is the extra cost of an arena's byte while the collector marks, in ns of CPU, if its values have pointers.
// New heap objects need no write barriers; reused memory has one for each pointer that is set or erased: 1.2 ns in a
// JavaScript interpreter whose units have 11 KB in 179 objects.
const Barrier = 1.2

// Of returns the cost of objects with a total of bytes.
func (p Price) Of(objects, bytes float64) float64 { return p.Object*objects + p.Byte*bytes }

// A node is a small value with a pointer: it takes a slab, the slower of the two ways to allocate.
type node struct {
	left  *node
	value [2]int
}

// A block is 512 bytes with a pointer. The difference to a node is the price of its bytes.
type block struct {
	self *block
	data [63]uint64
}

// Calibrate measures the price on this machine, once: small and large values with pointers, in an arena that is reset
// at 64 KiB, the best of a few rounds.
var Calibrate = sync.OnceValue(func() Price {
	a := arena.NewArena()
	defer a.Free()
	small := best(func() int {
		var last *node
		n := 0
		for ; n < 2000; n++ {
			last = arena.NewOf(a, node{left: last, value: [2]int{n}})
		}
		runtime.KeepAlive(last)
		a.Reset()
		return n
	})
	large := best(func() int {
		n := 0
		for ; n < 120; n++ {
			b := arena.New[block](a)
			b.self = b
			b.data[n%63] = 1
			runtime.KeepAlive(b)
		}
		a.Reset()
		return n
	})
	first := best(func() (n int) {
		for range 100 {
			n += one[[1]int](a) + one[[2]int](a) + one[[3]int](a) + one[[4]int](a) + one[[5]int](a) + one[[6]int](a)
			a.Reset()
		}
		return n
	})
	unit := best(func() int {
		for range 100 {
			one[[3]int](a)
			a.Reset()
		}
		return 100
	})
	slice := best(func() int {
		n := 0
		for range 100 {
			var nodes []*node
			for range 4 { // room for 1, 2 and 4
				nodes = arena.Append(a, nodes, nil)
				arena.New[block](a) // so that it moves when it grows
			}
			runtime.KeepAlive(nodes)
			n += 3
		}
		a.Reset()
		return n
	})
	perByte := max(large-small, 0) / (512 - 24)
	p := Price{Object: max(small-24*perByte, 0.5), Byte: perByte}
	// A unit of six types has six times the cost of a first object, and one reset.
	six, once := 6*(first-p.Of(1, 36)), unit-p.Of(1, 32)
	p.First = max((six-once)/5, 0)
	p.Unit = max(once-p.First, 0)
	p.Slice = max(slice-p.Of(4./3, 4./3*512+56./3), p.Object)
	return p
})

// one allocates an object of its own type.
func one[T any](a *arena.Arena) int {
	v := arena.New[struct {
		next  *node
		value T
	}](a)
	runtime.KeepAlive(v)
	return 1
}

// best returns the ns of one of the n operations of f.
func best(f func() (n int)) float64 {
	f()
	runtime.GC()
	least := 1e18
	for range 20 {
		began := time.Now()
		n := f()
		least = min(least, float64(time.Since(began).Nanoseconds())/float64(n))
	}
	return least
}
