package flow

import (
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/harena-go/arena/arenavet/internal/flow/state"
	"github.com/harena-go/arena/arenavet/internal/flow/summary"
)

// This file holds arenas of contexts. Such an arena is lent: who put it there takes it
// back, and nothing of it may be kept where it is seen by the next request. Where a
// function of a request ends is known of handlers of net/http, by their parameters.

// inContext is the path to a context's arena, which no field can have.
const inContext = "@ctx"

// withArena returns a context that holds an arena. The context is the old one, in
// which the arena is at a path of its own. A nil arena leaves a pointer there.
func withArena(s *state.State, i ssa.CallInstruction, ctx, from state.Value) state.Value {
	v := ctx.Only(func(t state.Tag) bool { return t.Path != inContext })
	none := true
	for t, d := range from.All() {
		if t.Kind == state.Handle {
			t.Path, none = inContext, false
			v = v.Replace(state.Just(t, d))
		}
	}
	if none {
		v, _ = v.Join(state.To(s.Fresh(i, "no arena")).As(inContext))
	}
	return v
}

// fromContext returns the arena that a context holds. That of a context which was
// passed is named after it, so that callers who have put one there know it.
func (f *function) fromContext(s *state.State, ctx state.Value) state.Value {
	if v := ctx.Part(inContext); v != nil {
		return v.Only(func(t state.Tag) bool { return t.Kind == state.Handle })
	}
	r := s.Root("context", state.UnknownArena)
	known := false
	for t := range ctx.All() {
		if !t.Is(state.Ptr) {
			continue
		}
		x := t.Name()
		named := x != nil && x.Param >= 0
		if known && !named { // one that was made of another has its arena
			continue
		}
		r, known = s.Root("context "+t.Loc.Key, state.UnknownArena), true
		if named {
			r.Sym = x.Add(inContext)
			break
		}
	}
	r.Lent = true
	return state.Arena(r).With(state.Tag{Kind: state.Ptr, Loc: s.Loc(r.Key+"*", nil, true)}, nil)
}

// follow returns what a name in a summary means, given the arguments: see state.Follow.
// It knows two more things, the arena of a context and what a callback returns.
func (f *function) follow(s *state.State, i ssa.CallInstruction, x summary.Sym, all []state.Value) state.Value {
	if path, ok := strings.CutSuffix(x.Path, inContext); ok {
		x.Path = path
		if ctx := s.Follow(x, all); len(ctx) > 0 {
			return f.fromContext(s, ctx)
		}
		return nil
	}
	if path, rest, ok := strings.Cut(x.Path, calledBack); ok {
		x.Path = path
		return f.calledBack(s, i, s.Follow(x, all), rest)
	}
	return s.Follow(x, all)
}

// calledBack is the path from a function to what it returns, "()#0", and from an interface to
// what a method of it returns: "()Visit#0".
const calledBack = "()"

// calledBack returns what is at a path from the results of functions that a caller's
// function was given, or of a method.
func (f *function) calledBack(s *state.State, i ssa.CallInstruction, fn state.Value, path string) state.Value {
	var v state.Value
	method, path, ok := strings.Cut(path, "#")
	if !ok || path == "" || strings.Contains(path, calledBack) || f.nested >= maxYields {
		return nil
	}
	f.nested++
	defer func() { f.nested-- }()
	for _, t := range f.calledOf(fn, method) {
		sum := f.pkg.summary(t.fn)
		if sum == nil {
			continue
		}
		all := t.all(s, nil)
		if method != "" && len(all) > 0 {
			all[0] = fn
		}
		results := f.yielded(s, i, sum.Results, "called back ", all)
		if n := int(path[0] - '0'); n < len(results) {
			x, _ := v.Join(s.Follow(summary.Sym{Param: 0, Path: path[1:]}, results[n:]))
			v = x
		}
	}
	return v
}

// calledOf returns the functions that a value may be, or its methods of a name, also those
// that it is only assumed to have.
func (f *function) calledOf(fn state.Value, method string) []target {
	if method == "" {
		return targetsOf(fn)
	}
	ts := f.pkg.methods(fn, method)
	for t := range fn.All() {
		if f.isHeld(t) {
			ts = append(ts, f.heldMethods(*t.Loc.Sym, method)...)
		}
	}
	return ts
}

// returnedByCallback is the result of a function that the caller has passed, or of a method
// that returns such an interface: callers know what that returns.
func (f *function) returnedByCallback(i ssa.CallInstruction, fn state.Value) (state.Value, bool) {
	v := i.Value()
	if v == nil || len(fn) != 1 || f.pkg.all {
		return nil, false
	}
	back := calledBack
	if c := i.Common(); c.IsInvoke() {
		if !types.Identical(v.Type(), c.Value.Type()) {
			return nil, false
		}
		back += c.Method.Name()
	}
	for t := range fn.All() {
		if t.Kind != state.Ptr || t.Path != "" || t.Loc.Sym == nil || t.Name() == nil || t.Name().Param < 0 {
			return nil, false
		}
		if strings.Contains(t.Name().Path, calledBack) && i.Common().IsInvoke() {
			return nil, false
		}
		name := t.Name().Add(back)
		var out state.Value
		results := v.Call.Signature().Results()
		for n := range results.Len() {
			path := result(n)
			typ := results.At(n).Type()
			x := name.Add(path)
			if x == nil || state.IsHandle(typ) {
				x = nil
			}
			r := f.places.Opaque(key("called", i)+path, x, typ, "what is called returns")
			if results.Len() > 1 {
				r = r.As(path)
			}
			out, _ = out.Join(r)
		}
		return out, true
	}
	return nil, false
}

// isHandler says whether a function is a handler of net/http: it is called for one
// request, whose arena ends with it.
func isHandler(fn *ssa.Function) bool {
	params := fn.Signature.Params()
	n := params.Len()
	return n >= 2 && isNamed(params.At(n-2).Type(), "net/http", "ResponseWriter") && isNamed(params.At(n-1).Type(), "net/http", "Request")
}

// isNamed says whether a type, or what it points to, is one with a name.
func isNamed(t types.Type, path, name string) bool {
	t = types.Unalias(t)
	if p, ok := t.(*types.Pointer); ok {
		t = types.Unalias(p.Elem())
	}
	n, ok := t.(*types.Named)
	return ok && n.Obj().Pkg() != nil && n.Obj().Pkg().Path() == path && n.Obj().Name() == name
}

// keptBeyondRequest reports memory of a context's arena, or the arena itself, that a
// handler leaves where the next request finds it: in its receiver, in what it has
// captured. What is in the request and its answer is over with it.
func (f *function) keptBeyondRequest(s *state.State) {
	if !isHandler(f.fn) {
		return
	}
	for p := range s.Pending {
		if p.Given || !p.Root.Lent || f.detaches(f.fn) || f.startsDetached(p.At) {
			continue
		}
		if p.Site == nil {
			if p.What == state.ByGo || p.What == state.ByLocker {
				f.report(Escape, p.At, nil, state.Tag{Kind: state.Handle, Root: p.Root}, "the request's arena is used by a goroutine, and the request ends without waiting")
			}
			continue
		}
		how := "is given to a goroutine"
		if p.What == state.BySend {
			how = "is sent to another goroutine"
		}
		f.report(Escape, p.At, nil, state.Tag{Kind: state.Mem, Root: p.Root, Site: p.Site}, "memory of the request's arena "+how+", and the request ends without waiting")
	}
	for c, v := range s.Cells() {
		if c.Loc.Sym == nil || strings.Contains(c.Path, inChannel) {
			continue
		}
		n := c.Loc.Sym.Param
		if n >= len(f.fn.Params)-2 && n < len(f.fn.Params) || n < 0 || strings.Contains(c.Loc.Sym.Path, calledBack) {
			continue
		}
		s.Walk(v, map[*state.Loc]bool{}, func(in state.Cell, t state.Tag, d *state.Death) {
			if in.Loc == nil {
				in = c
			}
			if (t.Kind != state.Mem && t.Kind != state.Handle) || d != nil || !t.Root.Lent {
				return
			}
			at := storedAt(s, in, t)
			if at == nil {
				return
			}
			what := "memory of the request's arena"
			if t.Kind == state.Handle {
				what = "the request's arena"
			}
			f.report(Escape, at, nil, t, what+" is kept in "+place(c)+" beyond the request")
		})
	}
}

// detaches says whether a handler asks package arenahttp to leave the arena to others, or calls a function to do so: one
// that starts a goroutine itself does it for that.
func (f *function) detaches(fn *ssa.Function) bool {
	for _, b := range fn.Blocks {
		for _, i := range b.Instrs {
			c, ok := i.(ssa.CallInstruction)
			if !ok {
				continue
			}
			if isDetach(calleeName(c.Common())) {
				return true
			}
			if sum := f.detachesIn(c); sum != nil && len(sum.Gives)+len(sum.Pending) == 0 {
				return true
			}
		}
	}
	return slices.ContainsFunc(fn.AnonFuncs, f.detaches)
}

func isDetach(name string) bool { return strings.HasSuffix(name, "/arenahttp.Detach") }

// startsDetached says whether a call that has left a goroutine running has asked package arenahttp to leave the arena to
// it.
func (f *function) startsDetached(at ssa.Instruction) bool {
	c, ok := at.(*ssa.Call)
	return ok && f.detachesIn(c) != nil
}

// detachesIn returns what is known of the function that is called, if it detaches.
func (f *function) detachesIn(c ssa.CallInstruction) *summary.Summary {
	fn := c.Common().StaticCallee()
	if fn == nil {
		return nil
	}
	if sum := f.pkg.summary(fn); sum != nil && sum.Detaches {
		return sum
	}
	return nil
}
