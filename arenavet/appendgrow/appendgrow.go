// Package appendgrow finds calls of the builtin append that may move an arena's slice to the Go heap.
package appendgrow

import (
	"fmt"
	"go/types"
	"math"
	"reflect"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/ssa"

	"github.com/harena-go/arena/arenavet/internal/api"
	"github.com/harena-go/arena/arenavet/internal/defuse"
	"github.com/harena-go/arena/arenavet/internal/facts"
	"github.com/harena-go/arena/arenavet/internal/ignore"
	"github.com/harena-go/arena/arenavet/internal/program"
)

const doc = `report calls of the builtin append that may grow a slice out of its arena

Where the capacity doesn't suffice, the builtin append allocates from the Go
heap: the slice silently leaves the arena, the GC has work again, and in a
self-contained arena, whose values the GC doesn't look into, a value that holds
the new slice points to memory that is freed while it is in use.

Use arena.Append(a, s, items...), which grows the slice within the arena; the
suggested fix does that. arena.Grow makes room beforehand.

Not reported are appends that are taken to have room: where the capacity was computed,
or is constant and the append isn't in a loop, or in one that goes round as often;
behind a test of cap(s); to a part of the slice, of the rest of it.`

// Analyzer reports calls of the builtin append on slices in an arena.
var Analyzer = &analysis.Analyzer{
	Name:             "appendgrow",
	Doc:              doc,
	Requires:         []*analysis.Analyzer{results, ignore.Analyzer},
	RunDespiteErrors: true, // see package program
	Run:              run,
}

// results finds the functions that return slices in arenas.
var results = &analysis.Analyzer{
	Name:             "arenaslices",
	Doc:              "find functions that return slices in arenas",
	Requires:         []*analysis.Analyzer{program.Analyzer},
	FactTypes:        []analysis.Fact{new(arenaSlices)},
	ResultType:       reflect.TypeFor[*checker](),
	RunDespiteErrors: true, // see package program
	Run:              findResults,
}

// arenaSlices is a fact about a function: a bit for each result that is an arena slice.
type arenaSlices struct{ Results uint64 }

func (*arenaSlices) AFact() {}

func (s *arenaSlices) String() string { return fmt.Sprintf("arena slices %b", s.Results) }

// A checker checks one package.
type checker struct {
	facts.Table[arenaSlices, *arenaSlices]
}

func findResults(pass *analysis.Pass) (any, error) {
	c := &checker{facts.New[arenaSlices](pass, program.Of(pass))}
	c.Solve(math.MaxInt, arenaSlices{}, c.results)
	return c, nil
}

// results returns a bit for each result of a function that is an arena slice.
func (c *checker) results(fn *ssa.Function) (found arenaSlices) {
	for i := range min(fn.Signature.Results().Len(), 64) {
		if len(c.returned(fn, i)) > 0 {
			found.Results |= 1 << i
		}
	}
	return found
}

// returned returns the allocations behind a function's result, if that is a slice.
func (c *checker) returned(fn *ssa.Function, result int) (found []ssa.Value) {
	if _, ok := fn.Signature.Results().At(result).Type().Underlying().(*types.Slice); !ok {
		return nil
	}
	for _, b := range fn.Blocks {
		if ret, ok := b.Instrs[len(b.Instrs)-1].(*ssa.Return); ok {
			found = append(found, c.sources(ret.Results[result])...)
		}
	}
	return found
}

// sources returns the origins of a slice that are allocations in an arena, or results of functions that return such
// slices.
func (c *checker) sources(v ssa.Value) (found []ssa.Value) {
	defuse.Of(v, func(v ssa.Value) bool {
		c.Guard.Spend(1)
		if call, i := result(v); call != nil && c.allocates(call, i) {
			found = append(found, v)
			return false
		}
		switch v.(type) {
		case *ssa.IndexAddr, *ssa.FieldAddr: // an element that is a slice itself
			return false
		}
		return true
	})
	return found
}

// result returns the call whose i-th result is the value, or nil.
func result(v ssa.Value) (call *ssa.Call, i int) {
	if e, ok := v.(*ssa.Extract); ok {
		call, _ = e.Tuple.(*ssa.Call)
		return call, e.Index
	}
	call, _ = v.(*ssa.Call)
	return call, 0
}

// allocates reports whether a result of a call is a slice in an arena.
func (c *checker) allocates(call *ssa.Call, result int) bool {
	if f := api.Callee(&call.Call); f != nil {
		return f.Verb == api.Alloc && result == 0 && !defuse.IsNil(api.Arg(&call.Call, f.From))
	}
	s := c.Callee(&call.Call)
	return s != nil && result < 64 && s.Results>>result&1 != 0
}

func run(pass *analysis.Pass) (any, error) {
	c := pass.ResultOf[results].(*checker)
	var f fixer
	for _, fn := range c.Funcs {
		c.Guard.Run(fn, func() { c.check(pass, fn, &f) })
	}
	return nil, nil
}

// check reports the appends of one function.
func (c *checker) check(pass *analysis.Pass, fn *ssa.Function, f *fixer) {
	for _, b := range fn.Blocks {
		for _, instr := range b.Instrs {
			call, ok := instr.(*ssa.Call)
			if !ok || !api.IsBuiltin(call, "append") {
				continue
			}
			for _, source := range c.sources(call.Call.Args[0]) {
				if !fits(call, source) {
					f.init(c, pass)
					ignore.Report(pass, analysis.Diagnostic{
						Pos:            call.Pos(),
						Message:        message(source),
						SuggestedFixes: f.fix(call, source),
					})
					break
				}
			}
		}
	}
}

func message(source ssa.Value) string {
	from := "a function"
	if call, _ := result(source); call != nil {
		if f := api.Callee(&call.Call); f != nil {
			from = f.Name
		} else if fn := call.Call.StaticCallee(); fn != nil {
			from = fn.Name()
		}
	}
	return "append may move this arena slice, from " + from + ", to the heap: use arena.Append"
}
