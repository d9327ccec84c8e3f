// Package noscan finds pointers to the Go heap that an arena hides from the GC.
package noscan

import (
	"fmt"
	"go/token"
	"go/types"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/ssa"

	"github.com/harena-go/arena/arenavet/internal/engine/facts"
	"github.com/harena-go/arena/arenavet/internal/engine/program"
	"github.com/harena-go/arena/arenavet/internal/engine/shape"
	"github.com/harena-go/arena/arenavet/internal/knowledge/api"
	"github.com/harena-go/arena/arenavet/internal/rules"
	"github.com/harena-go/arena/arenavet/internal/rules/ignore"
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
var Analyzer = rules.Check("noscan", doc, run, summaries)

// summaries finds the stores of functions in arena memory.
var summaries = facts.Analyzer("stores", "find out what functions store in arena memory", summarize, new(summary))

// rounds bounds the visits of a package's functions: the depth to which calls against source order are understood.
const rounds = 8

// summarize computes the summaries of a package. A function that the guard gives up is assumed to keep all its
// arguments alive, so that it leads to no reports.
func summarize(pass *analysis.Pass) *checker {
	c := &checker{Table: facts.New[summary](pass, program.Of(pass)), report: func(token.Pos, string, ...any) {}}
	c.collect()
	c.Solve(rounds, summary{Keeps: ^uint64(0)}, c.look)
	return c
}

// collect records the values stored in fields and package-level variables anywhere in the package, and the calls of
// each function; values loaded from other places are unknown. It runs once, before the functions are visited.
func (c *checker) collect() {
	c.stored, c.calls = map[*types.Var][]ssa.Value{}, map[*ssa.Function][]*ssa.CallCommon{}
	c.onHeap = map[*types.Struct]bool{}
	for _, fn := range c.Funcs {
		for instr := range api.Instrs(fn) {
			switch instr := instr.(type) {
			case *ssa.Store:
				if holder := shape.Holder(instr.Addr); holder != nil {
					c.stored[holder] = append(c.stored[holder], instr.Val)
				}
			case *ssa.Alloc:
				if instr.Heap {
					c.made(shape.Elem(instr.Type()))
				}
			case *ssa.MakeSlice, *ssa.MakeMap:
				c.made(shape.Elem(instr.(ssa.Value).Type()))
			case ssa.CallInstruction:
				if api.IsBuiltin(instr, "append") {
					c.made(shape.Elem(instr.Value().Type()))
				}
				if callee := instr.Common().StaticCallee(); callee != nil {
					c.calls[callee] = append(c.calls[callee], instr.Common())
				}
			}
		}
	}
}

// made records the structs in values of a type that the package makes on the heap.
func (c *checker) made(t types.Type) {
	switch t := t.Underlying().(type) {
	case *types.Array:
		c.made(t.Elem())
	case *types.Struct:
		c.onHeap[t] = true
		for f := range t.Fields() {
			c.made(f.Type())
		}
	}
}

// run visits all functions once more, with the final summaries of their callees, and reports.
func run(pass *analysis.Pass) {
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
}

// This part defines the facts: about functions, arenas, and a package.

// A summary is a fact about a function for its callers. Parameters are counted with the receiver first. In the zero
// summary the function has no stores, and its results are unknown.
type summary struct {
	Stores  []store  // stores in the memory of a parameter
	Results []result // where its results are; empty if unknown
	Keeps   uint64   // a bit for each parameter that it passes to KeepAlive
	Casts   []cast
}

// A store stores a parameter, or a value on the heap, in the memory of a parameter, or of an arena that is one. Only
// the first of several stores with the same Into and From is listed.
type store struct {
	Into, From int    // From is -1 for the heap, Into is known for an arena of a kind known to the function
	What       string // the name of the value on the heap
	At         string // the place, for messages: "add at tree.go:7"
}

// known stands for a self-contained arena that isn't a parameter, in place of a parameter's number: a package-level
// variable, or a field that always has such an arena.
const known = -1

// A result describes a result of a function. If several returns differ, it has a heap value of any of them, and the
// last one's arena.
type result struct {
	Kind   kind   // of the arena that it is, or is in
	Owner  int    // the parameter that is that arena, or is in it, or its options; or -1
	Fresh  bool   // it is an arena that was made by this call
	Heap   string // the name of its value on the heap, or ""
	Params uint64 // a bit for each parameter that it may be, or be a part of
}

// A cast converts raw memory of an arena that is a parameter to a type with pointers. Only the arena decides whether
// that is a mistake: the memory of a default arena is typed, and raw memory in it has no pointers; a self-contained
// arena isn't scanned in any case.
type cast struct {
	Param int
	Type  string
	At    string    // the place, for messages
	pos   token.Pos // the same, for callers in the package
}

func (*summary) AFact() {}

// A kind is the kind of the arena that a value is, or is in. Only the two certain kinds, selfContained and ordinary,
// lead to a report; parameter and optional lead to summaries.
type kind uint8

const (
	unknown       kind = iota
	ordinary           // the GC scans it as far as necessary
	selfContained      // the GC never scans it
	nowhere            // the nil arena: the heap
	parameter          // the caller's
	optional           // it depends on the caller's options
)

// An owner is the arena that a value is, or is in. Two owners with the same id are one arena;
// two with different ids may be one, unless both ids are calls that make arenas (see fresh).
type owner struct {
	kind  kind
	param int       // if the kind is parameter or optional
	id    ssa.Value // the call or variable that made it
}

// A checker checks one package. The values collected for fields and variables count in the whole package: a field may
// have any value stored in it anywhere.
type checker struct {
	facts.Table[summary, *summary]
	stored map[*types.Var][]ssa.Value // in fields and package-level variables
	onHeap map[*types.Struct]bool     // the types of structs that the package makes on the heap
	calls  map[*ssa.Function][]*ssa.CallCommon
	report func(pos token.Pos, format string, args ...any)
}
