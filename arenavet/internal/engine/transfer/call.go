package transfer

import (
	"go/types"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/harena-go/arena/arenavet/internal/engine/code"
	"github.com/harena-go/arena/arenavet/internal/engine/record"
	"github.com/harena-go/arena/arenavet/internal/engine/shape"
	"github.com/harena-go/arena/arenavet/internal/engine/state"
	"github.com/harena-go/arena/arenavet/internal/engine/summary"
	"github.com/harena-go/arena/arenavet/internal/knowledge/api"
	"github.com/harena-go/arena/arenavet/internal/knowledge/std"
)

// This file takes states past calls. The first source that has the callee counts:
//
//	(1) the language            append, copy ...: library.go
//	(2) package arena           by name, from package api: arenacall.go
//	(3) the standard library    by name, from package std: library.go
//	(4) a summary               of this package's functions, or a fact of another one's:
//	                            package apply
//	(5) none                    it uses its arguments, and its results are unrelated to them
//
// Most calls of other modules are (5): modules that don't import package arena have no summary, and are taken to keep
// nothing.

// call takes a state past a call, and returns the result. deferred is set for a deferred call, at the end of the
// function. The first source above that has the callee counts. The name's effects on other goroutines count in any
// case.
func (f *interpreter) call(s *state.State, i ssa.CallInstruction, deferred bool) state.Value {
	c := i.Common()
	if b, ok := c.Value.(*ssa.Builtin); ok {
		return f.builtin(s, i, b.Name(), c)
	}
	args := f.args(s, c)
	if known := f.Program.Callee(c); known != nil {
		return f.known(s, i, known, args, deferred)
	}
	name := code.CalleeName(c)
	f.synchronizes(s, name)
	if n, ok := std.Spawns[name]; ok {
		return f.spawns(s, i, name, n)
	}
	var assumed []state.Value // the results
	if c.IsInvoke() {
		assumed = f.CallsKnown(s, i, args[0], c.Method.Name(), nil, args[1:], true)
	} else if c.StaticCallee() == nil { // a variable, a parameter
		if v, ok := f.wrapper(s, i, s.Of(c.Value), deferred); ok {
			return v
		}
		f.Stops(s, s.Of(c.Value))
		assumed = f.CallsKnown(s, i, s.Of(c.Value), "", nil, args, true)
	}
	if v, ok := f.logs(s, i, name, args); ok {
		return v
	}
	f.changed(s, i, name, args, deferred)
	v, ok := f.standard(s, i, name, args)
	if !ok {
		v, ok = f.applySummaries(s, i, args, deferred)
	}
	if std.Shows(name) {
		v = f.shown(i, v, s.Resolve(args[0], nil))
	}
	if ok {
		return v
	}
	// An unknown function: it uses its arguments, keeps none, and may call functions.
	f.UsedArgs(s, i, c, args)
	f.callbacks(s, i, name, args)
	if c.StaticCallee() == nil {
		return f.ReturnedByCallback(i, s.Of(c.Value), args, assumed)
	}
	return f.Unknown(i)
}

// synchronizes applies a function's effects on other goroutines, going by its name.
func (f *interpreter) synchronizes(s *state.State, name string) {
	if std.Waits(name) {
		f.Wait(s)
	}
	if std.Polls(name) {
		f.Poll(s)
	}
	if std.Locks(name) {
		f.Summary.Locks = true
	}
	if code.IsDetach(name) {
		f.Summary.Detaches = true
	}
}

// spawns takes a state past the call of a function of the standard library that runs its argument n in a goroutine. The
// result of context.AfterFunc is identified by its site: see Stops.
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
	return f.Unknown(i)
}

// standard takes a state past the call of another function of the standard library, and reports whether the result is
// known. The function's side effects are applied in any case.
func (f *interpreter) standard(s *state.State, i ssa.CallInstruction, name string,
	args []state.Value) (state.Value, bool) {
	f.Watched(i, name, args)
	switch {
	case name == "fmt.Errorf" && !f.Program.All:
		f.UsedArgs(s, i, i.Common(), args)
		return f.wrapped(s, i), true
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
		args = f.Sequences(s, i, args)
		return f.Apply(s, i, sum, args, false), true
	}
	if std.IsSequence(name) && i.Value() != nil {
		f.UsedArgs(s, i, i.Common(), args)
		return f.sequence(s, i, name, args[0]), true
	}
	return nil, false
}

// sequence returns a sequence: of the elements of a slice or map, reached as from the argument; of a map's keys; of
// parts of a string; or of slices that are parts of a slice.
func (f *interpreter) sequence(s *state.State, i ssa.CallInstruction, name string, v state.Value) state.Value {
	e := shape.Elem(i.Common().Args[0].Type())
	if _, text := e.(*types.Basic); name == "maps.Keys" {
		v = s.Content(v, state.Keys)
	} else if e != nil && !text {
		return v
	}
	l := s.Make(i, "")
	s.Put(i, state.Cell{Loc: l, Path: state.Elements}, v, nil, false)
	return state.To(l)
}

// callbacks takes a state past the functions passed to an unknown function, which may call them. Some functions are
// known to do so before they return. The body of a loop over a sequence gets the elements:
//
//	db.Scan(func(name []byte) { names = append(names, a.AllocBytesToString(name)) })
func (f *interpreter) callbacks(s *state.State, i ssa.CallInstruction, name string, args []state.Value) {
	for n, a := range args {
		x := api.Arg(i.Common(), n)
		if x == nil || !shape.IsFunction(x.Type()) {
			continue
		}
		targets, sure := record.TargetsOf(a), std.CallsBack(name)
		var params []state.Value
		if len(targets) == 1 && strings.HasPrefix(targets[0].Fn.Synthetic, "range-over-func") {
			sequence := s.Of(i.Common().Value)
			params, sure = []state.Value{s.Content(sequence, state.Elements)}, true
			if shape.IsSeq2(x.Type()) {
				params = []state.Value{s.Content(sequence, state.Keys), params[0]}
			}
		}
		f.CallsKnown(s, i, a, "", targets, params, sure)
		if params != nil {
			f.Rows(s, i, targets[0])
		}
	}
}

// This part handles returns: the order in which package report checks the values that leave the function, and package
// summarize adds them to the summary.

// exit handles one return, once all states are final. In a function that Do calls, the arena of Do ends before the
// results are checked that are seen beyond Do. Finally all memory that outlives the function is checked and summarized.
func (f *interpreter) exit(s *state.State, i *ssa.Return) {
	if !f.Judging {
		return
	}
	do, inDo := f.Program.DoFuncs[f.Fn]
	results := func(out bool) {
		for n, x := range i.Results {
			if (do.Out>>n&1 == 1) == out {
				f.Returns(s, i, s.Of(x))
				f.Returned(s, x, n)
			}
		}
	}
	results(false)
	if inDo {
		f.endDo(s, i, do)
	}
	results(true)
	f.Outliving(s)
	f.KeptBeyondRequest(s)
	if !code.ReturnsUnchanged(i) {
		f.Complete(s)
	}
}

// endDo ends the arena of a function that Do calls, as Do does when the function returns. The checks after it find
// later uses of the arena and its memory.
func (f *interpreter) endDo(s *state.State, i *ssa.Return, do record.Lending) {
	v := s.Of(f.Fn.Params[do.Param])
	r := s.Resolve(v, f.Fn.Params[do.Param])
	if r == nil || f.endedInDo(v) {
		return
	}
	d := f.DeathInDo(i, summary.DoEnds, true)
	f.Share(s, i, r, summary.DoEnds)
	f.End(s, r, d, nil)
}

// endedInDo reports whether the arena of a Do was freed in it, and reports a finding if it was put back.
func (f *interpreter) endedInDo(v state.Value) bool {
	for t, d := range v.All() {
		if t.Is(state.Handle) && d != nil {
			if d.Verb == summary.Put {
				f.PutInDo(d, t)
			}
			return d.Verb == summary.Free
		}
	}
	return false
}
