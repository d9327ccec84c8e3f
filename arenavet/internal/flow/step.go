package flow

import (
	"fmt"
	"go/token"
	"go/types"

	"golang.org/x/tools/go/ssa"

	"github.com/harena-go/arena/arenavet/internal/api"
)

// step takes a state past an instruction.
func (f *function) step(s *state, i ssa.Instruction) {
	switch i := i.(type) {
	case *ssa.Phi, *ssa.If, *ssa.Jump, *ssa.DebugRef:
	case *ssa.Panic:
		f.panics(s, i)
	case *ssa.Call:
		set(s, i, f.call(s, i, false))
	case *ssa.Go:
		f.goes(s, i, i.Common().Value, f.args(s, i.Common()), byGo)
	case *ssa.Defer:
		f.deferred(s, i)
	case *ssa.RunDefers:
		for n := len(s.defers) - 1; n >= 0; n-- {
			f.call(s, s.defers[n], true)
		}
		s.defers = nil
	case *ssa.Return:
		f.exit(s, i)
	case *ssa.Store:
		f.used(s, i, f.value(s, i.Addr), "is written to")
		f.store(s, i, f.value(s, i.Addr), f.value(s, i.Val), i.Val.Type())
	case *ssa.MapUpdate:
		f.mapUpdate(s, i)
	case *ssa.Send:
		f.send(s, i, f.value(s, i.Chan), f.value(s, i.X), i.X.Type())
	case ssa.Value:
		x := f.eval(s, i, i.(ssa.Instruction))
		set(s, i, x)
	}
}

// eval returns what an instruction computes that doesn't change anything.
func (f *function) eval(s *state, v ssa.Value, i ssa.Instruction) value {
	switch v := v.(type) {
	case *ssa.Alloc:
		return f.alloc(s, v)
	case *ssa.MakeMap, *ssa.MakeSlice, *ssa.MakeChan:
		return f.make(s, i)
	case *ssa.MakeClosure:
		return f.closure(s, v)
	case *ssa.FieldAddr:
		return f.value(s, v.X).moved("." + fieldName(v.X.Type(), v.Field))
	case *ssa.IndexAddr:
		return f.value(s, v.X).moved("[]")
	case *ssa.Field:
		return f.value(s, v.X).part("." + fieldName(v.X.Type(), v.Field))
	case *ssa.Index:
		f.usedIf(isString(v.X.Type()), s, i, f.value(s, v.X))
		return f.oneOf(s, i, f.value(s, v.X).part("[]"), v.Type())
	case *ssa.UnOp:
		return f.unop(s, v)
	case *ssa.BinOp:
		f.usedIf(isString(v.X.Type()), s, i, f.value(s, v.X))
		f.usedIf(isString(v.Y.Type()), s, i, f.value(s, v.Y))
		return nil
	case *ssa.ChangeType:
		return f.value(s, v.X)
	case *ssa.ChangeInterface:
		return f.value(s, v.X)
	case *ssa.MakeInterface:
		return f.value(s, v.X)
	case *ssa.SliceToArrayPointer:
		return f.value(s, v.X)
	case *ssa.Slice:
		return f.value(s, v.X)
	case *ssa.TypeAssert:
		if v.CommaOk {
			return f.value(s, v.X).as("#0")
		}
		return f.value(s, v.X)
	case *ssa.Convert:
		return f.convert(s, i, v.X, v.Type())
	case *ssa.MultiConvert:
		return f.convert(s, i, v.X, v.Type())
	case *ssa.Extract:
		return f.value(s, v.Tuple).part(fmt.Sprintf("#%d", v.Index))
	case *ssa.Lookup:
		return f.lookup(s, v)
	case *ssa.Range:
		return f.value(s, v.X)
	case *ssa.Next:
		return f.next(s, v)
	case *ssa.Select:
		return f.selects(s, v)
	}
	return nil
}

func fieldName(t types.Type, n int) string {
	if p, ok := t.Underlying().(*types.Pointer); ok {
		t = p.Elem()
	}
	if st, ok := coreStruct(t); ok && n < st.NumFields() {
		return st.Field(n).Name()
	}
	return fmt.Sprint(n)
}

func coreStruct(t types.Type) (*types.Struct, bool) {
	st, ok := t.Underlying().(*types.Struct)
	return st, ok
}

func (f *function) alloc(s *state, v *ssa.Alloc) value {
	l := f.fresh(v, "")
	f.forget(s, l)
	x := value{tag{kind: ptr, loc: l}: nil}
	if isHandle(v.Type()) {
		x[tag{kind: handle, root: f.renew(s, v, newArena)}] = nil
	}
	return x
}

func (f *function) make(s *state, i ssa.Instruction) value {
	l := f.fresh(i, "")
	f.forget(s, l)
	return value{tag{kind: ptr, loc: l}: nil}
}

// closure returns a function value, which holds what it has captured.
func (f *function) closure(s *state, v *ssa.MakeClosure) value {
	l := f.fresh(v, "")
	f.forget(s, l)
	for n, b := range v.Bindings {
		f.put(s, v, cell{l, fmt.Sprintf(".%d", n)}, f.value(s, b), nil, true, 0)
	}
	return value{tag{kind: fn, fn: v}: nil, tag{kind: ptr, loc: l}: nil}
}

func (f *function) unop(s *state, v *ssa.UnOp) value {
	x := f.value(s, v.X)
	switch v.Op {
	case token.MUL:
		if f.used(s, v, x, "is used") {
			return nil // of what is in it nothing is known
		}
		y := f.loadAll(s, x, "", v.Type())
		f.name(y, v.X)
		for t := range x {
			if several(t.off) {
				return f.oneOf(s, v, y, v.Type())
			}
		}
		return y
	case token.ARROW:
		f.wait(s)
		y := f.oneOf(s, v, f.loadAll(s, x, inChannel, elem(v.X.Type())), elem(v.X.Type()))
		if v.CommaOk {
			return y.as("#0")
		}
		return y
	}
	return nil
}

// oneOf returns an element of many. If these are arenas it isn't known which of
// them it is, so that it is taken for another one.
func (f *function) oneOf(s *state, i ssa.Instruction, v value, t types.Type) value {
	if !isHandle(t) || len(v) == 0 {
		return v
	}
	r := f.renew(s, i, unknownArena)
	r.shared = api.TypeOf(t) == api.Shared
	v = v.only(func(t tag) bool { return t.kind != handle })
	return v.with(tag{kind: handle, root: r}, nil)
}

// name tells the roots that were loaded through an address where they are held.
func (f *function) name(v value, addr ssa.Value) {
	object := holder(addr)
	if object == nil {
		return
	}
	for t := range v {
		if t.kind == handle && t.root.object == nil && t.root.kind == unknownArena {
			t.root.object = object
		}
	}
}

// holder returns the field or the global that is at an address.
func holder(addr ssa.Value) any {
	switch a := addr.(type) {
	case *ssa.FieldAddr:
		if st, ok := coreStruct(elem(a.X.Type())); ok {
			return st.Field(a.Field).Origin()
		}
	case *ssa.Global:
		return a.Object()
	}
	return nil
}

func (f *function) convert(s *state, i ssa.Instruction, x ssa.Value, to types.Type) value {
	v := f.value(s, x)
	from := x.Type()
	if _, multi := i.(*ssa.MultiConvert); multi || isString(from) != isString(to) {
		f.used(s, i, v, "is used") // and copied
		return nil
	}
	if !hasPointers(to) {
		return nil
	}
	return v
}

func (f *function) lookup(s *state, v *ssa.Lookup) value {
	f.usedIf(isString(v.X.Type()), s, v, f.value(s, v.X))
	f.usedIf(isString(v.Index.Type()), s, v, f.value(s, v.Index))
	if isString(v.X.Type()) {
		return nil
	}
	x := f.oneOf(s, v, f.loadAll(s, f.value(s, v.X), "[]", elem(v.X.Type())), elem(v.X.Type()))
	if v.CommaOk {
		return x.as("#0")
	}
	return x
}

func (f *function) next(s *state, v *ssa.Next) value {
	x := f.value(s, v.Iter)
	if v.IsString {
		f.used(s, v, x, "is used")
		return nil
	}
	tuple := v.Type().(*types.Tuple)
	r, ok := v.Iter.(*ssa.Range)
	if !ok {
		return nil
	}
	m, ok := r.X.Type().Underlying().(*types.Map)
	if !ok || tuple.Len() < 3 {
		return nil
	}
	k := f.loadAll(s, x, "[k]", m.Key()).as("#1")
	k, _ = k.join(f.oneOf(s, v, f.loadAll(s, x, "[]", m.Elem()), m.Elem()).as("#2"))
	return k
}

func (f *function) selects(s *state, v *ssa.Select) value {
	var x value
	n := 2
	for _, st := range v.States {
		c := f.value(s, st.Chan)
		if st.Dir == types.SendOnly {
			f.send(s, v, c, f.value(s, st.Send), st.Send.Type())
			continue
		}
		f.wait(s)
		x, _ = x.join(f.loadAll(s, c, inChannel, elem(st.Chan.Type())).as(fmt.Sprintf("#%d", n)))
		n++
	}
	return x
}
