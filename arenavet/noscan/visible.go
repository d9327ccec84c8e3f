package noscan

import (
	"golang.org/x/tools/go/ssa"

	"github.com/harena-go/arena/arenavet/internal/api"
	"github.com/harena-go/arena/arenavet/internal/defuse"
)

// held reports whether a value is also stored where it is seen by the GC for longer:
// in a package-level variable, a map, a field of something that isn't in a
// self-contained arena, or a list in such a place.
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
