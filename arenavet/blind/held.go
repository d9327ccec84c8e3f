package blind

import (
	"golang.org/x/tools/go/ssa"

	"github.com/harena-go/arena/arenavet/internal/api"
)

// held says whether a value is also stored where it is seen by the GC for longer:
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
	for _, use := range api.Uses(f.X) {
		if g, ok := use.(*ssa.FieldAddr); ok && g.Field == f.Field {
			for _, use := range api.Uses(g) {
				if load, ok := use.(*ssa.UnOp); ok {
					values = append(values, load)
				}
			}
		}
	}
	return values
}

func (l *look) holds(addr ssa.Value) bool {
	switch addr := addr.(type) {
	case *ssa.Global:
		return true
	case *ssa.FieldAddr:
		_, local := addr.X.(*ssa.Alloc)
		return !local && l.owner(addr).kind == unknown
	case *ssa.IndexAddr:
		array, ok := addr.X.(*ssa.Alloc)
		if !ok || array.Comment != "varargs" {
			return false
		}
		for _, use := range api.Uses(array) {
			if s, ok := use.(*ssa.Slice); ok {
				return l.appended(s)
			}
		}
	}
	return false
}

// appended says whether items are appended to a list that is kept.
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
