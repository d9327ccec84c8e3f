package holder

// A heap is the objects of a dump, found by address.
//
// The runtime dumps span after span, and the objects of a span by address. A
// page belongs to one span, so that the objects in a page, or one that the page
// is in the middle of, follow each other in the dump: a page needs to know only
// the first and how many there are.
type heap struct {
	addrs  []uintptr
	sizes  []uint32 // in units of sizeUnit
	fields []int    // where the list of an object's pointers starts in the dump; its contents end there
	pages  map[uintptr]run
}

type run struct{ first, n int32 }

const (
	pageSize = 8 << 10
	sizeUnit = 8 // of all of the runtime's size classes
)

func (h *heap) len() int { return len(h.addrs) }

func (h *heap) add(addr uintptr, size, fields int) {
	if h.pages == nil {
		h.pages = map[uintptr]run{}
	}
	i := int32(len(h.addrs))
	h.addrs = append(h.addrs, addr)
	h.sizes = append(h.sizes, uint32(size/sizeUnit))
	h.fields = append(h.fields, fields)
	for p, n := addr/pageSize, (addr%pageSize+uintptr(size)+pageSize-1)/pageSize; n > 0; n-- {
		r := h.pages[p]
		if r.n == 0 {
			r.first = i
		}
		r.n++
		h.pages[p] = r
		p++
	}
}

func (h *heap) size(i int32) uintptr { return uintptr(h.sizes[i]) * sizeUnit }

// find returns the object that addr points into, -1 if there is none.
func (h *heap) find(addr uintptr) int32 {
	r := h.pages[addr/pageSize]
	lo, hi := r.first, r.first+r.n
	for lo < hi { // the first one behind addr
		mid := lo + (hi-lo)/2
		if h.addrs[mid] <= addr {
			lo = mid + 1
		} else {
			hi = mid
		}
	}
	if i := lo - 1; i >= r.first && addr-h.addrs[i] < h.size(i) {
		return i
	}
	return -1
}

// contents returns an object's memory.
func (d *dump) contents(i int32) []byte {
	end := d.objects.fields[i]
	return d.data[end-int(d.objects.size(i)) : end]
}
