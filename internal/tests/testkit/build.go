package testkit

import (
	"os"
	"os/exec"
	"runtime"
	"strings"
	"testing"
	"unsafe"

	"github.com/harena-go/arena/internal/engine/race"
)

// This file describes the build, and what tests may expect of it.

// Long asks for minutes of random testing instead of seconds, and for the tests that build programs
// with other toolchains, settings or languages than everything else.
var Long = os.Getenv("HARENA_LONG") != ""

// NeedsLong skips such a test with a reason, unless long tests are requested.
func NeedsLong(t testing.TB, does string) {
	t.Helper()
	if !Long {
		t.Skip(does + "; HARENA_LONG=1 runs it")
	}
}

// Cases returns how many random cases a test tries that tries n in its usual form: a quarter in the short form, in
// which sanitizers and other builds repeat the cases of the usual form.
func Cases(n int) int {
	if testing.Short() {
		return (n + 3) / 4
	}
	return n
}

// NeedsGo skips a test that runs the go command where there is none, and in the short form, in which tests are run with
// sanitizers: programs that the go command builds have none.
func NeedsGo(t testing.TB) {
	t.Helper()
	if _, err := exec.LookPath("go"); err != nil {
		t.Skip("no go command: ", err)
	}
	if testing.Short() {
		t.Skip("runs the go command")
	}
}

// Reuses reports whether Reset, Rewind and Pool.Put reuse memory. With the race detector
// they don't, so that it sees uses of dead memory.
const Reuses = !race.Enabled

// NeedsReuse skips a test of memory that an arena keeps for its next life.
func NeedsReuse(t *testing.T) {
	t.Helper()
	if !Reuses {
		t.Skip("with the race detector nothing is used again")
	}
}

// Inlines reports whether the compiler inlines calls. Only then are errors that
// errors.New makes for global variables part of the program's data, and only then do
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

// Countable reports whether heap allocations are those of a usual build, as promised:
// sanitizers, coverage and checkptr add some, and so does a build without inlining.
func Countable() bool {
	return !Sanitized && testing.CoverMode() == "" && Inlines() && !checkptr()
}

// checkptr reports whether the compiler checks unsafe conversions, and therefore moves
// converted values to the heap.
func checkptr() bool {
	return testing.AllocsPerRun(10, func() {
		var x [4]int
		Decoy += *(*int)(unsafe.Pointer(&x))
	}) > 0
}
