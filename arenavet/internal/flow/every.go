package flow

import (
	"go/constant"
	"go/token"
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/harena-go/arena/arenavet/internal/flow/shape"
	"github.com/harena-go/arena/arenavet/internal/flow/state"
	"github.com/harena-go/arena/arenavet/internal/flow/summary"
	build "github.com/harena-go/arena/arenavet/internal/program"
)

// This file holds loops that set something in every element of a slice, an array or a map. Behind one, what was there
// before is gone, as behind a store to a variable:
//
//	for _, b := range w.bodies { b.hit = nil }
//	for i := range names { names[i] = strings.Clone(names[i]) }
//
// It is so if the loop goes over all of it, as its head says, and where the loop ends at its head: behind a break there are
// elements that it hasn't come to. What a turn leaves there by another way than past the store is what was there, or
// nothing, if that was asked for.

// An every is a loop over all elements.
type every struct {
	head   *ssa.BasicBlock
	blocks loop
	over   ssa.Value         // the slice, the array or its address, or the map; nil if it is any array with as many elements
	length int64             // of such an array
	index  ssa.Value         // the index, or the *ssa.Next of a map
	exits  []*ssa.BasicBlock // see leaves
	stores []*ssa.Store      // to these elements, and to what they lead to
}

// A turned is a cell of a loop's elements.
type turned struct {
	head *ssa.BasicBlock
	cell state.Cell
}

// everyLoops finds the loops that set something in every element.
func (f *function) everyLoops() {
	var byIndex map[ssa.Value]*every
	for _, b := range f.fn.Blocks {
		if e := everyFrom(b); e != nil {
			if byIndex == nil {
				byIndex = map[ssa.Value]*every{}
			}
			byIndex[e.index] = e
		}
	}
	if byIndex == nil {
		return
	}
	f.every, f.setsAll, f.turned = map[*ssa.BasicBlock]*every{}, map[*ssa.Store]bool{}, map[turned]state.Value{}
	f.untouched = map[turned]bool{}
	for _, b := range f.fn.Blocks {
		f.spend(1)
		for _, i := range b.Instrs {
			st, ok := i.(*ssa.Store)
			if !ok || !shape.HasPointers(st.Val.Type()) {
				continue
			}
			for _, e := range around(st, byIndex) {
				e.stores = append(e.stores, st)
				f.every[e.head], f.setsAll[st] = e, true
			}
		}
	}
}

// everyFrom returns the loop over all elements that has a block as its head, nil if there is none.
func everyFrom(b *ssa.BasicBlock) *every {
	branch := build.Branch(b)
	if branch == nil || len(b.Preds) < 2 {
		return nil
	}
	e := &every{head: b}
	switch cond := branch.Cond.(type) {
	case *ssa.BinOp:
		if cond.Op != token.LSS || !countsUp(cond.X, b) {
			return nil
		}
		e.index = cond.X
		switch n := cond.Y.(type) {
		case *ssa.Call:
			if fn, ok := n.Call.Value.(*ssa.Builtin); ok && fn.Name() == "len" {
				e.over = n.Call.Args[0]
			}
		case *ssa.Const:
			if n.Value != nil && n.Value.Kind() == constant.Int {
				e.length = n.Int64()
			}
		}
		if e.over == nil && e.length == 0 {
			return nil
		}
	case *ssa.Extract:
		next, ok := cond.Tuple.(*ssa.Next)
		if !ok || next.IsString || cond.Index != 0 {
			return nil
		}
		e.index, e.over = next, next.Iter.(*ssa.Range).X
	default:
		return nil
	}
	if e.blocks = loopFrom(b); e.blocks == nil || e.blocks[b.Succs[1]] || e.isPart() || e.changes() {
		return nil
	}
	e.exits = e.leaves()
	return e
}

// countsUp says whether a value is 0 in the first turn of the loop with a head, and one more in each further one: that of
// for i := 0; i < n; i++, or of a range, which begins at -1 and adds 1 before it looks.
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

// isPart says whether a loop goes over a part of something.
func (e *every) isPart() bool {
	part, ok := e.over.(*ssa.Slice)
	return ok && (part.Low != nil && !isZero(part.Low) || part.High != nil)
}

// changes says whether a loop sets the variable that says what it goes over.
func (e *every) changes() bool {
	load, ok := e.over.(*ssa.UnOp)
	if !ok {
		return false
	}
	for b := range e.blocks {
		for _, i := range b.Instrs {
			if st, ok := i.(*ssa.Store); ok && isSame(st.Addr, load.X) {
				return true
			}
		}
	}
	return false
}

// isSame says whether two values are one, or are loaded from one variable or field.
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

// isOver says whether a loop goes over what a value is.
func (e *every) isOver(v ssa.Value) bool {
	if e.over != nil {
		return isSame(e.over, v)
	}
	t := v.Type().Underlying()
	if p, ok := t.(*types.Pointer); ok {
		t = p.Elem().Underlying()
	}
	array, ok := t.(*types.Array)
	return ok && array.Len() == e.length
}

// around returns the loops in which a store is to the turn's element, or to what that leads to; the inner ones first.
func around(st *ssa.Store, byIndex map[ssa.Value]*every) (list []*every) {
	at, v := st.Block(), st.Addr
	for {
		var e *every
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
				v = e.over
			}
		}
		if e == nil || !e.isOver(v) || !e.keeps(at) {
			return list
		}
		list = append(list, e)
		at = e.head
	}
}

// leaves returns the blocks from which a loop is left, but for its head.
func (e *every) leaves() (list []*ssa.BasicBlock) {
	for b := range e.blocks {
		for _, succ := range b.Succs {
			if b != e.head && !e.blocks[succ] {
				list = append(list, b)
			}
		}
	}
	return list
}

// keeps says whether a block is in a loop, and no turn that has passed it leaves the loop before its end.
func (e *every) keeps(b *ssa.BasicBlock) bool {
	return e.blocks[b] && !slices.ContainsFunc(e.exits, b.Dominates)
}

// sets forgets, where a loop has just stored something, what was in the element before: what this turn leaves there is
// what is put there from here on.
func (f *function) sets(s *state.State, st *ssa.Store) {
	if !f.setsAll[st] {
		return
	}
	for t, d := range s.Of(st.Addr).All() {
		if t.Is(state.Ptr) && d == nil {
			for _, path := range parts(st.Val.Type(), t.Off, 0, nil) {
				if state.Several(path) {
					s.Set(state.Cell{Loc: t.Loc, Path: path}, state.Value{})
				}
			}
		}
	}
}

// setInTurn notes, at the end of a turn of a loop, what it has left in the elements, and says whether that is news.
func (f *function) setInTurn(s *state.State, e *every) bool {
	news := false
	for c := range f.elements(s, e) {
		k := turned{e.head, c}
		now, known := s.Known(c)
		if !known && c.Loc.Unknown && !f.untouched[k] {
			f.untouched[k], news = true, true
		}
		left, more := f.turned[k].Join(now)
		f.turned[k], news = left, news || more
	}
	return news
}

// setInAll says, behind a loop, that there is in the elements what its turns have left there, and nothing else.
func (f *function) setInAll(s *state.State, e *every) {
	for c := range f.elements(s, e) {
		k := turned{e.head, c}
		if f.untouched[k] {
			continue
		}
		left := f.turned[k]
		if left == nil {
			left = state.Value{}
		}
		s.Set(c, left)
		if state.Several(c.Path) {
			f.cleared[c], f.setAnew[c] = true, true
		}
	}
}

// elements returns the cells that a loop sets in all elements.
func (f *function) elements(s *state.State, e *every) map[state.Cell]bool {
	cells := map[state.Cell]bool{}
	for _, st := range e.stores {
		for t, d := range e.eval(s, st.Addr).All() {
			if t.Is(state.Ptr) && d == nil {
				for _, path := range parts(st.Val.Type(), t.Off, 0, nil) {
					cells[state.Cell{Loc: t.Loc, Path: path}] = true
				}
			}
		}
	}
	f.spend(len(e.stores) + len(cells))
	return cells
}

// eval returns what a value is, or would be, in the loop: at its head there is no element yet.
func (e *every) eval(s *state.State, v ssa.Value) state.Value {
	if i, ok := v.(ssa.Instruction); !ok || !e.blocks[i.Block()] {
		return s.Of(v)
	}
	switch v := v.(type) {
	case *ssa.FieldAddr:
		return e.eval(s, v.X).Moved("." + shape.Field(v.X.Type(), v.Field))
	case *ssa.IndexAddr:
		return e.eval(s, v.X).Moved(elements)
	case *ssa.Index:
		return e.eval(s, v.X).Part(elements)
	case *ssa.UnOp:
		if v.Op == token.MUL {
			return s.Load(e.eval(s, v.X), "", v.Type())
		}
	case *ssa.Extract:
		if next, ok := v.Tuple.(*ssa.Next); ok {
			return s.Load(e.eval(s, next.Iter), elements, v.Type())
		}
	case *ssa.Range:
		return e.eval(s, v.X)
	}
	return nil
}

// maxParts bounds how deep structs within each other are looked into, as state.Put does.
const maxParts = 3

// parts adds to a list the paths of the cells that a value of a type has.
func parts(t types.Type, path string, depth int, list []string) []string {
	if depth > maxParts || len(path) > summary.MaxPath || !shape.HasPointers(t) {
		return list
	}
	if st, ok := shape.Struct(t); ok {
		for field := range st.Fields() {
			list = parts(field.Type(), path+"."+field.Name(), depth+1, list)
		}
		return list
	}
	if a, ok := t.Underlying().(*types.Array); ok {
		return parts(a.Elem(), path+elements, depth+1, list)
	}
	return append(list, path)
}
