package flow

import (
	"fmt"
	"go/types"
	"maps"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/harena-go/arena/arenavet/internal/api"
	"github.com/harena-go/arena/arenavet/internal/flow/state"
	"github.com/harena-go/arena/arenavet/internal/flow/std"
	"github.com/harena-go/arena/arenavet/internal/flow/summary"
)

// This file holds what several goroutines use. The life of what another goroutine
// has:
//
//	(1) go, a send, or a function that starts a goroutine gives it: it is pending
//	(2) the function goes on, and calls others: an arena that is pending and is used is
//	    a finding, and so is memory that is pending when its arena takes it back
//	(3) the function waits for something that may be the goroutine: nothing is pending
//	(4) the function returns: callers are told what is, and (2) goes on there
//
// That the goroutine is really done in (3) can't be known, and is taken for
// granted: there is no telling which channel or lock is for what. Who takes a lock
// isn't looked at.

// goes takes a state past the start of a goroutine that runs a function, the one
// that the statement calls or, by way of a function that starts it, an argument.
//
//	go f(x, a)            direct: x is given, a is used
//	wg.Go(func() {...})   what the literal has captured is given, what it uses is used
//
// What the goroutine uses at once must be alive; what it was given is pending from
// now on.
func (f *function) goes(s *state.State, i ssa.CallInstruction, fn ssa.Value, args []state.Value, what state.PendingKind) {
	c := i.Common()
	direct := what == state.ByGo && len(args) > 0 || fn == c.Value
	var targets []target
	if direct {
		targets = f.targets(s, c)
		// A function of package arena itself, as in go a.Reset(): nothing is said of it.
		if api.Callee(c) != nil {
			return
		}
		f.usedArgs(s, i, c, args)
	} else {
		targets = targetsOf(s.Of(fn))
		if what == state.ByHandler && targets == nil {
			targets, args = f.pkg.methods(s.Of(fn), "ServeHTTP"), []state.Value{s.Of(fn), nil, nil}
		}
	}
	given := reachedBy(s, targets, args)
	again := usedBy(s, i)
	for _, t := range targets {
		f.runs(s, i, t, args, what, again)
	}
	// An unknown function is taken to use the arenas that it gets.
	if targets == nil && direct {
		f.givesArenas(s, i, args, what, again)
	}
	if what == state.ByHandler {
		return // serves after this function is done
	}
	early := f.early(targets)
	for t, d := range given.All() {
		if t.Kind == state.Mem && d == nil {
			s.Pending[state.Pending{At: i, Root: t.Root, Site: t.Site, What: what, Early: early}] = true
		} else if t.Kind == state.Ptr {
			f.give(s, i, t, what)
		}
	}
}

// reachedBy returns all that a goroutine is given: what its arguments and what its
// function has captured lead to.
func reachedBy(s *state.State, targets []target, args []state.Value) state.Value {
	given := state.Value{}
	reach := func(vs []state.Value) {
		for _, v := range vs {
			for t, d := range s.Reach(v).All() {
				given = given.With(t, d)
			}
		}
	}
	reach(args)
	for _, t := range targets {
		reach(s.Bindings(t.closure))
	}
	return given
}

// early says whether functions, all of which are known, don't use what they have
// been given any more once they have waited for something. Then a look at an atomic
// variable may tell that they are done.
func (f *function) early(targets []target) bool {
	early := len(targets) > 0
	for _, t := range targets {
		if sum := f.pkg.summary(t.fn); sum == nil || len(sum.Late) > 0 {
			early = false
		}
	}
	return early
}

// usedBy returns the arenas that goroutines use which a statement has started in earlier
// turns of a loop. One goroutine may have an arena by several names.
func usedBy(s *state.State, i ssa.CallInstruction) map[*state.Root]bool {
	var again map[*state.Root]bool
	for p := range s.Pending {
		if p.At == i && p.Site == nil {
			if again == nil {
				again = map[*state.Root]bool{}
			}
			again[p.Root] = true
		}
	}
	return again
}

// runs looks at what a function of which there is a summary does in a goroutine:
// memory that it has captured must be alive now, and arenas are in use from now on.
// If it takes a lock it has the arena to itself, for all that is known.
func (f *function) runs(s *state.State, i ssa.CallInstruction, t target, args []state.Value, what state.PendingKind, again map[*state.Root]bool) {
	sum := f.pkg.summary(t.fn)
	if sum == nil {
		return
	}
	all := t.all(s, args)
	if sum.Locks {
		f.runsLocker(s, i, sum, all, what)
	} else {
		for _, x := range sum.Uses {
			f.used(s, i, s.Follow(x, all), "is used by a goroutine")
		}
		for _, x := range sum.Touches {
			if r := s.Resolve(f.follow(s, i, x, all), nil); r != nil && !r.Shared {
				f.giveArena(s, i, r, t.given(i, x.Param), what, again[r])
			}
		}
	}
	// What it stores is there when it is done, whether or not it takes a lock for that.
	holders := f.pkg.holders(sum.Stores)
	for n := range sum.Stores {
		if x := &sum.Stores[n]; x.Flow.Kind == summary.Same || x.Flow.Kind == summary.Memory {
			f.applyStore(s, i, x, holders[n], all)
		}
	}
}

// runsLocker is runs of a function that takes a lock: arenas of contexts, which end with what the
// context is for, are in use.
func (f *function) runsLocker(s *state.State, i ssa.CallInstruction, sum *summary.Summary, all []state.Value, what state.PendingKind) {
	if what != state.ByGo {
		return
	}
	for _, x := range sum.Touches {
		if !strings.HasSuffix(x.Path, inContext) {
			continue
		}
		if r := s.Resolve(f.follow(s, i, x, all), nil); r != nil {
			s.Pending[state.Pending{At: i, Root: r, What: state.ByLocker}] = true
		}
	}
}

// givesArenas notes that an unknown function uses the arenas that it is given.
func (f *function) givesArenas(s *state.State, i ssa.CallInstruction, args []state.Value, what state.PendingKind, again map[*state.Root]bool) {
	for n, a := range args {
		for t, d := range a.All() {
			if t.Is(state.Handle) && d == nil && !t.Root.Shared {
				f.giveArena(s, i, t.Root, argument(i, n), what, again[t.Root])
			}
		}
	}
}

// giveArena notes that a goroutine uses an arena from now on. If another one does
// already, or this very statement has started one, in an earlier turn of a loop,
// two use it at once; again says the latter. from is what has led to the arena, nil if
// that isn't known.
func (f *function) giveArena(s *state.State, i ssa.CallInstruction, r *state.Root, from ssa.Value, what state.PendingKind, again bool) {
	if what == state.ByHandler {
		f.report(Goroutine, i, nil, state.Tag{Root: r}, "the handler uses one arena for all requests, which many goroutines serve at once")
		return
	}
	for p := range s.Pending {
		if p.Root == r && p.Site == nil && p.What != state.ByLocker && (p.At != i || again && !f.givenAnew(i, from)) {
			m := fmt.Sprintf("the goroutine uses the arena of another that was started %s", f.where(p.At))
			if p.At == i {
				m = "the goroutines that are started in this loop use one arena"
			}
			f.report(Goroutine, i, nil, state.Tag{Root: r}, m)
		}
	}
	s.Pending[state.Pending{At: i, Root: r, What: what}] = true
	if r.Sym != nil {
		add(&f.summary.Touches, *r.Sym)
	}
}

// give notes that a goroutine has memory that the caller may know: an argument
// itself, and not what is somewhere behind it, of which it would be told too much.
func (f *function) give(s *state.State, i ssa.Instruction, t state.Tag, what state.PendingKind) {
	if x := t.Name(); x != nil && x.Param >= 0 && !strings.Contains(x.Path, "*") {
		s.Pending[state.Pending{At: i, What: what, Sym: *x, Given: true}] = true
	}
}

// send puts a value into a channel, from which anybody may take it: memory and
// arenas that it leads to are another goroutine's from now on. An arena is so only
// if it is sent as one; a struct that has it in a field may be sent back and forth
// with good reason.
func (f *function) send(s *state.State, i ssa.Instruction, c state.Value, x ssa.Value) {
	v := s.Of(x)
	f.used(s, i, v, "is sent")
	if isSignal(x.Type()) {
		f.wait(s)
	}
	for t := range v.All() {
		if t.Kind == state.Ptr && t.Loc.Sym != nil && t.Loc.Sym.Param >= 0 {
			add(&f.summary.Late, t.Loc.Sym.Param) // as long as nobody receives it
		}
	}
	for t := range c.All() {
		if t.Is(state.Ptr) {
			s.Put(i, state.Cell{Loc: t.Loc, Path: t.Off + inChannel}, v, x.Type(), false)
		}
	}
	for t, d := range s.Reach(v).All() {
		switch {
		case d != nil:
		case t.Kind == state.Mem:
			s.Pending[state.Pending{At: i, Root: t.Root, Site: t.Site, What: state.BySend}] = true
		case t.Kind == state.Handle && !t.Root.Shared && api.TypeOf(x.Type()) == api.Arena:
			s.Pending[state.Pending{At: i, Root: t.Root, What: state.BySend}] = true
		case t.Kind == state.Ptr:
			f.give(s, i, t, state.BySend)
		}
	}
}

// share is touch as far as other goroutines are concerned: the arena must not be in
// use by one. A goroutine is reported once, and then left alone.
func (f *function) share(s *state.State, i ssa.Instruction, r *state.Root, name string) {
	if r.Sym != nil && !r.Shared { // a caller may not know that it is one
		add(&f.summary.Touches, *r.Sym)
	}
	for p := range s.Pending {
		if p.What == state.ByLocker && name != summary.Put && name != summary.DoEnds {
			continue
		}
		if p.Root == r && p.Site == nil && p.At != i {
			how := "was started"
			if p.What == state.BySend {
				how = "it was sent to"
			}
			f.report(Goroutine, i, nil, state.Tag{Root: r}, fmt.Sprintf("%s: the arena is in use by the goroutine that %s %s", short(name), how, f.where(p.At)))
			f.hide(s, p.At)
		}
	}
}

// pendingAt reports memory that ends while another goroutine has it, at the place
// where that got it. Free takes nothing from anybody, unless it erases.
func (f *function) pendingAt(s *state.State, r *state.Root, d *state.Death) {
	for p := range s.Pending {
		if p.Site == nil || !p.Root.Within(r) || d.Verb == summary.Free && !p.Root.Scrub {
			continue
		}
		delete(s.Pending, p)
		how := "is given to a goroutine"
		if p.What == state.BySend {
			how = "is sent to another goroutine"
		} else if p.What == state.ByFlight {
			how = "is in what others wait for"
		}
		f.report(Escape, p.At, d, state.Tag{Kind: state.Mem, Root: p.Root, Site: p.Site},
			fmt.Sprintf("arena memory %s, and %s %s takes it back without waiting", how, d.Verb, f.where(d.At)))
	}
}

// isSignal says whether values of a type are sent for others to know that they were: of a semaphore, who has sent as
// many as there is room for has waited for all.
func isSignal(t types.Type) bool {
	u, ok := t.Underlying().(*types.Struct)
	return ok && u.NumFields() == 0
}

// wait is anything that may wait for other goroutines to be done.
func (f *function) wait(s *state.State) {
	f.summary.Waits, s.Waited = true, true
	// Whom it waits for isn't known: that may be any of them, but for those who wait
	// themselves for what this function does.
	maps.DeleteFunc(s.Pending, func(p state.Pending, _ bool) bool { return p.What != state.ByFlight })
}

// poll is a look at an atomic variable, by which others may say that they have
// got somewhere. What they have until then may be taken back.
func (f *function) poll(s *state.State) {
	f.summary.Polls, s.Waited = true, true
	for p := range s.Pending {
		if p.Early {
			delete(s.Pending, p)
		}
	}
}

// stops takes a state past the call of a function that may keep a goroutine from
// being started, as that of context.AfterFunc does. If the goroutine is running
// already it goes on, but that is for the caller to know.
func (f *function) stops(s *state.State, fn state.Value) {
	for t := range fn.All() {
		if !t.Is(state.Ptr) || t.Off != "" {
			continue
		}
		if i, ok := t.Loc.Site.(ssa.CallInstruction); ok && calleeName(i.Common()) == std.AfterFunc {
			f.hide(s, i)
		} else if x := t.Name(); x != nil {
			add(&f.summary.Stops, *x)
		}
	}
}

// hide forgets what was said of one go statement, since it was reported, or hasn't
// been executed.
func (f *function) hide(s *state.State, at ssa.Instruction) {
	for p := range s.Pending {
		if p.At == at {
			delete(s.Pending, p)
		}
	}
}
