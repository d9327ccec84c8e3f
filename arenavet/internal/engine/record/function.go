package record

import (
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/harena-go/arena/arenavet/internal/engine/code"
	"github.com/harena-go/arena/arenavet/internal/engine/defuse"
	"github.com/harena-go/arena/arenavet/internal/engine/state"
	"github.com/harena-go/arena/arenavet/internal/engine/summary"
	"github.com/harena-go/arena/arenavet/internal/knowledge/api"
	"github.com/harena-go/arena/arenavet/internal/rules/finding"
)

// This file is the record of one function.

// FieldOf returns the last field on the path of a name.
func (f *Function) FieldOf(x summary.Sym) (field *types.Var) {
	x.Path = strings.TrimSuffix(x.Path, "*&") // by value, or by its target's address
	_, field = code.Along(f.typeOf(x))
	return field
}

// IsOwnVariable reports whether a cell is a variable of the function around this closure, which handles it.
func (f *Function) IsOwnVariable(c state.Cell) bool {
	return c.Loc.Sym.Param >= len(f.Fn.Params) && strings.Count(c.Loc.Sym.Path, "*") == 1
}

// IsInArena reports whether a cell is in the value that the function around this closure has allocated for a variable.
func (f *Function) IsInArena(c state.Cell) bool {
	n := c.Loc.Sym.Param - len(f.Fn.Params)
	if n < 0 || strings.Count(c.Loc.Sym.Path, "*") != 2 {
		return false
	}
	values := defuse.Stored(f.Fn.FreeVars[n])
	return len(values) > 0 && !slices.ContainsFunc(values, func(v ssa.Value) bool {
		call, ok := v.(*ssa.Call)
		return !ok || api.Callee(&call.Call) == nil || api.Callee(&call.Call).Verb != api.Alloc
	})
}

// A Function is the record of one function during its analysis. Packages transfer, report and summarize add to it.
//
// Found, Summary, Out, Kept and Given start anew when states are final. All other fields only grow, as states do, so a
// state may rely on them.
type Function struct {
	Program *Program
	Fn      *ssa.Function
	Places  *state.Places
	Live    *state.Live
	Paths   code.Paths

	// Renewed has the places that calls have set to something else, so that nothing is left there.
	Renewed map[ssa.Instruction]map[summary.Sym]bool
	// Cleared has elements that the summary lists as cleared, and SetAnew those that a loop has set, all of them.
	Cleared, SetAnew map[state.Cell]bool
	// Conds has parameters and globals, without paths, with a sync.Cond that was waited for.
	Conds map[summary.Sym]bool
	// Called has functions that callers know, by the calls.
	Called map[ssa.Instruction]map[summary.Callee]bool
	// Assumed has memory whose type is only assumed.
	Assumed map[*state.Loc]bool

	Found   finding.Set
	Summary *summary.Summary
	Out     map[summary.Flow]bool  // the results of Summary
	Kept    map[summary.Store]bool // its stores
	Given   map[summary.Call]bool  // its yields
	Judging bool                   // states are final: findings count
	Left    bool                   // Summary has the facts of one return
}

// NewFunction returns the empty record of a function.
func NewFunction(p *Program, fn *ssa.Function) *Function {
	live := state.LiveIn(fn)
	return &Function{
		Program: p,
		Fn:      fn,
		Live:    live,
		Places:  state.NewPlaces(p.Guard.Spend),
		Paths:   code.NewPaths(fn, p.Guard.Spend),
		Renewed: map[ssa.Instruction]map[summary.Sym]bool{},
		Cleared: map[state.Cell]bool{},
		SetAnew: map[state.Cell]bool{},
		Conds:   map[summary.Sym]bool{},
		Called:  map[ssa.Instruction]map[summary.Callee]bool{},
		Assumed: map[*state.Loc]bool{},
		Found:   finding.Set{},
		Summary: &summary.Summary{},
	}
}

// Spend counts steps; see package guard.
func (f *Function) Spend(n int) { f.Program.Guard.Spend(n) }

// Recovers reports whether a deferred call may recover: a literal that does, or a function whose code isn't known.
func (f *Function) Recovers(defers []*ssa.Defer) bool {
	for _, d := range defers {
		fn := d.Common().StaticCallee()
		if f.Program.Callee(d.Common()) != nil || d.Common().IsInvoke() {
			continue
		}
		if fn == nil || len(fn.Blocks) == 0 && fn.Pkg == f.Program.SSA || api.CallsBuiltin(fn, "recover") {
			return true
		}
	}
	return false
}

// IsInterfaceContent reports whether a value was in an interface when the function began.
func (f *Function) IsInterfaceContent(t state.Tag) bool {
	return t.Is(state.Ptr) && t.Off == "" && t.Loc.Sym != nil && t.Loc.Type == nil
}

// IsAssumed reports whether a cell is in memory whose type is only assumed.
func (f *Function) IsAssumed(c state.Cell) bool {
	for l := c.Loc; l != nil && len(f.Assumed) > 0; l = l.From {
		if f.Assumed[l] {
			return true
		}
	}
	return false
}

// MethodsBehind returns the methods with a name that values behind a caller's name may have, or, without a method name,
// the functions that they may be.
func (f *Function) MethodsBehind(x summary.Sym, method string) (ts []Target) {
	for _, held := range f.valuesBehind(x) {
		if t, ok := held.(types.Type); ok && method != "" {
			if fn := f.Program.method(t, method); fn != nil && !slices.Contains(ts, Target{Fn: fn}) {
				ts = append(ts, Target{Fn: fn})
			}
		} else if fn, ok := held.(ssa.Value); ok && method == "" {
			ts = append(ts, TargetsOf(state.Just(state.Tag{Kind: state.Func, Func: fn}, nil))...)
		}
	}
	return ts
}

// valuesBehind returns the types and functions known to be behind a caller's name: those of the last field on its path
// that has any.
func (f *Function) valuesBehind(x summary.Sym) []any {
	t, path := f.typeOf(x)
	var found []any
	if x.Param < 0 {
		found = f.Program.Carried().In(x.Global)
	}
	for path != "" && t != nil {
		var step string
		step, path = code.FirstStep(path)
		field := (*types.Var)(nil)
		if t, field = code.Stepped(t, step); field != nil {
			if more := f.Program.Carried().In(field); more != nil {
				found = more
			}
		}
	}
	if path != "" {
		return nil
	}
	return found
}

// typeOf returns the type of the root of a caller's name, and the path from there.
func (f *Function) typeOf(x summary.Sym) (types.Type, string) {
	switch params := len(f.Fn.Params); {
	case x.Param < 0:
		if x.Global == code.DefaultLogger {
			return f.Program.loggerType(), strings.TrimPrefix(x.Path, "*")
		}
		name := x.Global[strings.LastIndexByte(x.Global, '.')+1:]
		if g, ok := f.Program.SSA.Members[name].(*ssa.Global); ok && f.Program.Pass.Pkg.Path()+"."+name == x.Global {
			return g.Type().(*types.Pointer).Elem(), strings.TrimPrefix(x.Path, "*")
		}
	case x.Param < params:
		return f.Fn.Params[x.Param].Type(), x.Path
	case x.Param-params < len(f.Fn.FreeVars):
		return f.Fn.FreeVars[x.Param-params].Type(), x.Path
	}
	return nil, ""
}

// Reuses returns whether the end of an arena's life reuses its memory.
func (f *Function) Reuses(r *state.Root) summary.Gear {
	one := none
	for _, m := range r.Members {
		one = either(one, f.Reuses(m))
	}
	if x := r.Sym; one != none {
		return one
	} else if params := len(f.Fn.Params); r.Gear != summary.Unseen {
		return r.Gear
	} else if holder := r.Object; holder != nil {
		one = f.Program.gearIn(holder)
	} else if r.Lent {
		one = f.Program.RequestGear()
	} else if x != nil && x.Param >= 0 && x.Param < params && x.Path == "" {
		one = f.Program.gear(f.Fn.Params[x.Param])
	} else if x != nil && x.Param >= params && x.Path == "" {
		one = f.Program.gear(f.Fn.FreeVars[x.Param-params])
	} else if x != nil && x.Param >= params && x.Path == "*" {
		one = f.Program.all(defuse.Stored(f.Fn.FreeVars[x.Param-params]))
	}
	if seen(one) == summary.Unseen && r.Parent != nil {
		return f.Reuses(r.Parent)
	}
	return seen(one)
}

// Lasts returns whether memory stays valid beyond the end of its life, which is d, or is still to come if d is nil.
func (f *Function) Lasts(d *state.Death, t state.Tag) summary.Gear {
	gear := summary.Reusing
	if d != nil {
		gear = d.Gear
	} else if t.Root != nil {
		gear = f.Reuses(t.Root)
	}
	if d != nil && d.OfBuffer() || t.Kind != state.Mem {
		return summary.Reusing
	}
	if gear == summary.Unseen {
		return Assumed
	}
	return gear
}

// IsRenewed reports whether the call that has ended an arena has set a cell, or one on the path to it, to something
// else.
func (f *Function) IsRenewed(c state.Cell, d *state.Death) bool {
	at := c.Loc.Sym.Add(c.Path)
	if d == nil || at == nil {
		return false
	}
	for x := range f.Renewed[d.At] {
		if rest, ok := strings.CutPrefix(at.Path, x.Path); ok && summary.Whole(at) == summary.Whole(&x) &&
			(rest == "" || rest[0] == '*' || state.StartsPath(rest)) {
			return true
		}
	}
	return false
}

// Death returns the death that an instruction brings.
func (f *Function) Death(at ssa.Instruction, verb string, deferred bool) *state.Death {
	return f.Program.Deaths.Of(at, verb, deferred)
}

// DeathInDo is a death at the end of Do, or in the summary of a callee that is done with the arena.
func (f *Function) DeathInDo(at ssa.Instruction, verb string, deferred bool) *state.Death {
	d := f.Death(at, verb, deferred)
	d.Do = true
	return d
}

// This part finds the functions that a call may call. It must not depend on their effects.
//
// A named function is found. A function in a variable is found in the variable's value, which may have several. A
// method of an interface is found if a value was converted to the interface just before, or if the interface's target
// is known. Otherwise it is unknown.

// A Target is a function that a call may call.
type Target struct {
	Fn      *ssa.Function
	Closure *ssa.MakeClosure // or nil
	Bound   bool             // the closure is a method value: it has captured the receiver
}

// Hidden is the number of arguments that the target takes and the caller doesn't see.
func (t Target) Hidden() int {
	if t.Bound {
		return 1
	}
	return 0
}

// All returns the values that a target's summary numbers: its arguments, then its captured variables. Missing ones are
// unknown. A method value has captured its first argument.
func (t Target) All(s *state.State, args []state.Value) []state.Value {
	bs := s.Bindings(t.Closure)
	if params := len(t.Fn.Params) - t.Hidden(); params >= 0 && len(args) != params && len(t.Fn.Blocks) > 0 {
		args = append(slices.Clone(args), make([]state.Value, params)...)[:params]
	}
	if t.Bound {
		return append(bs, args...)
	}
	return append(args[:len(args):len(args)], bs...)
}

// TargetsOf returns the functions that a value may be.
func TargetsOf(v state.Value) []Target {
	var ts []Target
	for t := range v.All() {
		if !t.Is(state.Func) {
			continue
		}
		switch x := t.Func.(type) {
		case *ssa.Function:
			ts = append(ts, TargetOf(x, nil))
		case *ssa.MakeClosure:
			ts = append(ts, TargetOf(x.Fn.(*ssa.Function), x))
		}
	}
	return ts
}

// TargetOf returns the target for a function and its closure, or nil. A method value's code is a wrapper, which has no
// summary: its method has.
func TargetOf(fn *ssa.Function, m *ssa.MakeClosure) Target {
	// The code of a literal has a parent; that of a method value is a wrapper around the method.
	if obj, ok := fn.Object().(*types.Func); ok && m != nil && fn.Parent() == nil {
		if method := fn.Prog.FuncValue(obj.Origin()); method != nil {
			return Target{method, m, true}
		}
	}
	return Target{fn, m, false}
}

// Given returns the value that a go statement passes as the target's n-th parameter, or one of its captured variables,
// which follow the parameters; nil if that is unknown, or a global.
func (t Target) Given(i ssa.CallInstruction, n int) ssa.Value {
	if t.Closure != nil {
		if captured := n - len(t.Fn.Params); !t.Bound && captured >= 0 {
			return t.Closure.Bindings[captured]
		}
		if t.Bound && n == 0 {
			return t.Closure.Bindings[0]
		}
		n -= t.Hidden()
	}
	if _, ok := i.(*ssa.Go); ok {
		return api.Arg(i.Common(), n)
	}
	return nil
}

// This part names memory that callees have made.

// A Holder names memory with contents that a callee has made: the path to it, after a prefix that tells the holders of
// one call apart.
type Holder struct {
	Name string
	From int // start of the path in the name
}

// HolderOf returns the holder of a stored value, an empty one if it has none.
func HolderOf(x *summary.Store) Holder {
	way, _ := Behind(x.Flow.Out)
	if way == "" {
		return Holder{}
	}
	of := x.Into.String()
	return Holder{of + way, len(of)}
}

// Behind splits the path to a value behind pointers that the callee has made: into the path up to the last pointer, and
// the place in its target. Without a pointer the first part is empty.
//
//	#0*.name       #0          .name
//	#0*.items*[]   #0*.items   []
func Behind(out string) (holder, rest string) {
	n := strings.LastIndexByte(out, '*')
	return out[:n+1], out[n+1:]
}

// Here ends the name of a holder, so that none is empty.
const Here = "*"
