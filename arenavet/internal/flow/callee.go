package flow

import (
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/harena-go/arena/arenavet/internal/api"
	"github.com/harena-go/arena/arenavet/internal/flow/state"
	"github.com/harena-go/arena/arenavet/internal/flow/summary"
)

// This file holds which functions a call may call. It may not know what they do.
//
// A function is found if it is named; if it is a variable, in the variable's value,
// of which there may be several; if it is a method of an interface, where a value was
// made an interface just before, or where it is known to what the interface points.
// Otherwise nobody knows it.

// A target is a function that a call may call.
type target struct {
	fn      *ssa.Function
	closure *ssa.MakeClosure // or nil
	bound   bool             // the closure is a method value: it has captured the receiver
}

// hidden is how many arguments the target takes that the caller doesn't see.
func (t target) hidden() int {
	if t.bound {
		return 1
	}
	return 0
}

// all returns what a target's summary counts: its arguments, and what it has
// captured, in this order. Without arguments they are unknown. A method value has
// captured its first argument.
func (t target) all(s *state.State, args []state.Value) []state.Value {
	bs := s.Bindings(t.closure)
	if args == nil {
		args = make([]state.Value, max(0, len(t.fn.Params)-t.hidden()))
	}
	if t.bound {
		return append(bs, args...)
	}
	return append(args[:len(args):len(args)], bs...)
}

// targets returns the functions that a call may call, as far as they are known. A
// call of a literal, func() {...}(), is one of a function that is named, with a
// closure.
func (f *function) targets(s *state.State, c *ssa.CallCommon) []target {
	if c.IsInvoke() {
		if ts := f.pkg.implementations(c); ts != nil {
			return ts
		}
		return f.pkg.methods(s.Of(c.Value), c.Method.Name())
	}
	if fn := c.StaticCallee(); fn != nil {
		m, _ := c.Value.(*ssa.MakeClosure)
		return []target{targetOf(fn, m)}
	}
	return targetsOf(s.Of(c.Value))
}

// targetsOf returns the functions that a value may be.
func targetsOf(v state.Value) []target {
	var ts []target
	for t := range v.All() {
		if !t.Is(state.Func) {
			continue
		}
		switch x := t.Func.(type) {
		case *ssa.Function:
			ts = append(ts, targetOf(x, nil))
		case *ssa.MakeClosure:
			ts = append(ts, targetOf(x.Fn.(*ssa.Function), x))
		}
	}
	return ts
}

// targetOf is a function, and the closure that it is the code of. The code of a
// method value is a wrapper, which has no summary: its method has.
func targetOf(fn *ssa.Function, m *ssa.MakeClosure) target {
	// The code of a literal has a parent; that of a method value is a wrapper around
	// the method.
	if obj, ok := fn.Object().(*types.Func); ok && m != nil && fn.Parent() == nil {
		if method := fn.Prog.FuncValue(obj.Origin()); method != nil {
			return target{method, m, true}
		}
	}
	return target{fn, m, false}
}

// implementations returns the method that an interface's method must be, where
// the value was made an interface just before.
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

// methods returns the methods of a name that a value in an interface may have: those of this
// package's types to which it points. The table of the standard library is made without.
func (p *program) methods(v state.Value, name string) (ts []target) {
	if p.all {
		return nil
	}
	for t := range v.All() {
		if !t.Is(state.Ptr) || t.Off != "" || t.Loc.Type == nil {
			continue
		}
		named, ok := types.Unalias(t.Loc.Type).(*types.Named)
		if !ok || named.Obj().Pkg() != p.pass.Pkg || types.IsInterface(named) {
			continue
		}
		m := p.ssa.Prog.MethodSets.MethodSet(types.NewPointer(named)).Lookup(p.pass.Pkg, name)
		if m == nil {
			continue
		}
		if fn := p.ssa.Prog.MethodValue(m); fn != nil && !slices.Contains(ts, target{fn: fn}) {
			ts = append(ts, target{fn: fn})
		}
	}
	return ts
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

// certain returns what a function does to arenas that all of several do. It is one
// of them that is called: an arena that only some end may live, and one that only
// some need may have ended.
func (f *function) certain(sum *summary.Summary, targets []target) *summary.Summary {
	x := *sum
	for _, t := range targets {
		other := f.pkg.summary(t.fn)
		if other == nil {
			other = &summary.Summary{}
		}
		x.Kills = slices.DeleteFunc(slices.Clone(x.Kills), func(k summary.Kill) bool { return !slices.Contains(other.Kills, k) })
		x.Needs = slices.DeleteFunc(slices.Clone(x.Needs), func(n summary.Sym) bool { return !slices.Contains(other.Needs, n) })
	}
	return &x
}

// calleeName returns the full name of the function or method that is called, "" if
// that isn't known. That of an interface's method names the interface; that of an
// instance, the generic function.
func calleeName(c *ssa.CallCommon) string {
	if c.IsInvoke() {
		return c.Method.FullName()
	}
	fn := origin(c.StaticCallee())
	if fn == nil {
		return ""
	}
	if obj, ok := fn.Object().(*types.Func); ok {
		return obj.FullName()
	}
	return fn.Name()
}

// calleeName is the function of that name, which remembers the names: they take long to make, and each is asked for often.
func (p *program) calleeName(c *ssa.CallCommon) string {
	callee := any(c.Method)
	if !c.IsInvoke() {
		fn := c.StaticCallee()
		if fn == nil {
			return calleeName(c)
		}
		callee = fn
	}
	name, ok := p.names[callee]
	if !ok {
		name = calleeName(c)
		p.names[callee] = name
	}
	return name
}

// shift is how many of the values that args returns aren't among a call's Args.
func shift(c *ssa.CallCommon) int {
	if c.IsInvoke() {
		return 1
	}
	return 0
}

// scrubs says whether a call has the option WithScrub: the options are stored to
// an array, of which a slice is passed.
func scrubs(c *ssa.CallCommon) bool {
	return slices.ContainsFunc(c.Args, func(a ssa.Value) bool {
		options, ok := a.(*ssa.Slice)
		if !ok {
			return false
		}
		return slices.ContainsFunc(api.Uses(options.X), func(r ssa.Instruction) bool {
			x, ok := r.(*ssa.IndexAddr)
			return ok && slices.ContainsFunc(api.Uses(x), func(r ssa.Instruction) bool {
				st, ok := r.(*ssa.Store)
				return ok && isScrub(st.Val)
			})
		})
	})
}

func isScrub(v ssa.Value) bool {
	if x, ok := v.(*ssa.ChangeInterface); ok {
		return isScrub(x.X)
	}
	c, ok := v.(*ssa.Call)
	if !ok {
		return false
	}
	k := api.Callee(c.Common())
	return k != nil && k.Name == "WithScrub"
}
