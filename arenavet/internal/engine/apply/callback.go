package apply

import (
	"fmt"
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/harena-go/arena/arenavet/internal/engine/record"
	"github.com/harena-go/arena/arenavet/internal/engine/shape"
	"github.com/harena-go/arena/arenavet/internal/engine/state"
	"github.com/harena-go/arena/arenavet/internal/engine/summarize"
	"github.com/harena-go/arena/arenavet/internal/engine/summary"
	"github.com/harena-go/arena/arenavet/internal/knowledge/api"
)

// This file applies postponed calls: of callbacks, visitors, the bodies of loops over sequences. A function's summary
// has the arguments of such calls; a caller that knows the called function applies the call, and another one passes it
// on in its own summary.
//
//	func each(a *arena.Arena, f func(*item) *item) *item { return f(arena.New[item](a)) }
//
//	Calls    {1 ""} is called with #0, memory of {0 ""}
//	Results  #0 is {1 "()#0"}, that function's result
//
//	each(a, func(x *item) *item { s.last = x; return x })      a's memory is in s.last, and returned
//
// A field is assumed to hold the values that the package stores in it: see TypeFlow of package code. The summary
// doesn't include what such a function keeps, but the call: a caller may know better.
//
//	l := &linter{passes: []visitor{&unused{}}}
//	for _, p := range l.passes { p.Visit(x) }      x is where (*unused).Visit keeps it
//
// The summary also has the memory that a function has reclaimed when it returns, as Pool.Do does, or an iterator that
// resets after each element: that is alive only while the callback runs.

// ReturnedByCallback is the result of a function that callers know, or of a method whose arguments it may return:
// callers know that result. assumed has the assumed results.
func (f *Applier) ReturnedByCallback(i ssa.CallInstruction, fn state.Value,
	args, assumed []state.Value) (out state.Value) {
	v, c := i.Value(), i.Common()
	if v == nil || f.Program.All {
		return f.Unknown(i)
	}
	method, names := "", summarize.Passed(fn)
	named := len(fn) == 1 && len(names) == 1
	if c.IsInvoke() && named {
		method = c.Method.Name()
		named = !strings.Contains(names[0].Path, state.CalledBack) &&
			(types.Identical(v.Type(), c.Value.Type()) || slices.ContainsFunc(args[1:], concerns))
	}
	results := c.Signature().Results()
	for n := range results.Len() {
		path, t := state.Result(n), results.At(n).Type()
		var r state.Value
		if named {
			x := names[0].Add(state.CalledBack + method + path)
			if state.IsHandle(t) {
				x = nil
			}
			r = f.Places.Opaque(key("called", i)+path, x, t, "what is called returns")
		}
		if n < len(assumed) {
			r, _ = r.Join(assumed[n])
		}
		if results.Len() > 1 {
			r = r.As(path)
		}
		out, _ = out.Join(r)
	}
	if !named && len(out) == 0 {
		return f.Unknown(i)
	}
	return out
}

// Follow evaluates a name in a summary, given the arguments: see state.Follow. It adds the arena of a context and the
// results of a callback.
func (f *Applier) Follow(s *state.State, i ssa.CallInstruction, x summary.Sym, all []state.Value) state.Value {
	if path, ok := strings.CutSuffix(x.Path, state.InContext); ok {
		x.Path = path
		if ctx := s.Follow(x, all); len(ctx) > 0 {
			return f.FromContext(s, ctx)
		}
		return nil
	}
	if path, rest, ok := strings.Cut(x.Path, state.CalledBack); ok {
		x.Path = path
		return f.calledBack(s, i, x, s.Follow(x, all), rest)
	}
	return s.Follow(x, all)
}

// calledBack returns the value at a path in the results of a callee's callback or method: see applyCall. For a function
// that only callers know the value is a name.
func (f *Applier) calledBack(s *state.State, i ssa.CallInstruction, x summary.Sym, fn state.Value,
	path string) state.Value {
	method, path, ok := strings.Cut(path, "#")
	if !ok || path == "" || strings.Contains(path, state.CalledBack) {
		return nil
	}
	result, path := "#"+path[:1], path[1:]
	v := s.In(state.Cell{Loc: f.returned(s, i, summary.Callee{Func: x, Method: method}), Path: result})
	for _, name := range summarize.Passed(fn) {
		if to := name.Add(state.CalledBack + method + result + "*"); to != nil {
			v, _ = v.Join(state.To(f.Places.Loc("called back "+to.String(), to, true)))
		}
	}
	return s.Follow(summary.Sym{Path: path}, []state.Value{v})
}

// returned returns the memory that holds the results of a postponed call.
func (f *Applier) returned(s *state.State, i ssa.CallInstruction, c summary.Callee) *state.Loc {
	return s.Fresh(i, fmt.Sprint("returned ", c, f.nested))
}

// single stands for UntilNext; see takesBack.
const single = -1

// takesBack ends memory that a callee has passed to callbacks and then reclaimed, now that they are done: memory that
// this call has allocated and a flow to the same place carries, or memory of an arena that it carries. It reports
// whether there is any.
//
// If it is reclaimed before the next call, all but the last of the values that the callback has kept are dead, and at
// the next call the last, too: that is single.
func (f *Applier) takesBack(s *state.State, i ssa.CallInstruction, sum *summary.Summary, all []state.Value,
	when int) bool {
	everywhere := when == summary.AfterAll || when == single
	if when == single {
		when = summary.UntilNext
	}
	dead := map[*state.Root]*state.Death{}
	given := func(y summary.Call) state.Value { // an arena, in its current state
		return s.In(state.Cell{Loc: f.returned(s, i, y.Callee), Path: "." + y.Flow.Out[1:]})
	}
	for _, y := range sum.Calls {
		if y.Flow.Kind != summary.Dead || y.Flow.ID != when {
			continue
		}
		for _, x := range sum.Calls {
			if x.Callee != y.Callee || x.Flow.Out != y.Flow.Out || x.Flow.Kind == summary.Dead {
				continue
			}
			own := x.Flow.Kind == summary.New || x.Flow.Kind == summary.Lent
			older := func(y summary.Flow) bool { return y.Kind == summary.Memory && y.From == x.Flow.From }
			if x.Flow.Kind == summary.Same && (slices.ContainsFunc(sum.Results, older) ||
				slices.ContainsFunc(sum.Stores, func(y summary.Store) bool { return older(y.Flow) })) {
				continue
			}
			for t := range f.flowing(s, i, x.Flow, all).All() {
				switch {
				case own && t.Is(state.Handle) && when == summary.AfterAll:
					if d := given(y).Death(t); d == nil || d.Verb != summary.Free {
						f.End(s, t.Root, f.DeathInDo(i, y.Flow.Verb, false), nil)
					}
				case (t.Is(state.Mem) && x.Flow.Kind != summary.Same || t.Is(state.Handle)) && dead[t.Root] == nil:
					dead[t.Root] = f.Program.Deaths.With(f.Death(i, y.Flow.Verb, false), f.Reuses(t.Root))
				}
			}
		}
	}
	if len(dead) == 0 {
		return false
	}
	ends := func(t state.Tag, d *state.Death) (state.Tag, *state.Death) {
		if t.Kind == state.Mem && t.Site == i && d == nil {
			d = dead[t.Root]
		}
		return t, d
	}
	if everywhere {
		s.Each(ends)
	} else {
		s.EachOfSeveral(ends)
	}
	return true
}

// goesOn reports whether a function always continues the iteration: the body of a loop without an exit.
func goesOn(t record.Target) bool {
	for r := range api.Of[*ssa.Return](t.Fn) {
		if len(r.Results) > 0 && !returns(r, "true") {
			return false
		}
	}
	return true
}

// callsAgain checks uses of values that functions have kept from an earlier call and that were reclaimed since.
func (f *Applier) callsAgain(s *state.State, i ssa.CallInstruction, sum *summary.Summary, all []state.Value,
	bodies []record.Target) {
	if len(bodies) != 1 {
		return
	}
	// A single variable may be set only where the loop is left, so the state isn't changed for it.
	next := s.Clone()
	if f.Judging && f.takesBack(next, i, sum, all, single) {
		f.keptFromTurn(next, i, bodies[0], func(_ state.Tag, d *state.Death) bool { return d != nil && d.At == i })
	}
	if !goesOn(bodies[0]) || !f.takesBack(s, i, sum, all, summary.UntilNext) {
		return
	}
	captured := bodies[0].All(s, nil)
	sum = f.Program.Summary(bodies[0].Fn)
	for n := 0; sum != nil && n < len(sum.Uses); n++ {
		x := sum.Uses[n]
		if x.Path = strings.TrimSuffix(x.Path, "*"); state.Several(x.Path) { // the element whose content is used
			f.Used(s, i, f.Follow(s, i, x, captured), "is used by the body of the loop")
		}
	}
}

// Sequences replaces each argument that is a sequence made by a function literal by the list of its elements: for
// functions that collect them. Memory that the sequence reclaims after an element is dead when all are collected.
func (f *Applier) Sequences(s *state.State, i ssa.CallInstruction, args []state.Value) []state.Value {
	for n, a := range args {
		list := f.Collected(s, i, n, a)
		if list == nil {
			continue
		}
		for _, t := range record.TargetsOf(a) {
			if sum := f.Program.Summary(t.Fn); sum != nil {
				f.takesBack(s, i, sum, t.All(s, nil), summary.UntilNext)
				f.takesBack(s, i, sum, t.All(s, nil), summary.AfterAll)
			}
		}
		args = slices.Clone(args)
		args[n], _ = args[n].Join(list)
	}
	return args
}

// Collected returns the list of elements that a sequence yields, nil if unknown. The sequence is argument n of a call.
func (f *Applier) Collected(s *state.State, i ssa.CallInstruction, n int, sequence state.Value) (list state.Value) {
	for _, t := range record.TargetsOf(sequence) {
		sum := f.Program.Summary(t.Fn)
		if sum == nil || len(sum.Calls) == 0 || f.nested >= maxCalls {
			continue
		}
		var flows []summary.Flow
		for _, y := range sum.Calls {
			if y.Callee == (summary.Callee{}) && y.Flow.Out != "" && y.Flow.Kind != summary.Dead {
				flows = append(flows, y.Flow)
			}
		}
		l := s.Fresh(i, fmt.Sprint("sequence ", n))
		list = state.To(l)
		f.nested++
		for k, v := range f.Yielded(s, i, flows, "sequence ", t.All(s, nil)) {
			path := state.Elements
			if k == 0 && len(t.Fn.Params) > 0 && shape.IsSeq2(t.Fn.Params[0].Type()) {
				path = state.Keys
			}
			s.Put(i, state.Cell{Loc: l, Path: path}, v, nil, false)
		}
		f.nested--
	}
	return list
}

// applyCalls applies the calls in a callee's summary to functions that the caller knows, with their arguments, and
// returns the functions that aren't methods.
func (f *Applier) applyCalls(s *state.State, i ssa.CallInstruction, sum *summary.Summary,
	all []state.Value) (bodies []record.Target) {
	for n, end := 0, 0; n < len(sum.Calls) && f.nested < maxCalls; n = end {
		for end = n + 1; end < len(sum.Calls) && sum.Calls[end].Callee == sum.Calls[n].Callee; {
			end++
		}
		bodies = append(bodies, f.applyCall(s, i, sum, sum.Calls[n:end], all)...)
	}
	return bodies
}

// applyCall is applyCalls for one function. It counts as called if that is certain, or if it has arguments; otherwise
// only the values that it would keep are applied.
func (f *Applier) applyCall(s *state.State, i ssa.CallInstruction, sum *summary.Summary, calls []summary.Call,
	all []state.Value) []record.Target {
	c := calls[0].Callee
	fn, back := f.Follow(s, i, c.Func, all), f.returned(s, i, c)
	targets := record.TargetsOf(fn)
	if c.Method != "" {
		var made ssa.Value // the arguments are those of a summarized function
		if f.nested == 0 && c.Func.Path == "" && !i.Common().IsInvoke() {
			made = api.Arg(i.Common(), c.Func.Param)
		}
		targets = f.Program.Methods(made, fn, c.Method)
	}
	var flows []summary.Flow
	sure, old := false, state.Cell{Loc: back, Path: ".old"}
	for _, x := range calls {
		switch sure = sure || x.Sure; {
		case x.Flow.Kind == summary.Old:
			if r := s.Resolve(f.Follow(s, i, x.Flow.From, all), nil); r != nil {
				s.Put(i, old, state.Just(state.Tag{Kind: state.Mem, Root: r, Site: i}, nil), nil, false)
			}
		case x.Flow.Out != "" && x.Flow.Kind != summary.Dead:
			flows, sure = append(flows, x.Flow), true
		}
	}
	of := fmt.Sprint("call ", c, f.nested)
	args := f.Yielded(s, i, flows, of, all)
	f.captured(s, i, flows, of)
	for n, v := range args {
		s.Put(i, state.Cell{Loc: back, Path: state.Numbered(n)}, v, nil, true)
	}
	for n, v := range f.CallsKnown(s, i, fn, c.Method, targets, args, sure) {
		s.Put(i, state.Cell{Loc: back, Path: state.Result(n)}, v, nil, false)
	}
	f.Used(s, i, s.In(old), "is used by the function that is called")
	if c.Method != "" {
		return nil
	}
	f.lends(i, sum, calls, targets)
	return targets
}

// CallsKnown takes a state past a call other than the instruction's own, of functions or methods that a value may have,
// and returns the results. If a function may not be called, or is only assumed (see MethodsBehind), only the values
// that it keeps are applied; assumed ones have a result only if each has one.
func (f *Applier) CallsKnown(s *state.State, i ssa.CallInstruction, fn state.Value, method string,
	targets []record.Target, args []state.Value, sure bool) (results []state.Value) {
	if f.Program.All && (!sure || targets == nil) || f.nested >= maxCalls {
		return nil
	}
	if sure {
		f.Calls(s, i, fn, method, args)
	}
	f.nested++
	defer func() { f.nested-- }()
	call := func(t record.Target, all []state.Value, keeps bool) []state.Value {
		sum := f.Program.Summary(t.Fn)
		if sum == nil {
			return nil
		}
		applied := sum
		if keeps {
			applied = sum.Kept(method != "")
		} else if len(targets) > 1 {
			applied = f.certain(sum, targets)
		}
		f.Apply(s, i, applied, all, false)
		return f.Yielded(s, i, sum.Results, "returns ", all)
	}
	for t := range fn.All() {
		if !f.IsInterfaceContent(t) || !slices.ContainsFunc(args, concerns) {
			continue
		}
		for n, target := range f.MethodsBehind(*t.Loc.Sym, method) {
			all := target.All(s, args)
			if method != "" {
				sum := f.Program.Summary(target.Fn)
				f.Assumed[t.Loc] = f.Assumed[t.Loc] || sum != nil && !sum.Kept(true).Empty()
				all = append([]state.Value{state.To(t.Loc)}, args...)
			}
			results = joined(results, call(target, all, true), n > 0)
		}
	}
	for _, t := range targets {
		all := append([]state.Value{fn}, args...)
		if method == "" {
			all = t.All(s, args)
		}
		results = joined(results, call(t, all, !sure), false)
	}
	return results
}

// joined joins the results of two of several functions; if certain is set, only those that both have.
func joined(some, more []state.Value, certain bool) []state.Value {
	out := make([]state.Value, max(len(some), len(more)))
	some, more = append(slices.Clip(some), out...), append(slices.Clip(more), out...)
	for n := range out {
		if !certain || len(some[n]) > 0 && len(more[n]) > 0 {
			out[n], _ = some[n].Join(more[n])
		}
	}
	return out
}

// concerns reports whether a value is an arena, or may lead to memory of one.
func concerns(v state.Value) bool {
	for t := range v.All() {
		if t.Is(state.Handle) {
			return true
		}
	}
	return state.MayDie(v)
}

// lends records that functions are called with an arena of the callee that ends then, and which of their results leave
// it.
func (f *Applier) lends(i ssa.CallInstruction, sum *summary.Summary, calls []summary.Call, ts []record.Target) {
	lent := func(x summary.Call) bool {
		ends := func(y summary.Call) bool {
			return y.Flow.Out == x.Flow.Out && y.Flow.Kind == summary.Dead && y.Flow.ID == summary.AfterAll
		}
		return (x.Flow.Kind == summary.Lent || x.Flow.Kind == summary.New) && len(x.Flow.Out) == len(state.First) &&
			slices.ContainsFunc(calls, ends)
	}
	n := slices.IndexFunc(calls, lent)
	if n < 0 {
		return
	}
	var out uint64
	isResult := func(x summary.Sym) {
		to, result, ok := strings.Cut(x.Path, state.CalledBack+"#")
		if ok && result != "" && x.Param == calls[0].Func.Param && to == calls[0].Func.Path {
			out |= 1 << (result[0] - '0')
		}
	}
	for _, x := range sum.Results {
		isResult(x.From)
	}
	for _, x := range sum.Stores {
		isResult(x.Flow.From)
	}
	for _, t := range ts {
		seen := out
		if t.Fn.Parent() == nil {
			seen = 0 // it has other callers, too
		}
		f.Program.Lent(t, int(calls[n].Flow.Out[1]-'0'), seen, i, calls[n].Flow.Gear)
	}
}
