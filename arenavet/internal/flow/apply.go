package flow

import (
	"fmt"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/harena-go/arena/arenavet/internal/flow/state"
	"github.com/harena-go/arena/arenavet/internal/flow/summary"
)

// This file holds what a call does of which there is a summary: each name in it
// stands for what the caller has passed. It may not know the callee's code.
//
// Of the summary in leave.go's example, at a call e := c.add(pool.Get(), "x"):
//
//	{1 ""}         the arena from the pool
//	#0 is memory   e is memory of that arena, allocated by this call
//	#0*.name       e points to memory of this call's own, in which name is such memory
//	{0 "*.last"}   field last of what c points to: it may be all that, from now on
//
// What isn't known of an argument isn't known of what is made of it, and all goes
// on.

// apply takes a state past a call of a function that is known by its summary. all
// are the arguments, and what the function has captured.
//
// A summary has no order; this is that of what most functions do:
//
//	(1) it uses what it is given
//	(2) it waits for others, which then are done with what they have
//	(3) arenas end, and variables are emptied
//	(4) fields that held an arena which has ended hold another one
//	(5) functions that it is given are called with an arena
//	(6) goroutines are left running
//	(7) what it stores and returns is what is alive after all that
//
// Arguments are kept in memory during (3), where they die with all others.
func (f *function) apply(s *state.State, i ssa.CallInstruction, sum *summary.Summary, all []state.Value, deferred bool) state.Value {
	f.spend(len(sum.Results) + len(sum.Stores) + len(sum.Uses))
	f.applyUses(s, i, sum, all)
	f.applyWaits(s, sum, all)
	if sum.Unknown {
		s.Clobber(all)
		return f.unknown(i)
	}
	// (3), from here until the arguments are taken out again.
	kept := s.Keep(i, all)
	for _, x := range sum.Clears {
		s.Assign(i, x, all, nil, true)
	}
	for _, k := range sum.Kills {
		f.applyKill(s, i, k, all, deferred)
	}
	all = s.Take(kept, len(all))
	// (4) One that nothing is known of, but that it is another one.
	for n, x := range sum.Replaces {
		r := s.Root(fmt.Sprintf("replaced %p %d", i, n), state.UnknownArena)
		r.Site = i
		s.Assign(i, x, all, state.Arena(r), true)
	}
	// (5) Each is to keep nothing, as if Do called it.
	for _, c := range sum.Calls {
		if c.Param < len(all) {
			f.pkg.lent(all[c.Param], c.Arg)
			f.lend(s, i, all[c.Param], c.Arg)
		}
	}
	// (6) and (7).
	f.applyGoroutines(s, i, sum, all)
	for _, x := range sum.Stores {
		f.applyStore(s, i, x, all)
	}
	return f.results(s, i, sum, all)
}

// applyUses is what the callee uses while it runs: memory and arenas.
func (f *function) applyUses(s *state.State, i ssa.CallInstruction, sum *summary.Summary, all []state.Value) {
	for _, x := range sum.Uses {
		f.used(s, i, s.Follow(x, all), "is used by the function that is called")
	}
	for _, x := range sum.Touches {
		if r := s.Resolve(s.Follow(x, all), nil); r != nil {
			f.share(s, i, r, "call")
		}
	}
	for _, x := range sum.Needs {
		f.touch(s, i, s.Follow(x, all), "call")
	}
}

// applyWaits is what the callee does that has to do with other goroutines, and may
// see to it that they are done.
func (f *function) applyWaits(s *state.State, sum *summary.Summary, all []state.Value) {
	if sum.Waits {
		f.wait(s)
	}
	if sum.Polls {
		f.poll(s)
	}
	if sum.Locks {
		f.summary.Locks = true
	}
	for _, x := range sum.Stops {
		f.stops(s, s.Follow(x, all))
	}
}

// applyKill ends an arena. The mark of a Rewind is looked for where package arena's
// type Mark has the arena: that is how a mark is known to this analysis.
func (f *function) applyKill(s *state.State, i ssa.CallInstruction, k summary.Kill, all []state.Value, deferred bool) {
	r := s.Resolve(s.Follow(k.Root, all), nil)
	if r == nil {
		return
	}
	var at state.Value
	if k.Mark >= 0 && k.Mark < len(all) {
		at = all[k.Mark].Part(".arena")
	}
	f.end(s, r, f.death(i, k.Verb, deferred), at)
}

// applyGoroutines is what goroutines have, that the callee has started, when it
// returns. Of what was only given to them it is the caller who knows whether it is
// an arena's; if it doesn't know either its own callers may.
func (f *function) applyGoroutines(s *state.State, i ssa.CallInstruction, sum *summary.Summary, all []state.Value) {
	for _, p := range sum.Pending {
		r := s.Resolve(s.Follow(p.Root, all), nil)
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
		for t, d := range s.Reach(s.Follow(g.What, all)) {
			if t.Kind == state.Mem && d == nil {
				s.Pending[state.Pending{At: i, Root: t.Root, Site: t.Site, What: how}] = true
			} else if t.Kind == state.Ptr {
				f.give(s, i, t, how)
			}
		}
	}
}

// applyStore puts what the callee stores where it stores it. What is behind a
// pointer that the callee has made is in memory of its own.
func (f *function) applyStore(s *state.State, i ssa.CallInstruction, x summary.Store, all []state.Value) {
	v := f.flowing(s, i, x.Flow, all)
	// The flow's Out is where in the value that is stored; see Store.
	if path, rest, deep := strings.Cut(x.Flow.Out, "*"); deep {
		l := s.Fresh(i, fmt.Sprint(x.Into, path))
		s.Put(i, state.Cell{Loc: l, Path: rest}, v, nil, false)
		v = state.Value{state.Tag{Kind: state.Ptr, Loc: l, Path: path}: nil}
	} else {
		v = v.As(path)
	}
	s.Assign(i, x.Into, all, v, false)
}

// flowing returns what a Flow brings. What the callee has made is made by the call,
// as far as this function can see: memory and arenas are those of the call
// instruction, told apart by ID. What has died in the callee died by the call.
func (f *function) flowing(s *state.State, i ssa.CallInstruction, x summary.Flow, all []state.Value) state.Value {
	memory := func(r *state.Root) state.Tag { return state.Tag{Kind: state.Mem, Root: r, Site: i} }
	switch x.Kind {
	case summary.Same:
		return s.Follow(x.From, all)
	case summary.Memory:
		v := state.To(s.Fresh(i, x.Out))
		if r := s.Resolve(s.Follow(x.From, all), nil); r != nil {
			v[memory(r)] = nil
		}
		return v
	case summary.New, summary.Lent:
		return state.Arena(f.made(i, x))
	case summary.MemoryNew:
		return state.To(s.Fresh(i, x.Out)).With(memory(f.made(i, x)), nil)
	// Its arena isn't known, and doesn't matter any more.
	case summary.Dead:
		return state.Value{memory(s.Root(key("over", i), state.Opaque)): f.deathInDo(i, x.Verb, false)}
	case summary.DeadArena:
		r := s.Root(key("over", i), state.Opaque)
		return state.Value{state.Tag{Kind: state.Handle, Root: r}: f.deathInDo(i, x.Verb, false)}
	}
	return nil
}

// made returns the arena that a callee has made. It is unsure: a constructor may
// return a new arena on one path and one from a pool on another, each of which is a
// root of its own.
func (f *function) made(i ssa.CallInstruction, x summary.Flow) *state.Root {
	kind := state.NewArena
	if x.Kind == summary.Lent || x.Verb == lentVerb {
		kind = state.Lent
	}
	r := f.places.Root(fmt.Sprintf("made %p %d", i, x.ID), kind)
	r.Site, r.Unsure = i, true
	return r
}

// lentVerb says of a Flow of memory that its arena is from a pool.
const lentVerb = "lent"

// key is a key, among those of one kind, for what an instruction makes.
func key(kind string, i ssa.Instruction) string { return fmt.Sprintf("%s %p", kind, i) }

// results returns the result of a call. Summaries name results as if there were
// several; a single one is the call's value itself. Where the summary says nothing
// of a result, nothing is known of it.
func (f *function) results(s *state.State, i ssa.CallInstruction, sum *summary.Summary, all []state.Value) state.Value {
	v := i.Value()
	if v == nil {
		return nil
	}
	for _, x := range sum.Results {
		if x.Kind == summary.New || x.Kind == summary.Lent {
			s.RenewMade(i, f.made(i, x))
		}
	}
	tuple := v.Call.Signature().Results().Len() > 1
	at := func(path string) string {
		if tuple {
			return path
		}
		return path[len(first):]
	}
	out, known := f.resultsThemselves(s, i, sum, all, at)
	for _, l := range f.resultsBehind(s, i, sum, all) {
		out = out.With(state.Tag{Kind: state.Ptr, Loc: l.Loc, Path: at(l.Path)}, nil)
	}
	for t, d := range f.unknown(i) {
		// What is known of a result, if only a part, is all that it is.
		if tuple && len(t.Path) >= 2 && known[t.Path[:2]] || !tuple && len(out) > 0 {
			continue
		}
		out = out.With(t, d)
	}
	return out
}

// resultsThemselves returns what a call returns that isn't behind a pointer which
// the callee has made, and of which results, by "#0", the summary says so ("#1"
// stands for "#10" as well). at is where in the call's value a result is.
func (f *function) resultsThemselves(s *state.State, i ssa.CallInstruction, sum *summary.Summary, all []state.Value, at func(string) string) (out state.Value, known map[string]bool) {
	known = map[string]bool{}
	for _, x := range sum.Results {
		if strings.Contains(x.Out, "*") {
			continue
		}
		known[x.Out[:min(len(first), len(x.Out))]] = true
		for t, d := range f.flowing(s, i, x, all).As(at(x.Out)) {
			out = out.With(t, d)
		}
	}
	return out, known
}

// resultsBehind puts what a call returns behind pointers that the callee has made
// into memory of the call's own, and returns where in the result what part of that
// is: the path of a cell is that of the pointer. All that is brought is looked up
// before the memory of an earlier turn of a loop, which may be among it, is emptied.
func (f *function) resultsBehind(s *state.State, i ssa.CallInstruction, sum *summary.Summary, all []state.Value) (pointers []state.Cell) {
	type inner struct {
		path, rest string
		brought    state.Value
	}
	var list []inner
	for _, x := range sum.Results {
		if path, rest, deep := strings.Cut(x.Out, "*"); deep {
			list = append(list, inner{path, rest, f.flowing(s, i, x, all)})
		}
	}
	for _, x := range list {
		s.Make(i, x.path)
	}
	for _, x := range list {
		l := s.Fresh(i, x.path)
		s.Put(i, state.Cell{Loc: l, Path: x.rest}, x.brought, nil, false)
		pointers = append(pointers, state.Cell{Loc: l, Path: x.path})
	}
	return pointers
}
