package flow

import (
	"fmt"
	"maps"
	"slices"

	"golang.org/x/tools/go/ssa"
)

// A function is the analysis of one function: its states, from its beginning
// to its returns, and what was found on the way.
type function struct {
	pkg   *program
	fn    *ssa.Function
	locs  map[string]*loc
	roots map[string]*root
	in    map[*ssa.BasicBlock]*state
	live  live

	anew   map[*ssa.BasicBlock]map[stored]bool    // what a loop puts into containers, by its first block
	stored map[cell]map[tag]ssa.Instruction       // which instruction has put a tag into a cell
	needed map[*ssa.BasicBlock]map[condition]bool // what conditions returns
	calls  map[*root][]CallsFunc                  // functions, parameters of this one, that were called with an arena

	found    map[string]Finding
	summary  *Summary
	out      map[Flow]bool  // of the summary
	kept     map[Store]bool // of it
	judging  bool           // states are final: what is found now counts
	returned bool           // summary has what one return said
}

type stored struct {
	cell cell
	tag  tag
}

func newFunction(p *program, fn *ssa.Function) *function {
	return &function{pkg: p, fn: fn, locs: map[string]*loc{}, roots: map[string]*root{}, in: map[*ssa.BasicBlock]*state{},
		stored: map[cell]map[tag]ssa.Instruction{}, needed: map[*ssa.BasicBlock]map[condition]bool{}, calls: map[*root][]CallsFunc{}, anew: map[*ssa.BasicBlock]map[stored]bool{}, found: map[string]Finding{}, summary: &Summary{}}
}

// maxVisits bounds how often a block is looked at again. States only grow, so
// that it is reached by nothing but huge functions.
const maxVisits = 30

// run looks at all blocks until nothing new turns up.
func (f *function) run() {
	f.live = liveIn(f.fn)
	entry := newState()
	for i, p := range f.fn.Params {
		entry.vals[p] = f.opaque(fmt.Sprintf("param %d", i), &sym{Param: i}, p.Type(), p.Name(), 0)
	}
	for i, v := range f.fn.FreeVars {
		entry.vals[v] = f.opaque(fmt.Sprintf("free %d", i), &sym{Param: len(f.fn.Params) + i}, v.Type(), v.Name(), 0)
	}
	f.in[f.fn.Blocks[0]] = entry
	work := []*ssa.BasicBlock{f.fn.Blocks[0]}
	visits := map[*ssa.BasicBlock]int{}
	for len(work) > 0 {
		n := 0 // the first in the order of blocks, which is roughly that of execution
		for m, b := range work {
			if b.Index < work[n].Index {
				n = m
			}
		}
		b := work[n]
		work = slices.Delete(work, n, n+1)
		if visits[b]++; visits[b] > maxVisits {
			f.pkg.guard.Stop()
		}
		s := f.pass(b)
		for n, succ := range b.Succs {
			if f.flow(s, b, succ, n) && !slices.Contains(work, succ) {
				work = append(work, succ)
			}
		}
	}
	f.judge()
}

// judge goes through all blocks once more, now that their states are known, and
// keeps what is found there.
func (f *function) judge() {
	f.judging = true
	f.found, f.summary, f.returned = map[string]Finding{}, &Summary{}, false
	f.out, f.kept = map[Flow]bool{}, map[Store]bool{}
	for _, b := range f.fn.Blocks {
		if f.in[b] != nil {
			f.pass(b)
		}
	}
	f.summary.Results = slices.Collect(maps.Keys(f.out))
	f.summary.Stores = slices.Collect(maps.Keys(f.kept))
}

// pass takes the state at the beginning of a block past the block.
func (f *function) pass(b *ssa.BasicBlock) *state {
	s := f.in[b].clone()
	for _, i := range b.Instrs {
		f.spend(1)
		f.step(s, i)
	}
	return s
}

// spend takes steps; see package guard.
func (f *function) spend(n int) { f.pkg.guard.Spend(n) }

// flow takes a state along an edge, and says whether the successor must be
// looked at again.
func (f *function) flow(s *state, from, to *ssa.BasicBlock, n int) bool {
	edge := -1
	for i, p := range to.Preds {
		if p == from {
			edge = i
			if len(from.Succs) == 2 && from.Succs[0] == to && from.Succs[1] == to && n == 1 {
				continue // the second of two edges
			}
			break
		}
	}
	f.spend(len(s.vals) + len(s.cells))
	s = s.clone()
	f.notSent(s, from, n)
	f.isNil(s, from, n)
	phis := map[ssa.Value]value{}
	for _, i := range to.Instrs {
		phi, ok := i.(*ssa.Phi)
		if !ok {
			break
		}
		phis[phi] = f.value(s, phi.Edges[edge])
	}
	for phi, v := range phis {
		set(s, phi, v)
	}
	f.forgetDead(s, to)
	f.replacedInLoop(s, from, to)
	if old := f.in[to]; old != nil {
		return old.join(f, s)
	}
	f.in[to] = s
	return true
}

// replacedInLoop takes elements of containers that a loop sets anew to be set
// anew, though it may be that the loop isn't executed at all.
func (f *function) replacedInLoop(s *state, from, to *ssa.BasicBlock) {
	anew := f.anew[to]
	if to.Dominates(from) {
		if anew == nil {
			anew = map[stored]bool{}
			f.anew[to] = anew
		}
		for c, v := range s.cells {
			for t, d := range v {
				if d != nil || t.kind != mem || !several(c.path) || anew[stored{c, t}] {
					continue
				}
				anew[stored{c, t}] = true
				if old := f.in[to].cells[c]; old[t] != nil {
					old = old.clone()
					old[t] = nil
					f.in[to].cells[c] = old
				}
			}
		}
	}
	for k := range anew {
		if v := s.cells[k.cell]; v[k.tag] != nil {
			v = v.clone()
			v[k.tag] = nil
			s.cells[k.cell] = v
		}
	}
}

func set(s *state, v ssa.Value, x value) {
	if len(x) == 0 {
		delete(s.vals, v)
	} else {
		s.vals[v] = x
	}
}

// value returns what an operand is.
func (f *function) value(s *state, v ssa.Value) value {
	switch v := v.(type) {
	case *ssa.Global:
		return value{tag{kind: ptr, loc: f.global(v.Pkg.Pkg.Path() + "." + v.Name())}: nil}
	case *ssa.Function:
		return value{tag{kind: fn, fn: v}: nil}
	case *ssa.Const, *ssa.Builtin:
		return nil
	}
	return s.vals[v]
}

// global returns the memory of a package's variable.
func (f *function) global(name string) *loc {
	l := f.loc("global "+name, &sym{-1, name, "*"}, true)
	l.name = name
	return l
}

// loc returns the loc with a key.
func (f *function) loc(key string, s *sym, unknown bool) *loc {
	l := f.locs[key]
	if l == nil {
		l = &loc{key: key, sym: s, unknown: unknown}
		f.locs[key] = l
	}
	return l
}

// fresh returns the memory that an instruction makes.
func (f *function) fresh(i ssa.Instruction, part string) *loc {
	l := f.loc(fmt.Sprintf("at %p %s", i, part), nil, false)
	l.site = i
	return l
}

// forget empties memory that is made anew.
func (f *function) forget(s *state, l *loc) {
	for _, path := range l.paths {
		delete(s.cells, cell{l, path})
	}
}

// root returns the root with a key.
func (f *function) root(key string, kind rootKind) *root {
	r := f.roots[key]
	if r == nil {
		r = &root{key: key, kind: kind}
		f.roots[key] = r
	}
	return r
}
