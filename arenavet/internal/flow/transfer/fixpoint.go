package transfer

import (
	"fmt"
	"maps"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/harena-go/arena/arenavet/internal/flow/apply"
	"github.com/harena-go/arena/arenavet/internal/flow/finding"
	"github.com/harena-go/arena/arenavet/internal/flow/record"
	"github.com/harena-go/arena/arenavet/internal/flow/state"
	"github.com/harena-go/arena/arenavet/internal/flow/summary"
)

// This file analyzes one function, block by block. It must not depend on the effects of instructions.

// Run takes states through a function, as long as its guard allows it, and records the results.
func Run(rec *record.Function) {
	newInterpreter(rec).run()
}

// maxVisits bounds the visits to a block. States only grow, so only functions that take too many steps anyway reach it.
const maxVisits = 100

// run visits blocks until no state changes: a block in the worklist is passed with the state at its beginning, and its
// successors whose states change enter the list. They are visited in the order of execution, so most predecessors come
// first. A loop is repeated when its end is reached, before the code after it: so inner loops are done first, and a
// loop with many cases isn't repeated after each.
func (f *interpreter) run() {
	f.loops = f.WaitingLoops()
	f.findElementLoops()
	f.in[f.Fn.Blocks[0]] = f.entry()
	rank := ranks(f.Fn)
	work := []*ssa.BasicBlock{f.Fn.Blocks[0]}
	visits := map[*ssa.BasicBlock]int{}
	for last := 0; len(work) > 0; {
		n := next(work, rank, last)
		b := work[n]
		last = rank[b.Index]
		work = slices.Delete(work, n, n+1)
		// Doesn't return: guard.Run gives the function up.
		if visits[b]++; visits[b] > maxVisits {
			f.Program.Guard.Stop()
		}
		s := f.pass(b)
		for n, succ := range b.Succs {
			// A block may be both successors, by two edges: each brings values for its phis.
			if f.along(s, b, succ, n) && !slices.Contains(work, succ) {
				work = append(work, succ)
			}
		}
	}
	f.judge()
}

// ranks returns the order of execution of blocks, by their numbers: a reverse postorder. In SSA form the code after a
// statement often has a smaller number than parts of the statement. The search takes the last successor first, which
// for loops is the exit, so the body gets the smaller rank.
func ranks(fn *ssa.Function) []int {
	rank, next := make([]int, len(fn.Blocks)), len(fn.Blocks)
	seen := make([]bool, len(fn.Blocks))
	var visit func(b *ssa.BasicBlock)
	visit = func(b *ssa.BasicBlock) {
		seen[b.Index] = true
		for _, succ := range slices.Backward(b.Succs) {
			if !seen[succ.Index] {
				visit(succ)
			}
		}
		next--
		rank[b.Index] = next
	}
	visit(fn.Blocks[0])
	return rank
}

// next returns the index of the next block in a list, after one with rank last: the first that follows, unless that is
// after the end of a loop whose beginning is in the list.
func next(work []*ssa.BasicBlock, rank []int, last int) int {
	follows, begins := -1, -1
	for n, b := range work {
		if r := rank[b.Index]; r >= last && (follows < 0 || r < rank[work[follows].Index]) {
			follows = n
		}
	}
	for n, b := range work {
		r := rank[b.Index]
		if r >= last || begins >= 0 && r < rank[work[begins].Index] {
			continue
		}
		isIn := func(p *ssa.BasicBlock) bool { return rank[p.Index] >= rank[work[follows].Index] }
		if follows < 0 || !slices.ContainsFunc(b.Preds, isIn) {
			begins = n
		}
	}
	if begins >= 0 {
		return begins
	}
	return follows
}

// entry returns the state at the beginning: parameters and captured variables have their names for callers; captured
// variables count as further parameters.
func (f *interpreter) entry() *state.State {
	s := state.New(f.Places)
	for i, p := range f.Fn.Params {
		s.Pass(p, s.Opaque(fmt.Sprintf("param %d", i), &summary.Sym{Param: i}, p.Type(), p.Name()))
	}
	for i, v := range f.Fn.FreeVars {
		s.Pass(v, s.Opaque(fmt.Sprintf("free %d", i), &summary.Sym{Param: len(f.Fn.Params) + i}, v.Type(), v.Name()))
	}
	f.receives(s)
	return s
}

// pass takes the state at the beginning of a block past the block. That state stays as it is, to be joined with later
// ones.
func (f *interpreter) pass(b *ssa.BasicBlock) *state.State {
	s := f.in[b].Clone()
	for _, i := range b.Instrs {
		f.Spend(1)
		f.step(s, i)
	}
	return s
}

// judge passes all blocks once more, now that their states are final, and keeps the findings and the summary. Earlier
// ones, from states that weren't final, are dropped.
func (f *interpreter) judge() {
	f.Judging = true
	f.Found, f.Summary, f.Left = finding.Set{}, &summary.Summary{}, false
	f.Out, f.Kept, f.Given = map[summary.Flow]bool{}, map[summary.Store]bool{}, map[summary.Call]bool{}
	for _, b := range f.Fn.Blocks {
		if f.in[b] != nil {
			f.pass(b)
		}
	}
	f.Summary.Results = f.Results()
	f.Summary.Stores = slices.Collect(maps.Keys(f.Kept))
	f.Summary.Calls = slices.Collect(maps.Keys(f.Given))
}

func newInterpreter(rec *record.Function) *interpreter {
	f := &interpreter{
		Applier: apply.New(rec),
		in:      map[*ssa.BasicBlock]*state.State{},
		anew:    map[*ssa.BasicBlock]map[storedTag]bool{},
	}
	f.RunDeferred = func(s *state.State, d *ssa.Defer) { f.call(s, d, true) }
	return f
}
