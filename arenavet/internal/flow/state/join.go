package state

import (
	"maps"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/harena-go/arena/arenavet/internal/flow/summary"
)

// This file holds what is known where two paths meet: the join of a dataflow
// analysis (Kildall, POPL 1973). It must not depend on which paths these are.
//
// What may be is a union: values, cells, what is pending, what has ended on some
// path. What must be is an intersection: what has ended on all. Both only ever go
// in one direction, so that a loop comes to an end.

// Join adds what is known at another point from which control may come, and reports
// whether that is anything new: then what follows is to be looked at again. t stays
// as it is.
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

// joinVals joins what instructions have computed. A value that only one of the two
// knows was computed on one path only; it can't be used after both, unless by a
// phi, which knows.
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

// joinCells joins what is in memory. A cell of unknown memory that only one of the
// two knows still may be, on the path of the other, what it was at the beginning:
//
//	func f(p *T, a *arena.Arena, c bool) {
//		if c {
//			p.x = New[T](a)   p.x: memory of a
//		}                         p.x: memory of a, or what it was: {0 "*.x"}
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
	// Here nobody has looked at it, so that it is as it was. A cell that one path has
	// emptied is known to be so: it is kept, with an empty value.
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
	// And the other way round: there nobody has looked at it. What the function has
	// made itself, and only one path has put something into, holds just that.
	here := func(c *cell, old Value) (Value, bool) {
		if !c.Loc.Unknown {
			return old, false
		}
		return old.Join(s.initial(c.Cell))
	}
	return s.cells.join(&t.cells, both, there, here)
}

// joinMarks joins what is older than marks. What is older on one of two paths is
// taken to be older: then less dies at a Rewind. The maps are shared with other
// states, and so copied before the first change; a mark that nothing is older than
// is known, too.
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

// joinPending joins what isn't over yet: other goroutines, and deferred calls.
// Those of one path only are taken to be executed in any case, after those of the
// other.
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

// joinEnds joins what callers are told of arenas that have ended: on some path, by
// union, and on all, by intersection. The latter begins with all that the first
// path has ended.
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
	// What one path hasn't ended the other may have: that is in May.
	for k := range s.Must {
		if !t.Must[k] {
			delete(s.Must, k)
			changed = true
		}
	}
	return changed
}
