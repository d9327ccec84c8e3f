package state

import (
	"maps"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/harena-go/arena/arenavet/internal/flow/summary"
)

// This file joins states where two paths meet, as dataflow analyses do (Kildall, POPL 1973). It must not depend on the
// paths.
//
// May facts are joined by union: values, cells, pending operations, arenas that ended on some path. Must facts are
// joined by intersection: arenas that ended on all paths. Both are monotone, so loops reach a fixed point.

// Join adds the state of another predecessor, and reports whether s has changed; then the code that follows is analyzed
// again. t stays as it is.
//
// Each part says for itself whether it has changed; all of them must be joined
// before any counts.
func (s *State) Join(t *State) bool {
	s.Spend(1 + (s.Size()+t.Size())/rowsPerStep)
	changed := s.joinVals(t)
	changed = s.joinCells(t) || changed
	changed = s.joinMarks(t) || changed
	changed = s.joinPending(t) || changed
	return s.joinEnds(t) || changed
}

// joinVals joins the results of instructions. A value in only one of the states was computed on one path only; after
// the join only a phi can use it, and phis are evaluated per edge.
func (s *State) joinVals(t *State) bool {
	both := func(_ ssa.Value, here, there Value) (Value, bool) {
		if here.same(there) {
			return here, false
		}
		s.Spend(1)
		u := s.merge(here, there, false)
		return u, !u.same(here)
	}
	there := func(v ssa.Value, x Value) (Value, bool) { return both(v, nil, x) }
	return s.vals.join(&t.vals, both, there, asItWas[ssa.Value])
}

func asItWas[K any](_ K, v Value) (Value, bool) { return v, false }

// joinCells joins memory. On the path whose state has no entry for a cell of unknown memory, the cell may still have
// its initial value:
//
//	func f(p *T, a *arena.Arena, c bool) {
//		if c {
//			p.x = New[T](a)   p.x: memory of a
//		}                         p.x: memory of a, or its initial value: {0 "*.x"}
//	}
func (s *State) joinCells(t *State) bool {
	both := func(_ *cell, here, there Value) (Value, bool) {
		if here.same(there) {
			return here, false
		}
		s.Spend(1)
		u := s.merge(here, there, false)
		return u, !u.same(here)
	}
	// This path hasn't accessed the cell, so it has its initial value. A cell that one path has cleared is kept, with
	// an empty value.
	there := func(c *cell, x Value) (Value, bool) {
		var old Value
		if c.Loc.Unknown {
			old = s.initial(c.Cell)
		}
		y, _ := both(c, old, x)
		if y == nil {
			y = Value{}
		}
		return y, true
	}
	// Conversely: the other path hasn't accessed the cell. In memory that this function has made, a cell that only one
	// path has set holds that path's value.
	here := func(c *cell, old Value) (Value, bool) {
		if !c.Loc.Unknown {
			return old, false
		}
		return old.Join(s.initial(c.Cell))
	}
	return s.cells.join(&t.cells, both, there, here)
}

// joinMarks joins the sets of tags older than marks. A tag that is older on one of two paths counts as older: then
// Rewind ends less. The maps are shared with other states, so they are copied before the first change. A mark without
// older tags has an empty set.
func (s *State) joinMarks(t *State) bool {
	changed := false
	if s.before == nil && len(t.before) > 0 {
		s.before = map[ssa.Instruction]map[Tag]bool{}
	}
	for m, x := range t.before {
		old := s.before[m]
		for site := range x {
			if !old[site] {
				old = maps.Clone(old)
				if old == nil {
					old = map[Tag]bool{}
				}
				old[site] = true
				s.before[m], changed = old, true
			}
		}
		if old == nil {
			s.before[m] = map[Tag]bool{}
		}
	}
	return changed
}

// joinPending joins unfinished operations: other goroutines, and deferred calls. Deferred calls of one path only are
// taken to run in any case, after those of the other.
func (s *State) joinPending(t *State) bool {
	changed := false
	for p := range t.Pending {
		if !s.Pending[p] {
			s.Pending[p], changed = true, true
		}
	}
	for _, d := range t.Defers {
		if !slices.Contains(s.Defers, d) {
			s.Defers, changed = append(s.Defers, d), true
		}
	}
	s.ended = s.ended || t.ended
	if t.Waited && !s.Waited {
		s.Waited, changed = true, true
	}
	return changed
}

// joinEnds joins the ends of arenas for the summary: by union for ends on some path, by intersection for ends on all.
// The intersection starts with all ends of the first path.
func (s *State) joinEnds(t *State) bool {
	changed := false
	for k := range t.May {
		if !s.May[k] {
			if s.May == nil {
				s.May = map[summary.Kill]bool{}
			}
			s.May[k], changed = true, true
		}
	}
	// An end that the other path lacks is still in May.
	for k := range s.Must {
		if !t.Must[k] {
			delete(s.Must, k)
			changed = true
		}
	}
	return changed
}
