package apply

import (
	"fmt"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/harena-go/arena/arenavet/internal/api"
	"github.com/harena-go/arena/arenavet/internal/defuse"
	"github.com/harena-go/arena/arenavet/internal/flow/code"
	"github.com/harena-go/arena/arenavet/internal/flow/finding"
	"github.com/harena-go/arena/arenavet/internal/flow/record"
	"github.com/harena-go/arena/arenavet/internal/flow/state"
)

// This file checks values that the body of a loop over a sequence keeps from one iteration to the next, if the sequence
// reclaims an iteration's memory before the next one.
//
//	for o, err := range arenapgx.Each[order](a, rows) {
//		if prev != nil && prev.account != o.account { ... }     prev is the row before, which is dead
//		prev = o
//	}

// Rows checks the body of a loop over the result of arenapgx.Each and the like: decoded values, and values that the
// body has allocated in the arena, are dead in the next iteration.
func (f *Applier) Rows(s *state.State, i ssa.CallInstruction, body record.Target) {
	for each := range s.Of(i.Common().Value).All() {
		call, ok := each.Site.(*ssa.Call)
		if !ok || each.Kind != state.Mem {
			continue
		}
		if k := api.Callee(&call.Call); k == nil || !k.Yields {
			continue
		}
		f.keptFromTurn(s, i, body, func(t state.Tag, d *state.Death) bool {
			return d == nil && t.Root == each.Root && (t.Site == each.Site || t.Site == ssa.Instruction(i))
		})
	}
}

// keptFromTurn reports dead values that the body of a loop has kept from the previous iteration and uses.
func (f *Applier) keptFromTurn(s *state.State, i ssa.CallInstruction, body record.Target,
	isDead func(state.Tag, *state.Death) bool) {
	sum := f.Program.Summary(body.Fn)
	if sum == nil || !f.Judging {
		return
	}
	captured := body.All(s, nil)
	for _, x := range sum.Uses {
		n := x.Param - len(body.Fn.Params)
		if x.Path = strings.TrimSuffix(x.Path, "*"); n < 0 || x.Path == "" {
			continue
		}
		store := f.keptBy(body.Fn, body.Fn.FreeVars[n])
		if store == nil {
			continue
		}
		for t, d := range f.Follow(s, i, x, captured).All() {
			if t.Is(state.Mem) && isDead(t, d) {
				f.Report(finding.UseAfter, store, nil, t, fmt.Sprintf("in the next turn %s is of this one, which is "+
					"reclaimed by then: keep a copy, arena.DeepClone or strings.Clone", body.Fn.FreeVars[n].Name()))
			}
		}
	}
}

// keptBy returns the function's store to the target of a captured variable, if the function may continue the iteration
// after it, nil if there is none.
func (f *Applier) keptBy(fn *ssa.Function, v *ssa.FreeVar) ssa.Instruction {
	for i := range api.Instrs(fn) {
		if st, ok := i.(*ssa.Store); ok && code.Source(st.Addr) == v && !defuse.IsNil(st.Val) {
			for _, last := range fn.Blocks {
				r, ok := last.Instrs[len(last.Instrs)-1].(*ssa.Return)
				if ok && !stops(r) && code.Leads(st, r, nil, f.Spend) {
					return st
				}
			}
		}
	}
	return nil
}

// stops reports whether a return of the body of a loop leaves the loop.
func stops(r *ssa.Return) bool {
	if len(r.Results) == 0 {
		return false
	}
	c, ok := r.Results[0].(*ssa.Const)
	return ok && c.Value != nil && c.Value.String() == "false"
}
