package deepclone

import (
	"cmp"
	"math"
	"reflect"
	"slices"
	"unsafe"
)

// An ordered represents a range while ranges are sorted by address.
type ordered struct {
	address uintptr
	entry   uint32
}

// place gives each range its clone. It returns false if overlapping ranges had to be placed
// apart, which only unsafe code can cause. Then parts of slices that another slice covers
// must be surveyed too: its clones would still point to the source there.
func (c *cloner) place() (together bool) {
	c.order = slices.Grow(c.order, c.ranges.len)
	for i := firstEdge; i < c.ranges.len; i++ {
		if r := c.ranges.at(i); r.dst == nil {
			c.order = append(c.order, ordered{uintptr(r.src), uint32(i)})
		}
	}
	slices.SortFunc(c.order, c.compare)
	left := c.placeBlocks(c.order)
	together = len(left) == 0
	for len(left) > 0 {
		left = c.placeBlocks(left)
	}
	return together
}

// compare orders by address. Among ranges at the same address the widest comes first, and
// among those one with pointers.
func (c *cloner) compare(a, b ordered) int {
	if a.address != b.address {
		return cmp.Compare(a.address, b.address)
	}
	r, s := c.ranges.at(int(a.entry)), c.ranges.at(int(b.entry))
	if order := cmp.Compare(s.bytes(), r.bytes()); order != 0 {
		return order
	}
	switch {
	case r.shape.plain() == s.shape.plain():
		return 0
	case s.shape.plain():
		return -1
	}
	return 1
}

func (r *span) bytes() uintptr { return uintptr(r.n) * r.shape.size }

// placeBlocks makes blocks of the ranges in order, copies them and returns the ranges that overlap a block but cannot
// be part of it. Only unsafe code causes such ranges, by showing the same memory as types that don't contain each
// other.
func (c *cloner) placeBlocks(order []ordered) (left []ordered) {
	for first := 0; first < len(order); {
		b := newBlock(c.ranges.at(int(order[first].entry)))
		members := order[first : first+1]
		next := first + 1
		for ; next < len(order) && order[next].address < b.end; next++ {
			if b.join(c.ranges.at(int(order[next].entry))) {
				members = append(members, order[next]) // within order: one for one at most
			} else {
				left = append(left, order[next])
			}
		}
		dst := b.copyOut()
		for _, m := range members {
			r := c.ranges.at(int(m.entry))
			r.dst = unsafe.Add(dst, m.address-b.start) // fact 11
			r.spare = uint32(min((b.end-m.address)/r.shape.size-uintptr(r.n), math.MaxInt32))
		}
		first = next
	}
	return left
}

// A block is source memory that is copied in one piece, because ranges in it overlap.
type block struct {
	src        unsafe.Pointer
	start, end uintptr    // its addresses
	shape      *typeShape // the block is as many of these as fit
	mixed      bool       // has ranges of other plain shapes, which may need a higher alignment
	checked    []checkedPart
}

// A checkedPart is the last piece of a block that was found to hold consecutive values of
// shape, from start to end. One piece for each shape is enough, as ranges come in order.
type checkedPart struct {
	shape      *typeShape
	start, end uintptr
}

func newBlock(r *span) block {
	start := uintptr(r.src)
	return block{src: r.src, start: start, end: start + r.bytes(), shape: r.shape}
}

// join makes r part of the block, if it can be.
func (b *block) join(r *span) bool {
	start := uintptr(r.src)
	end := start + r.bytes()
	same := r.shape == b.shape && (start-b.start)%r.shape.size == 0
	plain := r.shape.plain() && b.shape.plain()
	if end > b.end {
		if !same && !plain {
			return false
		}
		b.end = end
	}
	b.mixed = b.mixed || !same && plain
	return same || r.shape.plain() || b.holds(r.shape, start, end)
}

// holds reports whether values of shape s may live in the block from start to end. Parts checked for an earlier range
// are not checked again.
func (b *block) holds(s *typeShape, start, end uintptr) bool {
	i := slices.IndexFunc(b.checked, func(p checkedPart) bool { return p.shape == s })
	if i < 0 {
		i = len(b.checked)
		b.checked = append(b.checked, checkedPart{s, start, start})
	}
	part := &b.checked[i]
	if start > part.end || (start-part.start)%s.size != 0 {
		*part = checkedPart{s, start, start}
	}
	for ; part.end < end; part.end += s.size {
		if !b.shape.holds(part.end-b.start, s) {
			return false
		}
	}
	return true
}

// copyOut copies the block to the heap and returns the clone of src.
func (b *block) copyOut() unsafe.Pointer {
	size := b.end - b.start
	if !b.mixed {
		return b.shape.copyOut(b.src, int(size/b.shape.size))
	}
	// Start as far from an aligned address as the source does, so that values keep their alignment in the clone.
	const align = 8
	lead := b.start % align
	words := make([]uint64, (lead+size+align-1)/align)
	clone := unsafe.Add(unsafe.Pointer(&words[0]), lead) // lead+size bytes are there
	copy(unsafe.Slice((*byte)(clone), size), unsafe.Slice((*byte)(b.src), size))
	return clone
}

// copyOut copies n values of shape s at src to the heap.
func (s *typeShape) copyOut(src unsafe.Pointer, n int) unsafe.Pointer {
	s, n = s.base, n*s.count
	switch {
	case n == 0 || s.size == 0:
		return unsafe.Pointer(new(struct{}))
	case s.plain():
		return copyPlain(src, uintptr(n)*s.size, s.typ.Align())
	case n == 1:
		clone := reflect.New(s.typ) // fact 2
		clone.Elem().Set(reflect.NewAt(s.typ, src).Elem())
		return clone.UnsafePointer()
	}
	clone := reflect.MakeSlice(s.sliceType, n, n) // fact 2
	reflect.Copy(clone, reflect.SliceAt(s.typ, src, n))
	return clone.UnsafePointer()
}

// copyPlain copies memory without pointers, whose size is a multiple of align. It saves the
// look-ups of reflect and the clearing of memory that is overwritten anyway.
func copyPlain(src unsafe.Pointer, size uintptr, align int) unsafe.Pointer {
	switch align {
	case 8:
		return copyUnits[uint64](src, size/8)
	case 4:
		return copyUnits[uint32](src, size/4)
	case 2:
		return copyUnits[uint16](src, size/2)
	}
	return copyUnits[byte](src, size)
}

// copyUnits copies n units from src, which has at least that many. The type's alignment is
// that of a unit.
func copyUnits[Unit any](src unsafe.Pointer, n uintptr) unsafe.Pointer {
	return unsafe.Pointer(unsafe.SliceData(append([]Unit(nil), unsafe.Slice((*Unit)(src), n)...)))
}
