// Package guard makes sure that an analysis ends, and that no function harms the analysis of others: a function on
// which too much is spent, or in which the analysis panics, is given up, and users get a message.
package guard

import (
	"fmt"
	"io"
	"maps"
	"os"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"testing"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/ssa"
)

// Stats gets, for each package, the number of functions that were given up. It may be nil.
var Stats io.Writer

// Told gets a message for users about functions that were given up: each is named once, and the first message explains
// the assumption about them. It is nil in tests.
var Told io.Writer = os.Stderr

// told records the messages, of all packages that are analyzed side by side.
var told = struct {
	sync.Mutex
	names     map[string]bool
	explained bool
}{names: map[string]bool{}}

func init() {
	if testing.Testing() {
		Told = nil
	}
}

// Strict lets panics through. It is set in tests, which must see them.
var Strict = testing.Testing()

// Trip, if it isn't nil, is called at the beginning of each function. Tests use it to make analyses panic.
var Trip func(*ssa.Function)

// A Guard watches over one analysis of one package.
type Guard struct {
	pass *analysis.Pass
	pool int                      // remaining steps of the package's functions
	seen map[*ssa.Function]*steps // all that were begun
	now  *steps                   // of the current function
	gave map[*ssa.Function]string // those given up, with the reason
}

// steps has the steps that a function has taken, and its guaranteed share.
type steps struct{ used, share int }

// A step is a look at one fact at one point. The steps for all functions of a package together, however often they are
// visited, are a multiple of go vet's cost for it; one function may take more than its share, up to many times, as long
// as others don't need theirs.
//
// A million steps take 20 to 100 ms. In go/parser and net/http moved to arenas, the most expensive function takes
// 420,000. A function of 3,800 instructions, whose loops put all that it makes into each other, takes 580,000.
const (
	perPackage     = 4_000_000
	perFunction    = 1_500
	perInstruction = 20
	atMost         = 40 // times its share, and
	atLeast        = 400_000

	// Once half of a package's steps are spent, each function leaves more to others.
	atMostThen  = 8
	atLeastThen = 30_000
)

// spent is the panic that ends the analysis of a function.
type spent struct{}

func New(pass *analysis.Pass) *Guard {
	return &Guard{pass: pass, pool: perPackage, seen: map[*ssa.Function]*steps{}, gave: map[*ssa.Function]string{}}
}

// Run calls analyze to analyze a function, and reports whether it finished. It doesn't try again with a function that
// was given up.
func (g *Guard) Run(fn *ssa.Function, analyze func()) (ok bool) {
	if g.GivenUp(fn) {
		return false
	}
	defer func() {
		if ok {
			return
		}
		switch r := recover(); {
		case r == any(spent{}):
			g.gave[fn] = "too much to look at"
		case Strict:
			panic(r)
		default:
			g.gave[fn] = fmt.Sprintf("panic: %v\n%s", r, debug.Stack())
		}
	}()
	if g.seen[fn] == nil {
		g.seen[fn] = &steps{share: share(fn)}
		g.pool += g.seen[fn].share
	}
	g.now = g.seen[fn]
	if Trip != nil {
		Trip(fn)
	}
	analyze()
	return true
}

func share(fn *ssa.Function) int {
	n := perFunction
	for _, b := range fn.Blocks {
		n += perInstruction * len(b.Instrs)
	}
	return n
}

// Spend takes n steps. If there are no more it doesn't return.
func (g *Guard) Spend(n int) {
	g.pool -= n
	g.now.used += n
	used, share := g.now.used, g.now.share
	if used > atLeast+atMost*share || g.pool < 0 && used > share ||
		g.pool < perPackage/2 && used > atLeastThen+atMostThen*share {
		g.Stop()
	}
}

// Stop gives the current function up, and doesn't return.
func (g *Guard) Stop() { panic(spent{}) }

// GiveUp gives a function up.
func (g *Guard) GiveUp(fn *ssa.Function, why string) {
	if !g.GivenUp(fn) {
		g.gave[fn] = why
	}
}

// GivenUp reports whether a function was given up.
func (g *Guard) GivenUp(fn *ssa.Function) bool { return g.gave[fn] != "" }

// Done reports the functions that were given up.
func (g *Guard) Done() {
	if len(g.seen) == 0 {
		return
	}
	told.Lock()
	defer told.Unlock()
	g.tell()
	if Stats == nil {
		return
	}
	used := 0
	for _, x := range g.seen {
		used += x.used
	}
	text := fmt.Sprintf("arenavet: %s: %s: %d functions analyzed, %d given up, %d steps\n", g.pass.Pkg.Path(),
		g.pass.Analyzer.Name, len(g.seen)-len(g.gave), len(g.gave), used)
	for _, fn := range g.unfinished() {
		text += fmt.Sprintf("\t%s: %s\n", fn.RelString(g.pass.Pkg), g.gave[fn])
	}
	io.WriteString(Stats, text)
}

// unfinished returns the functions that were given up, by name.
func (g *Guard) unfinished() []*ssa.Function {
	return slices.SortedFunc(maps.Keys(g.gave), func(a, b *ssa.Function) int {
		return strings.Compare(a.RelString(g.pass.Pkg), b.RelString(g.pass.Pkg))
	})
}

// tell prints their names for users, in a line for each package.
func (g *Guard) tell() {
	var names []string
	for _, fn := range g.unfinished() {
		name, id := fn.RelString(g.pass.Pkg), fn.String()
		if Told == nil || told.names[id] {
			continue
		}
		told.names[id] = true
		why, _, _ := strings.Cut(g.gave[fn], "\n")
		names = append(names, fmt.Sprintf("%s (%s)", name, why))
	}
	if len(names) == 0 {
		return
	}
	if len(names) > atMostNamed {
		names = append(names[:atMostNamed], fmt.Sprintf("%d more", len(names)-atMostNamed))
	}
	text := fmt.Sprintf("arenavet: %s: not followed: %s", g.pass.Pkg.Path(), strings.Join(names, ", "))
	if !told.explained {
		told.explained = true
		text += "; what such a function returns is taken to be in the arena that it is given, " +
			"and nothing else is known of it"
	}
	fmt.Fprintln(Told, text)
}

// atMostNamed bounds the named functions of a package.
const atMostNamed = 5

// SetStats is the command's flag -stats.
func SetStats(text string) error {
	Stats = nil
	if text == "true" {
		Stats = os.Stderr
	}
	return nil
}
