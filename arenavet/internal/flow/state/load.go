package state

import (
	"go/types"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/harena-go/arena/arenavet/internal/api"
	"github.com/harena-go/arena/arenavet/internal/flow/shape"
	"github.com/harena-go/arena/arenavet/internal/flow/summary"
)

// This file holds what comes out of memory, by an address or by a name. Loads don't
// change what a state knows, with one exception: what is found in unknown memory,
// if it may be an arena, is put there, so that the arena's end reaches it.

// Load returns what is where a pointer, moved by a path, leads to, as a value of a
// type: what a type can't hold isn't there. If the pointer may be several the value
// may be what is in any of them.
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

// load returns what is in a cell that has a type. A struct is in the cells of its
// fields, and so on: there is none for the struct itself.
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
	// It is known, or nothing was ever put there.
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
	// From now on the cell is known to hold an arena, also by states that don't have
	// it in Cells.
	s.held(c).Shared = api.TypeOf(t) == api.Shared
	v := s.initial(c)
	s.Set(c, v) // so that it is known when it ends
	return v
}

// Content returns what is where a pointer, moved by a path, leads to, of whatever
// type: that of a name in a summary isn't known. It may be an arena, and so is made
// one.
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
		// Nobody has looked at it yet. If something can be there at all it may be an
		// arena; what is there is noted, as by load, so that it is known when that
		// ends.
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

// Follow returns what a name means, given the arguments and what a closure has
// captured. It goes the way that a path names step by step: to the part of the
// argument before the first *, then through each pointer to what is at the next
// step. Of "{1 .list*[]*.name&}":
//
//	all[1]      the argument
//	.list       its field: a slice
//	*[]         what is in an element of that: a pointer
//	*.name&     the address of field name of what that points to
func (s *State) Follow(x summary.Sym, all []Value) Value {
	var v Value
	if x.Param < 0 {
		v = To(s.Global(x.Global))
	} else if x.Param < len(all) {
		v = all[x.Param]
	}
	path := x.Path
	// Up to the first pointer the way is within the value itself.
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
		// The last step is an address: nothing is loaded.
		if strings.HasPrefix(path[n:], "&") {
			return v.Moved(path[:n])
		}
		v, path = s.Content(v, path[:n]), path[n:]
	}
	return v
}

// Reach returns all that a value leads to through memory made in this function,
// without paths. A value may lead to all that a function knows, so that Spend
// counts each step.
func (s *State) Reach(v Value) Value {
	w := Value{}
	s.Walk(v, map[*Loc]bool{}, func(_ Cell, t Tag, d *Death) { w = w.With(t, d) })
	return w
}

// Walk calls visit for the tags of a value and all that it leads to, with the cell
// in which they are, none for the value itself. It enters each Loc once, and none
// of those that were seen, and so comes to an end in lists that are rings. What was
// there before the function began isn't entered: there is no end of that.
func (s *State) Walk(v Value, seen map[*Loc]bool, visit func(c Cell, t Tag, d *Death)) {
	s.walk(Cell{}, v, seen, visit)
}

func (s *State) walk(c Cell, v Value, seen map[*Loc]bool, visit func(c Cell, t Tag, d *Death)) {
	s.Spend(1 + len(v))
	for _, e := range v {
		// The path says where in the value a tag is, and the cell is told anyway.
		t := e.node.Tag
		t.Path = ""
		visit(c, t, e.death)
		if t.Kind != Ptr || t.Loc.Unknown || seen[t.Loc] {
			continue
		}
		seen[t.Loc] = true
		// All of it, wherever the pointer points: one may get from a part to its
		// neighbours only by package unsafe, but slices of one array share a Loc.
		for _, path := range t.Loc.Paths {
			c := Cell{t.Loc, path}
			if v := s.In(c); v != nil {
				s.walk(c, v, seen, visit)
			}
		}
	}
}

// Bindings returns what a closure has captured, as it is now: variables are
// captured by address.
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
