//go:build amd64 || arm64 || riscv64

package fill

import (
	"syscall"
	"unsafe"
)

// wanted is where the region should lie, so that people recognise its addresses:
// far from where Go and C put their heaps and libraries.
const wanted = 0xdead_00_00_000

// reserve reserves n bytes of address space, without any memory. It returns nil if there is none.
func reserve(n uintptr) unsafe.Pointer {
	const flags = syscall.MAP_ANON | syscall.MAP_PRIVATE | syscall.MAP_NORESERVE
	addr, _, errno := syscall.Syscall6(syscall.SYS_MMAP, wanted, n, syscall.PROT_NONE, flags, ^uintptr(0), 0)
	if errno != 0 {
		return nil
	}
	return *(*unsafe.Pointer)(unsafe.Pointer(&addr)) // not in the Go heap
}
