package report

import (
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/harena-go/arena/arenavet/internal/api"
	"github.com/harena-go/arena/arenavet/internal/flow/code"
	"github.com/harena-go/arena/arenavet/internal/flow/finding"
	"github.com/harena-go/arena/arenavet/internal/flow/state"
	"github.com/harena-go/arena/arenavet/internal/flow/summary"
)

// This file checks handlers of requests. The arena of a request ends with the handler; values of it that the handler
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
				f.Report(finding.Escape, p.At, nil, state.Tag{Kind: state.Handle, Root: p.Root},
					"the request's arena is used by a goroutine, and the request ends without waiting")
			}
			continue
		}
		how := "is given to a goroutine"
		if p.What == state.BySend {
			how = "is sent to another goroutine"
		}
		f.Report(finding.Escape, p.At, nil, state.Tag{Kind: state.Mem, Root: p.Root, Site: p.Site},
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
	for i := range api.Instrs(fn) {
		c, ok := i.(ssa.CallInstruction)
		if !ok {
			continue
		}
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
