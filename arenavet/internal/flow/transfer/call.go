package transfer

import (
	"fmt"
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/harena-go/arena/arenavet/internal/flow/code"
	"github.com/harena-go/arena/arenavet/internal/flow/finding"
	"github.com/harena-go/arena/arenavet/internal/flow/record"
	"github.com/harena-go/arena/arenavet/internal/flow/state"
	"github.com/harena-go/arena/arenavet/internal/flow/std"
	"github.com/harena-go/arena/arenavet/internal/flow/summary"
)

// This file holds calls: by whom what they do is known. In this order:
//
//	(1) the language            append, copy ...: builtin.go
//	(2) package arena           by name, from package api: arena.go, ending.go
//	(3) the standard library    by name, from package std: container.go, view.go
//	(4) a summary               of this package's functions, or a fact of another one's:
//	                            apply.go
//	(5) nobody                  it uses its arguments, and returns what is none of theirs
//
// (5) is what most calls of other modules are: those that don't import package
// arena have no summary, and are taken to keep nothing.

// args returns what the operands of a call are, the receiver first.
func (f *interpreter) args(s *state.State, c *ssa.CallCommon) []state.Value {
	args := make([]state.Value, 0, len(c.Args)+code.Shift(c))
	if c.IsInvoke() {
		args = append(args, s.Of(c.Value))
	}
	for _, a := range c.Args {
		args = append(args, s.Of(a))
	}
	return args
}

// call takes a state past a call, and returns the result. deferred says that it is
// made by defer, at the end of the function. The first who knows what the callee
// does says so; nobody else is asked, but for what the name tells of other
// goroutines, which goes for all.
func (f *interpreter) call(s *state.State, i ssa.CallInstruction, deferred bool) state.Value {
	c := i.Common()
	if b, ok := c.Value.(*ssa.Builtin); ok {
		return f.builtin(s, i, b.Name(), c)
	}
	args := f.args(s, c)
	if known := f.Program.Callee(c); known != nil {
		return f.known(s, i, known, args, deferred)
	}
	name := f.Program.CalleeName(c)
	f.synchronizes(s, name)
	if n, ok := std.Spawns[name]; ok {
		return f.spawns(s, i, name, n)
	}
	// A function without a name: a variable, a parameter.
	if !c.IsInvoke() && c.StaticCallee() == nil {
		if v, ok := f.wrapper(s, i, s.Of(c.Value), deferred); ok {
			return v
		}
		f.stops(s, s.Of(c.Value))
		f.lends(s, c, s.Of(c.Value), args)
		f.Yields(s, i, s.Of(c.Value), "", args)
		f.assumes(s, i, s.Of(c.Value), "", args)
	} else if c.IsInvoke() {
		f.Yields(s, i, args[0], c.Method.Name(), args[1:])
		f.assumes(s, i, args[0], c.Method.Name(), args[1:])
	}
	if v, ok := f.logs(s, i, name, args); ok {
		return v
	}
	if v, ok := f.standard(s, i, name, args); ok {
		return v
	}
	if v, ok := f.summarized(s, i, args, deferred); ok {
		f.storedByCallbacks(s, i, args)
		return v
	}
	// Nobody knows what it does: it uses its arguments, keeps none, and may call
	// functions.
	f.UsedArgs(s, i, c, args)
	f.callbacks(s, i, name, args)
	if c.StaticCallee() == nil {
		if v, ok := f.returnedByCallback(i, s.Of(c.Value)); ok {
			return v
		}
	}
	return f.unknown(i)
}

// synchronizes takes a state past what a function does, going by its name, that
// has to do with other goroutines.
func (f *interpreter) synchronizes(s *state.State, name string) {
	if std.Waits(name) {
		f.wait(s)
	}
	if std.Polls(name) {
		f.poll(s)
	}
	if std.Locks(name) {
		f.Summary.Locks = true
	}
	if code.IsDetach(name) {
		f.Summary.Detaches = true
	}
}

// spawns takes a state past the call of a function of the standard library that
// runs its argument n in a goroutine. The result of context.AfterFunc is remembered
// by its site: see stops.
func (f *interpreter) spawns(s *state.State, i ssa.CallInstruction, name string, n int) state.Value {
	c := i.Common()
	if n -= code.Shift(c); n < len(c.Args) {
		what := state.ByGo
		if std.Serves(name) {
			what = state.ByHandler
		}
		f.goes(s, i, c.Args[n], nil, what)
	}
	if name == std.AfterFunc {
		return state.To(s.Fresh(i, "stop"))
	}
	return f.unknown(i)
}

// standard takes a state past the call of another function of the standard library,
// and says whether the result is known. What such a function does beside is done in
// any case.
func (f *interpreter) standard(s *state.State, i ssa.CallInstruction, name string, args []state.Value) (state.Value, bool) {
	f.watched(i, name, args)
	if strings.HasPrefix(name, std.Collections) {
		return f.collects(s, i, name, args)
	}
	if v, ok := f.contains(s, i, name, args); ok {
		f.UsedArgs(s, i, i.Common(), args)
		return v, true
	}
	switch {
	case name == "fmt.Errorf" && !f.Program.All:
		f.UsedArgs(s, i, i.Common(), args)
		return f.wrapped(s, i), true
	case name == "strings.Join" && !f.Program.All:
		f.UsedArgs(s, i, i.Common(), args)
		return f.stringsJoin(s, i), true
	case std.Deleters[name]:
		f.emptied(s, i, i.Common(), args)
		return nil, true
	case name == "(*sync.Cond).Wait":
		for t := range args[0].All() {
			if t.Is(state.Ptr) && t.Loc.Sym != nil {
				f.Conds[summary.Whole(t.Loc.Sym)] = true
			}
		}
	case name == "runtime.AddCleanup" && len(args) == 3: // runs its function at any time
		for t, d := range s.Reach(args[2]).All() {
			if t.Kind == state.Mem && d == nil {
				s.Pending[state.Pending{At: i, Root: t.Root, Site: t.Site}] = true
			}
		}
	}
	if sum := f.library(name); sum != nil {
		f.UsedArgs(s, i, i.Common(), args)
		if std.CallsBack(name) {
			f.callbacks(s, i, name, args)
		}
		args = f.sequences(s, i, args)
		copied := f.shallowCopies(s, i, sum, args)
		return f.copyShallow(s, i, copied, f.apply(s, i, sum, args, false), args), true
	}
	if arg, ok := std.View(name); ok {
		f.UsedArgs(s, i, i.Common(), args)
		return f.view(s, i, arg, args), true
	}
	return nil, false
}

// watched reports an arena's value that is to be watched by the garbage collector, which
// knows chunks, and not what is in them.
func (f *interpreter) watched(i ssa.CallInstruction, name string, args []state.Value) {
	why, ok := std.Watchers[name]
	if !ok || len(args) == 0 || i.Value() != nil && code.OnlyStored(i.Value()) {
		return
	}
	for t := range args[0].All() {
		if t.Is(state.Mem) {
			f.Report(finding.Misuse, i, nil, t, fmt.Sprintf("%s of a value in an arena: %s", name[strings.LastIndexByte(name, '/')+1:], why))
		}
	}
}

// summarized takes a state past the call of functions of which there is a summary,
// and says whether there is one.
func (f *interpreter) summarized(s *state.State, i ssa.CallInstruction, args []state.Value, deferred bool) (state.Value, bool) {
	return f.applied(s, i, f.targets(s, i.Common()), args, deferred)
}

// applied takes a state past the call of one of several functions, and says whether there
// is a summary of one: results are joined, and what only some of them do to arenas isn't
// done. Arguments of a literal are looked at where they are used, in the literal; the
// receiver of a method value is one that its method is given.
func (f *interpreter) applied(s *state.State, i ssa.CallInstruction, targets []record.Target, args []state.Value, deferred bool) (state.Value, bool) {
	var result state.Value
	known := false
	for _, target := range targets {
		sum := f.Program.Summary(target.Fn)
		if sum == nil {
			continue
		}
		if len(targets) > 1 {
			sum = f.certain(sum, targets)
		}
		if target.Closure == nil {
			f.UsedArgs(s, i, i.Common(), args)
		}
		all := target.All(s, args)
		if target.Bound {
			f.Used(s, i, all[0], "is used by the function that is called")
		}
		r := f.apply(s, i, sum, all, deferred)
		f.typedResults(target.Fn, r)
		result, _ = result.Join(r)
		known = true
	}
	return result, known
}

// unknown returns a result of which nothing is known, as if it were a parameter
// without a name that callers know. It is the same each time: that of an earlier
// turn of a loop is forgotten.
func (f *interpreter) unknown(i ssa.CallInstruction) state.Value {
	v := i.Value()
	if v == nil {
		return nil
	}
	x, ok := f.opaque[i]
	if !ok {
		x = f.Places.Opaque(fmt.Sprintf("result %p", i), nil, v.Type(), "")
		f.opaque[i] = x
	}
	return slices.Clip(x)
}

// callbacks takes a state past the functions that an unknown function is given,
// if it calls them before it returns. The body of a loop over a sequence is one:
// it is given the elements.
func (f *interpreter) callbacks(s *state.State, i ssa.CallInstruction, name string, args []state.Value) {
	for _, a := range args {
		for _, t := range record.TargetsOf(a) {
			loop := strings.HasPrefix(t.Fn.Synthetic, "range-over-func")
			if !std.CallsBack(name) && !loop {
				f.storedBy(s, i, t)
				continue
			}
			params := f.elementsFor(s, i, t)
			if loop { // over views, or elements
				sequence := s.Of(i.Common().Value)
				params = []state.Value{s.Content(sequence, state.Elements), s.Content(sequence, state.Elements)}
				params = params[:min(len(t.Fn.Params), 2)]
			}
			if sum := f.Program.Summary(t.Fn); sum != nil {
				f.apply(s, i, sum, t.All(s, params), false)
				if loop && len(sum.Kills) > 0 && len(sum.Yields) > 0 { // what it passes on, the next turn takes back
					f.apply(s, i, sum, t.All(s, params), false)
				}
			}
		}
	}
}

// storedByCallbacks takes a state past what the functions store that a call is given, which may call them.
func (f *interpreter) storedByCallbacks(s *state.State, i ssa.CallInstruction, args []state.Value) {
	for _, a := range args {
		for _, t := range record.TargetsOf(a) {
			f.storedBy(s, i, t)
		}
	}
}

// storedBy takes a state past what a literal puts into variables that it has captured, of an arena that it has captured:
//
//	db.Scan(func(name []byte) { names = append(names, a.AllocBytesToString(name)) })
//
// Whether it is called, and what with, isn't known. What it has taken back, or used, isn't looked at.
func (f *interpreter) storedBy(s *state.State, i ssa.CallInstruction, t record.Target) {
	sum := f.Program.Summary(t.Fn)
	if sum == nil || t.Closure == nil || t.Bound || f.Program.All {
		return
	}
	var all []state.Value
	holders := f.Program.Holders(sum.Stores)
	for n := range sum.Stores {
		x := &sum.Stores[n]
		if first := len(t.Fn.Params); x.Flow.Kind != summary.Memory || x.Into.Param < first || x.Flow.From.Param < first {
			continue
		}
		if all == nil {
			all = t.All(s, nil)
		}
		f.applyStore(s, i, x, holders[n], all)
	}
}

// elementsFor returns what a function of the standard library calls another one with: of
// each parameter, the elements of the arguments that are slices of such. Nothing is known if
// there are none.
func (f *interpreter) elementsFor(s *state.State, i ssa.CallInstruction, t record.Target) (params []state.Value) {
	if t.Bound || f.Program.All {
		return nil
	}
	params = make([]state.Value, len(t.Fn.Params))
	known := false
	for n, p := range t.Fn.Params {
		for _, a := range i.Common().Args {
			if u, ok := a.Type().Underlying().(*types.Slice); ok && types.Identical(u.Elem(), p.Type()) {
				params[n], _ = params[n].Join(s.Load(s.Of(a), state.Elements, u.Elem()))
				known = known || params[n] != nil
			}
		}
	}
	if !known {
		return nil
	}
	return params
}

// lends notes that a parameter, a function, is called with an arena. When that ends
// the caller is told, in Calls of the summary, that what it has passed mustn't keep
// memory. So helpers that are like Do are known as such.
func (f *interpreter) lends(s *state.State, c *ssa.CallCommon, fn state.Value, args []state.Value) {
	for t := range fn.All() {
		if t.Kind != state.Ptr || t.Loc.Sym == nil || t.Loc.Sym.Path != "*" {
			continue
		}
		for n, a := range args {
			if !state.IsHandle(c.Args[n].Type()) {
				continue
			}
			if r := s.Resolve(a, c.Args[n]); r != nil && r.Sym == nil {
				f.calls[r] = append(f.calls[r], summary.CallsFunc{Param: t.Loc.Sym.Param, Arg: n})
			}
		}
	}
}

// targets returns the functions that a call may call, as far as they are known. A
// call of a literal, func() {...}(), is one of a function that is named, with a
// closure.
func (f *interpreter) targets(s *state.State, c *ssa.CallCommon) []record.Target {
	if c.IsInvoke() {
		if ts := f.Program.Implementations(c); ts != nil {
			return ts
		}
		return f.Program.Methods(s.Of(c.Value), c.Method.Name())
	}
	if fn := c.StaticCallee(); fn != nil {
		m, _ := c.Value.(*ssa.MakeClosure)
		return []record.Target{record.TargetOf(fn, m)}
	}
	return record.TargetsOf(s.Of(c.Value))
}

// certain returns what a function does to arenas that all of several do. It is one
// of them that is called: an arena that only some end may live, and one that only
// some need may have ended.
func (f *interpreter) certain(sum *summary.Summary, targets []record.Target) *summary.Summary {
	x := *sum
	for _, t := range targets {
		other := f.Program.Summary(t.Fn)
		if other == nil {
			other = &summary.Summary{}
		}
		x.Kills = slices.DeleteFunc(slices.Clone(x.Kills), func(k summary.Kill) bool { return !slices.Contains(other.Kills, k) })
		x.Needs = slices.DeleteFunc(slices.Clone(x.Needs), func(n summary.Sym) bool { return !slices.Contains(other.Needs, n) })
	}
	return &x
}
