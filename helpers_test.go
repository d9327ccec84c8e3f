package arena_test

import (
	"fmt"
	"os"
	"reflect"
	"runtime"
	"strings"
	"testing"
	"time"
	"unsafe"

	"github.com/harena-go/arena/internal/asan"
	"github.com/harena-go/arena/internal/layout"
	"github.com/harena-go/arena/internal/race"
)

// long asks for minutes of random testing instead of seconds.
var long = os.Getenv("HARENA_LONG") != ""

// redZoneMax is how many bytes lie between two values of up to 64 bytes at most,
// padding apart: 64 in builds with the address sanitizer, none in others.
const redZoneMax = 4 * asan.RedZone

// withinTimes fails the test if what f measures second takes more than most times as
// long as what it measures first: three times in a row, since other work on the machine
// may spoil one.
func withinTimes(t testing.TB, most time.Duration, what string, f func() (short, long time.Duration)) {
	t.Helper()
	for try := 1; ; try++ {
		short, long := f()
		if long <= most*short {
			return
		}
		if try == 3 {
			t.Errorf("%s: %v, and %v where it should be less than %d times as long", what, short, long, most)
			return
		}
	}
}

// bytesAt shows the memory at p.
func bytesAt(p unsafe.Pointer, n int) []byte { return unsafe.Slice((*byte)(p), n) }

// bytesOf shows the memory of a slice, up to its length.
func bytesOf[T any](s []T) []byte {
	return bytesAt(unsafe.Pointer(unsafe.SliceData(s)), len(s)*int(unsafe.Sizeof(*new(T))))
}

// allZero says whether b holds zeros only.
func allZero(b []byte) bool {
	for _, x := range b {
		if x != 0 {
			return false
		}
	}
	return true
}

// caught runs f and returns what it panicked with, nil if it didn't.
func caught(f func()) (v any) {
	defer func() { v = recover() }()
	f()
	return nil
}

// wantPanic runs f and fails the test unless it panics with a message of the
// project's form that contains all the parts.
func wantPanic(t testing.TB, f func(), parts ...string) {
	t.Helper()
	v := caught(f)
	if v == nil {
		t.Errorf("no panic; want one with %q", parts)
		return
	}
	msg := fmt.Sprint(v)
	if !strings.HasPrefix(msg, "arena") || strings.Count(msg, ": ") == 0 {
		t.Errorf("panic %q (a %T) doesn't start with \"arena: \"", msg, v)
	}
	for _, part := range parts {
		if !strings.Contains(msg, part) {
			t.Errorf("panic %q doesn't contain %q", msg, part)
		}
	}
}

// heapInUse returns the bytes of live heap objects, after what is dead has
// surely been found: two cycles, the second of which finishes the sweep and
// frees what the cleanups of the first let go.
func heapInUse() int {
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int(m.HeapAlloc)
}

// untrusted makes the library ask reflect for the layout of types, as it does
// on a toolchain that it doesn't know, until the end of the test. Tests that
// use it must not be parallel, and arenas made before must not be used.
func untrusted(t testing.TB) {
	layout.Trusted = false
	t.Cleanup(func() { layout.Trusted = true })
}

var (
	sink  any // keeps the compiler from moving a test's values to the stack
	decoy = -1
)

// sizeOfType is the size of a value's type.
func sizeOfType(v any) int { return int(reflect.TypeOf(v).Size()) }

// reuses says that Reset, Rewind and Pool.Put use memory again. With the race
// detector they don't, so that it sees who touches it.
const reuses = !race.Enabled

// needsReuse skips a test of what an arena keeps for its next life.
func needsReuse(t *testing.T) {
	t.Helper()
	if !reuses {
		t.Skip("with the race detector nothing is used again")
	}
}
