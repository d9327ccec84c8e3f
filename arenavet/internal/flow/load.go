package flow

import (
	"fmt"
	"go/types"

	"github.com/harena-go/arena/arenavet/internal/api"
)

// This file holds what is in memory, as far as that is known.

// opaque returns a value of which nothing is known but its type and where it
// comes from.
func (f *function) opaque(key string, s *sym, t types.Type, name string, depth int) value {
	if depth > 3 || !hasPointers(t) {
		return nil
	}
	var v value
	switch u := t.Underlying().(type) {
	case *types.Struct:
		for field := range u.Fields() {
			path := "." + field.Name()
			for t, d := range f.opaque(key+path, s.add(path), field.Type(), name+path, depth+1).as(path) {
				v = v.with(t, d)
			}
		}
		return v
	case *types.Array:
		return f.opaque(key+"[]", s.add("[]"), u.Elem(), name, depth+1).as("[]")
	case *types.Tuple:
		for i := range u.Len() {
			path := fmt.Sprintf("#%d", i)
			for t, d := range f.opaque(key+path, nil, u.At(i).Type(), "", depth+1).as(path) {
				v = v.with(t, d)
			}
		}
		return v
	}
	l := f.loc(key+"*", s.add("*"), true)
	l.name = name
	v = v.with(tag{kind: ptr, loc: l}, nil)
	if isHandle(t) {
		r := f.root(key, unknownArena)
		r.sym, r.name, r.shared = s, name, api.TypeOf(t) == api.Shared
		v = v.with(tag{kind: handle, root: r}, nil)
	}
	return v
}

// isHandle says whether values of a type stand for arenas.
func isHandle(t types.Type) bool {
	if t == nil {
		return false
	}
	if _, ok := t.Underlying().(*types.Pointer); !ok {
		return api.TypeOf(t) == api.Allocator
	}
	switch api.TypeOf(t) {
	case api.Arena, api.Shared, api.Typed:
		return true
	}
	return false
}

// initial returns what was in a cell of unknown memory.
func (f *function) initial(c cell) value {
	var v value
	if l := f.deref(c); l != nil {
		v = v.with(tag{kind: ptr, loc: l}, nil)
	}
	if r := f.roots["in "+c.loc.key+c.path]; r != nil {
		v = v.with(tag{kind: handle, root: r}, nil)
	}
	return v
}

// load returns what is in a cell that has a type.
func (f *function) load(s *state, c cell, t types.Type, depth int) value {
	if depth > 3 || len(c.path) > maxPath || !hasPointers(t) {
		return nil
	}
	var v value
	switch u := t.Underlying().(type) {
	case *types.Struct:
		for field := range u.Fields() {
			path := "." + field.Name()
			for t, d := range f.load(s, cell{c.loc, c.path + path}, field.Type(), depth+1).as(path) {
				v = v.with(t, d)
			}
		}
		return v
	case *types.Array:
		return f.load(s, cell{c.loc, c.path + "[]"}, u.Elem(), depth+1).as("[]")
	}
	if v, ok := s.cells[c]; ok || !c.loc.unknown {
		return v
	}
	if !isHandle(t) {
		return f.initial(c)
	}
	r := f.root("in "+c.loc.key+c.path, unknownArena)
	r.sym, r.name, r.shared = c.loc.sym.add(c.path), c.loc.name+c.path, api.TypeOf(t) == api.Shared
	v = f.initial(c)
	s.set(c, v) // so that it is known when it ends
	return v
}

// loadAll returns what is where a pointer, moved by a path, leads to.
func (f *function) loadAll(s *state, p value, path string, t types.Type) value {
	var v value
	f.spend(len(p))
	for t0, d := range p {
		if t0.kind != ptr || t0.path != "" {
			continue
		}
		_ = d
		v, _ = v.join(f.load(s, cell{t0.loc, t0.off + path}, t, 0))
	}
	return v
}

// deref returns the memory that the pointer leads to which was in a cell.
func (f *function) deref(c cell) *loc {
	if len(c.loc.key)+len(c.path) > 4*maxPath || c.loc.depth >= maxDepth {
		return nil
	}
	l := f.loc(c.loc.key+c.path+"*", c.loc.sym.add(c.path+"*"), true)
	l.depth, l.name, l.from = c.loc.depth+1, c.loc.name+c.path, c.loc
	return l
}
