package code

import (
	"go/constant"
	"go/token"
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/harena-go/arena/arenavet/internal/defuse"
	build "github.com/harena-go/arena/arenavet/internal/program"
)

// This file holds loops that set something in every element of a slice, an array or a map.
// Behind one, what was there before is gone, as behind a store to a variable:
//
//	for _, b := range w.bodies { b.hit = nil }
//	for i := range names { names[i] = strings.Clone(names[i]) }
//
// That holds if the loop goes over all of it, as its head says, and is left at its head: after a
// break there are elements that it hasn't come to. A turn that doesn't pass the store leaves in
// the element what was there, or nothing if it has found the element to be nil.

// An ElementLoop is a loop over all elements.
type ElementLoop struct {
	Head   *ssa.BasicBlock
	Blocks Loop
	// the slice, the array or its address, or the map; nil if it is any array with as many elements
	Over   ssa.Value
	length int64             // of such an array
	Index  ssa.Value         // the index, or the *ssa.Next of a map
	exits  []*ssa.BasicBlock // see leaves
	Stores []*ssa.Store      // to these elements, and to what they lead to
}

// ElementLoopFrom returns the loop over all elements that has a block as its head, nil if there
// is none.
func ElementLoopFrom(b *ssa.BasicBlock) *ElementLoop {
	branch := build.Branch(b)
	if branch == nil || len(b.Preds) < 2 {
		return nil
	}
	e := &ElementLoop{Head: b}
	switch cond := branch.Cond.(type) {
	case *ssa.BinOp:
		if cond.Op != token.LSS || !countsUp(cond.X, b) {
			return nil
		}
		e.Index = cond.X
		switch n := cond.Y.(type) {
		case *ssa.Call:
			if fn, ok := n.Call.Value.(*ssa.Builtin); ok && fn.Name() == "len" {
				e.Over = n.Call.Args[0]
			}
		case *ssa.Const:
			if n.Value != nil && n.Value.Kind() == constant.Int {
				e.length = n.Int64()
			}
		}
		if e.Over == nil && e.length == 0 {
			return nil
		}
	case *ssa.Extract:
		next, ok := cond.Tuple.(*ssa.Next)
		if !ok || next.IsString || cond.Index != 0 {
			return nil
		}
		e.Index, e.Over = next, next.Iter.(*ssa.Range).X
	default:
		return nil
	}
	if e.Blocks = LoopFrom(b); e.Blocks == nil || e.Blocks[b.Succs[1]] || e.isPart() {
		return nil
	}
	e.exits = e.leaves()
	return e
}

// countsUp reports whether a value is 0 in the first turn of the loop with a head, and one more in
// each further one: that of for i := 0; i < n; i++, or of a range, which begins at -1 and adds
// 1 before it looks.
func countsUp(v ssa.Value, head *ssa.BasicBlock) bool {
	first := int64(0)
	phi, ok := v.(*ssa.Phi)
	if !ok {
		phi, first = addsOne(v), -1
	}
	if phi == nil || phi.Block() != head {
		return false
	}
	for n, p := range head.Preds {
		if head.Dominates(p) {
			if addsOne(phi.Edges[n]) != phi || first < 0 && phi.Edges[n] != v {
				return false
			}
		} else if c, ok := phi.Edges[n].(*ssa.Const); !ok || c.Value == nil || c.Int64() != first {
			return false
		}
	}
	return true
}

// addsOne returns the phi to which a value adds 1, nil if it isn't such a sum.
func addsOne(v ssa.Value) *ssa.Phi {
	sum, ok := v.(*ssa.BinOp)
	if !ok || sum.Op != token.ADD {
		return nil
	}
	phi, _ := sum.X.(*ssa.Phi)
	if one, ok := sum.Y.(*ssa.Const); !ok || one.Value == nil || one.Value.Kind() != constant.Int || one.Int64() != 1 {
		return nil
	}
	return phi
}

// isPart reports whether a loop goes over a part of something.
func (e *ElementLoop) isPart() bool {
	part, ok := e.Over.(*ssa.Slice)
	return ok && (part.Low != nil && !defuse.IsZero(part.Low) || part.High != nil)
}

// isSame reports whether two values are one, or are loaded from one variable or field.
func isSame(a, b ssa.Value) bool {
	if a == b {
		return true
	}
	switch x := a.(type) {
	case *ssa.UnOp:
		y, ok := b.(*ssa.UnOp)
		return ok && x.Op == token.MUL && y.Op == token.MUL && isSame(x.X, y.X)
	case *ssa.FieldAddr:
		y, ok := b.(*ssa.FieldAddr)
		return ok && x.Field == y.Field && isSame(x.X, y.X)
	}
	return false
}

// isOver reports whether a loop goes over what a value is.
func (e *ElementLoop) isOver(v ssa.Value) bool {
	if e.Over != nil {
		return isSame(e.Over, v)
	}
	t := v.Type().Underlying()
	if p, ok := t.(*types.Pointer); ok {
		t = p.Elem().Underlying()
	}
	array, ok := t.(*types.Array)
	return ok && array.Len() == e.length
}

// Around returns the loops in which a store is to the turn's element, or to what that leads to;
// the inner ones first.
func Around(st *ssa.Store, byIndex map[ssa.Value]*ElementLoop) (list []*ElementLoop) {
	at, v := st.Block(), st.Addr
	for {
		var e *ElementLoop
		switch x := v.(type) {
		case *ssa.FieldAddr:
			v = x.X
			continue
		case *ssa.UnOp:
			if x.Op == token.MUL {
				v = x.X
				continue
			}
		case *ssa.IndexAddr:
			e, v = byIndex[x.Index], x.X
		case *ssa.Index:
			e, v = byIndex[x.Index], x.X
		case *ssa.Extract: // the element of a map
			if e = byIndex[x.Tuple]; e != nil && x.Index == 2 {
				v = e.Over
			}
		}
		if e == nil || !e.isOver(v) || !e.keeps(at) {
			return list
		}
		list = append(list, e)
		at = e.Head
	}
}

// leaves returns the blocks from which a loop is left, but for its head.
func (e *ElementLoop) leaves() (list []*ssa.BasicBlock) {
	for b := range e.Blocks {
		for _, succ := range b.Succs {
			if b != e.Head && !e.Blocks[succ] {
				list = append(list, b)
			}
		}
	}
	return list
}

// keeps reports whether a block is in a loop, and no turn that has passed it leaves the loop
// before its end.
func (e *ElementLoop) keeps(b *ssa.BasicBlock) bool {
	return e.Blocks[b] && !slices.ContainsFunc(e.exits, b.Dominates)
}
