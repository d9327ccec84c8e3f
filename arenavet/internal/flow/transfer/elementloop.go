package transfer

import (
	"go/token"
	"go/types"

	"golang.org/x/tools/go/ssa"

	"github.com/harena-go/arena/arenavet/internal/flow/code"
	"github.com/harena-go/arena/arenavet/internal/flow/shape"
	"github.com/harena-go/arena/arenavet/internal/flow/state"
	"github.com/harena-go/arena/arenavet/internal/flow/summary"
)

// This file holds what a loop over all elements leaves in them: see ElementLoop of package code.

// findElementLoops finds the loops that set something in every element.
func (f *interpreter) findElementLoops() {
	var byIndex map[ssa.Value]*code.ElementLoop
	for _, b := range f.Fn.Blocks {
		if e := code.ElementLoopFrom(b); e != nil {
			if byIndex == nil {
				byIndex = map[ssa.Value]*code.ElementLoop{}
			}
			byIndex[e.Index] = e
		}
	}
	if byIndex == nil {
		return
	}
	f.elementLoops, f.setsAll, f.turned = map[*ssa.BasicBlock]*code.ElementLoop{}, map[*ssa.Store]bool{},
		map[turned]state.Value{}
	f.untouched = map[turned]bool{}
	for _, b := range f.Fn.Blocks {
		f.Spend(1)
		for _, i := range b.Instrs {
			st, ok := i.(*ssa.Store)
			if !ok || !shape.HasPointers(st.Val.Type()) {
				continue
			}
			for _, e := range code.Around(st, byIndex) {
				e.Stores = append(e.Stores, st)
				f.elementLoops[e.Head], f.setsAll[st] = e, true
			}
		}
	}
}

// sets forgets, where a loop has just stored something, what was in the element before: what
// this turn leaves there is what is put there from here on.
func (f *interpreter) sets(s *state.State, st *ssa.Store) {
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

// setInTurn notes, at the end of a turn of a loop, what it has left in the elements, and
// reports whether that is news.
func (f *interpreter) setInTurn(s *state.State, e *code.ElementLoop) bool {
	news := false
	for c := range f.elements(s, e) {
		k := turned{e.Head, c}
		now, known := s.Known(c)
		if !known && c.Loc.Unknown && !f.untouched[k] {
			f.untouched[k], news = true, true
		}
		left, more := f.turned[k].Join(now)
		f.turned[k], news = left, news || more
	}
	return news
}

// setInAll says, behind a loop, that there is in the elements what its turns have left there,
// and nothing else.
func (f *interpreter) setInAll(s *state.State, e *code.ElementLoop) {
	for c := range f.elements(s, e) {
		k := turned{e.Head, c}
		if f.untouched[k] {
			continue
		}
		left := f.turned[k]
		if left == nil {
			left = state.Value{}
		}
		s.Set(c, left)
		if state.Several(c.Path) {
			f.Cleared[c], f.SetAnew[c] = true, true
		}
	}
}

// elements returns the cells that a loop sets in all elements.
func (f *interpreter) elements(s *state.State, e *code.ElementLoop) map[state.Cell]bool {
	cells := map[state.Cell]bool{}
	for _, st := range e.Stores {
		for t, d := range evalIn(e, s, st.Addr).All() {
			if t.Is(state.Ptr) && d == nil {
				for _, path := range parts(st.Val.Type(), t.Off, 0, nil) {
					cells[state.Cell{Loc: t.Loc, Path: path}] = true
				}
			}
		}
	}
	f.Spend(len(e.Stores) + len(cells))
	return cells
}

// evalIn returns what a value is, or would be, in the loop: at its head there is no element yet.
func evalIn(e *code.ElementLoop, s *state.State, v ssa.Value) state.Value {
	if i, ok := v.(ssa.Instruction); !ok || !e.Blocks[i.Block()] {
		return s.Of(v)
	}
	switch v := v.(type) {
	case *ssa.FieldAddr:
		return evalIn(e, s, v.X).Moved("." + shape.Field(v.X.Type(), v.Field))
	case *ssa.IndexAddr:
		return evalIn(e, s, v.X).Moved(state.Elements)
	case *ssa.Index:
		return evalIn(e, s, v.X).Part(state.Elements)
	case *ssa.UnOp:
		if v.Op == token.MUL {
			return s.Load(evalIn(e, s, v.X), "", v.Type())
		}
	case *ssa.Extract:
		if next, ok := v.Tuple.(*ssa.Next); ok {
			return s.Load(evalIn(e, s, next.Iter), state.Elements, v.Type())
		}
	case *ssa.Range:
		return evalIn(e, s, v.X)
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
		return parts(a.Elem(), path+state.Elements, depth+1, list)
	}
	return append(list, path)
}
