package holder

import "slices"

// A Place is what is at an address.
type Place struct {
	Kind  PlaceKind
	Size  uintptr // of the object there
	First uintptr // the word at the address, if it is in an object
}

// A PlaceKind says what there is.
type PlaceKind uint8

const (
	Outside  PlaceKind = iota // of the Go heap: a global variable, a constant, code, or memory of C
	Kept                      // an object that is reached from those that are kept
	OnHeap                    // another object
	NoObject                  // on the heap, but no object: one that was freed
)

// Places says what is at each of some addresses. Objects are kept that are reached
// from one of the kept addresses, other than through those in the ignored ranges.
//
// It doesn't collect garbage before, so that an object that nothing but the caller knows
// of is likely to be still there. What holds for Find's dump does for this one.
func Places(addrs, kept []uintptr, ignored []Range) ([]Place, error) {
	d, err := take(writeAsIs)
	if err != nil {
		return nil, err
	}
	return d.places(addrs, kept, ignored), nil
}

func (d *dump) places(addrs, kept []uintptr, ignored []Range) []Place {
	var reached []bool
	places := make([]Place, len(addrs))
	for i, addr := range addrs {
		p := &places[i]
		o := d.objects.find(addr)
		switch {
		case o < 0 && in([]Range{d.heap}, addr):
			p.Kind = NoObject
		case o >= 0:
			if reached == nil {
				reached = d.reach(kept, ignored)
			}
			p.Kind, p.Size = OnHeap, d.objects.size(o)
			p.First = d.word(d.contents(o), addr-d.objects.addrs[o])
			if reached[o] {
				p.Kind = Kept
			}
		}
	}
	return places
}

// reach returns which objects are reached from some addresses, without passing
// through those that overlap ignored ranges, which are sorted.
func (d *dump) reach(from []uintptr, ignored []Range) []bool {
	reached := make([]bool, d.objects.len())
	var queue []int32
	enter := func(addr uintptr) {
		if i := d.objects.find(addr); i >= 0 && !reached[i] {
			reached[i] = true
			start := d.objects.addrs[i]
			end := start + d.objects.size(i)
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
	for _, addr := range from {
		enter(addr)
	}
	for next := 0; next < len(queue); next++ {
		i := queue[next]
		d.pointers(d.contents(i), d.objects.fields[i], func(_, to uintptr) bool {
			enter(to)
			return true
		})
	}
	return reached
}
