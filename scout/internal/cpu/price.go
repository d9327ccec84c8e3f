package cpu

import (
	"runtime"
	"sync"
	"time"

	"github.com/harena-go/arena"
)

// This file measures what an arena costs on this machine. Two sizes are enough for a line: so much for an
// object, and so much for each byte, which a reused arena has to erase.

// A Price is what allocating in an arena costs, in ns of CPU: for each object, and for each byte, which is
// erased once.
type Price struct{ Object, Byte float64 }

// Of returns what objects of some bytes in all cost.
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

// Calibrate measures it on this machine, once: small and large values with pointers, in an arena that is reset when
// it has 64 KiB, the best of a few rounds.
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
	perByte := max(large-small, 0) / (512 - 24)
	return Price{Object: max(small-24*perByte, 0.5), Byte: perByte}
})

// best returns the ns of one of the n things that f does.
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
