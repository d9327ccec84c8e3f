//go:build linux || darwin

package guard

import "syscall"

func mprotect(b []byte, access int) error { return syscall.Mprotect(b, access) }
