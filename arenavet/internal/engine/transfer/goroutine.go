package transfer

import (
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/harena-go/arena/arenavet/internal/engine/record"
	"github.com/harena-go/arena/arenavet/internal/engine/shape"
	"github.com/harena-go/arena/arenavet/internal/engine/state"
	"github.com/harena-go/arena/arenavet/internal/engine/summary"
	"github.com/harena-go/arena/arenavet/internal/knowledge/api"
)

// This file models values that several goroutines use. The life of a value that another goroutine has:
//
//	(1) go, a send, or a function that starts a goroutine gives it: it is pending
//	(2) the function goes on, and calls others: an arena that is pending and is used is
//	    a finding, and so is memory that is pending when its arena reclaims it
//	(3) the function waits for something that may be the goroutine: nothing is pending
//	(4) the function returns: the summary lists the pending values, and (2) goes on in the caller
//
// That the goroutine is really done in (3) is assumed: channels and locks can't be matched with goroutines. The
// goroutine that takes a lock isn't identified.

// goes takes a state past the start of a goroutine that runs fn: the function that the statement calls, or an argument
// of a function that starts it.
//
//	go f(x, a)            direct: x is given, a is used
//	wg.Go(func() {...})   the captured variables are given, those that the literal uses are used
//
// Values that the goroutine uses at once must be alive; given values are pending from now on.
func (f *interpreter) goes(s *state.State, i ssa.CallInstruction, fn ssa.Value, args []state.Value,
	what state.PendingKind) {
	c := i.Common()
	direct := what == state.ByGo && len(args) > 0 || fn == c.Value
	var targets []record.Target
	if direct {
		if targets = f.targets(s, c); targets == nil && c.IsInvoke() {
			targets = f.assumed(s.Of(c.Value), c.Method.Name())
		}
		// A function of package arena itself, as in go a.Reset(): not checked.
		if api.Callee(c) != nil {
			return
		}
		f.UsedArgs(s, i, c, args)
	} else {
		targets = record.TargetsOf(s.Of(fn))
		if what == state.ByHandler && targets == nil {
			targets, args = f.Program.Methods(nil, s.Of(fn), "ServeHTTP"), []state.Value{s.Of(fn), nil, nil}
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
			f.Give(s, i, t, what)
		}
	}
}

// assumed returns the method of an interface's value that was there when the function began, if the package stores
// values of one type only there.
func (f *interpreter) assumed(v state.Value, method string) (ts []record.Target) {
	for t := range v.All() {
		if f.IsInterfaceContent(t) {
			ts = append(ts, f.MethodsBehind(*t.Loc.Sym, method)...)
		}
	}
	if len(ts) != 1 {
		return nil
	}
	return ts
}

// reachedBy returns everything that a goroutine gets: all that its arguments and captured variables lead to.
func reachedBy(s *state.State, targets []record.Target, args []state.Value) state.Value {
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
		reach(s.Bindings(t.Closure))
	}
	return given
}

// early reports whether the functions are all known and no longer use their arguments once they have waited for
// something. Then loading an atomic variable may show that they are done.
func (f *interpreter) early(targets []record.Target) bool {
	return len(targets) > 0 && !slices.ContainsFunc(targets, func(t record.Target) bool {
		sum := f.Program.Summary(t.Fn)
		return sum == nil || len(sum.Late) > 0
	})
}

// usedBy returns the arenas in use by goroutines that the statement has started in earlier loop iterations. One
// goroutine may have an arena by several names.
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

// runs applies the summary of a function that runs in a goroutine: captured memory must be alive now, and arenas are in
// use from now on. A function that takes a lock is taken to have the arena to itself.
func (f *interpreter) runs(s *state.State, i ssa.CallInstruction, t record.Target, args []state.Value,
	what state.PendingKind, again map[*state.Root]bool) {
	sum := f.Program.Summary(t.Fn)
	if sum == nil {
		return
	}
	all := t.All(s, args)
	if !sum.Locks {
		for _, x := range sum.Uses {
			f.Used(s, i, s.Follow(x, all), "is used by a goroutine")
		}
		for _, x := range sum.Touches {
			if strings.Contains(x.Path, state.InChannel) {
				continue // another arena at each receive
			}
			if r := s.Resolve(f.Follow(s, i, x, all), nil); r != nil && !r.Shared {
				f.GiveArena(s, i, r, t.Given(i, x.Param), what, again[r])
			}
		}
	}
	// Its stores count once it is done, with or without a lock.
	for n := range sum.Stores {
		if x := &sum.Stores[n]; x.Flow.Kind == summary.Same || x.Flow.Kind == summary.Memory {
			f.ApplyStore(s, i, x, all)
		}
	}
}

// givesArenas records that an unknown function uses the arenas among its arguments.
func (f *interpreter) givesArenas(s *state.State, i ssa.CallInstruction, args []state.Value,
	what state.PendingKind, again map[*state.Root]bool) {
	for n, a := range args {
		for t, d := range a.All() {
			if t.Is(state.Handle) && d == nil && !t.Root.Shared {
				f.GiveArena(s, i, t.Root, api.Arg(i.Common(), n), what, again[t.Root])
			}
		}
	}
}

// send sends a value to a channel, from which any goroutine may receive it: memory and arenas reachable from it are
// another goroutine's from now on. An arena is so only if it is sent as one; a struct with an arena in a field may
// rightly be sent back and forth.
func (f *interpreter) send(s *state.State, i ssa.Instruction, c state.Value, x ssa.Value) {
	v := s.Of(x)
	f.Used(s, i, v, "is sent")
	if shape.IsSignal(x.Type()) {
		f.Wait(s)
	}
	for t := range v.All() {
		if t.Kind == state.Ptr && t.Loc.Sym != nil && t.Loc.Sym.Param >= 0 {
			summary.Add(&f.Summary.Late, t.Loc.Sym.Param) // until somebody receives it
		}
	}
	for t := range c.All() {
		if t.Is(state.Ptr) {
			s.Put(i, state.Cell{Loc: t.Loc, Path: t.Off + state.InChannel}, v, x.Type(), false)
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
			f.Give(s, i, t, state.BySend)
		}
	}
}
