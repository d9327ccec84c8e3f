package state

import (
	"go/types"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/harena-go/arena/arenavet/internal/api"
	"github.com/harena-go/arena/arenavet/internal/flow/shape"
	"github.com/harena-go/arena/arenavet/internal/flow/summary"
)

// This file loads from memory, by an address or by a name. Loads don't change a state, with one exception: a value
// loaded from unknown memory that may be an arena is stored there, so that the arena's end reaches it.

// Load returns the value at a pointer moved by a path, as a value of a type: tags that the type can't hold are left
// out. For a pointer with several targets it returns the union of their contents.
func (s *State) Load(p Value, path string, t types.Type) Value {
	var v Value
	s.Spend(len(p))
	for _, e := range p {
		if t0 := &e.node.Tag; t0.Is(Ptr) {
			v, _ = v.Join(s.load(Cell{t0.Loc, t0.Off + path}, t, 0))
		}
	}
	return v
}

// load returns the contents of a cell with a type. A struct has no cell of its own, only cells for its fields.
func (s *State) load(c Cell, t types.Type, depth int) Value {
	if depth > maxNested || len(c.Path) > summary.MaxPath || !shape.HasPointers(t) {
		return nil
	}
	switch u := t.Underlying().(type) {
	case *types.Struct:
		var v Value
		for field := range u.Fields() {
			path := "." + field.Name()
			for _, e := range s.load(Cell{c.Loc, c.Path + path}, field.Type(), depth+1).As(path) {
				v = v.with(e)
			}
		}
		return v
	case *types.Array:
		return s.load(Cell{c.Loc, c.Path + "[]"}, u.Elem(), depth+1).As("[]")
	}
	// It is known, or the cell was never set.
	if v, ok := s.Known(c); ok || !c.Loc.Unknown && !c.Loc.decoded {
		return v
	}
	if c.Loc.decoded {
		if v := s.decoded(c, t); v != nil || !c.Loc.Unknown {
			return v
		}
	}
	if !IsHandle(t) {
		return s.initial(c)
	}
	// From now on the cell is known to hold an arena, also in states without an entry for it.
	s.held(c).Shared = api.TypeOf(t) == api.Shared
	v := s.initial(c)
	s.Set(c, v) // so that the arena's end reaches it
	return v
}

// Content returns the value at a pointer moved by a path, of any type: a summary's names have no types. The value may
// be an arena, so an arena is made for it.
func (s *State) Content(p Value, path string) Value {
	var v Value
	s.Spend(len(p))
	for _, e := range p {
		t := &e.node.Tag
		if !t.Is(Ptr) {
			continue
		}
		c := Cell{t.Loc, t.Off + path}
		x, ok := s.Known(c)
		// The first access. A value that can be there at all may be an arena; as in load, it is stored, so that the
		// arena's end reaches it.
		if !ok && c.Loc.decoded {
			x = s.decoded(c, nil)
			ok = x != nil
		}
		if !ok && c.Loc.Unknown {
			x = s.initial(c)
			if len(x) > 0 && s.part(c).held == nil {
				s.held(c)
				x = s.initial(c)
			}
			s.Set(c, x)
		}
		v, _ = v.Join(x)
	}
	return v
}

// Follow evaluates a name, given the arguments and the captured variables of a closure. It takes the path step by step:
// the part of the argument before the first *, then one load for each pointer. In "{1 .list*[]*.name&}":
//
//	all[1]      the argument
//	.list       its field: a slice
//	*[]         the content of its elements: a pointer
//	*.name&     the address of field name in that pointer's target
func (s *State) Follow(x summary.Sym, all []Value) Value {
	var v Value
	if x.Param < 0 {
		v = To(s.Global(x.Global))
	} else if x.Param < len(all) {
		v = all[x.Param]
	}
	path := x.Path
	// Up to the first pointer the path is within the value itself.
	if n := strings.IndexByte(path, '*'); n != 0 {
		if n < 0 {
			n = len(path)
		}
		v, path = v.Part(path[:n]), path[n:]
	}
	for path != "" {
		path = path[1:] // the *
		n := strings.IndexAny(path, "*&")
		if n < 0 {
			n = len(path)
		}
		// The last step is an address: it loads nothing.
		if strings.HasPrefix(path[n:], "&") {
			return v.Moved(path[:n])
		}
		v, path = s.Content(v, path[:n]), path[n:]
	}
	return v
}

// Reach returns all tags reachable from a value through memory made in this function, without paths. A value may lead
// to everything that a function knows, so Spend counts each step.
func (s *State) Reach(v Value) Value {
	w := Value{}
	s.Walk(v, map[*Loc]bool{}, func(_ Cell, t Tag, d *Death) { w = w.With(t, d) })
	return w
}

// Walk calls visit for the tags of a value and everything reachable from it, with the cell of each tag; the value's own
// tags have no cell. It enters each Loc once and skips those in seen, so it ends in cyclic lists. It doesn't enter
// memory from before the call, which has no end.
func (s *State) Walk(v Value, seen map[*Loc]bool, visit func(c Cell, t Tag, d *Death)) {
	s.walk(Cell{}, v, seen, visit)
}

func (s *State) walk(c Cell, v Value, seen map[*Loc]bool, visit func(c Cell, t Tag, d *Death)) {
	s.Spend(1 + len(v))
	for _, e := range v {
		// The path is the tag's place in the value, and visit gets the cell instead.
		t := e.node.Tag
		t.Path = ""
		visit(c, t, e.death)
		if t.Kind != Ptr || t.Loc.Unknown || seen[t.Loc] {
			continue
		}
		seen[t.Loc] = true
		// All of it, wherever the pointer points: only package unsafe leads from a part to its neighbours, but slices
		// of one array share a Loc.
		for _, path := range t.Loc.Paths {
			c := Cell{t.Loc, path}
			if v := s.In(c); v != nil {
				s.walk(c, v, seen, visit)
			}
		}
	}
}

// Bindings returns the current captured values of a closure: variables are captured by address.
func (s *State) Bindings(m *ssa.MakeClosure) []Value {
	if m == nil {
		return nil
	}
	var bs []Value
	l := s.Fresh(m, "")
	for n := range m.Bindings {
		bs = append(bs, s.In(Cell{l, Numbered(n)}))
	}
	return bs
}
