package transfer

import (
	"fmt"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/harena-go/arena/arenavet/internal/flow/apply"
	"github.com/harena-go/arena/arenavet/internal/flow/finding"
	"github.com/harena-go/arena/arenavet/internal/flow/record"
	"github.com/harena-go/arena/arenavet/internal/flow/state"
	"github.com/harena-go/arena/arenavet/internal/flow/summary"
)

// This file holds the walk through one function, block by block. It must not depend on
// what an instruction does.

// Run takes states through a function, as long as its guard allows it, and records what
// it finds.
func Run(rec *record.Function) {
	newInterpreter(rec).run()
}

// maxVisits bounds how often a block is looked at again. States only grow, so
// that it is reached by nothing but huge functions.
const maxVisits = 30

// run looks at all blocks until nothing new turns up: each that is in the list is
// passed, with what is known at its beginning, and the ends of its edges, if that
// is news to them, are put into the list. The first in the order of execution goes
// first: then most of what leads to a block has been passed when it is its turn, and
// loops are done inside out.
func (f *interpreter) run() {
	f.loops = f.WaitingLoops()
	f.findElementLoops()
	f.in[f.Fn.Blocks[0]] = f.entry()
	rank := ranks(f.Fn)
	work := []*ssa.BasicBlock{f.Fn.Blocks[0]}
	visits := map[*ssa.BasicBlock]int{}
	for len(work) > 0 {
		n := foremost(work, rank)
		b := work[n]
		work = slices.Delete(work, n, n+1)
		// Doesn't return: what guard.Run was called with is given up.
		if visits[b]++; visits[b] > maxVisits {
			f.Program.Guard.Stop()
		}
		s := f.pass(b)
		for n, succ := range b.Succs {
			// A block may be both successors, by two edges: each brings values for its
			// phis.
			if f.along(s, b, succ, n) && !slices.Contains(work, succ) {
				work = append(work, succ)
			}
		}
	}
	f.judge()
}

// ranks returns the order of execution of blocks, by their numbers: the reverse of that
// in which a depth-first search is done with them. In SSA form what is behind a
// statement often has a smaller number than parts of it have. The search takes the last
// successor first, which for loops is the way out: the body comes before it then.
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

// foremost returns where in a list the first block of a function is.
func foremost(work []*ssa.BasicBlock, rank []int) int {
	n := 0
	for m, b := range work {
		if rank[b.Index] < rank[work[n].Index] {
			n = m
		}
	}
	return n
}

// entry returns the state at the beginning: of parameters and captured variables it
// is known how callers name them, captured variables as if they were further
// parameters.
func (f *interpreter) entry() *state.State {
	s := state.New(f.Places)
	for i, p := range f.Fn.Params {
		s.Pass(p, s.Opaque(fmt.Sprintf("param %d", i), &summary.Sym{Param: i}, p.Type(), p.Name()))
	}
	for i, v := range f.Fn.FreeVars {
		s.Pass(v, s.Opaque(fmt.Sprintf("free %d", i), &summary.Sym{Param: len(f.Fn.Params) + i}, v.Type(), v.Name()))
	}
	return s
}

// pass takes the state at the beginning of a block past the block. That state stays
// as it is: what comes in later is joined with it.
func (f *interpreter) pass(b *ssa.BasicBlock) *state.State {
	s := f.in[b].Clone()
	for _, i := range b.Instrs {
		f.Spend(1)
		f.step(s, i)
	}
	return s
}

// judge goes through all blocks once more, now that their states are known, and
// keeps what is found there. What was found and noted before that, of states that
// weren't final, is dropped.
func (f *interpreter) judge() {
	f.Judging = true
	f.Found, f.Summary, f.Left = finding.Set{}, &summary.Summary{}, false
	f.Out, f.Kept, f.Given = summary.Nearest[summary.Flow]{}, summary.Nearest[summary.Store]{},
		summary.Nearest[summary.Yield]{}
	for _, b := range f.Fn.Blocks {
		if f.in[b] != nil {
			f.pass(b)
		}
	}
	f.Summary.Results = f.Out.List()
	f.Summary.Stores = f.Kept.List()
	f.Summary.Yields = f.Given.List()
	f.Places.Done()
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
