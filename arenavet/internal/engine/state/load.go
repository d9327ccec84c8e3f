package state

import (
	"go/types"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/tools/go/ssa"

	"github.com/harena-go/arena/arenavet/internal/engine/shape"
	"github.com/harena-go/arena/arenavet/internal/engine/summary"
	"github.com/harena-go/arena/arenavet/internal/knowledge/api"
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
	if leads := s.part(c).leads; leads != nil && shape.IsString(t) {
		leads.text = true
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

// This part models the results of decoders: all memory that the value leads to, not only its direct targets, belongs to
// an arena. It must not depend on the names of decoders: those are in the table of package api and in summaries.
//
// After arenajson.Unmarshal(a, data, &r) with
//
//	type request struct { Name string; Items []item }
//	type item struct { SKU string }
//
// r.Name, r.Items and r.Items[0].SKU are memory of a. r itself isn't. One cell of r, Decoded, covers all parts that
// weren't set since, whatever their types. Wrappers that decode without knowing the type need no further notation in
// their summaries.
//
//	func read[T any](a *arena.Arena, data []byte) (v T, err error) {
//		err = arenajson.Unmarshal(a, data, &v)
//		return v, err
//	}
//
// All pointers and slices in r lead to one decoded Loc, however deep: pointers in it lead to itself.

// Decoded is the path to everything that a decoder has stored in a place.
const Decoded = "@decoded"

// Decode records that an instruction has decoded into a cell: everything there is memory of the arenas of v.
func (s *State) Decode(i ssa.Instruction, c Cell, v Value) {
	all := s.Fresh(i, "decoded "+c.Loc.Key+c.Path)
	x := To(all)
	for t, d := range v.All() {
		if t.Kind == Mem {
			x = x.With(Tag{Kind: Mem, Root: t.Root, Site: i}, d)
		}
	}
	all.decoded, c.Loc.decoded = true, true
	s.Put(i, Cell{all, Decoded}, x, nil, true)
	s.Put(i, Cell{c.Loc, c.Path + Decoded}, x, nil, false)
}

// Decodes calls Decode if the path ends with Decoded, and reports whether it does.
func (s *State) Decodes(i ssa.Instruction, c Cell, v Value) bool {
	path, ok := strings.CutSuffix(c.Path, Decoded)
	if ok {
		s.Decode(i, Cell{c.Loc, path}, v)
	}
	return ok
}

// decoded returns the decoder's results in a cell of a type, unless they were overwritten. For an unknown type they are
// a part of the value. Decoders don't set unexported fields; the results of a struct's own decoding methods aren't
// tracked.
func (s *State) decoded(c Cell, t types.Type) Value {
	for at := c.Path; ; {
		if v := s.In(Cell{c.Loc, at + Decoded}); v != nil {
			if t != nil && shape.IsParameter(t) {
				return v.As(Decoded)
			}
			return v
		}
		n := strings.LastIndexAny(at, ".[")
		if n < 0 {
			return nil
		}
		if r, _ := utf8.DecodeRuneInString(at[n+1:]); at[n] == '.' && !unicode.IsUpper(r) {
			return nil
		}
		at = at[:n]
	}
}
