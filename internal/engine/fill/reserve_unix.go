//go:build unix && !(linux && (amd64 || arm64 || riscv64))

package fill

import (
	"syscall"
	"unsafe"
)

// reserve reserves n bytes of address space, without any memory. It returns nil if there is none.
func reserve(n uintptr) unsafe.Pointer {
	b, err := syscall.Mmap(-1, 0, int(n), syscall.PROT_NONE, syscall.MAP_ANON|syscall.MAP_PRIVATE)
	if err != nil {
		return nil
	}
	return unsafe.Pointer(unsafe.SliceData(b))
}
