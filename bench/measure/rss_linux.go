package measure

import (
	"bytes"
	"os"
	"strconv"
)

// RSS is the resident memory of this process now, in bytes. It is asked for
// every few milliseconds while memory is watched, so it reads the shortest file
// there is.
func RSS() uint64 {
	b, err := os.ReadFile("/proc/self/statm")
	if fields := bytes.Fields(b); err == nil && len(fields) > 1 {
		pages, _ := strconv.ParseUint(string(fields[1]), 10, 64)
		return pages * uint64(os.Getpagesize())
	}
	return mapped()
}
