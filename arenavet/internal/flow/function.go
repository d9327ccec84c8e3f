package flow

import (
	"fmt"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/harena-go/arena/arenavet/internal/flow/state"
	"github.com/harena-go/arena/arenavet/internal/flow/summary"
)

// This file holds the walk through one function, block by block. It may not know
// what an instruction does.

// A function is the analysis of one function: its states, from its beginning to its
// returns, and what was found on the way.
//
// What is in places, anew and calls is added to while states grow, and never taken
// back; a state may rely on it. found, summary, out, kept and given are started anew when
// states are final.
type function struct {
	pkg    *program
	fn     *ssa.Function
	places *state.Places
	in     map[*ssa.BasicBlock]*state.State // at the beginning of each block that was reached; they only grow
	live   *state.Live
	loops  map[*ssa.BasicBlock]loop // that wait for others
	paths  paths

	anew  map[*ssa.BasicBlock]map[stored]bool // what a loop puts into containers, by its first block
	calls map[*state.Root][]summary.CallsFunc // functions, parameters of this one, that were called with an arena

	opaque    map[ssa.CallInstruction]state.Value      // of which nothing is known; see unknown
	renewed   map[ssa.Instruction]map[summary.Sym]bool // what calls put something else into; see noteReplacedBy
	cleared   map[state.Cell]bool                      // elements that callers are told of that there are none; see emptied
	setAnew   map[state.Cell]bool                      // elements of which all were set; see setInAll
	every     map[*ssa.BasicBlock]*every               // the loops that set something in all elements, by their heads
	setsAll   map[*ssa.Store]bool                      // the stores of these
	turned    map[turned]state.Value                   // what turns of them have left in the elements
	untouched map[turned]bool                          // where a turn may have left what was there before the function began
	conds     map[summary.Sym]bool                     // parameters and globals, without paths, of which a sync.Cond was waited for

	roots map[numbered]*state.Root // see root

	handed  map[*state.Loc]called // where what callbacks were given is kept; see yields
	assumed map[*state.Loc]bool   // of which the type is only assumed; see assumes
	awaited map[ssa.Value]bool    // objects that others wait for; nil until that is asked

	found   findings
	summary *summary.Summary
	out     summary.Nearest[summary.Flow]  // of the summary
	kept    summary.Nearest[summary.Store] // of it
	given   summary.Nearest[summary.Yield] // of it
	inner   []inner                        // where resultsBehind makes its list, empty
	nested  int                            // calls of callbacks within each other
	judging bool                           // states are final: what is found now counts
	left    bool                           // summary has what one return said
}

func newFunction(p *program, fn *ssa.Function) *function {
	live := p.liveIn(fn)
	return &function{pkg: p, fn: fn, live: live, places: state.NewPlaces(live, p.guard.Spend), in: map[*ssa.BasicBlock]*state.State{},
		paths: newPaths(fn, p.guard.Spend), anew: map[*ssa.BasicBlock]map[stored]bool{},
		calls: map[*state.Root][]summary.CallsFunc{}, opaque: map[ssa.CallInstruction]state.Value{}, roots: map[numbered]*state.Root{}, handed: map[*state.Loc]called{}, assumed: map[*state.Loc]bool{}, cleared: map[state.Cell]bool{}, setAnew: map[state.Cell]bool{}, renewed: map[ssa.Instruction]map[summary.Sym]bool{}, conds: map[summary.Sym]bool{}, found: findings{}, summary: &summary.Summary{}}
}

// spend takes steps; see package guard.
func (f *function) spend(n int) { f.pkg.guard.Spend(n) }

// maxVisits bounds how often a block is looked at again. States only grow, so
// that it is reached by nothing but huge functions.
const maxVisits = 30

// run looks at all blocks until nothing new turns up: each that is in the list is
// passed, with what is known at its beginning, and the ends of its edges, if that
// is news to them, are put into the list. The first in the order of execution goes
// first: then most of what leads to a block has been passed when it is its turn, and
// loops are done inside out.
func (f *function) run() {
	f.loops = f.waitingLoops()
	f.everyLoops()
	f.in[f.fn.Blocks[0]] = f.entry()
	rank := ranks(f.fn)
	work := []*ssa.BasicBlock{f.fn.Blocks[0]}
	visits := map[*ssa.BasicBlock]int{}
	for len(work) > 0 {
		n := foremost(work, rank)
		b := work[n]
		work = slices.Delete(work, n, n+1)
		// Doesn't return: what guard.Run was called with is given up.
		if visits[b]++; visits[b] > maxVisits {
			f.pkg.guard.Stop()
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
func (f *function) entry() *state.State {
	s := state.New(f.places)
	for i, p := range f.fn.Params {
		s.Pass(p, s.Opaque(fmt.Sprintf("param %d", i), &summary.Sym{Param: i}, p.Type(), p.Name()))
	}
	for i, v := range f.fn.FreeVars {
		s.Pass(v, s.Opaque(fmt.Sprintf("free %d", i), &summary.Sym{Param: len(f.fn.Params) + i}, v.Type(), v.Name()))
	}
	return s
}

// pass takes the state at the beginning of a block past the block. That state stays
// as it is: what comes in later is joined with it.
func (f *function) pass(b *ssa.BasicBlock) *state.State {
	s := f.in[b].Clone()
	for _, i := range b.Instrs {
		f.spend(1)
		f.step(s, i)
	}
	return s
}

// judge goes through all blocks once more, now that their states are known, and
// keeps what is found there. What was found and noted before that, of states that
// weren't final, is dropped.
func (f *function) judge() {
	f.judging = true
	f.found, f.summary, f.left = findings{}, &summary.Summary{}, false
	f.out, f.kept, f.given = summary.Nearest[summary.Flow]{}, summary.Nearest[summary.Store]{}, summary.Nearest[summary.Yield]{}
	for _, b := range f.fn.Blocks {
		if f.in[b] != nil {
			f.pass(b)
		}
	}
	f.summary.Results = f.out.List()
	f.summary.Stores = f.kept.List()
	f.summary.Yields = f.given.List()
	f.places.Done()
}

// add adds to a list what isn't in it.
func add[T comparable](s *[]T, x T) {
	if !slices.Contains(*s, x) {
		*s = append(*s, x)
	}
}
