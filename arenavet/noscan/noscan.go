// Package noscan finds pointers to the Go heap that an arena hides from the GC.
package noscan

import (
	"fmt"
	"go/token"
	"reflect"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/ssa"

	"github.com/harena-go/arena/arenavet/internal/api"
	"github.com/harena-go/arena/arenavet/internal/defuse"
	"github.com/harena-go/arena/arenavet/internal/facts"
	"github.com/harena-go/arena/arenavet/internal/ignore"
	"github.com/harena-go/arena/arenavet/internal/program"
)

// This file runs the check. It runs twice over each function: in the analyzer "stores", until no summary changes any
// more and with reports switched off, and in Analyzer, which reports.
//
// A store is a mistake under three conditions: the memory that it writes to is in a self-contained arena (owner.go),
// the stored value points to the heap or into another arena (sources.go), and the value isn't kept alive.
//
//	a := arena.NewArena(arena.WithNoScan())
//	n := arena.New[node](a)          in a, which is self-contained
//	n.name = fmt.Sprint(id)          a string on the heap: reported
//	n.name = a.Sprintf("%d", id)     a string in a: right
//
// If one of the three is unknown nothing is reported. Usually the arena, or the value, is a parameter: then the
// function's summary has the store in terms of its parameters, and each call is checked as if it were the store.
//
//	func (t *tree) add(name string) { t.root.name = name }      Stores {0, 1}
//
//	t.add(fmt.Sprint(id))       reported here, if t's arena is self-contained
//
// The other files: summary.go defines the facts, stores.go and casts.go check instructions, interfaces.go handles boxed
// values, options.go the options of arenas, library.go lists functions of the standard library.

const doc = `report pointers to the heap in memory that the GC doesn't look into

A self-contained arena, made by WithNoScan, is never looked into by the GC. A
string, slice, map, interface, func or pointer from the Go heap that only a
value in such an arena holds is freed while it is in use, and so is one from another
arena. The same goes for memory from Alloc and Realloc of a default arena that
is taken for a type with pointers.

Allocate what the value points to from the same arena (a.AllocString,
a.Sprintf, arena.MakeSlice, arena.CopySlice, arena.Append), or pass it to
a.KeepAlive. Use arena.New and arena.MakeSlice instead of Alloc for types with
pointers.

Reported is what certainly is on the heap: what make, new, &T{}, concatenation,
conversions, closures, arena.Clone and well-known functions such as fmt.Sprintf
return, also through functions, of other packages too, and their parameters.`

// Analyzer reports pointers to the heap that are stored in a self-contained arena, and raw memory that is cast to a
// type with pointers.
var Analyzer = &analysis.Analyzer{
	Name:             "noscan",
	Doc:              doc,
	Requires:         []*analysis.Analyzer{summaries, ignore.Analyzer},
	RunDespiteErrors: true, // see package program
	Run:              run,
}

// summaries finds the stores of functions in arena memory.
var summaries = &analysis.Analyzer{
	Name:             "stores",
	Doc:              "find out what functions store in arena memory",
	Requires:         []*analysis.Analyzer{program.Analyzer},
	FactTypes:        []analysis.Fact{new(summary)},
	ResultType:       reflect.TypeFor[*checker](),
	RunDespiteErrors: true, // see package program
	Run:              summarize,
}

// rounds bounds the visits of a package's functions: the depth to which calls against source order are understood.
const rounds = 8

// summarize computes the summaries of a package. A function that the guard gives up is assumed to keep all its
// arguments alive, so that it leads to no reports.
func summarize(pass *analysis.Pass) (any, error) {
	c := &checker{Table: facts.New[summary](pass, program.Of(pass)), report: func(token.Pos, string, ...any) {}}
	c.collect()
	c.Solve(rounds, summary{Keeps: ^uint64(0)}, c.look)
	return c, nil
}

// collect records the values stored in fields and package-level variables anywhere in the package, and the calls of
// each function. It runs once, before the functions are visited, and doesn't depend on their summaries.
func (c *checker) collect() {
	c.stored, c.calls = map[any][]ssa.Value{}, map[*ssa.Function][]*ssa.CallCommon{}
	for _, fn := range c.Funcs {
		for instr := range api.Instrs(fn) {
			switch instr := instr.(type) {
			case *ssa.Store:
				c.collectStore(instr)
			case ssa.CallInstruction:
				if callee := instr.Common().StaticCallee(); callee != nil {
					c.calls[callee] = append(c.calls[callee], instr.Common())
				}
			}
		}
	}
}

// collectStore records a store in a package-level variable or a field. Stores through other pointers aren't recorded,
// so values loaded from there are unknown.
func (c *checker) collectStore(s *ssa.Store) {
	switch addr := s.Addr.(type) {
	case *ssa.Global:
		c.stored[addr] = append(c.stored[addr], s.Val)
	case *ssa.FieldAddr:
		if f := defuse.FieldOf(addr); f != nil {
			c.stored[f] = append(c.stored[f], s.Val)
		}
	}
}

// run visits all functions once more, with the final summaries of their callees, and reports.
func run(pass *analysis.Pass) (any, error) {
	c := pass.ResultOf[summaries].(*checker)
	told := map[token.Pos]bool{} // a place may be found through several callers
	c.report = func(pos token.Pos, format string, args ...any) {
		if told[pos] {
			return
		}
		told[pos] = true
		ignore.Report(pass, analysis.Diagnostic{Pos: pos, Message: fmt.Sprintf(format, args...)})
	}
	for _, fn := range c.Funcs {
		c.Guard.Run(fn, func() { c.look(fn) })
	}
	return nil, nil
}
