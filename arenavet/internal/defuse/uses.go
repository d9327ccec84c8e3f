package defuse

import (
	"go/constant"
	"go/types"
	"iter"

	"golang.org/x/tools/go/ssa"

	"github.com/harena-go/arena/arenavet/internal/api"
)

// This file goes from a definition to its uses; source.go goes the other way.

// StoresTo returns the stores to an address itself.
func StoresTo(addr ssa.Value) iter.Seq[*ssa.Store] {
	return func(yield func(*ssa.Store) bool) {
		for _, use := range api.Uses(addr) {
			if st, ok := use.(*ssa.Store); ok && st.Addr == addr && !yield(st) {
				return
			}
		}
	}
}

// FieldUses returns the uses of the addresses of fields of the struct that base points to.
func FieldUses(base ssa.Value) iter.Seq2[*ssa.FieldAddr, ssa.Instruction] {
	return func(yield func(*ssa.FieldAddr, ssa.Instruction) bool) {
		for _, use := range api.Uses(base) {
			f, ok := use.(*ssa.FieldAddr)
			if !ok {
				continue
			}
			for _, use := range api.Uses(f) {
				if !yield(f, use) {
					return
				}
			}
		}
	}
}

// Items returns the stores to elements of an array, by their addresses.
func Items(array ssa.Value) iter.Seq2[*ssa.IndexAddr, *ssa.Store] {
	return func(yield func(*ssa.IndexAddr, *ssa.Store) bool) {
		for _, use := range api.Uses(array) {
			at, ok := use.(*ssa.IndexAddr)
			if !ok {
				continue
			}
			for st := range StoresTo(at) {
				if !yield(at, st) {
					return
				}
			}
		}
	}
}

// ArrayOf returns the array behind a slice, if the function has made it, as for the variadic arguments of a call;
// otherwise nil.
func ArrayOf(s ssa.Value) *ssa.Alloc {
	if s, ok := s.(*ssa.Slice); ok {
		array, _ := s.X.(*ssa.Alloc)
		return array
	}
	return nil
}

// Arguments returns the slice of variadic arguments with the element at an address, nil if there is none.
func Arguments(addr ssa.Value) *ssa.Slice {
	at, ok := addr.(*ssa.IndexAddr)
	if !ok {
		return nil
	}
	if array, ok := at.X.(*ssa.Alloc); ok && array.Comment == "varargs" {
		for _, use := range api.Uses(array) {
			if s, ok := use.(*ssa.Slice); ok {
				return s
			}
		}
	}
	return nil
}

// Within calls yield with each use of an address, and of the addresses of its fields and elements.
func Within(addr ssa.Value, yield func(at ssa.Value, use ssa.Instruction)) {
	for _, use := range api.Uses(addr) {
		yield(addr, use)
		switch part := use.(type) {
		case *ssa.FieldAddr:
			Within(part, yield)
		case *ssa.IndexAddr:
			Within(part, yield)
		}
	}
}

// FieldOf returns the field at an address, nil if unknown; for an instance, the generic type's field.
func FieldOf(addr *ssa.FieldAddr) *types.Var {
	if p, ok := addr.X.Type().Underlying().(*types.Pointer); ok {
		if s, ok := p.Elem().Underlying().(*types.Struct); ok {
			return s.Field(addr.Field).Origin()
		}
	}
	return nil
}

// Int returns the integer constant that a value is.
func Int(v ssa.Value) (n int, ok bool) {
	c, ok := v.(*ssa.Const)
	if !ok || c.Value == nil || c.Value.Kind() != constant.Int {
		return 0, false
	}
	return int(c.Int64()), true
}

// IsZero reports whether a value is the constant 0.
func IsZero(v ssa.Value) bool {
	n, ok := Int(v)
	return ok && n == 0
}

// IsNil reports whether a value is the constant nil.
func IsNil(v ssa.Value) bool {
	c, ok := v.(*ssa.Const)
	return ok && c.IsNil()
}
