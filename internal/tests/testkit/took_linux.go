package testkit

import (
	"runtime"
	"syscall"
	"time"
	"unsafe"
)

// Took returns the CPU time that f takes on its goroutine. It excludes other work of the
// machine, and the GC on other threads.
func Took(f func()) time.Duration {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	began := threadTime()
	f()
	return threadTime() - began
}

// threadTime reads the thread's clock: getrusage counts ticks of some milliseconds on some kernels.
func threadTime() time.Duration {
	const threadClock = 3 // CLOCK_THREAD_CPUTIME_ID
	var t syscall.Timespec
	_, _, err := syscall.RawSyscall(syscall.SYS_CLOCK_GETTIME, threadClock, uintptr(unsafe.Pointer(&t)), 0)
	if err != 0 {
		panic(err)
	}
	return time.Duration(t.Nano())
}
