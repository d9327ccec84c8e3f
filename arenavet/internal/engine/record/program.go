// Package record has the records of a package and of each of its functions during their analysis.
package record

import (
	"go/types"
	"reflect"
	"slices"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/ssa"

	"github.com/harena-go/arena/arenavet/internal/engine/code"
	"github.com/harena-go/arena/arenavet/internal/engine/guard"
	"github.com/harena-go/arena/arenavet/internal/engine/state"
	"github.com/harena-go/arena/arenavet/internal/engine/summary"
	"github.com/harena-go/arena/arenavet/internal/knowledge/api"
)

// This file lets the functions of a package use each other's summaries. It must not depend on the code of functions.

// A Program is the record of a package and its functions during their analysis.
//
// Invariant between rounds: a function whose summary may be out of date, because a callee's summary has changed since,
// is in Dirty.
type Program struct {
	Pass       *analysis.Pass
	SSA        *ssa.Package
	Guard      *guard.Guard
	Circles    [][]*ssa.Function // functions that call each other, callees first, as far as possible
	Summaries  map[*ssa.Function]*summary.Summary
	Deaths     state.Deaths
	DoFuncs    map[*ssa.Function]Lending // functions called by Do and its like
	All        bool                      // all functions are analyzed, even those unrelated to arenas
	Resettable map[*types.Var]bool       // fields and globals whose arena is reset somewhere; only grows

	Literals []*ssa.MakeClosure // returned by functions, by number

	Current *ssa.Function                            // being analyzed
	Dirty   map[*ssa.Function]bool                   // to be analyzed again
	callers map[*ssa.Function]map[*ssa.Function]bool // callers that have used a summary

	// Caches.
	imported map[types.Object]*summary.Summary // facts of other packages; nil if there is none
	types    *code.TypeFlow                    // nil until first used
	gears    *gears                            // nil until first used
}

// NewProgram returns the empty record of a package.
func NewProgram(pass *analysis.Pass, pkg *ssa.Package, circles [][]*ssa.Function) *Program {
	return &Program{
		Pass:       pass,
		SSA:        pkg,
		Guard:      guard.New(pass),
		Circles:    circles,
		Summaries:  map[*ssa.Function]*summary.Summary{},
		Deaths:     state.Deaths{},
		DoFuncs:    map[*ssa.Function]Lending{},
		Resettable: map[*types.Var]bool{},
		Dirty:      map[*ssa.Function]bool{},
		callers:    map[*ssa.Function]map[*ssa.Function]bool{},
		imported:   map[types.Object]*summary.Summary{},
	}
}

// SetSummary sets a function's summary. If it has changed, the callers that have used it are analyzed again. Its lists
// are sorted, so that equal summaries compare equal.
func (p *Program) SetSummary(fn *ssa.Function, s *summary.Summary) {
	if old := p.Summaries[fn]; old != nil && reflect.DeepEqual(old, s) {
		return
	}
	p.Summaries[fn] = s
	for caller := range p.callers[fn] {
		p.Dirty[caller] = true
	}
}

// Methods returns the methods with a name that a value in an interface may have: the method of its type, if it was
// converted to an interface just before, or those of this package's types to which it points. The table of the standard
// library is generated without the latter.
func (p *Program) Methods(made ssa.Value, v state.Value, name string) (ts []Target) {
	if x, ok := made.(*ssa.ChangeInterface); ok {
		made = x.X
	}
	if x, ok := made.(*ssa.MakeInterface); ok {
		if fn := p.method(x.X.Type(), name); fn != nil {
			ts = []Target{{Fn: fn}}
		}
		return ts
	}
	for t := range v.All() {
		if p.All || !t.Is(state.Ptr) || t.Off != "" || t.Loc.Type == nil {
			continue
		}
		named, ok := types.Unalias(t.Loc.Type).(*types.Named)
		if !ok || named.Obj().Pkg() != p.Pass.Pkg || types.IsInterface(named) {
			continue
		}
		if fn := p.method(types.NewPointer(named), name); fn != nil && !slices.Contains(ts, Target{Fn: fn}) {
			ts = append(ts, Target{Fn: fn})
		}
	}
	return ts
}

// Callee returns the entry of a function of package arena, also if it is called through an interface.
func (p *Program) Callee(c *ssa.CallCommon) *api.Func {
	if k := api.Callee(c); k != nil || !c.IsInvoke() {
		return k
	}
	for _, t := range p.Methods(c.Value, nil, c.Method.Name()) {
		return api.Lookup(t.Fn.Object())
	}
	return nil
}

// Carried returns the package's type flow, computed once.
func (p *Program) Carried() *code.TypeFlow {
	if p.types == nil {
		p.types = code.NewTypeFlow(p.SSA, p.Circles)
	}
	return p.types
}

// loggerType returns the type of package slog's logger, nil if the package doesn't import that.
func (p *Program) loggerType() types.Type {
	for _, imported := range p.Pass.Pkg.Imports() {
		if obj := imported.Scope().Lookup("Logger"); obj != nil && imported.Path() == "log/slog" {
			return types.NewPointer(obj.Type())
		}
	}
	return nil
}

// method returns the method of a type with a name, nil if it has none.
func (p *Program) method(t types.Type, name string) *ssa.Function {
	m := p.SSA.Prog.MethodSets.MethodSet(t).Lookup(p.Pass.Pkg, name)
	if m == nil {
		return nil
	}
	return p.SSA.Prog.MethodValue(m)
}

// Summary returns a function's summary, or nil. It records the current function as a caller, even without a summary:
// among functions that call each other one is analyzed first, and again when the others have summaries.
func (p *Program) Summary(fn *ssa.Function) *summary.Summary {
	fn = api.Origin(fn)
	if p.callers[fn] == nil {
		p.callers[fn] = map[*ssa.Function]bool{}
	}
	p.callers[fn][p.Current] = true
	if s := p.Summaries[fn]; s != nil {
		return s
	}
	// It isn't analyzed yet, or is another package's. Literals and wrappers have no object.
	obj, ok := fn.Object().(*types.Func)
	if !ok || obj.Pkg() == nil || obj.Pkg() == p.Pass.Pkg {
		return nil
	}
	return p.Fact(obj)
}

// Fact returns another package's summary of its function, or of a method of an interface, nil if there is none. Each
// import decodes the fact anew, so facts are cached.
func (p *Program) Fact(obj *types.Func) *summary.Summary {
	if obj.Pkg() == nil { // of error
		return nil
	}
	obj = obj.Origin()
	s, ok := p.imported[obj]
	if !ok {
		if x := new(summary.Summary); p.Pass.ImportObjectFact(obj, x) {
			s = x
		}
		p.imported[obj] = s
	}
	return s
}

// Literal returns the number of a function literal, by which callers find it.
func (p *Program) Literal(m *ssa.MakeClosure) int {
	if n := slices.Index(p.Literals, m); n >= 0 {
		return n
	}
	p.Literals = append(p.Literals, m)
	return len(p.Literals) - 1
}

// A Lending describes a function that is called with an arena which ends with the call.
type Lending struct {
	Param int    // the arena
	Out   uint64 // a bit for each result that is seen after the end
	By    ssa.CallInstruction
	Gear  summary.Gear
}

// Lent records a function that is called with an arena, as argument n, which ends with the call: it is analyzed again,
// and must not let memory out.
func (p *Program) Lent(t Target, n int, out uint64, by ssa.CallInstruction, gear summary.Gear) {
	old, ok := p.DoFuncs[t.Fn]
	if ok {
		by = old.By
		if gear != old.Gear {
			gear = summary.Unseen
		}
	}
	l := Lending{n + t.Hidden(), out | old.Out, by, gear}
	if t.Fn.Pkg == p.SSA && l.Param < len(t.Fn.Params) && (!ok || old != l) {
		p.DoFuncs[t.Fn], p.Dirty[t.Fn] = l, true
	}
}
