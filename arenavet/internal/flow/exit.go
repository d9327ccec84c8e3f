package flow

import (
	"fmt"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/harena-go/arena/arenavet/internal/api"
	"github.com/harena-go/arena/arenavet/internal/flow/state"
	"github.com/harena-go/arena/arenavet/internal/flow/summary"
)

// This file holds what leaves a function, and must be alive then: its results, what
// is in memory that outlives it, the value of a panic. What callers are told of all
// that is in leave.go.
//
// Dead memory that leaves is a finding here, and callers aren't told of it again.
// Memory that is alive may leave; that its arena is reset in the caller is for the
// caller to see. Only two cases are judged here though nothing has died yet:
// functions that Do calls, since Do ends the arena, and globals, which outlive all
// arenas that are ever reset.

// exit looks at one return. Until all states are final there is nothing to tell.
// First the arena of Do ends, if the function is one that Do calls; then each
// result, then all memory that outlives the function is looked at, for findings and
// for the summary.
func (f *function) exit(s *state.State, i *ssa.Return) {
	if !f.judging {
		return
	}
	if n, ok := f.pkg.do[f.fn]; ok && n < len(f.fn.Params) {
		f.endDo(s, i, f.fn.Params[n])
	}
	for n, x := range i.Results {
		v := s.Of(x)
		f.returns(s, i, v)
		f.returned(s, v, n)
	}
	f.outliving(s)
	f.keptBeyondRequest(s)
	if !isIdle(i) {
		f.leave(s)
	}
}

// endDo ends the arena of a function that Do calls, as Do does when it returns.
// Whoever uses the arena then, or has its memory, is found by what follows.
func (f *function) endDo(s *state.State, i *ssa.Return, param *ssa.Parameter) {
	v := s.Of(param)
	r := s.Resolve(v, param)
	if r == nil || f.endedInDo(v) {
		return
	}
	d := f.deathInDo(i, summary.DoEnds, true)
	f.share(s, i, r, summary.DoEnds)
	f.end(s, r, d, nil)
}

// endedInDo says whether the arena of a Do was freed in it, and reports it if it
// was put back.
func (f *function) endedInDo(v state.Value) bool {
	for t, d := range v.All() {
		if t.Is(state.Handle) && d != nil {
			if d.Verb == summary.Put {
				f.report(UseAfter, d.At, d, t, "Put: the arena is Do's, which puts it back itself")
			}
			return d.Verb == summary.Free
		}
	}
	return false
}

// returns reports dead memory in a result, and an arena that has ended, unless it
// is only held by what is returned: that may be a pool's, or for others to see to.
func (f *function) returns(s *state.State, i *ssa.Return, v state.Value) {
	s.Walk(v, map[*state.Loc]bool{}, func(c state.Cell, t state.Tag, d *state.Death) {
		what := "arena memory"
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
		if d == nil || f.paths.contradict(d.At, i) {
			return
		}
		k, m := f.returnedDead(i, d, what)
		f.report(k, i, d, t, m)
	})
}

// returnedDead says what is wrong with the return of something dead. What dies with
// the function itself escapes from it.
func (f *function) returnedDead(i *ssa.Return, d *state.Death, what string) (Kind, string) {
	switch {
	case d.Do:
		m := fmt.Sprintf("%s is returned, but it is taken back at %s", what, d.Verb)
		if d.At != ssa.Instruction(i) {
			m += " " + f.where(d.At)
		}
		return Escape, m
	case d.Deferred:
		return Escape, fmt.Sprintf("%s is returned, but the deferred %s %s takes it back", what, d.Verb, f.where(d.At))
	}
	return UseAfter, fmt.Sprintf("%s is returned after %s", what, f.ending(d))
}

// outliving reports dead memory in what outlives the function, if the function has
// put it there. Where it has waited for a sync.Cond, others have changed what that belongs
// to. A channel doesn't keep what is in it: somebody takes it out, and when is for
// goroutine.go to judge.
func (f *function) outliving(s *state.State) {
	if !s.Stored() {
		return
	}
	for c, v := range s.Cells() {
		if c.Loc.Sym == nil || f.isOwnVariable(c) || f.conds[whole(c.Loc.Sym)] || strings.Contains(c.Path, inChannel) || strings.Contains(c.Loc.Sym.Path, calledBack) {
			continue
		}
		s.Walk(v, map[*state.Loc]bool{}, func(in state.Cell, t state.Tag, d *state.Death) {
			// Walk doesn't know in which cell the value was with which it begins.
			if in.Loc == nil {
				in = c
			}
			if t.Kind == state.Mem {
				f.outlives(s, c, in, t, d)
			} else if t.Kind == state.Func {
				f.functionOutlives(s, c, in, t)
			} else if t.Kind == state.Handle && d == nil && t.Root.Lent && c.Loc.Sym.Param < 0 {
				if at := storedAt(s, in, t); at != nil {
					f.report(Escape, at, nil, t, "the arena of a context is kept in "+place(c))
				}
			}
		})
	}
}

// whole returns the name of the parameter or global of which another name is a part.
func whole(x *summary.Sym) summary.Sym { return summary.Sym{Param: x.Param, Global: x.Global} }

// outlives looks at memory in a cell, to which another cell leads that outlives the
// function. That it is alive doesn't help if it is in a global, and its arena is
// reset in another function.
//
// The finding is about the store into the cell that outlives the function, if it has made one: what the memory that
// is kept there leads to may have been put there before, and rightly.
func (f *function) outlives(s *state.State, c, in state.Cell, t state.Tag, d *state.Death) {
	at := storedAt(s, in, t)
	if at != nil && in != c {
		if kept := firstPut(s, c, func(x state.Tag) bool { return x.Kind == state.Mem && x.Root == t.Root }); kept != nil {
			at = kept
		} else if fn := keptFunction(s, c, in); fn != nil {
			at = fn
		}
	}
	switch {
	// It was there before, or is put there only where its end isn't.
	case at == nil || d != nil && f.paths.contradict(d.At, at) || f.isRenewed(c, d):
	case d != nil:
		f.report(Escape, at, d, t, fmt.Sprintf("arena memory is kept in %s beyond %s", place(c), f.ending(d)))
	case c.Loc.Sym.Param < 0 && f.comesBack(t.Root):
		f.report(Escape, at, d, t, fmt.Sprintf("memory of an arena that is reset is kept in %s", place(c)))
	}
}

// keptFunction returns the instruction that has put a function literal where a cell leads to
// which has captured what leads to another cell, nil if there is none. All that the literal
// has captured is kept by one mistake.
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

// functionOutlives looks at a function in such a cell: nobody can call it if it allocates
// in an arena that has ended.
func (f *function) functionOutlives(s *state.State, c, in state.Cell, t state.Tag) {
	d := f.ofEnded(s, in, t)
	at := storedAt(s, in, t)
	if d == nil || at == nil || f.paths.contradict(d.At, at) {
		return
	}
	f.report(Escape, at, d, state.Tag{Kind: state.Handle}, fmt.Sprintf("a function that allocates in the arena is kept in %s beyond %s", place(c), f.ending(d)))
}

// ofEnded returns how an arena has ended in which a function literal allocates that has
// captured it. One that is called once, and was, in a cell of sync.OnceValue's, doesn't
// allocate any more.
func (f *function) ofEnded(s *state.State, in state.Cell, fn state.Tag) *state.Death {
	if _, called := s.Known(state.Cell{Loc: in.Loc, Path: kept}); called && in.Path == onceFunc {
		return nil
	}
	for _, t := range targetsOf(state.Just(state.Tag{Kind: state.Func, Func: fn.Func}, nil)) {
		sum := f.pkg.summary(t.fn)
		if sum == nil {
			continue
		}
		all := t.all(s, nil)
		for _, x := range sum.Fills {
			if x.Param < len(t.fn.Params) && (!t.bound || x.Param > 0) {
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

// storedAt returns the first instruction that has put a tag into a cell: a finding is
// about the store, not about the return.
func storedAt(s *state.State, c state.Cell, t state.Tag) ssa.Instruction {
	return firstPut(s, c, func(x state.Tag) bool { return x.Bare() == t.Bare() })
}

// firstPut returns the first instruction, in the order of the source, that has put one of
// some tags into a cell.
func firstPut(s *state.State, c state.Cell, is func(state.Tag) bool) ssa.Instruction {
	var first ssa.Instruction
	for _, put := range s.Puts(c) {
		if is(put.Tag) && (first == nil || state.Position(put.By) < state.Position(first)) {
			first = put.By
		}
	}
	return first
}

// isOwnVariable says whether a cell is a variable of the function around this
// closure, which sees to it.
func (f *function) isOwnVariable(c state.Cell) bool {
	return c.Loc.Sym.Param >= len(f.fn.Params) && strings.Count(c.Loc.Sym.Path, "*") == 1
}

// comesBack says whether an arena is reset, or put back, somewhere: one from a pool
// always is, and one in a field or a global if any function of the package does so.
func (f *function) comesBack(r *state.Root) bool {
	for ; r != nil; r = r.Parent {
		if r.Kind == state.Lent || r.Lent || r.Object != nil && f.pkg.resettable[r.Object] {
			return true
		}
	}
	return false
}

// place names a cell for people: by its variable and the fields on the way, as far
// as there are such.
func place(c state.Cell) string {
	// Globals are named with their package, which is this one.
	if s := c.Loc.Sym; s.Param < 0 {
		return "the global " + s.Global[strings.LastIndexByte(s.Global, '.')+1:]
	}
	what := strings.NewReplacer(elements, "[...]", keys, "[...]", inside, "").Replace(strings.TrimPrefix(c.Loc.Name+c.Path, "."))
	if strings.Contains(what, " ") || what == "" {
		return "memory that outlives it"
	}
	return what
}

// panics looks at the value that leaves a function with a panic: deferred calls are made
// before anybody sees it, and Do ends its arena. Where a function recovers nothing leaves.
func (f *function) panics(s *state.State, i *ssa.Panic) {
	f.panicsWith(s, i, s.Of(i.X))
}

// applyPanics looks at the value of a panic that a callee may leave with.
func (f *function) applyPanics(s *state.State, i ssa.CallInstruction, sum *summary.Summary, all []state.Value) {
	for _, x := range sum.Panics {
		if r := s.Resolve(f.follow(s, i, x, all), nil); r != nil {
			f.panicsWith(s, i, state.Just(state.Tag{Kind: state.Mem, Root: r, Site: i}, nil))
		}
	}
}

// panicsWith looks at the value of a panic. Callers are told of it, as long as nobody
// recovers.
func (f *function) panicsWith(s *state.State, i ssa.Instruction, x state.Value) {
	if len(s.Reach(x)) == 0 || f.recovers(s.Defers) {
		return
	}
	f.panicsInDo(s, i, x)
	if f.judging {
		for t, d := range s.Reach(x).All() {
			if sym := outermostName(t); sym != nil && sym.Param >= 0 && d == nil {
				add(&f.summary.Panics, *sym)
			}
		}
	}
	if len(s.Defers) == 0 {
		return
	}
	after := s.Clone()
	l := after.Fresh(i, "panic")
	after.Set(state.Cell{Loc: l}, x)
	for n := len(after.Defers) - 1; n >= 0; n-- {
		f.call(after, after.Defers[n], true)
	}
	for t, d := range after.Reach(after.In(state.Cell{Loc: l})).All() {
		if t.Kind == state.Mem && d != nil {
			f.report(Escape, i, d, t, fmt.Sprintf("arena memory leaves with a panic, but the deferred %s %s takes it back", d.Verb, f.where(d.At)))
		}
	}
}

// recovers says whether a deferred call may recover: a literal that does, or a function
// of which the code isn't known.
func (f *function) recovers(defers []*ssa.Defer) bool {
	for _, d := range defers {
		fn := d.Common().StaticCallee()
		if f.pkg.callee(d.Common()) != nil || d.Common().IsInvoke() {
			continue
		}
		if fn == nil || len(fn.Blocks) == 0 && fn.Pkg == f.pkg.ssa || api.CallsBuiltin(fn, "recover") {
			return true
		}
	}
	return false
}

// outermostName returns the name of the arena of which something is memory, nil if callers
// don't know it.
func outermostName(t state.Tag) *summary.Sym {
	if t.Kind != state.Mem {
		return nil
	}
	return outermost(t.Root).Sym
}

func (f *function) panicsInDo(s *state.State, i ssa.Instruction, x state.Value) {
	n, ok := f.pkg.do[f.fn]
	if !ok || n >= len(f.fn.Params) {
		return
	}
	r := s.Resolve(s.Of(f.fn.Params[n]), nil)
	if r == nil {
		return
	}
	for t := range s.Reach(x).All() {
		if t.Kind == state.Mem && t.Root.Within(r) {
			f.report(Escape, i, nil, t, "arena memory leaves Do with a panic")
		}
	}
}
