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

// This file holds what is known of the functions of a package, and how it is found out. The
// check runs twice over each function: once in the analyzer "stores", until no summary
// changes any more and with reports switched off, and once in Analyzer, which reports.
//
// A store is wrong if three things are known of it: the memory that it writes to is in a
// self-contained arena (owner.go), what it stores points to the heap or into another arena
// (sources.go), and it isn't kept alive.
//
//	a := arena.NewArena(arena.WithNoScan())
//	n := arena.New[node](a)          in a, which is self-contained
//	n.name = fmt.Sprint(id)          a string on the heap: reported
//	n.name = a.Sprintf("%d", id)     a string in a: right
//
// Where one of the three isn't known nothing is said. Most often that is because the arena,
// or the value, is a parameter: then the summary of the function has the store in terms of its
// parameters, and each call is looked at as if the store stood there.
//
//	func (t *tree) add(name string) { t.root.name = name }      Stores {0, 1}
//
//	t.add(fmt.Sprint(id))       reported here, if t's arena is self-contained
//
// The other files: summary.go has what is known, stores.go and casts.go look at instructions,
// interfaces.go at what is boxed, options.go at the options of arenas, library.go lists
// functions of the standard library.

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

// Analyzer reports pointers to the heap that are stored in a self-contained
// arena, and raw memory that is taken for a type with pointers.
var Analyzer = &analysis.Analyzer{
	Name:             "noscan",
	Doc:              doc,
	Requires:         []*analysis.Analyzer{summaries, ignore.Analyzer},
	RunDespiteErrors: true, // see package program
	Run:              run,
}

// summaries finds out what functions store where.
var summaries = &analysis.Analyzer{
	Name:             "stores",
	Doc:              "find out what functions store in arena memory",
	Requires:         []*analysis.Analyzer{program.Analyzer},
	FactTypes:        []analysis.Fact{new(summary)},
	ResultType:       reflect.TypeFor[*checker](),
	RunDespiteErrors: true, // see package program
	Run:              summarize,
}

// rounds is how often the functions of a package are looked at, at most: as
// deep are calls understood that lead against the order of source.
const rounds = 8

// summarize works out the summaries of a package. A function that the guard gives up is taken to
// keep alive all that it is given, so that nothing is reported because of it.
func summarize(pass *analysis.Pass) (any, error) {
	c := &checker{Table: facts.New[summary](pass, program.Of(pass)), report: func(token.Pos, string, ...any) {}}
	c.collect()
	c.Solve(rounds, summary{Keeps: ^uint64(0)}, c.look)
	return c, nil
}

// collect notes what is stored in fields and package-level variables anywhere
// in the package, and which functions are called where. It is done once, before the
// functions are looked at, and doesn't depend on what is known of them.
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

// collectStore notes a store in a package-level variable or a field. Stores through other
// pointers aren't noted, and so what is loaded from there is unknown.
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

// run looks at all functions once more, with what is known of those that they call, and reports.
func run(pass *analysis.Pass) (any, error) {
	c := pass.ResultOf[summaries].(*checker)
	told := map[token.Pos]bool{} // a place may be found by way of several callers
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
