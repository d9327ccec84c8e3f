//go:build linux || darwin || freebsd

package symbols

import (
	"os"
	"syscall"
)

// mapFile returns the contents of a file, outside of the heap and for good, or nil.
func mapFile(path string) []byte {
	f, err := os.Open(path)
	if err != nil {
		return nil
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil || int64(int(info.Size())) != info.Size() {
		return nil
	}
	image, err := syscall.Mmap(int(f.Fd()), 0, int(info.Size()), syscall.PROT_READ, syscall.MAP_PRIVATE)
	if err != nil {
		return nil
	}
	return image
}
