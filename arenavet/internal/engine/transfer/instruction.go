package transfer

import (
	"go/token"
	"go/types"

	"golang.org/x/tools/go/ssa"

	"github.com/harena-go/arena/arenavet/internal/engine/code"
	"github.com/harena-go/arena/arenavet/internal/engine/shape"
	"github.com/harena-go/arena/arenavet/internal/engine/state"
	"github.com/harena-go/arena/arenavet/internal/knowledge/api"
)

// This file takes states past instructions other than calls. It must not depend on which arenas have ended: it reports
// uses to package report, whose use.go judges them.
//
// Instructions are of three kinds. Some pick a part of a value, or move a pointer: they need no memory, and are in
// part. Some read or make memory, in eval and below. Some change memory, or state beside values: they are in step
// itself.

// step takes a state past an instruction. Instructions with a result bind it; others change memory, arenas or pending
// values.
func (f *interpreter) step(s *state.State, i ssa.Instruction) {
	switch i := i.(type) {
	case *ssa.Phi, *ssa.If, *ssa.Jump, *ssa.DebugRef: // phis and ifs are handled on edges
	case *ssa.Panic:
		f.Panics(s, i)
	case *ssa.Call:
		s.Bind(i, f.call(s, i, false))
	case *ssa.Go:
		f.goes(s, i, i.Common().Value, f.args(s, i.Common()), state.ByGo)
	case *ssa.Defer:
		f.deferred(s, i)
	case *ssa.RunDefers:
		// The last one first.
		for n := len(s.Defers) - 1; n >= 0; n-- {
			f.call(s, s.Defers[n], true)
		}
		s.Defers = nil
	case *ssa.Return:
		f.exit(s, i)
	case *ssa.Store:
		f.Used(s, i, s.Of(i.Addr), "is written to")
		f.sets(s, i)
		s.Store(i, s.Of(i.Addr), s.Of(i.Val), i.Val.Type())
	case *ssa.MapUpdate:
		f.mapUpdate(s, i)
	case *ssa.Send:
		f.send(s, i, s.Of(i.Chan), i.X)
	case ssa.Value:
		s.Bind(i, f.eval(s, i))
	}
}

// deferred records a call for the end of the function. Its operands are evaluated now, but for simplicity the analysis
// uses their values at the end. In a loop it is recorded once, at its last place.
func (f *interpreter) deferred(s *state.State, d *ssa.Defer) {
	for n, x := range s.Defers {
		if x == d { // in a loop
			s.Defers = append(s.Defers[:n:n], s.Defers[n+1:]...)
			break
		}
	}
	s.Defers = append(s.Defers, d)
}

// eval returns the result of an instruction that changes nothing, except that it may make memory.
func (f *interpreter) eval(s *state.State, v ssa.Value) state.Value {
	switch v := v.(type) {
	case *ssa.Alloc:
		return f.alloc(s, v)
	case *ssa.MakeMap, *ssa.MakeSlice, *ssa.MakeChan:
		return state.To(s.Make(v.(ssa.Instruction), ""))
	case *ssa.MakeClosure:
		return f.closure(s, v)
	case *ssa.UnOp:
		return f.unop(s, v)
	case *ssa.BinOp:
		f.UsedString(s, v, v.X)
		f.UsedString(s, v, v.Y)
		return nil
	case *ssa.Convert:
		return f.convert(s, v, v.X, v.Type())
	case *ssa.MultiConvert:
		return f.convert(s, v, v.X, v.Type())
	case *ssa.Lookup:
		return f.lookup(s, v)
	case *ssa.Next:
		return f.next(s, v)
	case *ssa.Select:
		return f.selects(s, v)
	}
	return f.part(s, v)
}

// part returns the result of an instruction that only picks a part of a value, moves a pointer, or converts the type.
func (f *interpreter) part(s *state.State, v ssa.Value) state.Value {
	switch v := v.(type) {
	case *ssa.FieldAddr:
		return s.Of(v.X).Moved("." + shape.Field(v.X.Type(), v.Field))
	case *ssa.IndexAddr:
		return s.Of(v.X).Moved("[]")
	case *ssa.Field:
		return s.Of(v.X).Part("." + shape.Field(v.X.Type(), v.Field))
	case *ssa.Index:
		f.UsedString(s, v, v.X)
		return f.oneOf(s, v, s.Of(v.X).Part("[]"), v.Type())
	case *ssa.Extract:
		return s.Of(v.Tuple).Part(state.Result(v.Index))
	case *ssa.TypeAssert:
		if v.CommaOk {
			return s.Of(v.X).As(state.First)
		}
		return s.Of(v.X)
	case *ssa.ChangeType, *ssa.ChangeInterface, *ssa.MakeInterface, *ssa.SliceToArrayPointer, *ssa.Slice, *ssa.Range:
		return s.Of(api.Operand(v))
	}
	return nil
}

// alloc returns a new variable, which may be an arena: the zero Arena is ready to use. SSA form has no Alloc for
// variables in registers.
func (f *interpreter) alloc(s *state.State, v *ssa.Alloc) state.Value {
	l := s.Make(v, "")
	l.Type = v.Type().Underlying().(*types.Pointer).Elem()
	x := state.To(l)
	if state.IsHandle(v.Type()) {
		x, _ = x.Join(state.Arena(s.Renew(v, state.NewArena)))
	}
	return x
}

// closure returns a function value with its captured values, by number: mostly addresses of variables, so later stores
// to these are seen. It has two tags: a function, for calls, and a pointer to the captured values, for stores and
// returns.
func (f *interpreter) closure(s *state.State, v *ssa.MakeClosure) state.Value {
	l := s.Make(v, "")
	for n, b := range v.Bindings {
		s.Put(v, state.Cell{Loc: l, Path: state.Numbered(n)}, s.Of(b), nil, true)
	}
	return state.To(l).With(state.Tag{Kind: state.Func, Func: v}, nil)
}

// unop evaluates the operators that read memory, * and <-. Others make numbers.
func (f *interpreter) unop(s *state.State, v *ssa.UnOp) state.Value {
	switch v.Op {
	case token.MUL:
		return f.load(s, v)
	case token.ARROW:
		return f.receive(s, v)
	}
	return nil
}

// load is *p. If the target is dead that is reported, and the result is unknown: otherwise each step of a long path
// through dead memory would get a finding.
func (f *interpreter) load(s *state.State, v *ssa.UnOp) state.Value {
	x := s.Of(v.X)
	if f.Used(s, v, x, "is used") {
		return nil // its contents are unknown
	}
	y := s.Load(x, "", v.Type())
	nameHolder(y, v.X)
	// An element of a slice or an array, loaded by its address.
	for t := range x.All() {
		if state.Several(t.Off) {
			return f.oneOf(s, v, y, v.Type())
		}
	}
	return y
}

// nameHolder sets the fields that hold the roots in a value loaded from an address: whether an arena is put back is
// known by field.
func nameHolder(v state.Value, addr ssa.Value) {
	object := shape.Holder(addr)
	if object == nil {
		return
	}
	for t := range v.All() {
		if t.Kind == state.Handle && t.Root.Object == nil && t.Root.Kind == state.UnknownArena {
			t.Root.Object = object
		}
	}
}

// convert is a conversion. Between strings and slices it copies, so it reads its operand and returns memory of no
// arena. Conversions to uintptr and back aren't tracked.
func (f *interpreter) convert(s *state.State, i ssa.Instruction, x ssa.Value, to types.Type) state.Value {
	v := s.Of(x)
	if _, multi := i.(*ssa.MultiConvert); multi || shape.IsString(x.Type()) != shape.IsString(to) {
		f.Used(s, i, v, "is used")
		return nil
	}
	if !shape.HasPointers(to) {
		return nil
	}
	return v
}

// This part models maps and channels, whose elements aren't told apart: all elements are one cell, all keys another. A
// store adds to the cell; a load may return any of its contents.

// oneOf returns one of many elements. An arena among them is taken to be a new one: a Reset of arenas[i] ends nothing
// of arenas[j], nor anything allocated from arenas[i] before.
func (f *interpreter) oneOf(s *state.State, i ssa.Instruction, v state.Value, t types.Type) state.Value {
	if !state.IsHandle(t) || len(v) == 0 {
		return v
	}
	r := s.Renew(i, state.UnknownArena)
	r.Shared = api.TypeOf(t) == api.Shared
	v = v.Only(func(t state.Tag) bool { return t.Kind != state.Handle })
	return v.With(state.Tag{Kind: state.Handle, Root: r}, nil)
}

func (f *interpreter) mapUpdate(s *state.State, i *ssa.MapUpdate) {
	key := s.Of(i.Key)
	if code.HasKey(i) {
		key = nil
	}
	f.UsedString(s, i, i.Key)
	for t := range s.Of(i.Map).All() {
		if t.Is(state.Ptr) {
			s.Put(i, state.Cell{Loc: t.Loc, Path: t.Off + state.Keys}, key, i.Key.Type(), false)
			s.Put(i, state.Cell{Loc: t.Loc, Path: t.Off + state.Elements}, s.Of(i.Value), i.Value.Type(), false)
		}
	}
}

// lookup is m[k], or s[i] of a string, which reads the string and returns a number.
func (f *interpreter) lookup(s *state.State, v *ssa.Lookup) state.Value {
	f.UsedString(s, v, v.X)
	f.UsedString(s, v, v.Index)
	if shape.IsString(v.X.Type()) {
		return nil
	}
	e := shape.Elem(v.X.Type())
	x := f.oneOf(s, v, s.Load(s.Of(v.X), state.Elements, e), e)
	if v.CommaOk {
		return x.As(state.First)
	}
	return x
}

// next is one iteration of a range over a string or a map. Its results are whether there is one, the key and the
// element.
func (f *interpreter) next(s *state.State, v *ssa.Next) state.Value {
	x := s.Of(v.Iter)
	if v.IsString {
		f.Used(s, v, x, "is used")
		return nil
	}
	r, ok := v.Iter.(*ssa.Range)
	if !ok {
		return nil
	}
	m, ok := r.X.Type().Underlying().(*types.Map)
	if !ok || v.Type().(*types.Tuple).Len() < 3 {
		return nil
	}
	// Each iteration may return any key and any element.
	key := s.Load(x, state.Keys, m.Key()).As(state.Result(1))
	both, _ := key.Join(f.oneOf(s, v, s.Load(x, state.Elements, m.Elem()), m.Elem()).As(state.Result(2)))
	return both
}

// receive is <-c: another goroutine has reached its send.
func (f *interpreter) receive(s *state.State, v *ssa.UnOp) state.Value {
	x, e := s.Of(v.X), shape.Elem(v.X.Type())
	f.Wait(s)
	y := f.oneOf(s, v, s.Load(x, state.InChannel, e), e)
	if v.CommaOk {
		return y.As(state.First)
	}
	return y
}

// selects is a select statement. Its results are the chosen case, whether a receive got a value, and the received value
// of each case. A receive hasn't waited for another case's send (see notSent), unless the function may wait for it
// later: then the paths that wait may depend on the send.
func (f *interpreter) selects(s *state.State, v *ssa.Select) state.Value {
	var x state.Value
	// Results 0 and 1 are numbers.
	n := 2
	receives := func() {
		for _, st := range v.States {
			if st.Dir == types.RecvOnly {
				f.Wait(s)
				x, _ = x.Join(s.Load(s.Of(st.Chan), state.InChannel, shape.Elem(st.Chan.Type())).As(state.Result(n)))
				n++
			}
		}
	}
	later := f.WaitsAfter(v)
	if !later {
		receives()
	}
	for _, st := range v.States {
		if st.Dir == types.SendOnly {
			f.send(s, v, s.Of(st.Chan), st.Send)
		}
	}
	if later {
		receives()
	}
	return x
}
