//go:build unix

package arenatest

import (
	"os"
	"syscall"
)

// narrow returns the ends of a connection with the smallest buffer, so that the writer waits for the reader.
func narrow() (out, in *os.File, err error) {
	syscall.ForkLock.RLock()
	defer syscall.ForkLock.RUnlock()
	fds, err := syscall.Socketpair(syscall.AF_UNIX, syscall.SOCK_STREAM, 0)
	if err != nil {
		return nil, nil, err
	}
	for _, fd := range fds {
		syscall.CloseOnExec(fd)
		_ = syscall.SetsockoptInt(fd, syscall.SOL_SOCKET, syscall.SO_SNDBUF, 1) // the system takes its minimum
	}
	return os.NewFile(uintptr(fds[0]), "crash"), os.NewFile(uintptr(fds[1]), "crash"), nil
}
