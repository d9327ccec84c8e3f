package testkit

import (
	"os"
	"runtime"
	"strings"
	"testing"
	"unsafe"

	"github.com/harena-go/arena/internal/engine/layout"
	"github.com/harena-go/arena/internal/engine/race"
)

// This file holds what a build is like, and what a test may hence expect.

// Long asks for minutes of random testing instead of seconds, and for the tests that build programs
// with other toolchains, settings or languages than everything else.
var Long = os.Getenv("HARENA_LONG") != ""

// NeedsLong skips such a test, saying what it does, unless it is asked for.
func NeedsLong(t testing.TB, does string) {
	t.Helper()
	if !Long {
		t.Skip(does + "; HARENA_LONG=1 runs it")
	}
}

// Reuses says that Reset, Rewind and Pool.Put use memory again. With the race
// detector they don't, so that it sees who touches it.
const Reuses = !race.Enabled

// NeedsReuse skips a test of what an arena keeps for its next life.
func NeedsReuse(t *testing.T) {
	t.Helper()
	if !Reuses {
		t.Skip("with the race detector nothing is used again")
	}
}

// Untrusted makes the library ask reflect for the layout of types, as it does
// on a toolchain that it doesn't know, until the end of the test. Tests that
// use it must not be parallel, and arenas made before must not be used.
func Untrusted(t testing.TB) {
	layout.Trusted = false
	t.Cleanup(func() { layout.Trusted = true })
}

// Inlines says that the compiler inlines calls: only then are the errors that
// errors.New makes for global variables part of the program's data, and do the
// small values of the library's functions stay on the stack.
func Inlines() bool {
	at := caller()
	frame, _ := runtime.CallersFrames(at[:]).Next()
	return strings.HasSuffix(frame.Function, ".caller") && frame.Func == nil
}

// caller returns where it was called from itself. It is small enough to be
// inlined; then the runtime has no function to show for it.
func caller() (at [1]uintptr) {
	runtime.Callers(1, at[:])
	return at
}

// Countable says that heap allocations are those of a usual build, and hence
// promises: sanitizers, coverage and checkptr add some, and without inlining
// there are more, too.
func Countable() bool {
	return !Sanitized && testing.CoverMode() == "" && Inlines() && !checkptr()
}

// checkptr says that the compiler was asked to check unsafe conversions, and
// therefore moves what is converted to the heap.
func checkptr() bool {
	return testing.AllocsPerRun(10, func() {
		var x [4]int
		Decoy += *(*int)(unsafe.Pointer(&x))
	}) > 0
}
