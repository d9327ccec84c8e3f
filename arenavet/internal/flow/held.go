package flow

import (
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/harena-go/arena/arenavet/internal/flow/shape"
	"github.com/harena-go/arena/arenavet/internal/flow/state"
	"github.com/harena-go/arena/arenavet/internal/flow/summary"
)

// This file holds what is assumed of a method that is called through an interface in a
// field: that it is one of those types' which the package puts there. It may not know
// how these are found: see carry.go.
//
//	type linter struct{ passes []visitor }
//
//	l := &linter{passes: []visitor{&unused{}}}
//
//	for _, p := range l.passes { p.Visit(x) }      x is where (*unused).Visit keeps it
//
// What such a method keeps is a finding where it dies. Callers aren't told of it: who
// knows better what is in the field may be among them, and is told that the method is
// called (see yield.go).

// assumes takes a state past what methods keep that a value may have which is called
// through an interface.
func (f *function) assumes(s *state.State, i ssa.CallInstruction, fn state.Value, method string, args []state.Value) {
	if f.pkg.all || f.nested >= maxYields {
		return
	}
	f.assumesUse(s, i, fn, method, args)
	if !slices.ContainsFunc(args, concerns) {
		return
	}
	f.nested++
	defer func() { f.nested-- }()
	for t := range fn.All() {
		if !f.isHeld(t) {
			continue
		}
		for _, target := range f.heldMethods(*t.Loc.Sym, method) {
			sum := f.pkg.summary(target.fn)
			if sum == nil {
				continue
			}
			if sum = f.pkg.onlyKeeps(sum, method != ""); sum.Empty() {
				continue
			}
			all := args
			if method != "" {
				f.assumed[t.Loc] = true
				all = append([]state.Value{state.To(t.Loc)}, args...)
			}
			f.apply(s, i, sum, all, false)
		}
	}
}

// assumesUse takes a state past the use of arenas of contexts that such a function, or method, is given, if all that it may
// be use them.
func (f *function) assumesUse(s *state.State, i ssa.CallInstruction, fn state.Value, method string, args []state.Value) {
	if len(fn) != 1 {
		return
	}
	for t := range fn.All() {
		if !f.isHeld(t) {
			return
		}
		targets := f.heldMethods(*t.Loc.Sym, method)
		var sums []*summary.Summary
		for _, target := range targets {
			if sum := f.pkg.summary(target.fn); sum != nil {
				sums = append(sums, sum)
			}
		}
		if len(sums) == 0 || len(sums) < len(targets) {
			return
		}
		all := args
		if method != "" {
			all = append([]state.Value{fn}, args...)
		}
		for _, x := range sums[0].Touches {
			if !strings.HasSuffix(x.Path, inContext) || slices.ContainsFunc(sums, func(sum *summary.Summary) bool { return !slices.Contains(sum.Touches, x) || sum.Locks }) {
				continue
			}
			if r := s.Resolve(f.follow(s, i, x, all), nil); r != nil {
				f.share(s, i, r, "call")
			}
		}
	}
}

// isHeld says whether a value is what an interface held before the function began.
func (f *function) isHeld(t state.Tag) bool {
	return t.Is(state.Ptr) && t.Off == "" && t.Loc.Sym != nil && t.Loc.Type == nil
}

// onlyKeeps is what a function keeps of what it is given, of all that it does. What a method
// keeps of what its receiver has already isn't news. It is made once for a summary, since what is known of its
// stores is remembered by where they are: see holders.
func (p *program) onlyKeeps(sum *summary.Summary, method bool) *summary.Summary {
	keeps := p.keeps[keeping{sum, method}]
	if keeps != nil {
		return keeps
	}
	isNews := func(x summary.Flow) bool { return !method || x.Kind != summary.Same || x.From.Param > 0 }
	keeps = &summary.Summary{Gives: sum.Gives, Panics: sum.Panics}
	for _, x := range sum.Stores {
		if isNews(x.Flow) {
			keeps.Stores = append(keeps.Stores, x)
		}
	}
	for _, x := range sum.Yields {
		if isNews(x.Flow) {
			keeps.Yields = append(keeps.Yields, x)
		}
	}
	p.keeps[keeping{sum, method}] = keeps
	return keeps
}

// A keeping is a summary, of a method or of another function, of which only what it keeps is asked.
type keeping struct {
	*summary.Summary
	method bool
}

// concerns says whether a value is an arena, or may lead to memory of one.
func concerns(v state.Value) bool {
	for t := range v.All() {
		if t.Is(state.Handle) {
			return true
		}
	}
	return mayDie(v)
}

// isAssumed says whether a cell is in memory of which it is only assumed what it is.
func (f *function) isAssumed(c state.Cell) bool {
	for l := c.Loc; l != nil && len(f.assumed) > 0; l = l.From {
		if f.assumed[l] {
			return true
		}
	}
	return false
}

// heldMethods returns the methods of a name that what a name of the caller's leads to may
// have, or, without a name, the functions that it may be.
func (f *function) heldMethods(x summary.Sym, method string) (ts []target) {
	for _, held := range f.held(x) {
		fn, _ := held.(*ssa.Function)
		if t, ok := held.(types.Type); ok && method != "" {
			fn = f.pkg.method(t, method)
		} else if method != "" {
			fn = nil
		}
		if fn != nil && !slices.Contains(ts, target{fn: fn}) {
			ts = append(ts, target{fn: fn})
		}
	}
	return ts
}

// method returns the method of a type with a name, nil if it has none.
func (p *program) method(t types.Type, name string) *ssa.Function {
	m := p.ssa.Prog.MethodSets.MethodSet(t).Lookup(p.pass.Pkg, name)
	if m == nil {
		return nil
	}
	return p.ssa.Prog.MethodValue(m)
}

// held returns the types and functions that are known to be behind a name of the caller's:
// those in the last field on the way that holds any.
func (f *function) held(x summary.Sym) []any {
	t, path := f.typeOf(x)
	var found []any
	if x.Param < 0 {
		found = f.pkg.carried().in(x.Global)
	}
	for path != "" && t != nil {
		var step string
		step, path = firstStep(path)
		field := (*types.Var)(nil)
		if t, field = stepped(t, step); field != nil {
			if more := f.pkg.carried().in(field); more != nil {
				found = more
			}
		}
	}
	if path != "" {
		return nil
	}
	return found
}

// typeOf returns the type of what a caller's name begins with, and the way from there.
func (f *function) typeOf(x summary.Sym) (types.Type, string) {
	switch params := len(f.fn.Params); {
	case x.Param < 0:
		if x.Global == defaultLogger {
			return f.pkg.loggerType(), strings.TrimPrefix(x.Path, "*")
		}
		if g, ok := f.pkg.ssa.Members[x.Global[strings.LastIndexByte(x.Global, '.')+1:]].(*ssa.Global); ok && f.pkg.pass.Pkg.Path()+"."+g.Name() == x.Global {
			return g.Type().(*types.Pointer).Elem(), strings.TrimPrefix(x.Path, "*")
		}
	case x.Param < params:
		return f.fn.Params[x.Param].Type(), x.Path
	case x.Param-params < len(f.fn.FreeVars):
		return f.fn.FreeVars[x.Param-params].Type(), x.Path
	}
	return nil, ""
}

// firstStep splits the first step off a path: "*", ".name", "[]" or the like.
func firstStep(path string) (step, rest string) {
	if n := strings.IndexAny(path[1:], "*.[@(#&"); path[0] != '*' && n >= 0 {
		return path[:n+1], path[n+1:]
	}
	if path[0] == '*' {
		return path[:1], path[1:]
	}
	return path, ""
}

// stepped returns what a step leads to from a type, nil if that isn't known, and the field
// if it is one. What the last pointer leads to in an interface isn't known, and needn't be.
func stepped(t types.Type, step string) (types.Type, *types.Var) {
	switch u := t.Underlying().(type) {
	case *types.Pointer:
		if step == "*" {
			return u.Elem(), nil
		}
	case *types.Struct:
		for field := range u.Fields() {
			if step == "."+field.Name() {
				return field.Type(), field.Origin()
			}
		}
	case *types.Slice:
		if step == "*" {
			return t, nil
		} else if step == elements {
			return u.Elem(), nil
		}
	case *types.Array:
		if step == elements {
			return u.Elem(), nil
		}
	case *types.Map:
		switch step {
		case "*":
			return t, nil
		case elements:
			return u.Elem(), nil
		case keys:
			return u.Key(), nil
		}
	case *types.Interface, *types.Signature:
		if step == "*" {
			return types.Typ[types.Invalid], nil // nothing leads on from there
		}
	}
	return nil, nil
}

// typedResults notes of which types that is what a call has returned.
func (f *function) typedResults(fn *ssa.Function, v state.Value) {
	results := fn.Signature.Results()
	for n := range results.Len() {
		part, t := v, results.At(n).Type()
		if results.Len() > 1 {
			part = v.Part(result(n))
		}
		if p, ok := t.Underlying().(*types.Pointer); ok {
			typed(part, p.Elem())
		} else if types.IsInterface(t) && !shape.IsError(t) && slices.ContainsFunc(locals(part, nil, map[*state.Loc]bool{}), func(l *state.Loc) bool { return l.Type == nil }) {
			f.typed(resultOf{fn, n}, part)
		}
	}
}

// typed notes of which type what a call has returned is, if there is just one that it may be.
func (f *function) typed(node resultOf, v state.Value) {
	found := f.pkg.carried().in(node)
	if len(found) != 1 {
		return
	}
	if t, ok := found[0].(types.Type); ok {
		if p, ok := t.Underlying().(*types.Pointer); ok {
			typed(v, p.Elem())
		}
	}
}

func typed(v state.Value, t types.Type) {
	for x := range v.All() {
		if x.Is(state.Ptr) && x.IsLocal() && x.Off == "" && x.Loc.Type == nil {
			x.Loc.Type = t
		}
	}
}
