// Package arenatest makes checked arenas for tests. They fail the test if reclaimed memory is still in use.
//
//	func TestParse(t *testing.T) {
//		a := arenatest.New(t)
//		tree := Parse(a, source)
//		...
//	}
//
// Nothing else is needed. When the test ends the arena is reset, and the test fails if any reclaimed value is still
// referenced. The report has the value's type, the stack of its allocation, the call that reclaimed it, and its holder:
//
//	ARENA ESCAPE: parser.Node (48 bytes) in arena "TestParse" is still referenced, 3 GC cycles after it was reclaimed
//
//	Allocated by:
//	  github.com/harena-go/arena.New[...]()
//	  parser.(*parser).expression()
//	      parser.go:81
//	...
//
// References in the code under test disappear with its variables, which may be before the test ends: think of a server
// with a cache that is a local variable of the test. Keep it until then with [Hold]. Such arenas also look for
// references when they reclaim something, the first 16 times and then at each power of two. A reference found then may
// be dropped before it is used, for example in a field that the next request overwrites. So it is a note in the test's
// log, which is shown when the test fails, panics or faults, or with go test -v. [Strict] makes it an error. Each look
// takes a GC cycle, and three more if something is referenced.
//
// Before [arena.Pool.Do] puts its arena back, it checks the error that it returns, or the value of a panic. If that
// leads to a value of the arena, the report names the field, whether or not anything reads it.
//
// Tests with the race detector (go test -race) find the most: it sees most uses of dead values, with or without a
// holder. Notes don't name the holder there: the search would make the detector forget the reclaimed memory.
//
// Such an arena allocates each value separately ([arena.CheckObjects]), in a microsecond or two. Pointers in dead
// values lead to addresses like 0xdead0502018, where the program faults. This one stands for the 5th checked arena,
// after it had reclaimed memory twice, and an offset of 0x18. Writes to dead values are found too.
//
// Values without pointers, such as strings, have pages of their own, the first 256 of each life of an arena. Dead ones
// are guarded: any use faults at its line, even a read of a string, which neither the race detector nor the address
// sanitizer sees. The test's output describes the value at the address, its allocation, the call that reclaimed it, and
// its holder:
//
//	ARENA FAULT: parser.go:97 touches a dead string (12 bytes) of arena "TestParse" (fault address 0x2e80edb75000)
//
// A system call that gets such memory returns EFAULT. In other goroutines than the test's a fault ends the program,
// unless they have called [debug.SetPanicOnFault]. This needs mprotect (Linux, macOS, FreeBSD).
//
// A fault is a panic in the goroutine that called New, and fails the test. In other goroutines, such as those of a
// server's handlers, the runtime ends the program with all tests. Before the stacks of its goroutines, or after them on
// Windows, there is then a line
//
//	arenatest: the program has followed a pointer in a dead value of arena "TestParse", reclaimed at ...
//
// A second process, which is the test program again, waits for that output and writes the line. It uses
// [runtime/debug.SetCrashOutput]. It is started with the first arena, initializes the packages that come before this
// one, and ends with the tests.
//
// A value in a self-contained arena ([arena.WithNoScan]) must not point to the Go heap, where the GC frees objects that
// nothing else points to. Such values are checked by their types before they die, by a Reset, Rewind, Put or Free or at
// the end of the test, and in [Verify]. A pointer to a heap object not given to [arena.Arena.KeepAlive] is an error
// too, and so is one to a freed object:
//
//	ARENA POINTER: parser.Node.name in self-contained arena "TestParse" points to a string of 12 bytes on the Go heap
//
// Correct programs pay a tenth of a microsecond for each pointer. If KeepAlive was given maps or structs they also pay
// for heap dumps of some 10 ms, at most 16 for each arena, pool or Shared. Memory from Alloc and Realloc isn't checked,
// as it has no type, nor are locals of a Shared before it is reset. If small parts of a large arena are reclaimed again
// and again, some of them aren't checked either.
//
// [NewPool] and [NewShared] do the same for code that takes a pool or a Shared. For arenas that the code under test
// makes itself, see [Main], which checks all arenas of a package. Package arenahttptest sends requests to a server with
// such a pool.
package arenatest

import (
	"fmt"
	"os"
	"runtime/debug"
	"testing"
	"weak"

	"github.com/harena-go/arena"
	"github.com/harena-go/arena/internal/diagnose/inspect"
)

// New returns a checked arena with the options. When tb ends it resets the arena, if it wasn't freed. tb fails if
// anything reclaimed is still referenced, or if the arena itself is and was never freed.
//
// The arena is named after tb unless an option names it. New sets the checks and the handler of escapes. It also turns
// faults at unexpected addresses in the calling goroutine into panics, so that the test can explain them.
func New(tb testing.TB, opts ...arena.Option) *arena.Arena {
	tb.Helper()
	r := newRecord(tb)
	a := arena.NewArena(checked(r, opts)...)
	r.arena = weak.Make(a)
	atEnd(tb, r, func() string { return a.Stats().Name }, func() {
		tb.Helper()
		r.unfreed = !a.Freed()
		strays(tb, a, true)
		a.Reset()
		if r.unfreed {
			a = nil
		}
		r.judge(tb)
	})
	return a
}

// NewPool returns a pool of checked arenas with the options, with reuse as by [arena.WithReuse]. tb fails at its end if
// anything reclaimed is still referenced, or if an arena was neither put back nor freed. Without reuse such references
// would be right.
//
// With [arena.WithReuse] for some keys that applies to these only, and values of other keys stay valid. So a program
// turns reuse on for one route after the other, once its tests pass.
//
//	pool := arenatest.NewPool(t, arena.WithReuse("GET /orders"))
func NewPool(tb testing.TB, opts ...arena.PoolOption) *arena.Pool {
	tb.Helper()
	r := newRecord(tb)
	p := arena.NewPool(append(checked[arena.PoolOption](r, opts), inspect.Arenas.ReuseSome().(arena.PoolOption))...)
	atEnd(tb, r, func() string { return p.Stats().Name }, func() {
		tb.Helper()
		for _, report := range neverBack(p) {
			tb.Error(report)
		}
		r.judge(tb)
		logNoDump(tb)
	})
	return p
}

// NewShared returns a checked Shared with the options. When tb ends it resets the Shared, if it wasn't freed, and tb
// fails if anything that it or one of its locals reclaimed is still referenced.
func NewShared(tb testing.TB, opts ...arena.Option) *arena.Shared {
	tb.Helper()
	r := newRecord(tb)
	s := arena.NewShared(checked(r, opts)...)
	atEnd(tb, r, func() string { return s.Stats().Name }, func() {
		tb.Helper()
		s.Reset()
		r.judge(tb)
		logNoDump(tb)
	})
	return s
}

// atEnd checks the arenas with a name when tb ends. If tb ends because it touched a dead value, it reports the value
// and its holder instead. Faults in the calling goroutine that would end the program become panics for that.
func atEnd(tb testing.TB, r *record, name func() string, judge func()) {
	tb.Helper()
	monitored()
	debug.SetPanicOnFault(true)
	r.arenas = name
	tb.Cleanup(func() {
		tb.Helper()
		if at, yes := faulted(); yes {
			tellFault(tb, at)
			return
		}
		judge()
	})
}

// Verify looks for references to reclaimed memory now, instead of at the end of the test. It covers the arenas that
// this package made for tb, and, with [Main], all arenas without a handler of escapes. It takes one GC cycle, and three
// more if something is referenced.
func Verify(tb testing.TB) {
	tb.Helper()
	for _, r := range recordsOf(tb) { // first, before objects that only strays lead to are freed
		if a := r.arena.Value(); a != nil && !a.Freed() {
			strays(tb, a, false)
		}
	}
	arena.FindEscapes()
	for _, r := range recordsOf(tb) {
		r.report(tb)
	}
	everybody.report(tb)
}

// Main runs the tests of a package with all arenas checked, also those that the code under test makes itself. It
// returns a code for os.Exit:
//
//	func TestMain(m *testing.M) {
//		os.Exit(arenatest.Main(m))
//	}
//
// Main reports escapes and arenas that were never put back at the end, with code 1; [Verify] reports escapes earlier.
// Values given to [Hold] are checked when their test ends. Arenas made during the initialization of packages aren't
// checked, but later arenas of a Pool made then are.
func Main(m *testing.M) int {
	add := func(e any) {
		if s, ok := e.(inspect.Stray); ok {
			e = pointer(s)
		}
		everybody.add(e.(fmt.Stringer))
	}
	took := everybody.reclaimed
	monitored()
	inspect.All.Store(&add)
	inspect.AllTaken.Store(&took)
	inspect.Dumps.Add(dumpsEach)
	defer inspect.All.Store(nil)
	defer inspect.AllTaken.Store(nil)
	code := m.Run()
	arena.FindEscapes()
	list, notes := everybody.take()
	list = append(list, neverBack(nil)...)
	if len(list) > 0 {
		code = max(code, 1)
	}
	if code != 0 && len(notes) > 0 {
		fmt.Fprintln(os.Stderr, early+text(notes))
	}
	if len(list) > 0 {
		fmt.Fprintf(os.Stderr, "%s\nFAIL: arenatest\n", text(list))
	}
	return code
}

// checked returns the options of a checked arena that reports to r.
func checked[O arena.PoolOption](r *record, opts []O) []O {
	own := func(o arena.Option) O { return any(o).(O) }
	for _, o := range opts {
		switch any(o).(type) {
		case strict:
			r.strict = true
		case noLooks:
			r.noLooks = true
		}
	}
	all := append([]O{own(arena.WithName(r.name))}, opts...)
	return append(all,
		own(arena.WithChecks(arena.CheckObjects)), own(arena.OnEscape(func(e arena.Escape) { r.add(e) })),
		own(onStray(r)), own(inspect.Arenas.OnTaken(r.reclaimed).(arena.Option)))
}
