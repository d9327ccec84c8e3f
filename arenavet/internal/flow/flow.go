// Package flow follows arenas and their memory through a program.
//
// It looks at one function after the other, in SSA form, from the beginning to
// the returns, along all paths at once. At each point it knows of each value,
// and of each variable, field and element that was stored to, what it may be:
//
//	(1) a call allocates: its result is memory of the arena
//	(2) slices, fields, copies, conversions of it are memory too, and so is what
//	    comes out of a variable, map, channel or closure into which it was put
//	(3) Reset, Rewind, Put or the end of Do: all memory of the arena is dead now,
//	    wherever it is
//	(4) dead memory is used, or is still there when the function returns: a finding
//
// A value that one of several paths brings in dead is dead. Where nothing is
// known the value is taken to be none of an arena, so that whatever is found has
// a path from (1) to (4) in the code.
//
// What callers need to know of a function is its Summary, in terms of its
// parameters. Summaries are facts, so that they are known across packages.
package flow

import (
	"go/types"
	"maps"
	"reflect"
	"slices"
	"strings"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/ssa"

	"github.com/harena-go/arena/arenavet/internal/api"
	"github.com/harena-go/arena/arenavet/internal/guard"
	build "github.com/harena-go/arena/arenavet/internal/program"
)

// Analyzer finds misuse, for others to report. Its result is a *Result.
var Analyzer = &analysis.Analyzer{
	Name:       "arenaflow",
	Doc:        "follow arenas and their memory through a program\n\nIt reports nothing itself: see useafter, escape and goroutine.",
	Requires:   []*analysis.Analyzer{build.Analyzer},
	Run:        run,
	ResultType: reflect.TypeFor[*Result](),
	FactTypes:  []analysis.Fact{new(Summary)},
}

// Result is what was found in a package, in source order.
type Result struct {
	Findings []Finding
}

// A program is the analysis of a package.
type program struct {
	pass       *analysis.Pass
	funcs      []*ssa.Function // callees come first, as far as possible
	summaries  map[*ssa.Function]*Summary
	imported   map[types.Object]*Summary
	deaths     map[string]*death
	do         map[*ssa.Function]int // functions that Do calls, and the number of the arena's parameter
	resettable map[any]bool          // fields and globals whose arena is reset somewhere
	ssa        *ssa.Package

	found   map[*ssa.Function]map[string]Finding
	guard   *guard.Guard
	current *ssa.Function                            // that is looked at
	callers map[*ssa.Function]map[*ssa.Function]bool // that have asked for a summary
	dirty   map[*ssa.Function]bool                   // to be looked at again
}

// maxRounds is how often functions are looked at, until their summaries stay
// the same.
const maxRounds = 10

func run(pass *analysis.Pass) (any, error) {
	built := build.Of(pass)
	if built == nil {
		return &Result{}, nil
	}
	p := &program{pass: pass, guard: guard.New(pass), summaries: map[*ssa.Function]*Summary{}, imported: map[types.Object]*Summary{},
		deaths: map[string]*death{}, do: map[*ssa.Function]int{}, resettable: map[any]bool{},
		found: map[*ssa.Function]map[string]Finding{}, callers: map[*ssa.Function]map[*ssa.Function]bool{}, dirty: map[*ssa.Function]bool{}}
	p.ssa = built.Pkg
	p.list(built.Funcs)
	for range maxRounds {
		dirty := p.dirty
		p.dirty = map[*ssa.Function]bool{}
		known := len(p.resettable)
		for _, fn := range p.funcs {
			if dirty[fn] || p.found[fn] == nil {
				delete(p.dirty, fn)
				p.found[fn] = p.analyze(fn)
			}
		}
		if len(p.resettable) > known {
			for _, fn := range p.funcs {
				p.dirty[fn] = true
			}
		}
		if len(p.dirty) == 0 {
			break
		}
	}
	for fn := range p.dirty {
		p.guard.GiveUp(fn, "calls in circles, of which each time something else is known")
		p.found[fn], p.summaries[fn] = nil, &unknown
	}
	p.guard.Done()
	found := map[string]Finding{}
	for _, f := range p.found {
		maps.Copy(found, f)
	}
	for fn, s := range p.summaries {
		if obj, ok := fn.Object().(*types.Func); ok && obj.Pkg() == pass.Pkg && !s.empty() {
			pass.ExportObjectFact(obj, s)
		}
	}
	return &Result{sorted(found)}, nil
}

// list puts functions into an order in which callees come first.
func (p *program) list(all []*ssa.Function) {
	seen := map[*ssa.Function]bool{}
	var visit func(fn *ssa.Function)
	visit = func(fn *ssa.Function) {
		if fn == nil || seen[fn] {
			return
		}
		seen[fn] = true
		for _, anon := range fn.AnonFuncs {
			visit(anon)
		}
		if fn.Pkg != p.ssa || len(fn.Blocks) == 0 {
			return
		}
		for _, b := range fn.Blocks {
			for _, i := range b.Instrs {
				if c, ok := i.(ssa.CallInstruction); ok {
					visit(origin(c.Common().StaticCallee()))
				}
			}
		}
		p.funcs = append(p.funcs, fn)
	}
	for _, fn := range all {
		visit(fn)
	}
}

func origin(fn *ssa.Function) *ssa.Function {
	if fn != nil && fn.Origin() != nil {
		return fn.Origin()
	}
	return fn
}

// smallSize is how many blocks a function may have to be looked at though it has
// nothing to do with arenas: it may return what it is given.
const smallSize = 12

// concerns says whether a function has to do with arenas.
func (p *program) concerns(fn *ssa.Function) bool {
	for _, b := range fn.Blocks {
		for _, i := range b.Instrs {
			if v, ok := i.(ssa.Value); ok && api.TypeOf(v.Type()) != api.None {
				return true
			}
			c, ok := i.(ssa.CallInstruction)
			if !ok {
				continue
			}
			if api.Callee(c.Common()) != nil {
				return true
			}
			if callee := c.Common().StaticCallee(); callee != nil {
				if s := p.summary(callee); s != nil && s.concerns() {
					return true
				}
			}
		}
	}
	for _, v := range fn.Params {
		if api.TypeOf(v.Type()) != api.None {
			return true
		}
	}
	return slices.ContainsFunc(fn.AnonFuncs, p.concerns)
}

// analyze looks at one function.
func (p *program) analyze(fn *ssa.Function) map[string]Finding {
	p.current = fn
	f := newFunction(p, fn)
	ok := p.guard.Run(fn, func() {
		if len(fn.Blocks) <= smallSize || p.concerns(fn) {
			f.run()
		}
		f.summary.sort()
		f.summary.merge()
	})
	if !ok {
		f.found, f.summary = map[string]Finding{}, &unknown
	}
	if old := p.summaries[fn]; old == nil || !reflect.DeepEqual(old, f.summary) {
		p.summaries[fn] = f.summary
		for caller := range p.callers[fn] {
			p.dirty[caller] = true
		}
	}
	return f.found
}

// summary returns what is known of a function, or nil.
func (p *program) summary(fn *ssa.Function) *Summary {
	fn = origin(fn)
	if p.callers[fn] == nil {
		p.callers[fn] = map[*ssa.Function]bool{}
	}
	p.callers[fn][p.current] = true
	if s := p.summaries[fn]; s != nil {
		return s
	}
	obj, ok := fn.Object().(*types.Func)
	if !ok || obj.Pkg() == nil || obj.Pkg() == p.pass.Pkg {
		return nil
	}
	obj = obj.Origin()
	s, ok := p.imported[obj]
	if !ok {
		if x := new(Summary); p.pass.ImportObjectFact(obj, x) {
			s = x
		}
		p.imported[obj] = s
	}
	return s
}

// doing notes functions that are called with an arena which ends with the call.
func (p *program) doing(fn value, n int) {
	for _, t := range targetsOf(fn) {
		n := n + t.hidden()
		if old, ok := p.do[t.fn]; !ok || old != n {
			p.do[t.fn], p.dirty[t.fn] = n, true
		}
	}
}

// callee returns what is known of a function of package arena, also if it is
// called through an interface.
func (p *program) callee(c *ssa.CallCommon) *api.Func {
	if k := api.Callee(c); k != nil || !c.IsInvoke() {
		return k
	}
	for _, t := range p.implementations(c) {
		return api.Lookup(t.fn.Object())
	}
	return nil
}

// implementations returns the method that an interface's method must be.
func (p *program) implementations(c *ssa.CallCommon) []target {
	v := c.Value
	if x, ok := v.(*ssa.ChangeInterface); ok {
		v = x.X
	}
	if x, ok := v.(*ssa.MakeInterface); ok {
		if fn := p.ssa.Prog.LookupMethod(x.X.Type(), c.Method.Pkg(), c.Method.Name()); fn != nil {
			return []target{{fn: fn}}
		}
	}
	return nil
}

// scrubs says whether a call has the option WithScrub.
func (p *program) scrubs(c *ssa.CallCommon) bool {
	for _, a := range c.Args {
		s, ok := a.(*ssa.Slice)
		if !ok {
			continue
		}
		for _, r := range api.Uses(s.X) {
			x, ok := r.(*ssa.IndexAddr)
			if !ok {
				continue
			}
			for _, r := range api.Uses(x) {
				if st, ok := r.(*ssa.Store); ok && isScrub(st.Val) {
					return true
				}
			}
		}
	}
	return false
}

func isScrub(v ssa.Value) bool {
	for {
		switch x := v.(type) {
		case *ssa.ChangeInterface:
			v = x.X
		case *ssa.Call:
			k := api.Callee(x.Common())
			return k != nil && k.Name == "WithScrub"
		default:
			return false
		}
	}
}

// sorted returns findings in source order, one for each cause.
func sorted(found map[string]Finding) []Finding {
	all := slices.Collect(maps.Values(found))
	slices.SortFunc(all, func(a, b Finding) int {
		if a.Pos != b.Pos {
			return int(a.Pos - b.Pos)
		}
		return strings.Compare(a.Message, b.Message)
	})
	seen := map[string]bool{}
	return slices.DeleteFunc(all, func(x Finding) bool {
		again := seen[x.cause]
		seen[x.cause] = true
		return again
	})
}
