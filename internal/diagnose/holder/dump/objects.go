package dump

// Objects is the objects of a dump. They are identified by index, and found by address.
//
// The runtime dumps span after span, and the objects of a span by address. A page belongs to one span, so the objects
// in a page, and one that begins before it, are consecutive in the dump: a page needs only the index of the first and
// their number.
type Objects struct {
	addrs []uintptr
	sizes []uint32 // in units of sizeUnit
	lists []int    // start of the list of an object's pointers in Dump.data; its contents end there
	pages map[uintptr]run
}

// A run is consecutive objects.
type run struct{ first, n int32 }

const (
	pageSize = 8 << 10
	sizeUnit = 8 // bytes, a divisor of all of the runtime's size classes
)

// Len returns the number of objects.
func (o *Objects) Len() int { return len(o.addrs) }

// add adds an object of a size in bytes, as the last one of each page that it overlaps.
func (o *Objects) add(addr uintptr, size, list int) {
	if o.pages == nil {
		o.pages = map[uintptr]run{}
	}
	i := int32(len(o.addrs))
	o.addrs = append(o.addrs, addr)
	o.sizes = append(o.sizes, uint32(size/sizeUnit))
	o.lists = append(o.lists, list)
	// The pages that the object touches, from its first.
	for p, n := addr/pageSize, (addr%pageSize+uintptr(size)+pageSize-1)/pageSize; n > 0; n-- {
		r := o.pages[p]
		if r.n == 0 {
			r.first = i
		}
		r.n++
		o.pages[p] = r
		p++
	}
}

// Addr returns an object's address.
func (o *Objects) Addr(i int32) uintptr { return o.addrs[i] }

// Size returns the size of an object's memory, which may be larger than the allocation.
func (o *Objects) Size(i int32) uintptr { return uintptr(o.sizes[i]) * sizeUnit }

// Find returns the object that addr points into, -1 if there is none.
func (o *Objects) Find(addr uintptr) int32 {
	r := o.pages[addr/pageSize]
	lo, hi := r.first, r.first+r.n
	for lo < hi { // the first one behind addr
		mid := lo + (hi-lo)/2
		if o.addrs[mid] <= addr {
			lo = mid + 1
		} else {
			hi = mid
		}
	}
	if i := lo - 1; i >= r.first && addr-o.addrs[i] < o.Size(i) {
		return i
	}
	return -1
}
