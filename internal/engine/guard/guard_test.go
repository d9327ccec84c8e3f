package guard

import (
	"runtime/debug"
	"testing"
	"unsafe"

	"github.com/harena-go/arena/internal/tuning"
)

// pages returns a number of accessible ones, filled with a byte.
func pages(t *testing.T, n int, fill byte) Pages {
	t.Helper()
	if PageSize == 0 {
		t.Skip("memory can't be guarded here")
	}
	b := make([]byte, uintptr(n+1)*PageSize)
	for i := range b {
		b[i] = fill
	}
	start := unsafe.Pointer(&b[0])
	return Pages{unsafe.Add(start, -uintptr(start)%PageSize), uintptr(n) * PageSize}
}

// faults reports whether the byte of the pages at an offset can't be read.
func faults(p Pages, off uintptr) (yes bool) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() { yes = recover() != nil }()
	sink = *(*byte)(unsafe.Add(p.Start, off))
	return
}

var sink byte

// isolated forgets guarded pages when the test ends.
func isolated(t *testing.T) {
	t.Cleanup(func() {
		Lift()
		Forget()
		Lower()
	})
}

// TestGuard: all of the pages fault, and nothing beside them; a lift makes them as they were; lifts nest.
func TestGuard(t *testing.T) {
	isolated(t)
	p := pages(t, 2, 7)
	if !Guard([]Pages{p}) {
		t.Fatal("not guarded")
	}
	for _, off := range []uintptr{0, 1, PageSize - 1, PageSize, 2*PageSize - 1} {
		if !faults(p, off) {
			t.Errorf("offset %d can be read", off)
		}
	}
	Lift()
	Lift()
	for round := range 2 {
		if faults(p, 0) || sink != 7 || faults(p, p.Size-1) || sink != 7 {
			t.Errorf("with %d lifts: not what it was", 2-round)
		}
		Lower()
	}
	if !faults(p, 0) {
		t.Error("not guarded again")
	}
}

// TestForget: forgotten pages stay accessible.
func TestForget(t *testing.T) {
	isolated(t)
	p := pages(t, 1, 7)
	Guard([]Pages{p})
	Lift()
	Forget()
	Lower()
	if faults(p, 0) {
		t.Error("still guarded")
	}
	defer func() {
		if recover() == nil {
			t.Error("what is guarded could be forgotten")
		}
	}()
	Forget()
}

// TestRelease: released pages are accessible, and only those, also after a lift.
func TestRelease(t *testing.T) {
	isolated(t)
	p, q := pages(t, 1, 7), pages(t, 1, 8)
	Guard([]Pages{p})
	Guard([]Pages{q})
	Release([]Pages{p})
	for range 2 {
		if faults(p, 0) || sink != 7 {
			t.Error("still guarded")
		}
		if !faults(q, 0) {
			t.Error("others are released")
		}
		Lift()
		Lower()
	}
	Lift()
	Release([]Pages{q})
	Lower()
	if faults(q, 0) {
		t.Error("guarded again")
	}
}

// TestNotGuarded: while guards are lifted nothing is guarded, nor if there is too much.
func TestNotGuarded(t *testing.T) {
	isolated(t)
	p := pages(t, 1, 7)
	Lift()
	if Guard([]Pages{p}) || faults(p, 0) {
		t.Error("guarded in spite of the lift")
	}
	Lower()
	if faults(p, 0) {
		t.Error("guarded after the lift")
	}
	if Guard(make([]Pages, tuning.MaxGuarded+1)) {
		t.Error("too many are guarded")
	}
}
