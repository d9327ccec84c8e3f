package misuse

import (
	"go/token"
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/harena-go/arena/arenavet/internal/defuse"
)

// A place is where something is: a value, and the fields that lead on from it. Two that are the
// same hold the same, as long as nothing is stored in one of the fields.
type place struct {
	root   ssa.Value
	fields []types.Object // or, first, a global variable
}

func (p place) is(q place) bool { return p.root == q.root && slices.Equal(p.fields, q.fields) }

// then returns the place to which fields lead from here.
func (p place) then(fields ...types.Object) place {
	return place{p.root, slices.Concat(p.fields, fields)}
}

// placeOf returns where a value is loaded from, or which place it is the address of.
func placeOf(v ssa.Value) place { return placeIn(v, 10) }

func placeIn(v ssa.Value, depth int) place {
	if depth == 0 {
		return place{root: v}
	}
	switch v := v.(type) {
	case *ssa.ChangeType:
		return placeIn(v.X, depth-1)
	case *ssa.FieldAddr:
		if f := defuse.FieldOf(v); f != nil {
			return placeIn(v.X, depth-1).then(f)
		}
	case *ssa.UnOp:
		if v.Op != token.MUL {
			break
		}
		switch x := v.X.(type) {
		case *ssa.FieldAddr:
			return placeIn(x, depth-1)
		case *ssa.Alloc, *ssa.FreeVar: // a variable that is set once
			if stored := defuse.Stored(x); len(stored) == 1 {
				return placeIn(stored[0], depth-1)
			}
		case *ssa.Global:
			if x.Object() != nil {
				return place{x, []types.Object{x.Object()}}
			}
		}
	}
	return place{root: v}
}

// sets calls yield with the fields, or the global variable, that a store changes in what is
// there already.
func sets(store *ssa.Store, yield func(types.Object)) {
	switch addr := store.Addr.(type) {
	case *ssa.FieldAddr:
		if f := defuse.FieldOf(addr); f != nil {
			yield(f)
		}
	case *ssa.Global:
		if addr.Object() != nil {
			yield(addr.Object())
		}
	}
	if s, ok := store.Val.Type().Underlying().(*types.Struct); ok {
		for i := range s.NumFields() {
			yield(s.Field(i).Origin())
		}
	}
}

// making reports whether a store is to what its function has made, so that it changes nothing that
// others know.
func making(store *ssa.Store) bool {
	addr := store.Addr
	for {
		f, ok := addr.(*ssa.FieldAddr)
		if !ok {
			break
		}
		addr = f.X
	}
	_, made := addr.(*ssa.Alloc)
	return made || store.Parent().Name() == "init" && store.Parent().Synthetic != ""
}

// same reports whether two values are computed in the same way from the same, so that they are
// equal, if nothing that they come from has changed.
func same(x, y ssa.Value) bool { return sameIn(x, y, 6) }

func sameIn(x, y ssa.Value, depth int) bool {
	if x == y {
		return true
	}
	if x == nil || y == nil || depth == 0 || !types.Identical(x.Type(), y.Type()) {
		return false
	}
	switch x := x.(type) {
	case *ssa.Const:
		y, ok := y.(*ssa.Const)
		return ok && x.Value != nil && y.Value != nil && x.Value.ExactString() == y.Value.ExactString()
	case *ssa.BinOp:
		y, ok := y.(*ssa.BinOp)
		return ok && x.Op == y.Op && sameIn(x.X, y.X, depth-1) && sameIn(x.Y, y.Y, depth-1)
	case *ssa.Convert:
		y, ok := y.(*ssa.Convert)
		return ok && sameIn(x.X, y.X, depth-1)
	case *ssa.MakeInterface:
		y, ok := y.(*ssa.MakeInterface)
		return ok && sameIn(x.X, y.X, depth-1)
	case *ssa.Slice:
		y, ok := y.(*ssa.Slice)
		return ok && sameIn(x.X, y.X, depth-1) && sameIn(x.Low, y.Low, depth-1) && sameIn(x.High, y.High, depth-1)
	case *ssa.IndexAddr:
		y, ok := y.(*ssa.IndexAddr)
		return ok && sameIn(x.X, y.X, depth-1) && sameIn(x.Index, y.Index, depth-1)
	case *ssa.Field:
		y, ok := y.(*ssa.Field)
		return ok && x.Field == y.Field && sameIn(x.X, y.X, depth-1)
	case *ssa.Extract:
		y, ok := y.(*ssa.Extract)
		return ok && x.Index == y.Index && sameIn(x.Tuple, y.Tuple, depth-1)
	case *ssa.Call:
		y, ok := y.(*ssa.Call)
		if !ok || x.Call.Value != y.Call.Value || x.Call.Method != y.Call.Method ||
			len(x.Call.Args) != len(y.Call.Args) {
			return false
		}
		for i := range x.Call.Args {
			if !sameIn(x.Call.Args[i], y.Call.Args[i], depth-1) {
				return false
			}
		}
		return true
	case *ssa.UnOp:
		y, ok := y.(*ssa.UnOp)
		if !ok || x.Op != y.Op {
			return false
		}
		if x.Op == token.MUL && placeOf(x).is(placeOf(y)) {
			return true
		}
		return sameIn(x.X, y.X, depth-1)
	case *ssa.FieldAddr:
		return placeOf(x).is(placeOf(y))
	}
	return false
}
