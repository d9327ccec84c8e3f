//go:build linux || darwin || freebsd

package guard

import (
	"syscall"
	"unsafe"
)

// PageSize is the bytes of a page, 0 if memory can't be guarded here.
var PageSize = pageSize()

// maxPage is the largest page size at which one value may have a page of its own.
const maxPage = 16 << 10

func pageSize() uintptr {
	if n := syscall.Getpagesize(); n <= maxPage {
		return uintptr(n)
	}
	return 0
}

// protect revokes or restores access to pages, and reports whether it could. Under Linux a process
// may have some 65,000 mappings of different access.
func protect(p Pages, guarded bool) bool {
	access := syscall.PROT_READ | syscall.PROT_WRITE
	if guarded {
		access = syscall.PROT_NONE
	}
	return mprotect(unsafe.Slice((*byte)(p.Start), p.Size), access) == nil
}
