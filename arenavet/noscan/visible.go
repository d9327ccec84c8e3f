package noscan

import (
	"golang.org/x/tools/go/ssa"

	"github.com/harena-go/arena/arenavet/internal/api"
	"github.com/harena-go/arena/arenavet/internal/defuse"
)

// This file finds out whether the GC sees a value for longer than the store that hides it: then
// the pointer in the self-contained arena is a second one, and nothing is freed too early.
//
//	t.names = append(t.names, name)    a field that isn't in the arena
//	n.name = name                      in the arena: right, as long as t lives
//
// How long the other place holds the value isn't looked at. Tables of names beside a tree are
// kept as long as the tree is, in all programs that were looked at.

// held reports whether a value is also stored where it is seen by the GC for longer:
// in a package-level variable, a map, a field of something that isn't in a
// self-contained arena, or a list in such a place.
// A map counts wherever it is: maps can't be in an arena.
func (l *look) held(v ssa.Value) bool {
	for _, use := range api.Uses(v) {
		switch use := use.(type) {
		case *ssa.MapUpdate:
			if use.Map != v {
				return true
			}
		case *ssa.Store:
			if use.Val == v && l.holds(use.Addr) {
				return true
			}
		}
	}
	return false
}

// loads returns what is loaded from a field in the same function.
// They are the same as the field itself for the search: what was stored in it before is held as
// well as what is stored now.
func loads(addr ssa.Value) (values []ssa.Value) {
	f, ok := addr.(*ssa.FieldAddr)
	if !ok {
		return nil
	}
	for g, use := range defuse.FieldUses(f.X) {
		if load, ok := use.(*ssa.UnOp); ok && g.Field == f.Field {
			values = append(values, load)
		}
	}
	return values
}

// holds reports whether what is stored at an address is seen by the GC for longer.
// For a field of unknown owner that is assumed: who builds a self-contained tree has the struct
// around it on the heap.
func (l *look) holds(addr ssa.Value) bool {
	switch addr := addr.(type) {
	case *ssa.Global:
		return true
	case *ssa.FieldAddr:
		_, local := addr.X.(*ssa.Alloc)
		return !local && l.owner(addr).kind == unknown
	}
	items := defuse.Arguments(addr)
	return items != nil && l.appended(items)
}

// appended reports whether items are appended to a list that is kept.
//
//	t.names = append(t.names, name)
func (l *look) appended(items *ssa.Slice) bool {
	for _, use := range api.Uses(items) {
		if call, ok := use.(*ssa.Call); ok && api.IsBuiltin(call, "append") {
			for _, use := range api.Uses(call) {
				if s, ok := use.(*ssa.Store); ok && s.Val == call {
					_, list := s.Addr.(*ssa.FieldAddr)
					_, global := s.Addr.(*ssa.Global)
					if global || list && l.owner(s.Addr).kind != selfContained {
						return true
					}
				}
			}
		}
	}
	return false
}
