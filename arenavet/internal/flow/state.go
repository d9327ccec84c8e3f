package flow

import (
	"maps"
	"slices"

	"golang.org/x/tools/go/ssa"
)

// A state is what is known at one point of a function.
type state struct {
	vals    map[ssa.Value]value
	cells   map[cell]value
	before  map[ssa.Instruction]map[tag]bool // what was allocated already at a call of Mark
	pending map[pending]bool                 // what other goroutines may be using
	defers  []*ssa.Defer                     // in the order of their execution
	may     map[Kill]bool                    // what callers must know has ended, on some path
	must    map[Kill]bool                    // and on all
	waited  bool                             // for another goroutine, perhaps
}

// A pending is what a goroutine was given that may still be running.
type pending struct {
	at   ssa.Instruction // the go statement, the send
	root *root
	site ssa.Instruction // of memory; nil for the arena itself
	what pendingKind

	early bool // it isn't used any more once the goroutine has waited for something

	sym   sym // if given is set: memory that only the caller knows, and no root
	given bool
}

type pendingKind uint8

const (
	byGo pendingKind = iota
	bySend
	byHandler
)

func newState() *state {
	return &state{map[ssa.Value]value{}, map[cell]value{}, map[ssa.Instruction]map[tag]bool{}, map[pending]bool{}, nil, nil, nil, false}
}

func (s *state) clone() *state {
	return &state{maps.Clone(s.vals), maps.Clone(s.cells), maps.Clone(s.before), maps.Clone(s.pending), slices.Clone(s.defers), maps.Clone(s.may), maps.Clone(s.must), s.waited}
}

// set puts a value into a cell.
func (s *state) set(c cell, v value) {
	if _, ok := s.cells[c]; !ok && !slices.Contains(c.loc.paths, c.path) {
		c.loc.paths = append(c.loc.paths, c.path)
	}
	s.cells[c] = v
}

// join adds what is known at another point from which control may come. A cell
// of unknown memory that only one of them knows still may be what it was.
func (s *state) join(f *function, t *state) bool {
	changed := false
	for v, x := range t.vals {
		f.spend(1 + len(x))
		if y, more := s.vals[v].join(x); more {
			s.vals[v], changed = y, true
		}
	}
	for c, x := range t.cells {
		old, ok := s.cells[c]
		if !ok && c.loc.unknown {
			old = f.initial(c)
		}
		f.spend(1 + len(x))
		y, more := old.join(x)
		if more || !ok {
			if y == nil {
				y = value{}
			}
			s.cells[c], changed = y, true
		}
	}
	for c, old := range s.cells {
		if _, ok := t.cells[c]; !ok && c.loc.unknown {
			if y, more := old.join(f.initial(c)); more {
				s.cells[c], changed = y, true
			}
		}
	}
	for m, x := range t.before {
		old := s.before[m]
		for site := range x {
			if !old[site] {
				old = maps.Clone(old)
				if old == nil {
					old = map[tag]bool{}
				}
				old[site] = true
				s.before[m], changed = old, true
			}
		}
		if old == nil {
			s.before[m] = map[tag]bool{}
		}
	}
	for p := range t.pending {
		if !s.pending[p] {
			s.pending[p], changed = true, true
		}
	}
	for _, d := range t.defers {
		if !slices.Contains(s.defers, d) {
			s.defers, changed = append(s.defers, d), true
		}
	}
	for k := range t.may {
		if !s.may[k] {
			if s.may == nil {
				s.may = map[Kill]bool{}
			}
			s.may[k], changed = true, true
		}
	}
	if t.waited && !s.waited {
		s.waited, changed = true, true
	}
	for k := range s.must {
		if !t.must[k] {
			delete(s.must, k)
			changed = true
		}
	}
	return changed
}

// each calls f for all values and cells, and puts what it returns in place.
func (s *state) each(f func(t tag, d *death) (tag, *death)) {
	change := func(v value) (value, bool) {
		var w value
		for t, d := range v {
			u, e := f(t, d)
			if u == t && e == d {
				continue
			}
			if w == nil {
				w = v.clone()
			}
			delete(w, t)
			if old, ok := w[u]; !ok || old == nil {
				w[u] = e
			}
		}
		return w, w != nil
	}
	for k, v := range s.vals {
		if w, ok := change(v); ok {
			s.vals[k] = w
		}
	}
	for k, v := range s.cells {
		if w, ok := change(v); ok {
			s.cells[k] = w
		}
	}
}
