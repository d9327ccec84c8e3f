package misuse

import (
	"go/token"
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/harena-go/arena/arenavet/internal/api"
	"github.com/harena-go/arena/arenavet/internal/defuse"
	"github.com/harena-go/arena/arenavet/internal/guard"
)

// This file holds what is appended to slices: by arena.Append, by the builtin append to a slice
// of an arena, and by functions of the package that do it with what they are given, and return
// what has become of it.

// A growth is a call after whose result a slice goes on where it has ended before.
type growth struct {
	*ssa.Call
	base ssa.Value // the slice, or what has it in a field
	at   place     // the slice
}

// slicesOf is what is known of the slices of a package.
type slicesOf struct {
	kept    map[types.Object]bool // fields and global variables that are set when others know them
	room    map[types.Object]bool // fields that are set to slices of an arena that have room
	helpers map[*ssa.Function]*grower
}

// A grower is a function that appends to what a parameter leads to, and returns the slice or a
// new struct that has it.
type grower struct {
	param   int
	fields  []types.Object
	builtin bool // it grows by the builtin append: nothing is overwritten if the slice has no room
}

// stores notes which fields a function sets.
func (s *slicesOf) stores(fn *ssa.Function, g *guard.Guard) {
	for _, b := range fn.Blocks {
		for _, i := range b.Instrs {
			g.Spend(1)
			store, ok := i.(*ssa.Store)
			if !ok {
				continue
			}
			if !making(store) {
				sets(store, func(f types.Object) { s.kept[f] = true })
			}
			if f, ok := store.Addr.(*ssa.FieldAddr); ok && defuse.FieldOf(f) != nil && hasArenaRoom(store.Val) {
				s.room[defuse.FieldOf(f)] = true
			}
		}
	}
}

// helper notes what a function does that has a parameter.
func (s *slicesOf) helper(fn *ssa.Function) {
	if fn.Parent() != nil || fn.Signature.Results().Len() != 1 || len(fn.Blocks) == 0 {
		return
	}
	var found *grower
	for _, b := range fn.Blocks {
		ret, ok := b.Instrs[len(b.Instrs)-1].(*ssa.Return)
		if !ok {
			continue
		}
		if found != nil || len(ret.Results) == 0 { // of several ways, each may be taken
			return
		}
		if found = s.grows(fn, ret.Results[0]); found == nil {
			return
		}
	}
	if found != nil {
		s.helpers[fn] = found
	}
}

// grows says how a function grows what it returns.
func (s *slicesOf) grows(fn *ssa.Function, v ssa.Value) *grower {
	if u, ok := v.(*ssa.UnOp); ok && u.Op == token.MUL {
		v = u.X
	}
	if made, ok := v.(*ssa.Alloc); ok { // a struct with a field that is set to it
		for f, use := range defuse.FieldUses(made) {
			if store, ok := use.(*ssa.Store); ok && store.Addr == f {
				if g := s.grownBy(fn, store.Val); g != nil {
					return g
				}
			}
		}
		return nil
	}
	return s.grownBy(fn, v)
}

// grownBy reports whether a value is what a function has appended to what a parameter leads to.
func (s *slicesOf) grownBy(fn *ssa.Function, v ssa.Value) *grower {
	call, ok := v.(*ssa.Call)
	if !ok {
		return nil
	}
	g := grower{builtin: api.IsBuiltin(call, "append")}
	var at place
	if f := api.Callee(&call.Call); f != nil && f.Name == "Append" {
		at = placeOf(api.Arg(&call.Call, 1))
	} else if g.builtin {
		at = placeOf(call.Call.Args[0])
	} else {
		return nil
	}
	if variable, ok := at.root.(*ssa.Alloc); ok { // of a parameter that is a struct
		if stored := defuse.Stored(variable); len(stored) == 1 {
			at.root = stored[0]
		}
	}
	g.fields = at.fields
	g.param = slices.IndexFunc(fn.Params, func(p *ssa.Parameter) bool { return p == at.root })
	if g.param < 0 || s.changed(at) {
		return nil
	}
	return &g
}

// changed reports whether a place may get another slice while somebody knows it.
func (s *slicesOf) changed(at place) bool {
	return slices.ContainsFunc(at.fields, func(f types.Object) bool { return s.kept[f] })
}

// growth returns what a call grows.
func (s *slicesOf) growth(call *ssa.Call) (g growth, ok bool) {
	g.Call = call
	switch f := api.Callee(&call.Call); {
	case f != nil:
		g.base = api.Arg(&call.Call, 1)
		g.at = placeOf(g.base)
		return g, f.Name == "Append"
	case api.IsBuiltin(call, "append"):
		g.base = call.Call.Args[0]
		g.at = placeOf(g.base)
		return g, s.hasRoom(g.at, g.base)
	}
	fn := api.StaticCallee(&call.Call)
	if fn == nil {
		return g, false
	}
	h := s.helpers[fn]
	if h == nil {
		return g, false
	}
	g.base = call.Call.Args[h.param]
	g.at = placeOf(g.base).then(h.fields...)
	return g, !h.builtin || s.hasRoom(g.at, g.base)
}

// hasRoom reports whether a slice is known to be in an arena and to have room.
func (s *slicesOf) hasRoom(at place, v ssa.Value) bool {
	if n := len(at.fields); n > 0 {
		return s.room[at.fields[n-1]]
	}
	return hasArenaRoom(v)
}

// hasArenaRoom reports whether a slice comes from where an arena has allocated it with room
// behind it.
func hasArenaRoom(v ssa.Value) (found bool) {
	if _, ok := v.Type().Underlying().(*types.Slice); !ok {
		return false
	}
	defuse.Of(v, func(v ssa.Value) bool {
		switch v := v.(type) {
		case *ssa.Call:
			f := api.Callee(&v.Call)
			if f == nil || f.Verb != api.Alloc {
				break
			}
			n, room := api.Arg(&v.Call, 1), api.Arg(&v.Call, 2)
			found = found || f.Name == "Append" || f.Name == "MakeSlice" && room != nil && !same(n, room)
		case *ssa.IndexAddr, *ssa.FieldAddr:
			return false
		}
		return !found
	})
	return found
}

// sameSlice reports whether two calls grow one slice.
func (c *check) sameSlice(x, y growth) bool {
	if !x.at.is(y.at) {
		return false
	}
	return x.loadedWith(y) || (x.base == y.base || len(x.at.fields) > 0) && !c.slices.changed(x.at)
}

// loadedWith reports whether two growths are of one value, whatever its place has become since.
func (x growth) loadedWith(y growth) bool { return x.base == y.base && placeOf(x.base).is(x.at) }
