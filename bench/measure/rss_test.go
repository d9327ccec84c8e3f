package measure

import (
	"runtime"
	"runtime/debug"
	"testing"
)

// TestRSSGrows says that both ways to ask see memory that is touched.
func TestRSSGrows(t *testing.T) {
	const size = 64 << 20
	rss, known := RSS(), mapped()
	if rss < 1<<20 || rss > 1<<40 {
		t.Errorf("a Go program has %d resident bytes", rss)
	}
	b := make([]byte, size)
	for i := 0; i < len(b); i += 4096 {
		b[i] = 1
	}
	if more := RSS() - rss; more < size*9/10 || more > size*10 { // the race detector takes some
		t.Errorf("%d resident bytes more after touching %d", more, size)
	}
	if more := mapped() - known; more < size*9/10 || more > size*2 {
		t.Errorf("%d mapped bytes more after touching %d", more, size)
	}
	runtime.KeepAlive(b)
	b = nil
	high := mapped()
	debug.FreeOSMemory()
	if less := high - mapped(); less < size*9/10 || less > high {
		t.Errorf("%d mapped bytes less after giving back %d", less, size)
	}
}
