// Misuse is a collection of small programs that misuse arenas, and of correct ones
// that look like it. Run it with the name of one.
//
// Each is registered by [plant] or [clean], and has a function with a comment
// that says which layers must catch it:
//
//	want: race, resets, objects
//
// The layers are
//
//	panic    always on
//	race     the race detector
//	asan     the address sanitizer
//	resets   CheckResets: something is still referenced
//	guard    a Pool with WithGuardRate(1): the same, and uses of what was reclaimed
//	objects  arenatest: a value is still referenced
//	noted    arenatest: a value was referenced when it was reclaimed, and isn't at the end
//	trap     arenatest: following a dead pointer faults
//	written  arenatest: a dead value was written to
//	hidden   arenatest: a self-contained arena points to the Go heap
//	leak     arenatest: an arena was not put back, or never freed
//	checked  arenatest: a panic, where other arenas don't notice
//
// A line "may: panic" says that arenas may panic, as chance has it, but those of arenatest.
//
// "want: nothing" says that none of them can see it. A correct program may say "noted", if
// arenatest has a note for it.
//
// Comments at the ends of lines mark what a report must name: "allocated", "reclaimed",
// "used", "lent". A line "held by: text" says what a report must contain below that
// heading. The test in arenatest reads all of this.
package main

import (
	"fmt"
	"os"
	"runtime/debug"
	"testing"

	"github.com/harena-go/arena"
	"github.com/harena-go/arena/arenatest"
	"github.com/harena-go/arena/internal/diagnose/inspect"
)

var programs = map[string]func(){}

// plant registers a program with a misuse.
func plant(name string, f func()) bool {
	if programs[name] != nil {
		panic("two programs " + name)
	}
	programs[name] = f
	return true
}

// clean registers a correct program.
func clean(name string, f func()) bool { return plant(name, f) }

// mode is how arenas are made: "plain", "resets" with CheckResets, "guard" by pools
// that guard all, or "arenatest" as tests make them.
var mode = os.Getenv("HARENA_MODE")

// newArena, newPool and newShared make arenas in the way of the mode.

func newArena(opts ...arena.Option) *arena.Arena {
	switch mode {
	case "arenatest":
		return arenatest.New(tb, opts...)
	case "resets":
		opts = append(opts, arena.WithChecks(arena.CheckResets), arena.OnEscape(report))
	case "guard":
		of := make([]arena.PoolOption, len(opts))
		for i, o := range opts {
			of[i] = o
		}
		return lend[mode](newPool(of...))
	}
	return arena.NewArena(opts...)
}

// lend hides from arenavet that arenas of this mode are a pool's, and have to go back.
var lend = map[string]func(*arena.Pool) *arena.Arena{"guard": (*arena.Pool).Get}

func newPool(opts ...arena.PoolOption) *arena.Pool {
	switch mode {
	case "arenatest":
		return arenatest.NewPool(tb, opts...)
	case "resets":
		opts = append(opts, arena.WithChecks(arena.CheckResets), arena.OnEscape(report))
	case "guard":
		opts = append(opts, arena.WithGuardRate(1), arena.OnEscape(report))
	}
	return arena.NewPool(append([]arena.PoolOption{arena.WithReuse()}, opts...)...)
}

func newShared(opts ...arena.Option) *arena.Shared {
	switch mode {
	case "arenatest":
		return arenatest.NewShared(tb, opts...)
	case "resets":
		opts = append(opts, arena.WithChecks(arena.CheckResets), arena.OnEscape(report))
	}
	return arena.NewShared(opts...)
}

// underTest returns what a program tests, such as a server, after it has seen to it that it is there until
// all has been looked at: as it is in production, and in tests that call arenatest.Hold.
func underTest[T any](s T) T {
	switch mode {
	case "arenatest":
		arenatest.Hold(tb, s)
	case "resets", "guard":
		servers = append(servers, s)
	}
	return s
}

var servers []any

func report(e arena.Escape) { fmt.Fprintln(os.Stderr, e) }

// A fake stands in for the testing.TB of a test that consists of the program.
type fake struct {
	testing.TB
	cleanups []func()
}

var tb = new(fake)

func (f *fake) Helper()                           {}
func (f *fake) Name() string                      { return "TestMisuse" }
func (f *fake) ArtifactDir() string               { return "." }
func (f *fake) Cleanup(c func())                  { f.cleanups = append(f.cleanups, c) }
func (f *fake) Error(args ...any)                 { fmt.Fprintln(os.Stderr, args...) }
func (f *fake) Errorf(format string, args ...any) { f.Error(fmt.Sprintf(format, args...)) }
func (f *fake) Log(args ...any)                   { f.Error(args...) }
func (f *fake) Logf(format string, args ...any)   { f.Errorf(format, args...) }

// end is called at the end of the program, or when it panics.
func (f *fake) end() {
	for len(f.cleanups) > 0 {
		last := len(f.cleanups) - 1
		c := f.cleanups[last]
		f.cleanups = f.cleanups[:last]
		c()
	}
	if mode != "plain" {
		arena.FindEscapes() // of arenas that the program made by itself, too
	}
}

func main() {
	if len(os.Args) != 2 || programs[os.Args[1]] == nil {
		fmt.Fprintln(os.Stderr, "usage: misuse program")
		os.Exit(3)
	}
	if mode == "arenatest" { // as arenatest.Main does
		all := func(e any) { fmt.Fprintln(os.Stderr, e) }
		inspect.All.Store(&all)
	}
	defer tb.end()
	if mode == "guard" {
		debug.SetPanicOnFault(true)
		defer reportFault()
	}
	programs[os.Args[1]]()
}

// reportFault is deferred. A fault that is reported ends the program, but not its last look for what is held.
func reportFault() {
	if v := recover(); v != nil {
		if _, ok := arena.ReportFault(v); !ok {
			panic(v)
		}
	}
}

// What programs use.

var (
	sinkInt  int
	sinkByte byte
	sinkBool bool
	sinkText string
)

type order struct {
	id       int
	total    int
	customer *customer
	name     string
	items    []item
	next     *order
}

type customer struct {
	id   int
	name string
}

type item struct{ article, count, cents int }

// point has no pointers.
type point struct{ x, y, z int }

func newOrder(a *arena.Arena, id int) *order {
	return arena.NewOf(a, order{id: id, total: 10 * id})
}

// answer writes a string to the answer.
func answer(s string) { written = append(written[:0], s...) }

var written []byte
