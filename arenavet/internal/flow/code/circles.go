package code

import (
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/harena-go/arena/arenavet/internal/api"
)

// This file computes the order in which functions are analyzed.

// Circles orders the functions of a package, callees first: the postorder of a depth-first search. Circles of functions
// that call each other have no such order; they are kept together (the strongly connected components of Tarjan,
// Depth-first search and linear graph algorithms, 1972), and need more rounds. Literals come before the function around
// them, which is usually their caller.
func Circles(pkg *ssa.Package, all []*ssa.Function) [][]*ssa.Function {
	l := listing{pkg: pkg, low: map[*ssa.Function]int{}, open: map[*ssa.Function]bool{}}
	for _, fn := range all {
		l.visit(fn)
	}
	return l.circles
}

// A listing is a search for circles.
type listing struct {
	pkg     *ssa.Package
	low     map[*ssa.Function]int  // the first function reachable in its circle, by number, from 1
	open    map[*ssa.Function]bool // the circle isn't complete yet
	stack   []*ssa.Function        // open functions, in the order of discovery
	done    []*ssa.Function        // open functions, callees first
	circles [][]*ssa.Function
}

func (l *listing) visit(fn *ssa.Function) {
	// Other functions have a fact, or nothing: no source, no blocks.
	if fn == nil || l.low[fn] != 0 || fn.Pkg != l.pkg || len(fn.Blocks) == 0 {
		return
	}
	number := len(l.low) + 1
	l.low[fn], l.open[fn] = number, true
	l.stack = append(l.stack, fn)
	calls := func(callee *ssa.Function) {
		l.visit(callee)
		if l.open[callee] {
			l.low[fn] = min(l.low[fn], l.low[callee])
		}
	}
	for _, anon := range fn.AnonFuncs {
		calls(anon)
	}
	for i := range api.Instrs(fn) {
		if c, ok := i.(ssa.CallInstruction); ok {
			calls(Origin(c.Common().StaticCallee()))
		}
	}
	l.done = append(l.done, fn)
	if l.low[fn] == number {
		l.close(fn)
	}
}

// close pops the circle that begins with a function. The functions completed since its discovery are the circle,
// callees first.
func (l *listing) close(first *ssa.Function) {
	n := slices.Index(l.stack, first)
	size := len(l.stack) - n
	l.stack = l.stack[:n]
	circle := slices.Clone(l.done[len(l.done)-size:])
	l.done = l.done[:len(l.done)-size]
	for _, fn := range circle {
		delete(l.open, fn)
	}
	l.circles = append(l.circles, circle)
}
