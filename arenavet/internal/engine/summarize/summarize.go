// Package summarize expresses the states at a function's returns in terms of its parameters, for its callers.
package summarize

import (
	"maps"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/harena-go/arena/arenavet/internal/engine/code"
	"github.com/harena-go/arena/arenavet/internal/engine/record"
	"github.com/harena-go/arena/arenavet/internal/engine/shape"
	"github.com/harena-go/arena/arenavet/internal/engine/state"
	"github.com/harena-go/arena/arenavet/internal/engine/summary"
)

// This file makes a function's summary from its states: each state at a return is expressed in terms of the parameters.
// It must not depend on what counts as a mistake.
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
// May facts (results, stores, pending values) are the union over all returns; must facts (cleared places, ended arenas)
// are the intersection.

// A Summarizer writes a function's summary.
type Summarizer struct {
	*record.Function
	handed map[*state.Loc]summary.Callee // memory that keeps callbacks' arguments; see Calls
	back   map[summary.Flow]int          // callbacks' results: how many are results of calls
	calls  map[string]int                // number of results of calls, by result
}

// New returns the summarizer of a function.
func New(f *record.Function) Summarizer {
	return Summarizer{f, map[*state.Loc]summary.Callee{}, map[summary.Flow]int{}, map[string]int{}}
}

// An emitter gets each flow that is found.
type emitter func(summary.Flow)

// into is the prefix for the place of a store when flows are collected: the summary has dead memory only in stores.
const into = "into"

// Returned adds the n-th result to the summary. A callback's result doesn't count if another return has the result of
// another call, which may have copied it.
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
			f.Out[x] = true
		}
	}
	f.flows(s, s.Of(x), state.Result(n), emit)
	for x := range back {
		f.back[x] += calls
	}
	f.calls[state.Result(n)] += calls
}

// Results returns the results of all returns.
func (f Summarizer) Results() []summary.Flow {
	for x, calls := range f.back {
		if calls == f.calls[x.Out[:len(state.First)]] {
			f.Out[x] = true
		}
	}
	return slices.Collect(maps.Keys(f.Out))
}

// Complete adds to the summary one return's effects on memory and arenas that callers know. Each return is handled
// once: states are final.
func (f Summarizer) Complete(s *state.State) {
	f.tellStores(s)
	f.tellPending(s)
	f.tellHanded(s)
	f.tellReplaced(s)
	f.tellKills(s)
	f.Left = true
}

// tellStores adds the contents of memory that callers know: its possible contents on some path, and the places cleared
// on all paths. The latter show that a function empties a cache before a Reset.
func (f Summarizer) tellStores(s *state.State) {
	var clears []summary.Sym
	for c, v := range s.Cells() {
		at := c.Loc.Sym.Add(c.Path)
		if at == nil || f.IsAssumed(c) {
			continue
		}
		// Deleted elements may not be all of them.
		if len(v) == 0 && (!state.Several(c.Path) || f.Cleared[c]) {
			clears = append(clears, *at)
			continue
		}
		set := f.SetAnew[c] || !f.Program.All && !state.Several(c.Path) // as in set, or restored
		if set && !f.mayBeAsItWas(v, *at) {
			clears = append(clears, *at)
		}
		var told []summary.Flow
		literals := map[string]int{} // by place
		f.flows(s, v, into, func(x summary.Flow) {
			// Anything behind a decoded value is decoded.
			if f.untold(c, *at, x) || x.Out != into && strings.HasSuffix(c.Path, state.Decoded) {
				return
			}
			if x.Kind == summary.Code {
				literals[x.Out]++
			}
			told = append(told, x)
		})
		for _, x := range told {
			// Their captured variables can't be told apart.
			if x.Kind == summary.Code && literals[x.Out] > 1 {
				continue
			}
			x.Out = strings.TrimPrefix(x.Out, into)
			f.Kept[summary.Store{Into: *at, Flow: x}] = true
		}
	}
	// An earlier return may not have cleared it.
	if f.Left {
		f.Summary.Clears = slices.DeleteFunc(f.Summary.Clears,
			func(x summary.Sym) bool { return !slices.Contains(clears, x) })
	} else {
		f.Summary.Clears = clears
	}
}

// mayBeAsItWas reports whether a value at a place that callers know may be the old one.
func (f Summarizer) mayBeAsItWas(v state.Value, at summary.Sym) bool {
	for t := range v.All() {
		if t.Kind == state.Ptr && t.Name() != nil && *t.Name() == at ||
			t.Kind == state.Handle && t.Root.Sym != nil && *t.Root.Sym == at {
			return true
		}
	}
	return false
}

// untold reports whether a flow into a cell that callers know is left out of the summary: the old value, a new arena
// (that is in Replaces), and dead memory. Dead memory is reported here, unless the cell is a variable of a function
// around this one: then it is reported there. An arena that Do has ended isn't reported: it may be replaced before it
// is used.
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

// tellPending adds the values of goroutines that may still run.
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

// tellReplaced adds the places where callers know an arena by name and that now have another one, or a pointer to
// something made here. An end in the summary is then that of the old arena.
func (f Summarizer) tellReplaced(s *state.State) {
	for c, v := range s.Cells() {
		at := c.Loc.Sym.Add(c.Path)
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

// tellKills adds the arenas that reclaim memory. Resets on some paths count, unless a result may tell the caller the
// path; the end of an arena itself must be on all paths: an end that doesn't happen would give the caller a wrong
// finding.
func (f Summarizer) tellKills(s *state.State) {
	counts := func(k summary.Kill) bool {
		return (k.Verb == summary.Reset || k.Verb == summary.Rewind) && !f.mayFail()
	}
	// The first return: its ends on all paths, as far as the other returns agree.
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

// mayFail reports whether a result tells the caller the path, so that effects on some paths only don't count.
func (f Summarizer) mayFail() bool { return shape.MayFail(f.Fn.Signature) }

// flows calls emit for the possible values of v, in terms of the caller: for the value itself and, up to three pointers
// away, for the contents of memory that the function has made. So the caller of a decoder finds a field of the result,
// and the elements of a list in a field. Callers look into memory that they know by themselves.
func (f Summarizer) flows(s *state.State, v state.Value, out string, emit emitter) {
	f.flowsWithin(s, v, out, toldDepth, map[place]bool{}, emit)
}

// toldDepth bounds the pointers behind a result in the summary.
const toldDepth = 3

// A place is memory with its place in the summary: many paths may lead from one to the other, and count once.
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
		// A list or a map that a constructor has made: callers store values in it.
		if strings.HasPrefix(to, "#") && strings.Contains(to, "*") && d == nil {
			emit(summary.Flow{Out: to, Kind: summary.Made})
		}
		if seen[place{t.Loc, t.Off, to}] {
			continue
		}
		seen[place{t.Loc, t.Off, to}] = true
		for _, path := range t.Loc.Paths {
			// The pointer may be to a part of the memory: the other parts aren't behind it.
			rest, ok := strings.CutPrefix(path, t.Off)
			if !ok || strings.HasPrefix(rest, "*") || rest != "" && !state.StartsPath(rest) ||
				len(to)+1+len(rest) > summary.MaxPath {
				continue
			}
			f.flowsWithin(s, s.In(state.Cell{Loc: t.Loc, Path: path}), to+"*"+rest, depth-1, seen, emit)
		}
	}
}

// flow calls emit for one tag, if callers have terms for it: memory or an arena that they know by name, or one made
// here, or a pointer with a name. Other pointers are to the function's own memory, whose contents flows adds.
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
	// Memory of a child, or of a local of a Shared, ends with the ancestor's.
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
	case (r.Kind == state.Lent || r.Kind == state.Opaque) && r.Site != nil: // Opaque: Do's
		emit(summary.Flow{Out: to, Kind: summary.MemoryNew, ID: f.id(r), Verb: summary.LentVerb, Gear: f.Reuses(r)})
	}
}

// id returns the same number in each analysis of a package: the distance of the arena's site from the beginning of the
// function.
func (f Summarizer) id(r *state.Root) int {
	return int(state.Position(r.Site) - f.Fn.Pos())
}

// FillsArena adds the callers' arenas in which the function allocates to the summary.
func (f Summarizer) FillsArena(from state.Value) {
	for t := range from.All() {
		if t.Is(state.Handle) && t.Root.Sym != nil {
			summary.Add(&f.Summary.Fills, *t.Root.Sym)
		}
	}
}

// This part adds to the summary postponed calls of functions that callers know: their arguments, and those that have
// ended by the next call, or at the return.

// Passed returns the callers' names for a value: those of a parameter, or of a value reached from one.
func Passed(v state.Value) (names []*summary.Sym) {
	for t := range v.All() {
		if t.Kind != state.Ptr || t.Path != "" || t.Loc.Sym == nil {
			continue
		}
		if name := t.Name(); name != nil && name.Param >= 0 {
			names = append(names, name)
		}
	}
	return names
}

// Calls records the call of a function that callers know, or of a method. Its arguments are kept until the return, to
// check whether they are still alive then, and with an arena also the memory that the function may allocate in it.
func (f Summarizer) Calls(s *state.State, i ssa.Instruction, fn state.Value, method string, args []state.Value) {
	if f.Program.All {
		return
	}
	for _, name := range Passed(fn) {
		c := summary.Callee{Func: *name, Method: method}
		if _, deferred := i.(*ssa.Defer); !deferred {
			if f.Called[i] == nil {
				f.Called[i] = map[summary.Callee]bool{}
			}
			f.Called[i][c] = true
		}
		if f.Judging && method == "" {
			f.Given[summary.Call{Callee: c, Sure: code.Always(i, f.Spend) && !f.Recovers(s.Defers)}] = true
		}
		for n, a := range args {
			given := a
			for t := range a.All() {
				if t.Kind == state.Handle {
					t.Kind, t.Site = state.Mem, i
					given, _ = given.Join(state.Just(t, nil))
				}
			}
			if state.MayDie(given) {
				cell := state.Cell{Loc: f.handedTo(c), Path: state.Result(n)}
				f.tellEnded(s, cell, c, summary.UntilNext)
				s.Put(i, cell, given, nil, false)
			}
			if !f.Judging {
				continue
			}
			f.flows(s, a, state.Result(n), func(x summary.Flow) {
				if x.Kind != summary.Dead && x.Kind != summary.DeadArena {
					f.Given[summary.Call{Callee: c, Flow: x}] = true
				}
			})
		}
	}
}

// handedTo returns the memory that keeps a callback's arguments.
func (f Summarizer) handedTo(c summary.Callee) *state.Loc {
	l := f.Places.Loc("handed to "+c.Func.String()+c.Method, nil, true)
	f.handed[l] = c
	return l
}

// tellHanded adds the callbacks' arguments that are dead now to the summary.
func (f Summarizer) tellHanded(s *state.State) {
	for cell, v := range s.Cells() {
		if c, ok := f.handed[cell.Loc]; ok && len(v) > 0 {
			f.tellEnded(s, cell, c, summary.AfterAll)
		}
	}
}

// tellEnded adds a callback's earlier arguments that are dead now to the summary.
func (f Summarizer) tellEnded(s *state.State, cell state.Cell, c summary.Callee, when int) {
	if !f.Judging {
		return
	}
	f.flows(s, s.In(cell), into+cell.Path, func(x summary.Flow) {
		if x.Kind == summary.Dead {
			x.Out, x.ID = strings.TrimPrefix(x.Out, into), when
			f.Given[summary.Call{Callee: c, Flow: x}] = true
		}
	})
}
