package holder

import (
	"slices"

	"github.com/harena-go/arena/internal/diagnose/holder/dump"
)

// A Place describes the memory at an address.
type Place struct {
	Kind  PlaceKind
	Size  uintptr // of the object there
	First uintptr // the word at the address, if it is in an object
}

// A PlaceKind is the kind of memory at an address.
type PlaceKind uint8

// The kinds of places. The GC frees nothing that is Outside.
const (
	Outside  PlaceKind = iota // of the Go heap: a global variable, a constant, code, or memory of C
	Kept                      // an object reached from a kept address
	OnHeap                    // another object
	NoObject                  // on the heap, but no object: it was freed
)

// Places describes the memory at each address. Objects are kept if they are reached from one of the kept addresses, but
// not through objects in the ignored ranges, which are sorted.
//
// It doesn't collect garbage before, so that an object to which only the caller has a pointer is probably still there.
func Places(addrs, kept []uintptr, ignored []Range) ([]Place, error) {
	d, err := dump.TakeAsIs()
	if err != nil {
		return nil, err
	}
	return placesIn(d, addrs, kept, ignored), nil
}

// placesIn is Places for a dump.
func placesIn(d *dump.Dump, addrs, kept []uintptr, ignored []Range) []Place {
	var reached []bool // only if one of the addresses is in an object
	places := make([]Place, len(addrs))
	for i, addr := range addrs {
		p := &places[i]
		// The heap's range may contain foreign memory. It counts as freed.
		o := d.Objects.Find(addr)
		switch {
		case o < 0 && d.Heap.Has(addr):
			p.Kind = NoObject
		case o >= 0:
			if reached == nil {
				reached = reach(d, kept, ignored)
			}
			p.Kind, p.Size = OnHeap, d.Objects.Size(o)
			p.First = d.Word(d.Object(o).Contents, addr-d.Objects.Addr(o))
			if reached[o] {
				p.Kind = Kept
			}
		}
	}
	return places
}

// reach returns for each object whether it is reached from some addresses, without passing through objects that overlap
// ignored ranges, which are sorted.
func reach(d *dump.Dump, from []uintptr, ignored []Range) []bool {
	// An object that overlaps an ignored range is reached, but its pointers aren't followed.
	reached := make([]bool, d.Objects.Len())
	var queue []int32
	enter := func(addr uintptr) {
		if i := d.Objects.Find(addr); i >= 0 && !reached[i] {
			reached[i] = true
			start := d.Objects.Addr(i)
			end := start + d.Objects.Size(i)
			// the first range that ends behind the object's start
			next, _ := slices.BinarySearchFunc(ignored, start, func(r Range, start uintptr) int {
				if r.End <= start {
					return -1
				}
				return 1
			})
			if next == len(ignored) || ignored[next].Start >= end {
				queue = append(queue, i)
			}
		}
	}
	// Breadth first, as in a search, but without recording the way.
	for _, addr := range from {
		enter(addr)
	}
	for next := 0; next < len(queue); next++ {
		d.Pointers(d.Object(queue[next]), func(_, to uintptr) bool {
			enter(to)
			return true
		})
	}
	return reached
}
