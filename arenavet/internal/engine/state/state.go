package state

import (
	"cmp"
	"iter"
	"maps"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/harena-go/arena/arenavet/internal/engine/summary"
)

// A State is the analysis result at one point of a function.
//
// The maps belong to one state; their values are shared. A value without an entry in vals is unknown. A cell
// without an entry in cells is empty if the function has made its memory, and has its initial value otherwise. An empty
// value in cells is a cell that was cleared.
//
// The states of one function share its Places, so they agree on the pieces of memory. Each has its own contents.
type State struct {
	*Places

	vals    map[ssa.Value]Value
	cells   map[Cell]Value
	Pending map[Pending]bool      // uses by other goroutines
	Defers  []*ssa.Defer          // in the order of their execution
	May     map[summary.Kill]bool // for callers: ends on some path
	Must    map[summary.Kill]bool // ends on all paths
	Waited  bool                  // for another goroutine, perhaps
	ended   bool                  // an arena has ended, on some path

	before map[ssa.Instruction]map[Tag]bool // tags that existed at a call of Mark; its maps are shared
}

// A Pending is memory or an arena that a goroutine was given and may still use. It is one of three things:
//
//	Root, no Site    an arena that the other goroutine uses
//	Root and Site    memory of that arena
//	Given and Sym    memory that only the caller can tell to be an arena's
type Pending struct {
	At   ssa.Instruction // the go statement, the send
	Root *Root
	Site ssa.Instruction // of memory; nil for the arena itself
	What PendingKind

	Early bool // unused once the goroutine has waited for something

	Sym   summary.Sym // if Given is set: memory that only the caller knows, and no root
	Given bool
}

// A PendingKind says how a value gets to another goroutine.
type PendingKind uint8

const (
	ByGo PendingKind = iota
	BySend
	ByHandler
)

// New returns an empty state.
func New(p *Places) *State {
	return &State{Places: p, vals: map[ssa.Value]Value{}, cells: map[Cell]Value{}, Pending: map[Pending]bool{}}
}

// Clone returns a copy that may be changed.
func (s *State) Clone() *State {
	return &State{Places: s.Places, vals: maps.Clone(s.vals), cells: maps.Clone(s.cells),
		Pending: maps.Clone(s.Pending), Defers: slices.Clone(s.Defers), May: maps.Clone(s.May),
		Must: maps.Clone(s.Must), Waited: s.Waited, ended: s.ended, before: maps.Clone(s.before)}
}

// Of returns the value of an operand. Constants and built-in functions refer to nothing; a function is itself, so that
// a call through a variable finds it.
func (s *State) Of(v ssa.Value) Value {
	switch v := v.(type) {
	case *ssa.Global:
		return To(s.Global(v.Pkg.Pkg.Path() + "." + v.Name()))
	case *ssa.Function:
		return Just(Tag{Kind: Func, Func: v}, nil)
	}
	return s.vals[v]
}

// Bind sets an instruction's result. An empty value removes the result of an earlier loop iteration.
func (s *State) Bind(v ssa.Value, x Value) {
	if len(x) > 0 {
		s.vals[v] = x
	} else {
		delete(s.vals, v)
	}
}

// Set puts a value into a cell.
func (s *State) Set(c Cell, v Value) {
	s.list(c)
	s.cells[c] = v
}

// In returns the contents of a cell, nil if unknown.
func (s *State) In(c Cell) Value { return s.cells[c] }

// Known is In, and reports whether the contents are known: they may be empty.
func (s *State) Known(c Cell) (Value, bool) {
	v, ok := s.cells[c]
	return v, ok
}

// Cells returns all known cells and their contents. Cells may be set during the iteration.
func (s *State) Cells() iter.Seq2[Cell, Value] {
	all := maps.Clone(s.cells)
	order := slices.SortedFunc(maps.Keys(all), func(a, b Cell) int {
		return cmp.Or(a.Loc.number-b.Loc.number, strings.Compare(a.Path, b.Path))
	})
	return func(yield func(Cell, Value) bool) {
		for _, c := range order {
			if !yield(c, all[c]) {
				return
			}
		}
	}
}

// rowsPerStep is how many values and cells are handled in the time of one step, if they are only compared or kept.
const rowsPerStep = 32

// Size is the number of values and cells.
func (s *State) Size() int { return len(s.vals) + len(s.cells) }

// Each replaces each tag of all values and cells by f's result. If two become equal, the dead one stays. It is how an
// arena's end reaches all its memory. It costs as much as the state is large; callers that can do with less should.
func (s *State) Each(f func(t Tag, d *Death) (Tag, *Death)) {
	s.Spend(s.Size())
	each := func(v Value) Value {
		if w := v.each(f); w != nil {
			return w
		}
		return v
	}
	change(s.vals, each)
	change(s.cells, each)
}

// change replaces each value by f's result.
func change[K comparable](values map[K]Value, f func(Value) Value) {
	for k, v := range values {
		if w := f(v); !w.same(v) {
			values[k] = w
		}
	}
}

// EachOfSeveral is Each for cells that stand for several places.
func (s *State) EachOfSeveral(f func(t Tag, d *Death) (Tag, *Death)) {
	s.Spend(s.Size())
	for c, v := range s.Cells() {
		if !Several(c.Path) {
			continue
		}
		if w := v.each(f); w != nil {
			s.Set(c, w)
		}
	}
}

// each returns the changed value, nil if it is unchanged, as most are.
func (v Value) each(f func(t Tag, d *Death) (Tag, *Death)) Value {
	var w Value
	for n, e := range v {
		t, d := f(e.node.Tag, e.death)
		// Most tags of most values stay as they are, and then the value isn't copied.
		same := d == e.death && t.Root == e.node.Root
		if same && w == nil {
			continue
		}
		if w == nil {
			w = append(newValue(len(v)), v[:n]...)
		}
		if t.Root != e.node.Root {
			e = entryOf(t, d)
		}
		e.death = d
		w = w.with(e)
	}
	return w
}
