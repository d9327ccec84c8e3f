//go:build unix

package load

import (
	"syscall"
	"time"
)

// processCPU returns what all threads of this process have worked, in the kernel included.
func processCPU() time.Duration {
	var u syscall.Rusage
	syscall.Getrusage(syscall.RUSAGE_SELF, &u)
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
