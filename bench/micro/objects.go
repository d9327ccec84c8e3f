package micro

import (
	"strings"

	"github.com/harena-go/arena"
)

// objects is how many allocations there are between two resets.
const objects = 16 << 10

type (
	bytes64 struct{ v [8]int64 }
	node    struct {
		left, right *node
		value       int64
	}
)

// Results are stored here, so that the compiler can't leave anything out.
var (
	sink8      *int64
	sink64     *bytes64
	sinkNode   *node
	sinkString string
)

// The variant floor is what no allocator can beat: the next element of a slice
// that is there already, set to zero first. It tells a slow arena from a slow
// machine.

func new8() []variant {
	a := arena.NewArena()
	ready := make([]int64, objects)
	return []variant{
		{"heap", objects, func() {
			for i := range objects {
				p := new(int64)
				*p = int64(i)
				sink8 = p
			}
		}},
		{"default", objects, func() {
			for i := range objects {
				p := arena.New[int64](a)
				*p = int64(i)
				sink8 = p
			}
			a.Reset()
		}},
		{"floor", objects, func() {
			for i := range ready {
				p := &ready[i]
				*p = int64(i)
				sink8 = p
			}
		}},
	}
}

func new64() []variant {
	a := arena.NewArena()
	ready := make([]bytes64, objects)
	return []variant{
		{"heap", objects, func() {
			for i := range objects {
				p := new(bytes64)
				p.v[0] = int64(i)
				sink64 = p
			}
		}},
		{"default", objects, func() {
			for i := range objects {
				p := arena.New[bytes64](a)
				p.v[0] = int64(i)
				sink64 = p
			}
			a.Reset()
		}},
		{"floor", objects, func() {
			for i := range ready {
				p := &ready[i]
				*p = bytes64{}
				p.v[0] = int64(i)
				sink64 = p
			}
		}},
	}
}

func newNode() []variant {
	a, of := arena.NewArena(), arena.NewArena()
	t := arena.For[node](of)
	self := arena.NewArena(arena.WithNoScan())
	return []variant{
		{"heap", objects, func() {
			for i := range objects {
				p := new(node)
				p.value = int64(i)
				sinkNode = p
			}
		}},
		{"default", objects, func() {
			for i := range objects {
				p := arena.New[node](a)
				p.value = int64(i)
				sinkNode = p
			}
			a.Reset()
		}},
		{"typed", objects, func() {
			for i := range objects {
				p := t.New()
				p.value = int64(i)
				sinkNode = p
			}
			of.Reset()
		}},
		{"self-contained", objects, func() {
			for i := range objects {
				p := arena.New[node](self)
				p.value = int64(i)
				sinkNode = p
			}
			self.Reset()
		}},
	}
}

func newOf64() []variant {
	a := arena.NewArena()
	return []variant{
		{"heap", objects, func() {
			for i := range objects {
				p := new(bytes64)
				*p = bytes64{[8]int64{7: int64(i)}}
				sink64 = p
			}
		}},
		{"default", objects, func() {
			for i := range objects {
				sink64 = arena.NewOf(a, bytes64{[8]int64{7: int64(i)}})
			}
			a.Reset()
		}},
	}
}

var text32 = strings.Repeat("arena-32", 4)

func string32() []variant {
	a, self := arena.NewArena(), arena.NewArena(arena.WithNoScan())
	in := func(a *arena.Arena) func() {
		return func() {
			for range objects {
				sinkString = a.AllocString(text32)
			}
			a.Reset()
		}
	}
	return []variant{
		{"heap", objects, func() {
			for range objects {
				sinkString = strings.Clone(text32)
			}
		}},
		{"default", objects, in(a)},
		{"self-contained", objects, in(self)},
	}
}
