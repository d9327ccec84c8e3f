package flow

import (
	"fmt"
	"slices"
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
//	(8) functions that it is given are called with other things: see yield.go
//
// Arguments are kept in memory during (3), where they die with all others.
func (f *function) apply(s *state.State, i ssa.CallInstruction, sum *summary.Summary, all []state.Value, deferred bool) state.Value {
	f.spend(len(sum.Results) + len(sum.Stores) + len(sum.Uses))
	f.applyUses(s, i, sum, all)
	f.applyWaits(s, i, sum, all)
	if sum.Unknown {
		s.Clobber(all)
		return f.unknown(i)
	}
	// (3), from here until the arguments are taken out again. Which arenas these are is
	// asked first: a function may forget the one that it has put back.
	ends := make([]*state.Root, len(sum.Kills))
	for n, k := range sum.Kills {
		ends[n] = s.Resolve(f.follow(s, i, k.Root, all), nil)
	}
	if !deferred {
		f.applyPanics(s, i, sum, all)
	}
	kept := s.Keep(i, all)
	for _, x := range sum.Clears {
		s.Assign(i, x, all, nil, true)
		f.clearedElements(s, x, sum.Clears, all)
	}
	for n, k := range sum.Kills {
		if ends[n] != nil {
			f.applyKill(s, i, k, ends[n], all, deferred)
		}
	}
	all = s.Take(kept, len(all))
	f.applyReplaces(s, i, sum, all) // (4)
	// (5) Each is to keep nothing, as if Do called it.
	for _, c := range sum.Calls {
		if c.Param < len(all) {
			f.pkg.lent(all[c.Param], c.Arg)
			f.lend(s, i, all[c.Param], c.Arg)
		}
	}
	// (6) and (7).
	f.applyGoroutines(s, i, sum, all)
	holders := f.pkg.holders(sum.Stores)
	for n := range sum.Stores {
		f.applyStore(s, i, &sum.Stores[n], holders[n], all)
	}
	for _, x := range sum.Stores {
		if x.Flow.Kind == summary.Code {
			f.captured(s, i, []summary.Flow{x.Flow}, x.Into.String())
		}
	}
	v := f.results(s, i, sum, all)
	f.applyYields(s, i, sum, all)
	return v
}

// clearedElements notes that a callee has left nothing in elements of a slice or an array: callers of this function are
// told of it, too. A map's may be just the one for which the callee was given the key.
func (f *function) clearedElements(s *state.State, x summary.Sym, clears []summary.Sym, all []state.Value) {
	n := strings.LastIndexByte(x.Path, '*')
	if n < 0 || !strings.Contains(x.Path[n:], elements) {
		return
	}
	key := x
	key.Path = x.Path[:strings.LastIndex(x.Path, elements)] + keys
	if slices.Contains(clears, key) {
		return
	}
	for t := range s.Follow(summary.Sym{Param: x.Param, Global: x.Global, Path: x.Path[:n]}, all).All() {
		if t.Is(state.Ptr) {
			f.cleared[state.Cell{Loc: t.Loc, Path: t.Off + x.Path[n+1:]}] = true
		}
	}
}

// applyReplaces puts another arena where one was. Nothing is known of it, but that it is
// another one, unless it is a child of one that is known.
func (f *function) applyReplaces(s *state.State, i ssa.CallInstruction, sum *summary.Summary, all []state.Value) {
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

// noteReplacedBy notes what a call puts something else into, by the names that it has here: who empties an arena and makes
// anew what was in it leaves nothing behind.
//
//	func (l *lexer) reset() {
//		l.arena.Reset()
//		l.names = collections.NewInterner(l.arena, 64)
//	}
func (f *function) noteReplacedBy(s *state.State, i ssa.CallInstruction, x summary.Sym, all []state.Value) {
	n := strings.LastIndexByte(x.Path, '*')
	if n < 0 {
		return
	}
	for t := range s.Follow(summary.Sym{Param: x.Param, Global: x.Global, Path: x.Path[:n]}, all).All() {
		if !t.Is(state.Ptr) {
			continue
		}
		if at := t.Loc.Sym.Add(t.Off + x.Path[n+1:]); at != nil {
			if f.renewed[i] == nil {
				f.renewed[i] = map[summary.Sym]bool{}
			}
			f.renewed[i][*at] = true
		}
	}
}

// isRenewed says whether the call that has ended an arena has put something else into a cell, or into one on the way to it.
func (f *function) isRenewed(c state.Cell, d *state.Death) bool {
	at := c.Loc.Sym.Add(c.Path)
	if d == nil || at == nil {
		return false
	}
	for x := range f.renewed[d.At] {
		if rest, ok := strings.CutPrefix(at.Path, x.Path); ok && whole(at) == whole(&x) && (rest == "" || rest[0] == '*' || state.StartsPath(rest)) {
			return true
		}
	}
	return false
}

// applyUses is what the callee uses while it runs: memory and arenas.
func (f *function) applyUses(s *state.State, i ssa.CallInstruction, sum *summary.Summary, all []state.Value) {
	for _, x := range sum.Uses {
		f.used(s, i, f.follow(s, i, x, all), "is used by the function that is called")
	}
	for _, x := range sum.Touches {
		if r := s.Resolve(f.follow(s, i, x, all), nil); r != nil {
			f.share(s, i, r, "call")
		}
	}
	for _, x := range sum.Needs {
		f.touch(s, i, f.follow(s, i, x, all), "call", argument(i, x.Param))
	}
	for _, x := range sum.Fills {
		f.fillsArena(f.follow(s, i, x, all))
	}
}

// applyWaits is what the callee does that has to do with other goroutines, and may
// see to it that they are done.
func (f *function) applyWaits(s *state.State, i ssa.CallInstruction, sum *summary.Summary, all []state.Value) {
	if sum.Waits {
		f.wait(s)
	}
	if sum.Polls {
		f.poll(s)
	}
	if sum.Locks {
		f.summary.Locks = true
	}
	if sum.Detaches {
		f.summary.Detaches = true
	}
	for _, x := range sum.Stops {
		f.stops(s, f.follow(s, i, x, all))
	}
}

// applyKill ends an arena. The mark of a Rewind is looked for where package arena's
// type Mark has the arena: that is how a mark is known to this analysis.
func (f *function) applyKill(s *state.State, i ssa.CallInstruction, k summary.Kill, r *state.Root, all []state.Value, deferred bool) {
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
		r := s.Resolve(f.follow(s, i, p.Root, all), nil)
		if r == nil || r.Shared {
			continue
		}
		q := state.Pending{At: i, Root: r, What: state.PendingKind(p.What)}
		if q.What == state.ByFlight {
			q.What = state.BySend
		}
		if p.Memory {
			q.Site = i
		}
		s.Pending[q] = true
	}
	for _, g := range sum.Gives {
		how := state.PendingKind(g.How)
		// A result tells whether it was sent, and whether to wait.
		if how == state.BySend && mayFail(i.Common().Signature()) && f.waitsAfter(i) {
			continue
		}
		if how == state.ByFlight { // the caller may see to it that they are done
			how = state.BySend
		}
		for t, d := range s.Reach(f.follow(s, i, g.What, all)).All() {
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
func (f *function) applyStore(s *state.State, i ssa.CallInstruction, x *summary.Store, in holder, all []state.Value) {
	v := f.flowing(s, i, x.Flow, all)
	// The flow's Out is where in the value that is stored; see Store.
	_, rest := behind(x.Flow.Out)
	if in.name != "" {
		s.Put(i, state.Cell{Loc: s.Fresh(i, in.name), Path: rest}, v, nil, false)
		v = f.holds(s, i, in)
	} else {
		v = v.As(rest)
	}
	s.Assign(i, x.Into, all, v, false)
}

// A holder names memory that a callee has made, and in which there is something: the way
// to it, behind what tells apart those of one call.
type holder struct {
	name string
	from int // where in the name the way begins
}

// holders returns the holders of what is stored, none for what is in none. They are named
// once for a summary: at each call that took half of applyStore's time, which was 38 ms of
// go/parser's 200 in BenchmarkAgainstVet.
func (p *program) holders(stores []summary.Store) []holder {
	if len(stores) == 0 {
		return nil
	}
	list := p.holding[&stores[0]]
	if len(list) >= len(stores) {
		return list
	}
	list = make([]holder, len(stores))
	for n := range stores {
		if way, _ := behind(stores[n].Flow.Out); way != "" {
			of := stores[n].Into.String()
			list[n] = holder{of + way, len(of)}
		}
	}
	p.holding[&stores[0]] = list
	return list
}

// flowing returns what a Flow brings. What the callee has made is made by the call,
// as far as this function can see: memory and arenas are those of the call
// instruction, told apart by ID. What has died in the callee died by the call.
func (f *function) flowing(s *state.State, i ssa.CallInstruction, x summary.Flow, all []state.Value) state.Value {
	memory := func(r *state.Root) state.Tag { return state.Tag{Kind: state.Mem, Root: r, Site: i} }
	switch x.Kind {
	case summary.Same:
		return f.follow(s, i, x.From, all)
	case summary.Memory:
		if r := s.Resolve(f.follow(s, i, x.From, all), nil); r != nil {
			return state.WithMemory(s.FreshInside(i, x.Out), r)
		}
		return state.To(s.FreshInside(i, x.Out))
	case summary.New:
		return state.Arena(f.made(i, x))
	case summary.Lent:
		r := f.made(i, x)
		if x.Verb == summary.Get {
			if pool := s.Resolve(f.follow(s, i, x.From, all), nil); pool != nil {
				add(&r.Pools, pool)
			}
		}
		return state.Arena(r)
	case summary.Child:
		r := f.made(i, x)
		r.BelongsTo(s.Resolve(f.follow(s, i, x.From, all), nil))
		return state.Arena(r)
	case summary.MemoryNew:
		return state.WithMemory(s.FreshInside(i, x.Out), f.made(i, x))
	case summary.Made:
		return state.To(s.FreshInside(i, x.Out))
	case summary.Code:
		if x.ID < len(f.pkg.literals) {
			m := f.pkg.literals[x.ID]
			return state.To(s.Fresh(m, "")).With(state.Tag{Kind: state.Func, Func: m}, nil)
		}
	// Its arena isn't known, and doesn't matter any more.
	case summary.Dead:
		return state.Just(memory(s.Root(key("over", i), state.Opaque)), f.deathInDo(i, x.Verb, false))
	case summary.DeadArena:
		r := s.Root(key("over", i), state.Opaque)
		return state.Just(state.Tag{Kind: state.Handle, Root: r}, f.deathInDo(i, x.Verb, false))
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
	} else if x.Kind == summary.Child {
		kind = state.Child
	}
	r := f.root("made", i, x.ID, kind)
	r.Site, r.Unsure = i, true
	return r
}

// A numbered is one of several arenas of a call.
type numbered struct {
	kind string
	by   ssa.CallInstruction
	n    int
}

// root returns the n-th arena of some that a call makes or replaces. Its key takes long
// to print.
func (f *function) root(key string, i ssa.CallInstruction, n int, kind state.RootKind) *state.Root {
	r := f.roots[numbered{key, i, n}]
	if r == nil {
		r = f.places.Root(fmt.Sprintf("%s %p %d", key, i, n), kind)
		f.roots[numbered{key, i, n}] = r
	}
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
		if x.Kind == summary.New || x.Kind == summary.Lent || x.Kind == summary.Child {
			r := f.made(i, x)
			s.RenewMade(i, r)
			r.Pools = nil
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
	pointers := f.resultsBehind(s, i, sum.Results, "", all)
	if !tuple {
		pointers = pointers.Part(first)
	}
	out, _ = out.Join(pointers)
	f.captured(s, i, sum.Results, "")
	// What is known of a result, if only a part, is all that it is.
	if !tuple && len(out) > 0 {
		return out
	}
	out, _ = out.Join(f.unknown(i).Only(func(t state.Tag) bool { return !tuple || len(t.Path) < 2 || !known[t.Path[:2]] }))
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
		out, _ = out.Join(f.flowing(s, i, x, all).As(at(x.Out)))
	}
	return out, known
}

// behind splits the way to what is behind pointers that the callee has made, into
// that to the pointer to the memory in which it is, and the place there. The way is
// that to the place if there is no pointer. What is beyond, where nobody knows, is
// in the first of that memory.
//
//	#0*.name       #0          .name
//	#0*.items*[]   #0*.items   []
//	#0**           #0          *
func behind(out string) (holder, rest string) {
	if first, ok := strings.CutSuffix(out, beyond); ok {
		return out[:len(first)+len(here)], beyond[1:]
	}
	n := strings.LastIndexByte(out, '*')
	return out[:n+1], out[n+1:]
}

// here ends the name of a holder, so that none is empty.
const here = "*"

// holds returns a pointer to the first of the memory on the way to a holder, and
// sees to it that the rest of the way is there.
func (f *function) holds(s *state.State, i ssa.CallInstruction, in holder) state.Value {
	name := in.name
	first := in.from + strings.IndexByte(name[in.from:], '*')
	for n := first; n < len(name)-len(here); {
		end := n + 1 + strings.IndexByte(name[n+1:], '*')
		s.Put(i, state.Cell{Loc: s.Fresh(i, name[:n+1]), Path: name[n+1 : end]}, state.To(s.Fresh(i, name[:end+1])), nil, false)
		n = end
	}
	return state.To(s.Fresh(i, name[:first+1])).As(name[in.from:first])
}

// resultsBehind puts what a call returns behind pointers that the callee has made
// into memory of the call's own, and returns the pointers, with where in the result
// they are. All that is brought is looked up before the memory of an earlier turn of
// a loop, which may be among it, is emptied.
func (f *function) resultsBehind(s *state.State, i ssa.CallInstruction, flows []summary.Flow, of string, all []state.Value) state.Value {
	list := f.inner[:0]
	f.inner = nil // what a flow brings may be what another call returns
	for n := range flows {
		x := &flows[n]
		if way, rest := behind(x.Out); way != "" {
			list = append(list, inner{way, rest, nil, f.flowing(s, i, *x, all)})
		}
	}
	for n := range list {
		x := &list[n]
		if n == 0 || list[n-1].holder != x.holder {
			x.loc = s.Make(i, of+x.holder)
		} else {
			x.loc = list[n-1].loc
		}
	}
	var pointers state.Value
	for n := range list {
		x := &list[n]
		s.Put(i, state.Cell{Loc: x.loc, Path: x.rest}, x.brought, nil, false)
		// Most often there are several in one holder.
		if n > 0 && list[n-1].loc == x.loc || slices.ContainsFunc(list[:n], func(y inner) bool { return y.loc == x.loc }) {
			continue
		}
		pointers, _ = pointers.Join(f.holds(s, i, holder{of + x.holder, len(of)}))
	}
	clear(list)
	f.inner = list
	return pointers
}

// An inner is something that a call returns behind a pointer.
type inner struct {
	holder, rest string
	loc          *state.Loc // the holder
	brought      state.Value
}
