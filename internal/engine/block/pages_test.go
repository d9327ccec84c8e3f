package block

import (
	"runtime"
	"syscall"
	"testing"
	"unsafe"
	"weak"

	"github.com/harena-go/arena/internal/engine/asan"
)

// TestPages: the memory is zero, begins at a page, has the requested size, and keeps the owner.
func TestPages(t *testing.T) {
	page := uintptr(syscall.Getpagesize())
	for _, size := range []uintptr{16, 64, 4096, 4097, 8192, 20000, 40000, 1 << 20} {
		for _, page := range []uintptr{page, 4 * page} {
			mem, usable := PlainPages(size, page)
			checkPages(t, mem, usable, size, page)
			owner := new([4]int)
			w := weak.Make(owner)
			mem, usable = OwnedPages(size, page, unsafe.Pointer(owner))
			if mem == nil {
				t.Logf("no owned pages of %d bytes for %d", page, size)
				continue
			}
			checkPages(t, mem, usable, size, page)
			owner = nil
			runtime.GC()
			if w.Value() == nil {
				t.Errorf("%d bytes don't keep their owner", size)
			}
			SetOwner(mem, nil)
			for i := 0; i < 3 && w.Value() != nil; i++ {
				runtime.GC()
			}
			if w.Value() != nil {
				t.Errorf("%d bytes keep their owner", size)
			}
			runtime.KeepAlive(mem)
		}
	}
}

func checkPages(t *testing.T, mem unsafe.Pointer, usable, size, page uintptr) {
	t.Helper()
	if uintptr(mem)%page != 0 || usable < size-pad || PagesOf(usable, page) < usable {
		t.Errorf("%d bytes, pages of %d: %d at %p", size, page, usable, mem)
	}
	b := unsafe.Slice((*byte)(asan.Allow(mem, usable)), usable)
	for i := range b {
		if b[i] != 0 {
			t.Fatalf("%d bytes: not zero at %d", size, i)
		}
		b[i] = 1
	}
}
