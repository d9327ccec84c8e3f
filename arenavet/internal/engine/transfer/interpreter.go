package transfer

import (
	"go/token"
	"go/types"

	"golang.org/x/tools/go/ssa"

	"github.com/harena-go/arena/arenavet/internal/engine/apply"
	"github.com/harena-go/arena/arenavet/internal/engine/code"
	"github.com/harena-go/arena/arenavet/internal/engine/record"
	"github.com/harena-go/arena/arenavet/internal/engine/shape"
	"github.com/harena-go/arena/arenavet/internal/engine/state"
	"github.com/harena-go/arena/arenavet/internal/engine/summary"
)

// An interpreter executes one function on states, from its beginning to its returns: it is an abstract interpreter
// (Cousot and Cousot, POPL 1977).
//
// anew, turned and untouched only grow, as states do, so a state may rely on their entries.
type interpreter struct {
	*apply.Applier

	in    map[*ssa.BasicBlock]*state.State       // at the beginning of each block reached; they only grow
	anew  map[*ssa.BasicBlock]map[storedTag]bool // memory that a loop puts into containers, by its head
	loops map[*ssa.BasicBlock]code.Loop          // that wait for goroutines

	elementLoops map[*ssa.BasicBlock][]*elementLoop // by their heads and exits
	setsAll      map[*ssa.Store]bool                // their stores
	turned       map[turned]state.Value             // contents of the elements after their iterations
	untouched    map[turned]bool                    // an iteration may have left the initial contents
}

// A storedTag is a tag in a cell.
type storedTag struct {
	cell state.Cell
	tag  state.Tag
}

// A turned is a cell of a loop's elements.
type turned struct {
	head *ssa.BasicBlock
	cell state.Cell
}

// This part determines a call's operands and possible callees, before its effects.

// args returns the values of a call's operands, the receiver first.
func (f *interpreter) args(s *state.State, c *ssa.CallCommon) []state.Value {
	args := make([]state.Value, 0, len(c.Args)+code.Shift(c))
	if c.IsInvoke() {
		args = append(args, s.Of(c.Value))
	}
	for _, a := range c.Args {
		args = append(args, s.Of(a))
	}
	return args
}

// targets returns the known functions that a call may call. A call of a literal, func() {...}(), is one of a named
// function with a closure.
func (f *interpreter) targets(s *state.State, c *ssa.CallCommon) []record.Target {
	if c.IsInvoke() {
		return f.Program.Methods(c.Value, s.Of(c.Value), c.Method.Name())
	}
	if fn := c.StaticCallee(); fn != nil {
		m, _ := c.Value.(*ssa.MakeClosure)
		return []record.Target{record.TargetOf(fn, m)}
	}
	return record.TargetsOf(s.Of(c.Value))
}

// applySummaries takes a state past the call of functions with summaries, and reports whether there is one.
func (f *interpreter) applySummaries(s *state.State, i ssa.CallInstruction, args []state.Value,
	deferred bool) (state.Value, bool) {
	v, ok := f.ApplyTargets(s, i, f.targets(s, i.Common()), args, deferred)
	if c := i.Common(); !ok && c.IsInvoke() {
		if sum := f.Program.Fact(c.Method); sum != nil { // an interface's: the stores that all known methods have
			f.UsedArgs(s, i, c, args)
			return f.Apply(s, i, sum, args, deferred), true
		}
	}
	return v, ok
}

// This part models loops that set something in the elements of a slice, an array or a map. After such a loop the old
// contents are taken to be gone, as after a store to a variable:
//
//	for _, b := range w.bodies { b.hit = nil }
//	for i := range names { names[i] = strings.Clone(names[i]) }
//
// Whether it sets all of them isn't checked.

// An elementLoop is a loop with its stores to elements and to their targets.
type elementLoop struct {
	head   *ssa.BasicBlock
	blocks code.Loop
	stores []*ssa.Store
}

// findElementLoops finds the loops that set something in elements.
func (f *interpreter) findElementLoops() {
	f.elementLoops, f.setsAll, f.turned = map[*ssa.BasicBlock][]*elementLoop{}, map[*ssa.Store]bool{},
		map[turned]state.Value{}
	f.untouched = map[turned]bool{}
	for _, head := range f.Fn.Blocks {
		e := &elementLoop{head: head, blocks: code.LoopFrom(head)}
		f.Spend(len(e.blocks))
		for b := range e.blocks {
			for _, i := range b.Instrs {
				if st, ok := i.(*ssa.Store); ok && shape.HasPointers(st.Val.Type()) && isOfElement(st.Addr) {
					e.stores = append(e.stores, st)
					f.setsAll[st] = true
				}
			}
		}
		if e.stores == nil {
			continue
		}
		// It is left at its head; a range over n at the end of an iteration, or before the first if n is 0.
		f.elementLoops[head] = append(f.elementLoops[head], e)
		for _, p := range head.Preds {
			if e.blocks.IsLeftTo(p.Succs) {
				f.elementLoops[p] = append(f.elementLoops[p], e)
			}
		}
	}
}

// isOfElement reports whether an address is in an element, or in an element's target.
func isOfElement(v ssa.Value) bool {
	for {
		switch x := v.(type) {
		case *ssa.FieldAddr:
			v = x.X
		case *ssa.UnOp:
			v = x.X
		case *ssa.IndexAddr, *ssa.Index:
			return true
		case *ssa.Extract:
			_, ok := x.Tuple.(*ssa.Next)
			return ok
		default:
			return false
		}
	}
}

// sets clears the element before a loop's store to it: after the iteration it holds only values stored from here on.
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

// setInTurn records the contents of the elements at the end of a loop iteration, and reports whether they have changed.
func (f *interpreter) setInTurn(s *state.State, e *elementLoop) bool {
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

// setInAll sets the elements, after a loop, to exactly the recorded contents.
func (f *interpreter) setInAll(s *state.State, e *elementLoop) {
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
			f.Cleared[c], f.SetAnew[c] = true, true
		}
	}
}

// elements returns the cells that a loop sets in all elements.
func (f *interpreter) elements(s *state.State, e *elementLoop) map[state.Cell]bool {
	cells := map[state.Cell]bool{}
	for _, st := range e.stores {
		for t, d := range evalIn(e, s, st.Addr).All() {
			if t.Is(state.Ptr) && d == nil {
				for _, path := range parts(st.Val.Type(), t.Off, 0, nil) {
					cells[state.Cell{Loc: t.Loc, Path: path}] = true
				}
			}
		}
	}
	f.Spend(len(e.stores) + len(cells))
	return cells
}

// evalIn returns the value that v has, or would have, in the loop: at its head there is no element yet.
func evalIn(e *elementLoop, s *state.State, v ssa.Value) state.Value {
	if i, ok := v.(ssa.Instruction); !ok || !e.blocks[i.Block()] {
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

// maxParts bounds the depth of structs within each other, as in state.Put.
const maxParts = 3

// parts appends to a list the paths of a value's cells, by its type.
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
