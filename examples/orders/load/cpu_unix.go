//go:build unix

package load

import (
	"syscall"
	"time"
)

// processCPU returns the CPU time of all threads of this process, including the kernel's.
func processCPU() time.Duration {
	var u syscall.Rusage
	syscall.Getrusage(syscall.RUSAGE_SELF, &u)
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
