package apply

import (
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/harena-go/arena/arenavet/internal/engine/code"
	"github.com/harena-go/arena/arenavet/internal/engine/record"
	"github.com/harena-go/arena/arenavet/internal/engine/shape"
	"github.com/harena-go/arena/arenavet/internal/engine/state"
	"github.com/harena-go/arena/arenavet/internal/engine/summary"
	"github.com/harena-go/arena/arenavet/internal/knowledge/api"
)

// This file applies a summary to a call: the names in it stand for the caller's arguments. It must not depend on the
// callee's code.
//
// Of the summary in package summarize's example, at a call e := c.add(pool.Get(), "x"):
//
//	{1 ""}         the arena from the pool
//	#0 is memory   e is memory of that arena, allocated by this call
//	#0*.name       e points to memory of this call's own, in which name is such memory
//	{0 "*.last"}   field last of c's target: it may be all that, from now on
//
// Values derived from an unknown argument are unknown, too, and the analysis goes on.

// Apply takes a state past a call of a function with a summary. all holds the arguments and the captured variables.
//
// A summary has no order; this is the order in most functions:
//
//	(1) it uses its arguments
//	(2) it waits for goroutines, whose pending values are then free
//	(3) arenas end, and variables are cleared
//	(4) fields that held an ended arena hold another one
//	(5) its stores store values that are alive after all that
//	(6) functions that it was given are called: see callback.go
//	(7) goroutines are left running
//	(8) values for those functions only end
//	(9) its results, and stores of the functions' results, are alive then
//
// Arguments are kept in memory during (3), so that ends reach them.
func (f *Applier) Apply(s *state.State, i ssa.CallInstruction, sum *summary.Summary, all []state.Value,
	deferred bool) state.Value {
	f.Spend(len(sum.Results) + len(sum.Stores) + len(sum.Uses))
	f.ApplyUses(s, i, sum, all)
	f.applyWaits(s, i, sum, all)
	if sum.Unknown {
		s.Clobber(all)
		return f.results(s, i, sum, all)
	}
	// (3), until the arguments are taken out again. The arenas are determined first: a function may clear its reference
	// to one after putting it back.
	ends := make([]*state.Root, len(sum.Kills))
	for n, k := range sum.Kills {
		ends[n] = s.Resolve(f.Follow(s, i, k.Root, all), nil)
	}
	if !deferred {
		f.applyPanics(s, i, sum, all)
	}
	kept := s.Keep(i, all)
	for _, x := range sum.Clears {
		s.Assign(i, x, all, nil, true)
		f.clearedElements(s, i, x, sum.Clears, all)
	}
	for n, k := range sum.Kills {
		if ends[n] != nil {
			f.applyKill(s, i, k, ends[n], all, deferred)
		}
	}
	all = s.Take(kept, len(all))
	f.applyReplaces(s, i, sum, all)      // (4)
	f.applyStores(s, i, sum, all, false) // (5)
	bodies := f.applyCalls(s, i, sum, all)
	f.applyGoroutines(s, i, sum, all)
	f.callsAgain(s, i, sum, all, bodies)
	f.takesBack(s, i, sum, all, summary.AfterAll)
	f.applyStores(s, i, sum, all, true)
	v := f.results(s, i, sum, all)
	for n := range sum.Calls {
		s.Empty(f.returned(s, i, sum.Calls[n].Callee))
	}
	return v
}

// applyStores applies a callee's stores: those of its callbacks' results if returned is set, or all others.
func (f *Applier) applyStores(s *state.State, i ssa.CallInstruction, sum *summary.Summary, all []state.Value,
	returned bool) {
	for n := range sum.Stores {
		if x := &sum.Stores[n]; strings.Contains(x.Flow.From.Path, state.CalledBack) == returned {
			f.ApplyStore(s, i, x, all)
		}
	}
	for _, x := range sum.Stores {
		if x.Flow.Kind == summary.Code && !returned {
			f.captured(s, i, []summary.Flow{x.Flow}, x.Into.String())
		}
	}
}

// clearedElements records that a callee has cleared the elements of a slice or an array, also for this function's
// summary. In a map it may have cleared only the entry of a key that it was given.
func (f *Applier) clearedElements(s *state.State, i ssa.CallInstruction, x summary.Sym, clears []summary.Sym,
	all []state.Value) {
	n := strings.LastIndexByte(x.Path, '*')
	if n < 0 {
		return
	}
	if strings.HasSuffix(x.Path, state.Inside) {
		if key := api.Arg(i.Common(), 1); key != nil && !code.IsGiven(key) {
			return
		}
	} else if !strings.Contains(x.Path[n:], state.Elements) {
		return
	} else {
		key := x
		key.Path = x.Path[:strings.LastIndex(x.Path, state.Elements)] + state.Keys
		if slices.Contains(clears, key) {
			return
		}
	}
	for t := range s.Follow(summary.Sym{Param: x.Param, Global: x.Global, Path: x.Path[:n]}, all).All() {
		if t.Is(state.Ptr) {
			f.Cleared[state.Cell{Loc: t.Loc, Path: t.Off + x.Path[n+1:]}] = true
		}
	}
}

// applyReplaces puts another arena in place of one. It is an unknown new one, unless it is a child of a known arena.
func (f *Applier) applyReplaces(s *state.State, i ssa.CallInstruction, sum *summary.Summary, all []state.Value) {
	for n := range sum.Replaces {
		x := sum.Replaces[n]
		r := f.root("replaced", i, n, state.UnknownArena)
		r.Site = i
		v := state.Arena(r)
		for m := range sum.Stores {
			if y := &sum.Stores[m]; y.Flow.Kind == summary.Child && y.Flow.Out == "" && y.Into == x {
				v = f.flowing(s, i, y.Flow, all)
			}
		}
		f.noteReplacedBy(s, i, x, all)
		s.Assign(i, x, all, v, true)
	}
}

// noteReplacedBy records the places where a call has stored new values, by their names here: a function that resets an
// arena and allocates its values anew leaves nothing dead.
//
//	func (l *lexer) reset() {
//		l.arena.Reset()
//		l.names = collections.NewInterner(l.arena, 64)
//	}
func (f *Applier) noteReplacedBy(s *state.State, i ssa.CallInstruction, x summary.Sym, all []state.Value) {
	n := strings.LastIndexByte(x.Path, '*')
	if n < 0 {
		return
	}
	for t := range s.Follow(summary.Sym{Param: x.Param, Global: x.Global, Path: x.Path[:n]}, all).All() {
		if !t.Is(state.Ptr) {
			continue
		}
		if at := t.Loc.Sym.Add(t.Off + x.Path[n+1:]); at != nil {
			if f.Renewed[i] == nil {
				f.Renewed[i] = map[summary.Sym]bool{}
			}
			f.Renewed[i][*at] = true
		}
	}
}

// ApplyUses applies the callee's uses of memory and arenas.
func (f *Applier) ApplyUses(s *state.State, i ssa.CallInstruction, sum *summary.Summary, all []state.Value) {
	for _, x := range sum.Uses {
		f.Used(s, i, f.Follow(s, i, x, all), "is used by the function that is called")
	}
	for _, x := range sum.Touches {
		if r := s.Resolve(f.Follow(s, i, x, all), nil); r != nil {
			f.Share(s, i, r, "call")
		}
	}
	for _, x := range sum.Needs {
		f.Touch(s, i, f.Follow(s, i, x, all), "call", api.Arg(i.Common(), x.Param))
	}
	for _, x := range sum.Fills {
		f.FillsArena(f.Follow(s, i, x, all))
	}
}

// applyWaits applies the callee's effects on other goroutines, which may finish them.
func (f *Applier) applyWaits(s *state.State, i ssa.CallInstruction, sum *summary.Summary, all []state.Value) {
	if sum.Waits {
		f.Wait(s)
	}
	if sum.Polls {
		f.Poll(s)
	}
	if sum.Locks {
		f.Summary.Locks = true
	}
	if sum.Detaches {
		f.Summary.Detaches = true
	}
	for _, x := range sum.Stops {
		f.Stops(s, f.Follow(s, i, x, all))
	}
}

// applyKill ends an arena. The mark of a Rewind is at the field of type Mark that has the arena: that is how the
// analysis represents marks.
func (f *Applier) applyKill(s *state.State, i ssa.CallInstruction, k summary.Kill, r *state.Root,
	all []state.Value, deferred bool) {
	var at state.Value
	if k.Mark >= 0 && k.Mark < len(all) {
		at = all[k.Mark].Part(".arena")
	}
	f.End(s, r, f.Death(i, k.Verb, deferred), at)
}

// applyGoroutines records the pending values of goroutines that the callee has started. Only this function may know
// whether values passed on to them are an arena's; otherwise its callers do.
func (f *Applier) applyGoroutines(s *state.State, i ssa.CallInstruction, sum *summary.Summary, all []state.Value) {
	for _, p := range sum.Pending {
		r := s.Resolve(f.Follow(s, i, p.Root, all), nil)
		if r == nil || r.Shared {
			continue
		}
		q := state.Pending{At: i, Root: r, What: state.PendingKind(p.What)}
		if p.Memory {
			q.Site = i
		}
		s.Pending[q] = true
	}
	for _, g := range sum.Gives {
		how := state.PendingKind(g.How)
		// A result reports whether it was sent, and whether to wait.
		if how == state.BySend && shape.MayFail(i.Common().Signature()) && f.WaitsAfter(i) {
			continue
		}
		for t, d := range s.Reach(f.Follow(s, i, g.What, all)).All() {
			if t.Kind == state.Mem && d == nil {
				s.Pending[state.Pending{At: i, Root: t.Root, Site: t.Site, What: how}] = true
			} else if t.Kind == state.Ptr {
				f.Give(s, i, t, how)
			}
		}
	}
}

// ApplyStore applies a store of the callee. Values behind a pointer that the callee has made are in memory of their
// own.
func (f *Applier) ApplyStore(s *state.State, i ssa.CallInstruction, x *summary.Store, all []state.Value) {
	v := f.flowing(s, i, x.Flow, all)
	// The flow's Out is the place in the stored value; see Store.
	_, rest := record.Behind(x.Flow.Out)
	if in := record.HolderOf(x); in.Name != "" {
		s.Put(i, state.Cell{Loc: s.Fresh(i, in.Name), Path: rest}, v, nil, false)
		v = f.holds(s, i, in)
	} else {
		v = v.As(rest)
	}
	s.Assign(i, x.Into, all, v, false)
}

// ApplyTargets takes a state past the call of one of several functions, and reports whether one has a summary: results
// are joined, and effects on arenas count only if all have them. Arguments of a literal are checked at their uses in
// the literal; the receiver of a method value is passed to its method.
func (f *Applier) ApplyTargets(s *state.State, i ssa.CallInstruction, targets []record.Target,
	args []state.Value, deferred bool) (state.Value, bool) {
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
		r := f.Apply(s, i, sum, all, deferred)
		result, _ = result.Join(r)
		known = true
	}
	return result, known
}

// certain returns a function's summary with only those effects on arenas that all the functions have. One of them is
// called: an arena that only some end may live, and one that only some need may have ended.
func (f *Applier) certain(sum *summary.Summary, targets []record.Target) *summary.Summary {
	x := *sum
	for _, t := range targets {
		other := f.Program.Summary(t.Fn)
		if other == nil {
			other = &summary.Summary{}
		}
		x.Kills = slices.DeleteFunc(slices.Clone(x.Kills),
			func(k summary.Kill) bool { return !slices.Contains(other.Kills, k) })
		x.Needs = slices.DeleteFunc(slices.Clone(x.Needs),
			func(n summary.Sym) bool { return !slices.Contains(other.Needs, n) })
	}
	return &x
}

// applyPanics handles the value of a panic that may leave a callee.
func (f *Applier) applyPanics(s *state.State, i ssa.CallInstruction, sum *summary.Summary, all []state.Value) {
	for _, x := range sum.Panics {
		if r := s.Resolve(f.Follow(s, i, x, all), nil); r != nil {
			f.panicsWith(s, i, state.Just(state.Tag{Kind: state.Mem, Root: r, Site: i}, nil))
		}
	}
}
