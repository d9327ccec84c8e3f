package lifetime

import (
	"fmt"
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/harena-go/arena/arenavet/internal/engine/code"
	"github.com/harena-go/arena/arenavet/internal/engine/record"
	"github.com/harena-go/arena/arenavet/internal/engine/state"
	"github.com/harena-go/arena/arenavet/internal/engine/summary"
	"github.com/harena-go/arena/arenavet/internal/knowledge/api"
	"github.com/harena-go/arena/arenavet/internal/rules/finding"
)

// This file checks values that leave a function and must be alive then: its results, the contents of memory that
// outlives it, the value of a panic. Package summarize adds them to the summary.
//
// Dead memory that leaves is a finding here, and isn't added to the summary. Memory that is alive may leave; if the
// caller resets its arena, the caller is checked. Only two cases are findings though nothing has died yet: functions
// that Do calls, since Do ends the arena, and globals, which outlive all arenas that are ever reset.

// Returns reports dead memory in a result, and an ended arena, unless the result only holds it in a field: that may be
// a pool's, or for others to handle.
func (f Reporter) Returns(s *state.State, i *ssa.Return, v state.Value) {
	s.Walk(v, map[*state.Loc]bool{}, func(c state.Cell, t state.Tag, d *state.Death) {
		what := "arena memory"
		f.noteOld(i, t)
		switch t.Kind {
		case state.Func:
			d, t = f.ofEnded(s, c, t), state.Tag{Kind: state.Handle}
			what = "a function that allocates in the arena"
		case state.Handle:
			if what = "the arena"; c.Loc != nil || d != nil && d.Verb == summary.Free {
				return
			}
		case state.Mem:
		default:
			return
		}
		if d == nil || f.Paths.Contradict(d.At, i) {
			return
		}
		k, m := f.returnedDead(i, d, what)
		f.report(k, i, d, t, m)
	})
}

// returnedDead returns the finding for a dead result. Memory that dies with the function itself escapes from it.
func (f Reporter) returnedDead(i *ssa.Return, d *state.Death, what string) (finding.Kind, string) {
	switch {
	case d.Do:
		who := "this function"
		if i.Parent().Parent() == nil {
			who = i.Parent().Name()
		}
		return finding.Escape, fmt.Sprintf("%s returns %s, which %s; return a copy, as of arena.CloneOut", who,
			strings.Replace(what, "the arena", "an arena", 1), f.reclaims(d))
	case d.Deferred:
		return finding.Escape,
			fmt.Sprintf("%s is returned, but the deferred %s %s reclaims it", what, d.Verb, f.where(d.At))
	}
	return finding.UseAfter, fmt.Sprintf("%s is returned after %s", what, f.ending(d))
}

// Outliving reports dead memory that the function has stored in memory that outlives it. After a wait for a sync.Cond,
// others have changed the Cond's parameter or global. A channel doesn't keep its contents: somebody receives them, and
// PendingAt checks when.
func (f Reporter) Outliving(s *state.State) {
	if !s.Stored() {
		return
	}
	for c, v := range s.Cells() {
		if c.Loc.Sym == nil || f.IsOwnVariable(c) || f.IsInArena(c) || f.Conds[summary.Whole(c.Loc.Sym)] ||
			strings.Contains(c.Path, state.InChannel) || strings.Contains(c.Loc.Sym.Path, state.CalledBack) {
			continue
		}
		for _, k := range keptIn(s, c, v) {
			if k.Kind == state.Mem {
				f.outlives(c, k)
			} else if k.Kind == state.Func {
				f.functionOutlives(s, c, k)
			} else if k.Kind == state.Handle && k.death == nil && k.Root.Lent && c.Loc.Sym.Param < 0 {
				f.report(finding.Escape, k.at, nil, k.Tag, "the arena of a context is kept in "+place(c))
			}
		}
	}
}

// KeptFromTurn reports a variable outside of a loop's body in which a store keeps memory of one iteration, which is
// reclaimed before the next one.
func (f Reporter) KeptFromTurn(store ssa.Instruction, t state.Tag, variable string) {
	f.report(finding.UseAfter, store, nil, t, fmt.Sprintf("in the next turn %s is of this one, which is reclaimed by "+
		"then: keep a copy, arena.DeepClone or strings.Clone", variable))
}

// Thrown reports dead memory that the value of a panic leads to, when the deferred calls have run.
func (f Reporter) Thrown(i ssa.Instruction, reached state.Value) {
	for t, d := range reached.All() {
		if t.Kind == state.Mem && d != nil {
			f.report(finding.Escape, i, d, t, fmt.Sprintf("arena memory leaves with a panic, but the deferred %s %s "+
				"reclaims it", d.Verb, f.where(d.At)))
		}
	}
}

// Overwritten reports strings in a buffer that are keys of a map that outlives the function, when append overwrites the
// buffer: a key stays, even after later stores to the map.
func (f Reporter) Overwritten(s *state.State, i ssa.Instruction, buffer *state.Root) {
	for c, v := range s.Cells() {
		for t, d := range v.All() {
			if t.Root == buffer && d == nil && c.Loc.Sym != nil && strings.HasSuffix(c.Path, state.Keys) {
				f.report(finding.Escape, i, nil, t,
					"append overwrites a string that is a key of a map: strings.Clone keeps it")
			}
		}
	}
}

// outlives checks memory in a cell reached from a cell that outlives the function. In a global even living memory is a
// finding, if its arena is reset in another function.
func (f Reporter) outlives(c state.Cell, k kept) {
	switch d := k.death; {
	// The end and the store aren't on one path.
	case d != nil && f.Paths.Contradict(d.At, k.at) || f.IsRenewed(c, d):
	case d != nil:
		f.keeps(c, k, fmt.Sprintf("%s keeps arena memory, which %s%s", place(c), f.reclaims(d), keep(k.at)))
	case c.Loc.Sym.Param < 0 && f.comesBack(k.Root):
		f.keeps(c, k, fmt.Sprintf("memory of an arena that is reset is kept in %s%s", place(c), keep(k.at)))
	}
}

// keeps reports a value that is kept in a cell. If it stays valid, it keeps more than itself.
func (f Reporter) keeps(c state.Cell, k kept, message string) {
	if k.Kind == state.Mem && f.Lasts(k.death, k.Tag) == summary.Lasting {
		f.Found.Add(finding.Kept, k.at, nil, k.Tag, place(c)+" keeps an epoch of the Pool with this"+keep(k.at))
		return
	}
	f.report(finding.Escape, k.at, k.death, k.Tag, message)
}

// keep returns the advice for an instruction that stores into a map, a cache or the like, or a log record.
func keep(at ssa.Instruction) string {
	const hint = "; keep copies, as of arena.Keep(a, key, value)"
	switch at := at.(type) {
	case *ssa.MapUpdate:
		return hint
	case ssa.CallInstruction:
		m := at.Common().Method
		if fn := at.Common().StaticCallee(); fn != nil {
			m, _ = fn.Object().(*types.Func)
		}
		if m != nil && m.Pkg() != nil && m.Pkg().Path() == "log/slog" {
			return "; arenaslog.Handler copies records for a handler that keeps them"
		}
		name := ""
		if m != nil && m.Signature().Recv() != nil && m.Signature().Params().Len() > 1 {
			name = m.Name()
		}
		for _, verb := range []string{"Add", "Set", "Store", "Put"} {
			if strings.HasPrefix(name, verb) {
				return hint
			}
		}
	}
	return "; keep a copy, as of arena.CloneOut"
}

// keptFunction returns the instruction that has stored a function literal in memory reached from cell c, if the literal
// has captured a value that leads to cell captured; nil if there is none. Keeping the literal is one mistake, however
// much it has captured.
func keptFunction(s *state.State, c, captured state.Cell) (by ssa.Instruction) {
	s.Walk(s.In(c), map[*state.Loc]bool{}, func(in state.Cell, t state.Tag, _ *state.Death) {
		m, ok := t.Func.(*ssa.MakeClosure)
		if !ok {
			return
		}
		if in.Loc == nil {
			in = c
		}
		put, leads := storedAt(s, in, t), false
		s.Walk(state.To(s.Fresh(m, "")), map[*state.Loc]bool{}, func(x state.Cell, _ state.Tag, _ *state.Death) {
			leads = leads || x == captured
		})
		if put != nil && leads && (by == nil || state.Position(put) < state.Position(by)) {
			by = put
		}
	})
	return by
}

// functionOutlives checks a function in such a cell: it must not be called if it allocates in an arena that has ended.
func (f Reporter) functionOutlives(s *state.State, c state.Cell, k kept) {
	d := f.ofEnded(s, k.in, k.Tag)
	if d == nil || f.Paths.Contradict(d.At, k.at) {
		return
	}
	f.report(finding.Escape, k.at, d, state.Tag{Kind: state.Handle},
		fmt.Sprintf("a function that allocates in the arena is kept in %s beyond %s", place(c), f.ending(d)))
}

// ofEnded returns the death of an arena that a function literal has captured and allocates from, nil if there is none.
// A literal that sync.OnceValue and the like have called already doesn't allocate any more.
func (f Reporter) ofEnded(s *state.State, in state.Cell, fn state.Tag) *state.Death {
	if _, called := s.Known(state.Cell{Loc: in.Loc, Path: state.OnceResult}); called && in.Path == state.OnceFunc {
		return nil
	}
	for _, t := range record.TargetsOf(state.Just(state.Tag{Kind: state.Func, Func: fn.Func}, nil)) {
		sum := f.Program.Summary(t.Fn)
		if sum == nil {
			continue
		}
		all := t.All(s, nil)
		for _, x := range sum.Fills {
			if x.Param < len(t.Fn.Params) && (!t.Bound || x.Param > 0) {
				continue // its callers'
			}
			for h, d := range s.Follow(x, all).All() {
				if h.Is(state.Handle) && d != nil {
					return d
				}
			}
		}
	}
	return nil
}

// A kept is a tag in a cell reached from a cell that outlives the function.
type kept struct {
	state.Tag
	in    state.Cell
	death *state.Death
	at    ssa.Instruction // the store that a finding is about
}

// keptIn returns the function's stores to memory reached from a cell that outlives it and has the value v. If one call
// has both made and filled the memory, as decoders do, the finding is about the store of the whole, if there is one.
func keptIn(s *state.State, c state.Cell, v state.Value) (list []kept) {
	stored := map[*state.Root]bool{}
	s.Walk(v, map[*state.Loc]bool{}, func(in state.Cell, t state.Tag, d *state.Death) {
		if in.Loc == nil { // Walk doesn't pass the cell of the value itself
			in = c
		}
		if t.Kind == state.Ptr {
			return
		}
		if at := keptAt(s, c, in, t); at != nil {
			list = append(list, kept{t, in, d, at})
			stored[t.Root] = stored[t.Root] || at != t.Site
		}
	})
	return slices.DeleteFunc(list, func(k kept) bool { return k.Kind == state.Mem && k.at == k.Site && stored[k.Root] })
}

// keptAt returns the store that the finding about a tag in cell in points at; cell c, which leads to it, outlives the
// function. It is the function's store to c, if there is one: the kept memory's contents may have been stored earlier,
// and rightly.
func keptAt(s *state.State, c, in state.Cell, t state.Tag) ssa.Instruction {
	at := storedAt(s, in, t)
	if at == nil || in == c || t.Kind != state.Mem {
		return at
	}
	isOfArena := func(x state.Tag) bool { return x.Kind == state.Mem && x.Root == t.Root }
	if kept := firstPut(s, c, isOfArena); kept != nil {
		return kept
	}
	if fn := keptFunction(s, c, in); fn != nil {
		return fn
	}
	return at
}

// storedAt returns the first instruction that has stored a tag in a cell: the finding points at the store, not at the
// return.
func storedAt(s *state.State, c state.Cell, t state.Tag) ssa.Instruction {
	return firstPut(s, c, func(x state.Tag) bool { return x.Bare() == t.Bare() })
}

// firstPut returns the first instruction, in source order, that has stored a tag accepted by is in a cell.
func firstPut(s *state.State, c state.Cell, is func(state.Tag) bool) ssa.Instruction {
	var first ssa.Instruction
	for _, put := range s.Puts(c) {
		if is(put.Tag) && (first == nil || state.Position(put.By) < state.Position(first)) {
			first = put.By
		}
	}
	return first
}

// comesBack reports whether an arena is reset, or put back, somewhere: a Pool's always is, and one in a field or a
// global if any function of the package does so.
func (f Reporter) comesBack(r *state.Root) bool {
	for ; r != nil; r = r.Parent {
		if r.Kind == state.Lent || r.Lent || r.Object != nil && f.Program.Resettable[r.Object] {
			return true
		}
	}
	return false
}

// place returns the name of a cell for messages: its variable and the fields on the path, as far as there are such.
func place(c state.Cell) string {
	// Globals are named with their package, which is this one.
	if s := c.Loc.Sym; s.Param < 0 {
		return "the global " + s.Global[strings.LastIndexByte(s.Global, '.')+1:]
	}
	plain := strings.NewReplacer(state.Elements, "[...]", state.Keys, "[...]", state.Inside, "")
	what := plain.Replace(strings.TrimPrefix(c.Loc.Name+c.Path, "."))
	if strings.Contains(what, " ") || what == "" {
		return "memory that outlives it"
	}
	return what
}

// This part checks handlers of requests. The arena of a request ends with the handler; values of it that the handler
// keeps, for the next request or in a goroutine, escape. Package code recognizes handlers.

// KeptBeyondRequest reports memory of a context's arena, or the arena itself, that a handler leaves where the next
// request finds it: in its receiver, in its captured variables. The contents of the request and its answer end with the
// request.
func (f Reporter) KeptBeyondRequest(s *state.State) {
	own := code.RequestParams(f.Fn)
	if own == 0 || code.KeepsRequest(f.Fn) {
		return
	}
	for p := range s.Pending {
		if p.Given || !p.Root.Lent || f.detaches(f.Fn) || f.startsDetached(p.At) {
			continue
		}
		if p.Site == nil {
			if p.What == state.ByGo {
				f.report(finding.Escape, p.At, nil, state.Tag{Kind: state.Handle, Root: p.Root},
					"the request's arena is used by a goroutine, and the request ends without waiting")
			}
			continue
		}
		how := "is given to a goroutine"
		if p.What == state.BySend {
			how = "is sent to another goroutine"
		}
		f.report(finding.Escape, p.At, nil, state.Tag{Kind: state.Mem, Root: p.Root, Site: p.Site},
			"memory of the request's arena "+how+", and the request ends without waiting")
	}
	for c, v := range s.Cells() {
		if c.Loc.Sym == nil || strings.Contains(c.Path, state.InChannel) {
			continue
		}
		n := c.Loc.Sym.Param
		if n >= len(f.Fn.Params)-own && n < len(f.Fn.Params) || n < 0 ||
			strings.Contains(c.Loc.Sym.Path, state.CalledBack) {
			continue
		}
		for _, k := range keptIn(s, c, v) {
			if (k.Kind != state.Mem && k.Kind != state.Handle) || k.death != nil || !k.Root.Lent {
				continue
			}
			what, hint := "memory of the request's arena", keep(k.at)
			if !strings.Contains(hint, "arenaslog") {
				hint = "; keep arena.CloneOut(arena.FromContext(ctx), v)"
			}
			if k.Kind == state.Handle {
				what, hint = "the request's arena", ""
			}
			f.keeps(c, k, what+" is kept in "+place(c)+" beyond the request"+hint)
		}
	}
}

// detaches reports whether a handler detaches its arena by package arenahttp, or calls a function that does. A function
// that starts a goroutine as well detaches for that goroutine only.
func (f Reporter) detaches(fn *ssa.Function) bool {
	for c := range api.Calls(fn) {
		if code.IsDetach(code.CalleeName(c.Common())) {
			return true
		}
		if sum := f.detachesIn(c); sum != nil && len(sum.Gives)+len(sum.Pending) == 0 {
			return true
		}
	}
	return slices.ContainsFunc(fn.AnonFuncs, f.detaches)
}

// startsDetached reports whether a call that has left a goroutine running has detached the arena for it by package
// arenahttp.
func (f Reporter) startsDetached(at ssa.Instruction) bool {
	c, ok := at.(*ssa.Call)
	return ok && f.detachesIn(c) != nil
}

// detachesIn returns the callee's summary, if it detaches.
func (f Reporter) detachesIn(c ssa.CallInstruction) *summary.Summary {
	fn := c.Common().StaticCallee()
	if fn == nil {
		return nil
	}
	if sum := f.Program.Summary(fn); sum != nil && sum.Detaches {
		return sum
	}
	return nil
}
