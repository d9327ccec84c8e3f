// Package apply takes states past calls of functions with summaries: the names in a summary stand for the caller's
// arguments.
package apply

import (
	"go/token"
	"maps"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/harena-go/arena/arenavet/internal/engine/code"
	"github.com/harena-go/arena/arenavet/internal/engine/defuse"
	build "github.com/harena-go/arena/arenavet/internal/engine/program"
	"github.com/harena-go/arena/arenavet/internal/engine/record"
	"github.com/harena-go/arena/arenavet/internal/engine/shape"
	"github.com/harena-go/arena/arenavet/internal/engine/state"
	"github.com/harena-go/arena/arenavet/internal/engine/summarize"
	"github.com/harena-go/arena/arenavet/internal/engine/summary"
	"github.com/harena-go/arena/arenavet/internal/knowledge/api"
	"github.com/harena-go/arena/arenavet/internal/knowledge/std"
	"github.com/harena-go/arena/arenavet/internal/rules/lifetime"
)

// An Applier applies summaries of callees in one function.
type Applier struct {
	*record.Function
	lifetime.Reporter
	summarize.Summarizer

	// RunDeferred takes a state past a deferred call: a panic's value is checked after all of them, and package
	// transfer knows the functions that they call.
	RunDeferred func(*state.State, *ssa.Defer)

	nested int // depth of callbacks within callbacks
}

// New returns the applier of a function.
func New(f *record.Function) *Applier {
	return &Applier{
		Function:   f,
		Reporter:   lifetime.Reporter{Function: f},
		Summarizer: summarize.New(f),
	}
}

// An inner is a value that a call returns behind a pointer.
type inner struct {
	holder, rest string
	loc          *state.Loc // the holder
	brought      state.Value
}

// maxCalls bounds the depth of postponed calls.
const maxCalls = 3

// This part ends an arena's memory by Reset, Rewind, Put or Free, and records the end. Package state applies it to a
// state.
//
// An end is recorded in three places: in the state, whose memory dies; in the program, if the arena is in a field or a
// global, whose memory is then reused; and in the summary, if callers know the arena. Package arena itself panics in
// some of the cases reported here, but only when they are executed.

// End ends the memory of r, since a mark if there is one, and r itself if d is more than a Reset: it updates the
// summary, reports memory that goroutines have, and changes the state. A Rewind to an unknown mark does nothing here.
func (f *Applier) End(s *state.State, r *state.Root, d *state.Death, at state.Value) {
	var since func(state.Tag) bool
	if d.Verb == summary.Rewind {
		var known bool
		if since, known = s.Since(r, at); !known {
			return
		}
	}
	d = f.Program.Deaths.With(d, f.Reuses(r))
	f.noteEnd(s, r, d, at)
	f.PendingAt(s, r, d)
	s.End(r, d, since)
}

// noteEnd records an end in the summary. Callers don't know the arena of a Do; a mark that this function has made is
// newer than all their memory. The maps are copied: this changes one state, and others may share them.
func (f *Applier) noteEnd(s *state.State, r *state.Root, d *state.Death, at state.Value) {
	if r.Object != nil && d.Verb != summary.Free && d.Verb != summary.Rewind &&
		d.Gear != summary.Lasting {
		f.Program.Resettable[r.Object] = true
	}
	if r.Sym == nil || d.Do {
		return
	}
	k := summary.Kill{Root: *r.Sym, Verb: d.Verb, Mark: -1}
	if d.Verb == summary.Rewind {
		if k.Mark = markParam(at); k.Mark < 0 {
			return
		}
	}
	s.May, s.Must = maps.Clone(s.May), maps.Clone(s.Must)
	if s.May == nil {
		s.May = map[summary.Kill]bool{}
	}
	if s.Must == nil {
		s.Must = map[summary.Kill]bool{}
	}
	s.May[k], s.Must[k] = true, true
}

// markParam returns the index of the parameter that is a mark, -1 if none: unlike other parameters, a Mark has a field
// that points to its arena.
func markParam(at state.Value) int {
	n := -1
	for t := range at.All() {
		if t.Kind == state.Ptr && t.Loc.Sym != nil && t.Loc.Sym.Param >= 0 && t.Loc.Sym.Path == ".arena*" {
			n = t.Loc.Sym.Param
		}
	}
	return n
}

// This part handles panics: the value of a panic, and all it leads to, leaves the function after the deferred calls.

// Panics checks the value that leaves a function with a panic: deferred calls run before anybody sees it, and Do ends
// its arena. If the function recovers, nothing leaves.
func (f *Applier) Panics(s *state.State, i *ssa.Panic) {
	f.panicsWith(s, i, s.Of(i.X))
}

// panicsWith checks the value of a panic, and adds it to the summary, unless the function recovers.
func (f *Applier) panicsWith(s *state.State, i ssa.Instruction, x state.Value) {
	if len(s.Reach(x)) == 0 || f.Recovers(s.Defers) {
		return
	}
	if f.Judging {
		for t, d := range s.Reach(x).All() {
			if sym := outermostName(t); sym != nil && sym.Param >= 0 && d == nil {
				summary.Add(&f.Summary.Panics, *sym)
			}
		}
	}
	do, inDo := f.Program.DoFuncs[f.Fn]
	if len(s.Defers) == 0 && !inDo {
		return
	}
	after := s.Clone()
	l := after.Fresh(i, "panic")
	after.Set(state.Cell{Loc: l}, x)
	for n := len(after.Defers) - 1; n >= 0; n-- {
		f.RunDeferred(after, after.Defers[n])
	}
	if inDo {
		if r := after.Resolve(after.Of(f.Fn.Params[do.Param]), nil); r != nil {
			after.End(r, f.Program.Deaths.With(f.DeathInDo(i, summary.DoEnds, true), do.Gear), nil)
		}
	}
	f.Thrown(i, after.Reach(after.In(state.Cell{Loc: l})))
}

// outermostName returns the name of the arena of a tag's memory, nil if callers don't know it.
func outermostName(t state.Tag) *summary.Sym {
	if t.Kind != state.Mem {
		return nil
	}
	return state.Outermost(t.Root).Sym
}

// This part models arenas of contexts. Such an arena is lent: the function that put it there reclaims it, and its
// values must not be kept where the next request sees them. A request ends with its net/http handler, known by its
// parameters.

// WithArena returns a context that holds an arena: the old context, with the arena at a path of its own. A nil arena
// leaves a pointer there.
func WithArena(s *state.State, i ssa.CallInstruction, ctx, from state.Value) state.Value {
	v := ctx.Only(func(t state.Tag) bool { return t.Path != state.InContext })
	none := true
	for t, d := range from.All() {
		if t.Kind == state.Handle {
			t.Path, none = state.InContext, false
			v = v.Replace(state.Just(t, d))
		}
	}
	if none {
		v, _ = v.Join(state.To(s.Fresh(i, "no arena")).As(state.InContext))
	}
	return v
}

// FromContext returns the arena that a context holds. The arena of a parameter is named after it, so that callers who
// have put one there know it.
func (f *Applier) FromContext(s *state.State, ctx state.Value) state.Value {
	if v := ctx.Part(state.InContext); v != nil {
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
		if known && !named { // a derived context has its parent's arena
			continue
		}
		r, known = s.Root("context "+t.Loc.Key, state.UnknownArena), true
		if named {
			r.Sym = x.Add(state.InContext)
			break
		}
	}
	r.Lent = true
	return state.Arena(r).With(state.Tag{Kind: state.Ptr, Loc: s.Loc(r.Key+"*", nil, true)}, nil)
}

// This part ends the pending time of values: by waiting, or by keeping a goroutine from starting. It also finds the
// loops that wait.

// Give records that a goroutine has memory that the caller can name: an argument itself, not memory behind it, which
// would be too much.
func (f *Applier) Give(s *state.State, i ssa.Instruction, t state.Tag, what state.PendingKind) {
	if x := t.Name(); x != nil && x.Param >= 0 && !strings.Contains(x.Path, "*") {
		s.Pending[state.Pending{At: i, What: what, Sym: *x, Given: true}] = true
	}
}

// Wait handles an operation that may wait for other goroutines to be done.
func (f *Applier) Wait(s *state.State) {
	f.Summary.Waits, s.Waited = true, true
	clear(s.Pending) // any goroutine may be the one
}

// Poll handles a load of an atomic variable, by which goroutines may signal progress. Memory that they use only before
// that may be reclaimed.
func (f *Applier) Poll(s *state.State) {
	f.Summary.Polls, s.Waited = true, true
	maps.DeleteFunc(s.Pending, func(p state.Pending, _ bool) bool { return p.Early })
}

// Stops takes a state past the call of a function that may keep a goroutine from starting, like the result of
// context.AfterFunc. A goroutine that runs already goes on; the caller has to check that.
func (f *Applier) Stops(s *state.State, fn state.Value) {
	for t := range fn.All() {
		if !t.Is(state.Ptr) || t.Off != "" {
			continue
		}
		if i, ok := t.Loc.Site.(ssa.CallInstruction); ok && code.CalleeName(i.Common()) == std.AfterFunc {
			f.Hide(s, i)
		} else if x := t.Name(); x != nil {
			summary.Add(&f.Summary.Stops, *x)
		}
	}
}

// WaitingLoops returns the loops that wait for goroutines in some block, by their heads. A function that leaves such a
// loop at its condition has waited as often as necessary: a loop that doesn't run has nothing to wait for.
//
//	for range n { go func() { use(x); done <- true }() }
//	for range n { <-done }
func (f *Applier) WaitingLoops() map[*ssa.BasicBlock]code.Loop {
	var loops map[*ssa.BasicBlock]code.Loop
	for _, b := range f.Fn.Blocks {
		l := code.LoopFrom(b)
		if l == nil || !f.waitsIn(l) {
			continue
		}
		if loops == nil {
			loops = map[*ssa.BasicBlock]code.Loop{}
		}
		for _, p := range b.Preds { // of range n, which tests n > 0 before the loop
			if !l[p] && l.IsLeftTo(p.Succs) {
				loops[p] = l
			}
		}
		loops[b] = l
	}
	return loops
}

// waitsIn reports whether a loop receives from a channel, or calls a waiting function, and starts no goroutine, for
// which it would have to wait again.
func (f *Applier) waitsIn(l code.Loop) bool {
	yes := false
	for b := range l {
		f.Spend(len(b.Instrs))
		for _, i := range b.Instrs {
			if _, ok := i.(*ssa.Go); ok {
				return false
			}
			yes = yes || f.isWait(i)
		}
	}
	return yes
}

// isWait reports whether an instruction receives from a channel, or calls a waiting function.
func (f *Applier) isWait(i ssa.Instruction) bool {
	switch i := i.(type) {
	case *ssa.UnOp:
		return i.Op == token.ARROW
	case *ssa.Send:
		return shape.IsSignal(i.X.Type())
	case *ssa.Select:
		return i.Blocking
	case *ssa.Call:
		if fn := i.Call.StaticCallee(); fn != nil {
			sum := f.Program.Summary(fn)
			return std.Waits(code.CalleeName(&i.Call)) || sum != nil && sum.Waits
		}
	}
	return false
}

// WaitsAfter reports whether the function may wait for goroutines in a block after that of an instruction.
func (f *Applier) WaitsAfter(i ssa.Instruction) bool {
	after := code.Loop{}
	build.Walk(after, i.Block().Succs, build.Succs)
	for b := range after {
		f.Spend(len(b.Instrs))
		if slices.ContainsFunc(b.Instrs, f.isWait) {
			return true
		}
	}
	return false
}

// This part checks values that the body of a loop over a sequence keeps from one iteration to the next, if the sequence
// reclaims an iteration's memory before the next one.
//
//	for o, err := range arenapgx.Each[order](a, rows) {
//		if prev != nil && prev.account != o.account { ... }     prev is the row before, which is dead
//		prev = o
//	}

// Rows checks the body of a loop over the result of arenapgx.Each and the like: decoded values, and values that the
// body has allocated in the arena, are dead in the next iteration.
func (f *Applier) Rows(s *state.State, i ssa.CallInstruction, body record.Target) {
	for each := range s.Of(i.Common().Value).All() {
		call, ok := each.Site.(*ssa.Call)
		if !ok || each.Kind != state.Mem {
			continue
		}
		if k := api.Callee(&call.Call); k == nil || !k.Yields {
			continue
		}
		f.keptFromTurn(s, i, body, func(t state.Tag, d *state.Death) bool {
			return d == nil && t.Root == each.Root && (t.Site == each.Site || t.Site == ssa.Instruction(i))
		})
	}
}

// keptFromTurn reports dead values that the body of a loop has kept from the previous iteration and uses.
func (f *Applier) keptFromTurn(s *state.State, i ssa.CallInstruction, body record.Target,
	isDead func(state.Tag, *state.Death) bool) {
	sum := f.Program.Summary(body.Fn)
	if sum == nil || !f.Judging {
		return
	}
	captured := body.All(s, nil)
	for _, x := range sum.Uses {
		n := x.Param - len(body.Fn.Params)
		if x.Path = strings.TrimSuffix(x.Path, "*"); n < 0 || x.Path == "" {
			continue
		}
		store := f.keptBy(body.Fn, body.Fn.FreeVars[n])
		if store == nil {
			continue
		}
		for t, d := range f.Follow(s, i, x, captured).All() {
			if t.Is(state.Mem) && isDead(t, d) {
				f.KeptFromTurn(store, t, body.Fn.FreeVars[n].Name())
			}
		}
	}
}

// keptBy returns the function's store to the target of a captured variable, if the function may continue the iteration
// after it, nil if there is none.
func (f *Applier) keptBy(fn *ssa.Function, v *ssa.FreeVar) ssa.Instruction {
	for st := range api.Of[*ssa.Store](fn) {
		if code.Source(st.Addr) != v || defuse.IsNil(st.Val) {
			continue
		}
		for r := range api.Of[*ssa.Return](fn) {
			if !returns(r, "false") && code.Leads(st, r, nil, f.Spend) {
				return st
			}
		}
	}
	return nil
}

// returns reports whether a return's first result is a constant: false in the body of a loop leaves the loop.
func returns(r *ssa.Return, constant string) bool {
	if len(r.Results) == 0 {
		return false
	}
	c, ok := r.Results[0].(*ssa.Const)
	return ok && c.Value != nil && c.Value.String() == constant
}
