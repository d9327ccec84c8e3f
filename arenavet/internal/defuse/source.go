// Package defuse finds the origin of a value within its function and those around it: the allocation behind a slice of
// a slice, a field, a variable.
package defuse

import (
	"go/token"
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/harena-go/arena/arenavet/internal/api"
)

// Of calls yield with the values that v may be, or share memory with: with v and with all values that it was made from
// by slicing, taking the address of a part, conversions that copy nothing, append, variables, and the joins of
// branches. It stops at values for which yield returns false.
func Of(v ssa.Value, yield func(ssa.Value) bool) {
	(&search{seen: map[ssa.Value]bool{}, yield: yield}).from(v)
}

// All returns all values that Of finds.
func All(v ssa.Value) map[ssa.Value]bool {
	s := &search{seen: map[ssa.Value]bool{}, yield: func(ssa.Value) bool { return true }}
	s.from(v)
	return s.seen
}

type search struct {
	seen  map[ssa.Value]bool
	yield func(ssa.Value) bool
}

func (s *search) from(v ssa.Value) {
	if v == nil || s.seen[v] {
		return
	}
	s.seen[v] = true
	if !s.yield(v) {
		return
	}
	for _, x := range Through(v) {
		s.from(x)
	}
	switch v := v.(type) {
	case *ssa.Call:
		if api.IsBuiltin(v, "append") {
			s.from(v.Call.Args[0])
		}
	case *ssa.MakeInterface:
		s.from(v.X)
	case *ssa.SliceToArrayPointer:
		s.from(v.X)
	case *ssa.Extract:
		if t, ok := v.Tuple.(*ssa.TypeAssert); ok {
			s.from(t)
		}
	case *ssa.UnOp:
		if v.Op == token.MUL {
			s.load(v)
		}
	}
}

// Through returns the values whose memory v shares, all or in part, one step back.
func Through(v ssa.Value) []ssa.Value {
	switch v := v.(type) {
	case *ssa.Phi:
		return v.Edges
	case *ssa.Slice:
		return []ssa.Value{v.X}
	case *ssa.ChangeType:
		return []ssa.Value{v.X}
	case *ssa.ChangeInterface:
		return []ssa.Value{v.X}
	case *ssa.TypeAssert:
		return []ssa.Value{v.X}
	case *ssa.FieldAddr:
		return []ssa.Value{v.X}
	case *ssa.IndexAddr:
		return []ssa.Value{v.X}
	case *ssa.Convert:
		if SameMemory(v) {
			return []ssa.Value{v.X}
		}
	}
	return nil
}

// SameMemory reports whether a conversion's result shares the memory of its operand: with unsafe.Pointer it does,
// between strings and bytes it doesn't.
func SameMemory(v *ssa.Convert) bool {
	return pointer(v.Type()) && pointer(v.X.Type())
}

func pointer(t types.Type) bool {
	switch t := t.Underlying().(type) {
	case *types.Pointer:
		return true
	case *types.Basic:
		return t.Kind() == types.UnsafePointer
	}
	return false
}

// load continues with the values that may be stored at v's address, if that is a variable or a field of one, or a field
// to which the same function stores.
func (s *search) load(v *ssa.UnOp) {
	for _, stored := range Stored(v.X) {
		s.from(stored)
	}
}

// Stored returns the values stored at an address, as far as its function, and the closures that share a variable, show.
func Stored(addr ssa.Value) (values []ssa.Value) {
	switch addr := addr.(type) {
	case *ssa.Alloc:
		return variable(addr, map[ssa.Value]bool{})
	case *ssa.FreeVar:
		if outer := Captured(addr); outer != nil {
			return variable(outer, map[ssa.Value]bool{})
		}
	case *ssa.FieldAddr:
		base := addr.X
		if u, ok := base.(*ssa.UnOp); ok && u.Op == token.MUL { // p.f, where p is a captured variable
			for _, other := range api.Uses(u.X) {
				if other, ok := other.(*ssa.UnOp); ok {
					values = append(values, fieldStores(other, addr.Field)...)
				}
			}
			return values
		}
		return fieldStores(base, addr.Field)
	}
	return values
}

// Reaching returns the last value stored at v's address, if it is found before the paths to v join, and otherwise all
// possible values.
func Reaching(v *ssa.UnOp) []ssa.Value {
	b := v.Block()
	instrs := b.Instrs[:slices.Index(b.Instrs, ssa.Instruction(v))]
	for {
		for _, instr := range slices.Backward(instrs) {
			if s, ok := instr.(*ssa.Store); ok && sameAddress(s.Addr, v.X) {
				return []ssa.Value{s.Val}
			}
		}
		if len(b.Preds) != 1 {
			return Stored(v.X)
		}
		b = b.Preds[0]
		instrs = b.Instrs
	}
}

func sameAddress(a, b ssa.Value) bool {
	if a == b {
		return true
	}
	f, ok := a.(*ssa.FieldAddr)
	g, ok2 := b.(*ssa.FieldAddr)
	return ok && ok2 && f.Field == g.Field && f.X == g.X
}

// fieldStores returns the values stored in a field of a struct.
func fieldStores(base ssa.Value, field int) (values []ssa.Value) {
	for f, use := range FieldUses(base) {
		if st, ok := use.(*ssa.Store); ok && f.Field == field && st.Addr == f {
			values = append(values, st.Val)
		}
	}
	return values
}

// variable returns the values stored in a variable, also by closures.
func variable(v ssa.Value, seen map[ssa.Value]bool) (values []ssa.Value) {
	if seen[v] {
		return nil
	}
	seen[v] = true
	for _, use := range api.Uses(v) {
		switch use := use.(type) {
		case *ssa.Store:
			if use.Addr == v {
				values = append(values, use.Val)
			}
		case *ssa.MakeClosure:
			for i, b := range use.Bindings {
				if fn := use.Fn.(*ssa.Function); b == v && i < len(fn.FreeVars) {
					values = append(values, variable(fn.FreeVars[i], seen)...)
				}
			}
		}
	}
	return values
}

// Captured returns the variable, or value, of the enclosing function that a free variable of a closure stands for.
func Captured(v *ssa.FreeVar) ssa.Value {
	fn := v.Parent()
	if fn.Parent() == nil {
		return nil
	}
	for i, f := range fn.FreeVars {
		if f != v {
			continue
		}
		for instr := range api.Instrs(fn.Parent()) {
			if c, ok := instr.(*ssa.MakeClosure); ok && c.Fn == fn {
				outer := c.Bindings[i]
				if o, ok := outer.(*ssa.FreeVar); ok {
					return Captured(o)
				}
				return outer
			}
		}
	}
	return nil
}
