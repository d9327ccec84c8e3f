package guard

import (
	"syscall"
	"unsafe"
)

func mprotect(b []byte, access int) error {
	_, _, errno := syscall.Syscall(syscall.SYS_MPROTECT,
		uintptr(unsafe.Pointer(unsafe.SliceData(b))), uintptr(len(b)), uintptr(access))
	if errno != 0 {
		return errno
	}
	return nil
}
