package deepclone

import (
	"math/bits"
	"unsafe"
)

// A coverage notes which words of a page, an aligned piece of source memory, have been
// surveyed as part of slices of one shape. Full pages in a row are skipped as in a
// union-find structure, so that painting an area again takes next to no time.
type coverage struct {
	number uintptr // address / pageBytes
	shape  *typeShape
	words  uint64  // one bit a word, lowest address first
	next   uintptr // of a full page: no page in between is not full
}

const (
	wordBytes = unsafe.Sizeof(uintptr(0))
	pageWords = 64
	pageBytes = pageWords * wordBytes
	fullPage  = 1<<pageWords - 1
)

// paint adds ranges for those elements of the slice range r that have not been painted
// yet. If that is all of them, r itself is surveyed.
func (c *cloner) paint(edge uint32) {
	r := *c.ranges.at(int(edge))
	start := uintptr(r.src)
	end := start + uintptr(r.n)*r.shape.size
	fresh, freshEnd := start, start // a run of words that were not painted
	for number := start / pageBytes; number*pageBytes < end; {
		page := c.page(number, r.shape)
		if page.words == fullPage {
			number = c.skipFull(page)
			continue
		}
		base := number * pageBytes
		from, to := max(start, base), min(end, base+pageBytes)
		todo := wordMask((from-base)/wordBytes, (to-base)/wordBytes) &^ page.words
		page.words |= todo
		for todo != 0 {
			low := uintptr(bits.TrailingZeros64(todo))
			high := low + uintptr(bits.TrailingZeros64(^(todo >> low)))
			todo &^= wordMask(low, high)
			if base+low*wordBytes != freshEnd {
				c.addPart(edge, fresh, freshEnd)
				fresh = base + low*wordBytes
			}
			freshEnd = base + high*wordBytes
		}
		number++
	}
	c.addPart(edge, fresh, freshEnd)
}

// addPart adds a surveyed range for the elements of range edge from address from to to.
func (c *cloner) addPart(edge uint32, from, to uintptr) {
	r := c.ranges.at(int(edge))
	size, start := r.shape.size, uintptr(r.src)
	first, last := int((from-start)/size), int((to-start+size-1)/size)
	switch n := last - first; n {
	case 0:
	case r.n:
		c.pending = append(c.pending, edge)
	default:
		part := unsafe.Add(r.src, uintptr(first)*size) // fact 11
		c.pending = append(c.pending, c.addHidden(span{src: part, shape: r.shape, n: n}))
	}
}

// wordMask has the bits from to to-1.
func wordMask(from, to uintptr) uint64 {
	return fullPage >> (pageWords - to + from) << from
}

// page returns the page of a number and shape. It is valid until the next call.
func (c *cloner) page(number uintptr, s *typeShape) *coverage {
	page, hash := c.findPage(number, s)
	if page == nil {
		if c.pages.len == 0 {
			c.pages.add(coverage{}) // entry 0 of an index is never looked up
		}
		c.pageIndex.insert(hash, c.pages.len)
		c.pages.add(coverage{number: number, shape: s, next: number + 1})
		page = c.pages.at(c.pages.len - 1)
	}
	return page
}

func (c *cloner) findPage(number uintptr, s *typeShape) (page *coverage, hash uint32) {
	hash = cloneHash(number, uintptr(unsafe.Pointer(s)), 1)
	slots := c.pageIndex.slots
	for at := int(hash); ; at++ {
		slot := slots[at&(len(slots)-1)]
		if slot == 0 {
			return nil, hash
		}
		if uint32(slot>>32) == hash {
			if page = c.pages.at(int(uint32(slot))); page.number == number && page.shape == s {
				return page, hash
			}
		}
	}
}

// skipFull returns the number of the first page after the full page p that is not full, and
// makes the full pages on the way lead there directly.
func (c *cloner) skipFull(p *coverage) uintptr {
	first, last, s := p.number, p.next, p.shape
	for {
		page, _ := c.findPage(last, s)
		if page == nil || page.words != fullPage {
			break
		}
		last = page.next
	}
	for number := first; number != last; {
		page, _ := c.findPage(number, s)
		number, page.next = page.next, last
	}
	return last
}
