// Package summarize puts what is known at a function's returns in terms of its
// parameters, for its callers.
package summarize

import (
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/harena-go/arena/arenavet/internal/flow/code"
	"github.com/harena-go/arena/arenavet/internal/flow/record"
	"github.com/harena-go/arena/arenavet/internal/flow/shape"
	"github.com/harena-go/arena/arenavet/internal/flow/state"
	"github.com/harena-go/arena/arenavet/internal/flow/summary"
)

// This file holds how a function's summary comes out of its states: at each return
// what is known there is put in terms of the parameters. It must not depend on what is a
// mistake.
//
//	func (c *cache) add(a *arena.Arena, s string) *entry {
//		e := arena.New[entry](a)
//		e.name = a.AllocString(s)
//		c.last = e
//		return e
//	}
//
//	Results  #0 is memory of {1 ""}, and so is #0*.name
//	Stores   into {0 "*.last"}: the same
//	Replaces {0 "*.last"}
//	Touches  {1 ""}
//	Needs    {1 ""}
//
// What may be (results, stores, what is pending) is the union of all returns; what
// is for certain (cleared places, arenas that end) is what all returns agree on.

// A Summarizer tells callers what a function does.
type Summarizer struct {
	*record.Function
	handed map[*state.Loc]summary.Callee // where what callbacks were given is kept; see Calls
	back   map[summary.Flow]int          // results that are what callbacks have returned: how many are those of calls
	calls  map[string]int                // and how many there are, by result
}

// New returns the summarizer of a function.
func New(f *record.Function) Summarizer {
	return Summarizer{f, map[*state.Loc]summary.Callee{}, map[summary.Flow]int{}, map[string]int{}}
}

// An emitter is told of each flow that is found.
type emitter func(summary.Flow)

// into stands for the place of a store where flows are looked for: of what is dead,
// callers are told only where it is kept.
const into = "into"

// Returned tells callers of the n-th result. What a callback has returned isn't known to be one where
// a return has what another call has returned, which may have copied it.
func (f Summarizer) Returned(s *state.State, x ssa.Value, n int) {
	back, calls := map[summary.Flow]bool{}, 0
	switch code.Last(x).(type) {
	case *ssa.Call, *ssa.Extract:
		calls = 1
	}
	emit := func(x summary.Flow) {
		if strings.Contains(x.From.Path, state.CalledBack) {
			back[x] = true
		} else {
			f.Out.Add(x)
		}
	}
	f.flows(s, s.Of(x), state.Result(n), emit)
	for x := range back {
		f.back[x] += calls
	}
	f.calls[state.Result(n)] += calls
}

// Results returns what all returns have told of.
func (f Summarizer) Results() []summary.Flow {
	for x, calls := range f.back {
		if calls == f.calls[x.Out[:len(state.First)]] {
			f.Out.Add(x)
		}
	}
	return f.Out.List()
}

// Complete completes the summary with what one return tells of memory and arenas that
// callers know. Each return is looked at once: states are final.
func (f Summarizer) Complete(s *state.State) {
	f.tellStores(s)
	f.tellPending(s)
	f.tellHanded(s)
	f.tellReplaced(s)
	f.tellKills(s)
	f.Left = true
}

// tellStores tells what is in memory that callers know: what it holds on some
// path, and where it holds nothing any more on all of them. The second is how a
// function that empties a cache before a Reset is known to do so.
func (f Summarizer) tellStores(s *state.State) {
	var clears []summary.Sym
	for c, v := range s.Cells() {
		at := s.NameOf(c)
		if at == nil || f.IsAssumed(c) {
			continue
		}
		// Elements that were deleted may not be all of them.
		if len(v) == 0 && (!state.Several(c.Path) || f.Cleared[c]) {
			clears = append(clears, *at)
			continue
		}
		if f.SetAnew[c] && !f.mayBeAsItWas(v, *at) {
			clears = append(clears, *at)
		}
		var told []summary.Flow
		literals := map[string]int{} // by place
		f.flows(s, v, into, func(x summary.Flow) {
			// What is behind that which was decoded is decoded.
			if f.untold(c, *at, x) || x.Out != into && strings.HasSuffix(c.Path, state.Decoded) {
				return
			}
			if x.Kind == summary.Code {
				literals[x.Out]++
			}
			told = append(told, x)
		})
		for _, x := range told {
			// Of two it isn't known which has captured what.
			if x.Kind == summary.Code && literals[x.Out] > 1 {
				continue
			}
			x.Out = strings.TrimPrefix(x.Out, into)
			f.Kept.Add(summary.Store{Into: *at, Flow: x})
		}
	}
	// What a return before this one hasn't cleared isn't.
	if f.Left {
		f.Summary.Clears = slices.DeleteFunc(f.Summary.Clears,
			func(x summary.Sym) bool { return !slices.Contains(clears, x) })
	} else {
		f.Summary.Clears = clears
	}
}

// mayBeAsItWas reports whether a value at a place that callers know may be what was there.
func (f Summarizer) mayBeAsItWas(v state.Value, at summary.Sym) bool {
	for t := range v.All() {
		if t.Kind == state.Ptr && t.Loc.Sym != nil && *t.Name() == at ||
			t.Kind == state.Handle && t.Root.Sym != nil && *t.Root.Sym == at {
			return true
		}
	}
	return false
}

// untold reports whether callers aren't told of a flow into a cell that they know: that it
// is what it was, that it is a new arena (Replaces says so), and that it is dead memory.
// Dead memory is reported here, unless the cell is a variable of a function around this
// one: then it is reported there. An arena that Do has ended isn't reported: it may be
// replaced before it is used.
func (f Summarizer) untold(c state.Cell, at summary.Sym, x summary.Flow) bool {
	switch x.Kind {
	case summary.Same:
		return x.From == at
	case summary.New, summary.Made:
		return true
	case summary.Dead:
		return !f.IsOwnVariable(c)
	}
	return false
}

// tellPending tells what goroutines have that may still run.
func (f Summarizer) tellPending(s *state.State) {
	for p := range s.Pending {
		if p.Given {
			summary.Add(&f.Summary.Gives, summary.Given{What: p.Sym, How: uint8(p.What)})
		} else if p.Root.Sym != nil {
			summary.Add(&f.Summary.Pending,
				summary.Pending{Root: *p.Root.Sym, Memory: p.Site != nil, What: uint8(p.What)})
		}
	}
}

// tellReplaced tells which arenas that have ended were replaced by others: where
// callers know an arena by name, and another one is there now, or a pointer to
// something that was made here. An end that is told, too, is then that of the old
// one.
func (f Summarizer) tellReplaced(s *state.State) {
	for c, v := range s.Cells() {
		at := s.NameOf(c)
		if at == nil {
			continue
		}
		for t := range v.All() {
			if t.Is(state.Handle) && (t.Root.Sym == nil || *t.Root.Sym != *at) ||
				t.Kind == state.Ptr && t.Loc.Sym == nil {
				summary.Add(&f.Summary.Replaces, *at)
			}
		}
	}
}

// tellKills tells which arenas reclaim memory. Resets on some paths count,
// unless a result may tell the caller which it was; what ends an arena itself must
// be on all paths: told of an end that doesn't happen, a caller would have a finding that
// is wrong.
func (f Summarizer) tellKills(s *state.State) {
	counts := func(k summary.Kill) bool {
		return (k.Verb == summary.Reset || k.Verb == summary.Rewind) && !f.mayFail()
	}
	// The first return: what it has ended on all paths, as far as the other returns
	// agree.
	if !f.Left {
		for k := range s.Must {
			summary.Add(&f.Summary.Kills, k)
		}
	}
	f.Summary.Kills = slices.DeleteFunc(f.Summary.Kills, func(k summary.Kill) bool { return !s.Must[k] && !counts(k) })
	for k := range s.May {
		if counts(k) {
			summary.Add(&f.Summary.Kills, k)
		}
	}
}

// mayFail reports whether a result tells the caller what has happened, so that
// what happened on some paths only can't be told.
func (f Summarizer) mayFail() bool { return shape.MayFail(f.Fn.Signature) }

// flows calls emit for what a value may be, in terms of the caller: for the value
// itself, and, up to two pointers away, for what is in memory that the function has made.
// So the caller of a function that decodes finds a field of the result, and the elements
// of a list in a field. Callers look by themselves into memory that they know.
func (f Summarizer) flows(s *state.State, v state.Value, out string, emit emitter) {
	f.flowsWithin(s, v, out, toldDepth, map[place]bool{}, emit)
}

// toldDepth is how many pointers behind a result callers are told what is where.
const toldDepth = 3

// A place is memory, and where callers are told that it is: many ways may lead from
// one to the other, and are one for them.
type place struct {
	loc     *state.Loc
	off, to string
}

func (f Summarizer) flowsWithin(s *state.State, v state.Value, out string, depth int, seen map[place]bool,
	emit emitter) {
	for t, d := range v.All() {
		to := out + t.Path
		if len(to) > summary.MaxPath {
			continue
		}
		f.flow(t, d, to, emit)
		if !t.IsLocal() || depth == 0 || strings.HasSuffix(to, state.Decoded) {
			continue
		}
		// A list or a map that a constructor has made: callers put things into it.
		if strings.HasPrefix(to, "#") && strings.Contains(to, "*") && d == nil {
			emit(summary.Flow{Out: to, Kind: summary.Made})
		}
		if seen[place{t.Loc, t.Off, to}] {
			continue
		}
		seen[place{t.Loc, t.Off, to}] = true
		for _, path := range t.Loc.Paths {
			// The pointer may be to a part of the memory: what is beside that isn't
			// behind it.
			rest, ok := strings.CutPrefix(path, t.Off)
			if !ok || strings.HasPrefix(rest, "*") || rest != "" && !state.StartsPath(rest) ||
				len(to)+1+len(rest) > summary.MaxPath {
				continue
			}
			f.flowsWithin(s, s.In(state.Cell{Loc: t.Loc, Path: path}), to+"*"+rest, depth-1, seen, emit)
		}
	}
}

// flow calls emit for one thing, if callers can be told what it is: memory or an
// arena that they know by name, or one that was made here, or a pointer with a
// name. Other pointers are to memory of the function's own, and flows tells
// what is in it.
func (f Summarizer) flow(t state.Tag, d *state.Death, to string, emit emitter) {
	f.Spend(1)
	switch t.Kind {
	case state.Mem:
		f.flowMemory(t, d, to, emit)
	case state.Handle:
		f.flowArena(t, d, to, emit)
	case state.Ptr:
		if x := t.Name(); x != nil {
			emit(summary.Flow{Out: to, From: *x})
		}
	case state.Func:
		if m, ok := t.Func.(*ssa.MakeClosure); ok && m.Parent() == f.Fn {
			emit(summary.Flow{Out: to, Kind: summary.Code, ID: f.Program.Literal(m)})
		}
	}
}

func (f Summarizer) flowArena(t state.Tag, d *state.Death, to string, emit emitter) {
	r := t.Root
	switch {
	case d != nil:
		if d.Do && strings.HasPrefix(to, into) {
			emit(summary.Flow{Out: to, Kind: summary.DeadArena, Verb: d.Verb})
		}
	case r.Sym != nil:
		emit(summary.Flow{Out: to, From: *r.Sym})
	case r.Kind == state.NewArena && r.Site != nil:
		emit(summary.Flow{Out: to, Kind: summary.New, ID: f.id(r), Gear: f.Reuses(r)})
	case r.Kind == state.Lent && r.Site != nil:
		emit(summary.Flow{Out: to, Kind: summary.Lent, ID: f.id(r), Gear: f.Reuses(r)})
	case r.Kind == state.Child && r.Site != nil && state.Outermost(r).Sym != nil:
		emit(summary.Flow{Out: to, Kind: summary.Child, From: *state.Outermost(r).Sym, ID: f.id(r)})
	}
}

func (f Summarizer) flowMemory(t state.Tag, d *state.Death, to string, emit emitter) {
	// Memory of a child, or of a local of a Shared, ends with what that is of.
	r := state.Outermost(t.Root)
	switch {
	case d != nil:
		if strings.HasPrefix(to, into) {
			emit(summary.Flow{Out: to, Kind: summary.Dead, Verb: d.Verb, Gear: d.Gear})
		}
	case r.Sym != nil:
		emit(summary.Flow{Out: to, Kind: summary.Memory, From: *r.Sym})
	case r.Kind == state.NewArena && r.Site != nil:
		emit(summary.Flow{Out: to, Kind: summary.MemoryNew, ID: f.id(r), Gear: f.Reuses(r)})
	case (r.Kind == state.Lent || r.Kind == state.Opaque) && r.Site != nil: // the second is Do's
		emit(summary.Flow{Out: to, Kind: summary.MemoryNew, ID: f.id(r), Verb: summary.LentVerb, Gear: f.Reuses(r)})
	}
}

// id is the same each time a package is analyzed: the distance of what has made an
// arena from the beginning of the function.
func (f Summarizer) id(r *state.Root) int {
	return int(state.Position(r.Site) - f.Fn.Pos())
}

// FillsArena tells callers in which of their arenas the function allocates.
func (f Summarizer) FillsArena(from state.Value) {
	for t := range from.All() {
		if t.Is(state.Handle) && t.Root.Sym != nil {
			summary.Add(&f.Summary.Fills, *t.Root.Sym)
		}
	}
}
