// Package defuse finds the origin of a value within its function and those around it: the allocation behind a slice of
// a slice, a field, a variable.
package defuse

import (
	"go/constant"
	"go/token"
	"go/types"
	"iter"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/harena-go/arena/arenavet/internal/knowledge/api"
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
	case *ssa.MakeInterface, *ssa.SliceToArrayPointer:
		s.from(api.Operand(v))
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
	case *ssa.Slice, *ssa.ChangeType, *ssa.ChangeInterface, *ssa.TypeAssert, *ssa.FieldAddr, *ssa.IndexAddr:
		return []ssa.Value{api.Operand(v)}
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

// Latest returns the value that a load reads, if its block has stored it, or nothing else is stored there: where
// something is deferred, results are variables.
func Latest(v ssa.Value) ssa.Value {
	load, ok := v.(*ssa.UnOp)
	if !ok || load.Op != token.MUL {
		return v
	}
	for _, i := range slices.Backward(load.Block().Instrs) {
		if s, ok := i.(*ssa.Store); ok && sameAddress(s.Addr, load.X) {
			return s.Val
		}
	}
	if stored := Stored(load.X); len(stored) == 1 {
		return stored[0]
	}
	return v
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
	for c := range api.Of[*ssa.MakeClosure](fn.Parent()) {
		if c.Fn == fn {
			outer := c.Bindings[slices.Index(fn.FreeVars, v)]
			if o, ok := outer.(*ssa.FreeVar); ok {
				return Captured(o)
			}
			return outer
		}
	}
	return nil
}

// This part goes the other way, from a definition to its uses.

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

// Items returns the stores to the elements of a slice, by their addresses, if the function has made its array, as for
// the variadic arguments of a call.
func Items(list ssa.Value) iter.Seq2[*ssa.IndexAddr, *ssa.Store] {
	return func(yield func(*ssa.IndexAddr, *ssa.Store) bool) {
		s, ok := list.(*ssa.Slice)
		if !ok {
			return
		}
		for _, use := range api.Uses(s.X) {
			if at, ok := use.(*ssa.IndexAddr); ok {
				for st := range StoresTo(at) {
					if !yield(at, st) {
						return
					}
				}
			}
		}
	}
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

// Options are the options in a list for an arena or a Pool.
type Options struct {
	Calls []*ssa.Call // calls that have made them
	Maybe []*ssa.Call // calls that have made options on some paths only
	Rest  []ssa.Value // values of unknown origin: a parameter, which may be a list of options
}

// OptionsOf returns the options in a list. Options appended in a loop are in it on some paths only.
func OptionsOf(list ssa.Value) (o Options) {
	o.add(list, map[ssa.Value]bool{})
	return o
}

func (o *Options) add(list ssa.Value, begun map[ssa.Value]bool) {
	if begun[list] {
		return
	}
	begun[list] = true
	switch v := list.(type) {
	case *ssa.Const:
	case *ssa.Phi:
		all := make([]Options, len(v.Edges))
		for n, e := range v.Edges {
			all[n].add(e, begun)
			o.Rest, o.Maybe = append(o.Rest, all[n].Rest...), append(o.Maybe, all[n].Maybe...)
		}
		for _, x := range all {
			o.Maybe = append(o.Maybe, x.Calls...)
		}
	case *ssa.Slice:
		for _, st := range Items(v) {
			if call := madeBy(st.Val); call != nil {
				o.Calls = append(o.Calls, call)
			} else {
				o.Rest = append(o.Rest, st.Val)
			}
		}
	case *ssa.Call:
		if !api.IsBuiltin(v, "append") {
			o.Rest = append(o.Rest, v)
			return
		}
		o.add(v.Call.Args[0], begun)
		o.add(v.Call.Args[1], begun)
	default:
		o.Rest = append(o.Rest, v)
	}
}

// madeBy returns the call of package arena that has made an option, also one in a variable, nil if unknown.
func madeBy(v ssa.Value) (made *ssa.Call) {
	Of(v, func(v ssa.Value) bool {
		if call, ok := v.(*ssa.Call); ok && api.Callee(&call.Call) != nil {
			made = call
		}
		return true
	})
	return made
}

// Has reports whether some option is made by a function with one of some names.
func Has(calls []*ssa.Call, names ...string) bool {
	is := func(c *ssa.Call) bool { return slices.Contains(names, api.Callee(&c.Call).Name) }
	return slices.ContainsFunc(calls, is)
}
