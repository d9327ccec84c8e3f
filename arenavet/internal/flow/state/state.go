package state

import (
	"maps"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/harena-go/arena/arenavet/internal/flow/summary"
)

// A State is what is known at one point of a function.
//
// The maps belong to one state, the values in them to many. Of what isn't in Vals
// nothing is known; what isn't in Cells is nothing if the function has made the
// memory, and what was there at the beginning if it hasn't. An empty value in Cells
// says that nothing is there any more.
//
// Two states of one function have the same Places, so that what one has found out
// of how memory is made up the other knows, too. What is in the memory they know
// each for itself.
type State struct {
	*Places

	Vals    map[ssa.Value]Value
	Cells   map[Cell]Value
	Pending map[Pending]bool      // what other goroutines may be using
	Defers  []*ssa.Defer          // in the order of their execution
	May     map[summary.Kill]bool // what callers must know has ended, on some path
	Must    map[summary.Kill]bool // and on all
	Waited  bool                  // for another goroutine, perhaps

	before map[ssa.Instruction]map[Tag]bool // what was allocated already at a call of Mark; its maps are shared
}

// A Pending is what a goroutine was given that may still be running. It is one of
// three things:
//
//	Root, no Site    an arena that the other goroutine uses
//	Root and Site    memory that it has
//	Given and Sym    memory of which only the caller knows whether it is an arena's
type Pending struct {
	At   ssa.Instruction // the go statement, the send
	Root *Root
	Site ssa.Instruction // of memory; nil for the arena itself
	What PendingKind

	Early bool // it isn't used any more once the goroutine has waited for something

	Sym   summary.Sym // if Given is set: memory that only the caller knows, and no root
	Given bool
}

// A PendingKind says how something gets to another goroutine.
type PendingKind uint8

const (
	ByGo PendingKind = iota
	BySend
	ByHandler
	ByFlight // by an object that others wait for, who are waited for by nobody
)

// New returns a state in which nothing is known.
func New(p *Places) *State {
	return &State{Places: p, Vals: map[ssa.Value]Value{}, Cells: map[Cell]Value{}, Pending: map[Pending]bool{},
		before: map[ssa.Instruction]map[Tag]bool{}}
}

// Clone returns a copy that may be changed.
func (s *State) Clone() *State {
	return &State{Places: s.Places, Vals: maps.Clone(s.Vals), Cells: maps.Clone(s.Cells), Pending: maps.Clone(s.Pending),
		Defers: slices.Clone(s.Defers), May: maps.Clone(s.May), Must: maps.Clone(s.Must), Waited: s.Waited,
		before: maps.Clone(s.before)}
}

// Of returns what an operand is. Constants and functions of the language refer to
// nothing; a function is itself, so that a call through a variable finds it.
func (s *State) Of(v ssa.Value) Value {
	switch v := v.(type) {
	case *ssa.Global:
		return To(s.Global(v.Pkg.Pkg.Path() + "." + v.Name()))
	case *ssa.Function:
		return Just(Tag{Kind: Func, Func: v}, nil)
	case *ssa.Const, *ssa.Builtin:
		return nil
	}
	return s.Vals[v]
}

// Bind says what an instruction has computed. If that is nothing, what it has
// computed before, in a loop, isn't either.
func (s *State) Bind(v ssa.Value, x Value) {
	if len(x) == 0 {
		delete(s.Vals, v)
	} else {
		s.Vals[v] = x
	}
}

// Set puts a value into a cell. All cells come into being here, so that Paths of a
// Loc has all of its.
func (s *State) Set(c Cell, v Value) {
	if _, ok := s.Cells[c]; !ok && !slices.Contains(c.Loc.Paths, c.Path) {
		c.Loc.Paths = append(c.Loc.Paths, c.Path)
	}
	s.Cells[c] = v
}

// Each calls f for all tags of all values and cells, and puts what it returns in
// place. If that makes one of two, the dead one wins. It is how an arena's end
// reaches all its memory, wherever that is, and costs as much as there is in the
// state: callers that can do with less should.
func (s *State) Each(f func(t Tag, d *Death) (Tag, *Death)) {
	s.Spend(len(s.Vals) + len(s.Cells))
	for k, v := range s.Vals {
		if w := v.each(f); w != nil {
			s.Vals[k] = w
		}
	}
	for k, v := range s.Cells {
		if w := v.each(f); w != nil {
			s.Cells[k] = w
		}
	}
}

// EachOfSeveral is Each for cells of which each stands for many.
func (s *State) EachOfSeveral(f func(t Tag, d *Death) (Tag, *Death)) {
	s.Spend(len(s.Cells))
	for k, v := range s.Cells {
		if !Several(k.Path) {
			continue
		}
		if w := v.each(f); w != nil {
			s.Cells[k] = w
		}
	}
}

// each returns the changed value, nil if it is as before: most are.
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
