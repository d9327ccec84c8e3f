package block

import (
	"reflect"
	"unsafe"

	"github.com/harena-go/arena/internal/engine/asan"
)

// This file makes blocks that offer whole pages, so that access to dead ones can be revoked. It
// must not depend on who revokes it.
//
// The GC must not read those pages. It doesn't read a plain block at all (fact 2). An owned one has
// an extra page in front, which ends with the block's only pointer, that to the owner:
//
//	│ malloc header, gap, owner │ pages on offer │
//	└───── one page ────────────┘

// PlainPages is Plain with memory of whole pages of a size. Code that revokes access to them must
// restore it before it releases the block.
func PlainPages(size, page uintptr) (mem unsafe.Pointer, usable uintptr) {
	size = (size + page - 1) / page * page
	if !asan.On {
		mem = unsafe.Pointer(unsafe.SliceData(make([]uint64, size/8)))
	}
	if asan.On || uintptr(mem)%page != 0 { // pages may be larger than the allocator's
		b := unsafe.Pointer(unsafe.SliceData(make([]uint64, (asan.RedZone+page+size)/8)))
		asan.Poison(b, asan.RedZone+page+size)
		b = unsafe.Add(b, asan.RedZone)
		mem = unsafe.Add(b, -uintptr(b)%page) // fact 1
	}
	return mem, size - pad
}

// OwnedPages is Owned with memory of whole pages, or nil if the allocator doesn't align blocks so
// that this is possible.
func OwnedPages(size, page uintptr, owner unsafe.Pointer) (mem unsafe.Pointer, usable uintptr) {
	pages := page
	for pages < size {
		pages *= 2 // so that there are few types
	}
	ahead := page
	if page+pages <= smallMax {
		ahead -= MallocHeader
	}
	b := reflect.New(shapeOf(ahead, pages)).UnsafePointer()
	mem = unsafe.Add(b, ahead) // fact 11
	if uintptr(mem)%page != 0 {
		return nil, 0
	}
	*(*unsafe.Pointer)(unsafe.Add(mem, -front)) = owner
	asan.Poison(b, ahead+pages)
	return mem, pages - pad
}

// PagesOf returns the bytes of the pages, of a size, on which the first n bytes of a block lie.
func PagesOf(n, page uintptr) uintptr { return (n + page - 1) / page * page }
