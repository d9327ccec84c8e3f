package flow

import (
	"fmt"
	"go/token"
	"go/types"

	"golang.org/x/tools/go/ssa"
)

// This file holds what several goroutines use.

// share is touch as far as other goroutines are concerned.
func (f *function) share(s *state, i ssa.Instruction, r *root, name string) {
	if r.sym != nil {
		add(&f.summary.Touches, *r.sym)
	}
	for p := range s.pending {
		if p.root == r && p.site == nil && p.at != i {
			f.report(s, Goroutine, i, nil, tag{root: r}, fmt.Sprintf("%s: the arena is in use by the goroutine that %s %s", short(name), given(p), f.where(p.at)))
			f.hide(s, p.at)
		}
	}
}

// afterFunc returns a function that keeps its goroutine from being started.
const afterFunc = "context.AfterFunc"

// stops takes a state past the call of a function that may be such a one. If the
// goroutine is running already it goes on, but that is for the caller to know.
func (f *function) stops(s *state, fn value) {
	for t := range fn {
		if t.kind != ptr || t.path != "" || t.off != "" {
			continue
		}
		if i, ok := t.loc.site.(ssa.CallInstruction); ok && calleeName(i.Common()) == afterFunc {
			f.hide(s, i)
		} else if x := pointerSym(t); x != nil {
			add(&f.summary.Stops, *x)
		}
	}
}

// hide forgets what was said of one go statement.
func (f *function) hide(s *state, at ssa.Instruction) {
	for p := range s.pending {
		if p.at == at {
			delete(s.pending, p)
		}
	}
}

func given(p pending) string {
	if p.what == bySend {
		return "it was sent to"
	}
	return "was started"
}

// pendingAt reports memory that ends while another goroutine has it.
func (f *function) pendingAt(s *state, r *root, d *death) {
	for p := range s.pending {
		if p.site == nil || !within(p.root, r) || d.verb == "Free" && !p.root.scrub {
			continue
		}
		delete(s.pending, p)
		how := "is given to a goroutine"
		if p.what == bySend {
			how = "is sent to another goroutine"
		}
		f.report(s, Escape, p.at, d, tag{kind: mem, root: p.root, site: p.site},
			fmt.Sprintf("arena memory %s, and %s %s takes it back without waiting", how, d.verb, f.where(d.at)))
	}
}

// poll is a look at an atomic variable, by which others may say that they have
// got somewhere. What they have until then may be taken back.
func (f *function) poll(s *state) {
	f.summary.Polls, s.waited = true, true
	for p := range s.pending {
		if p.early {
			delete(s.pending, p)
		}
	}
}

// wait is anything that may wait for other goroutines to be done.
func (f *function) wait(s *state) {
	f.summary.Waits, s.waited = true, true
	clear(s.pending)
}

// notSent forgets what a select statement hasn't sent on an edge from a block,
// the first or second one of a branch by which case was taken.
func (f *function) notSent(s *state, from *ssa.BasicBlock, edge int) {
	branch, ok := from.Instrs[len(from.Instrs)-1].(*ssa.If)
	if !ok {
		return
	}
	cond, ok := branch.Cond.(*ssa.BinOp)
	if !ok || cond.Op != token.EQL {
		return
	}
	taken, isExtract := cond.X.(*ssa.Extract)
	number, isConst := cond.Y.(*ssa.Const)
	if !isExtract || !isConst || taken.Index != 0 {
		return
	}
	sel, ok := taken.Tuple.(*ssa.Select)
	if !ok {
		return
	}
	sends := 0
	for _, st := range sel.States {
		if st.Dir == types.SendOnly {
			sends++
		}
	}
	isSend := sel.States[number.Int64()].Dir == types.SendOnly
	if edge == 0 && !isSend || edge == 1 && isSend && sends == 1 {
		f.hide(s, sel)
	}
}
