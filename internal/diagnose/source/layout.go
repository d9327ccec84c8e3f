package source

import (
	"fmt"
	"go/types"
)

// A Variable is a package-level variable.
type Variable struct {
	Name  Name
	Known bool    // to be a variable
	Type  string  // with the paths of packages, "" if unknown
	Size  uintptr // in bytes, 0 if unknown

	typ types.Type
}

// wordSize is that of pointers.
var wordSize = uintptr(sizes.Sizeof(types.Typ[types.Uintptr]))

// Variable returns the package-level variable with a name, or nil if something else has
// that name. Without source only its name is known.
func (r *Reader) Variable(n Name) *Variable {
	v, ok := r.vars[n]
	if !ok {
		v = r.variable(n)
		r.vars[n] = v
	}
	return v
}

func (r *Reader) variable(n Name) *Variable {
	v := &Variable{Name: n}
	p := r.open(n.Package, "")
	if p == nil {
		return v
	}
	if v.Known = p.decls[n.Name].isVar(); !v.Known {
		return nil
	}
	if o, ok := r.object(p, n.Name).(*types.Var); ok && o.Type() != types.Typ[types.Invalid] {
		t := o.Type()
		v.Type = types.TypeString(t, (*types.Package).Path)
		if v.Size = Size(t); v.Size > 0 {
			v.typ = t
		}
	}
	return v
}

// known reports whether the layout of a type is known.
func known(t types.Type) bool {
	switch t := t.Underlying().(type) {
	case *types.Basic:
		return t.Kind() != types.Invalid
	case *types.Array:
		return t.Len() >= 0 && known(t.Elem())
	case *types.Struct:
		for f := range t.Fields() {
			if !known(f.Type()) {
				return false
			}
		}
	case *types.Tuple, *types.TypeParam, *types.Union:
		return false
	}
	return true
}

// Pointers calls f with the offset of each word that the GC follows.
func (v *Variable) Pointers(f func(offset uintptr)) {
	if v.typ != nil {
		pointers(v.typ, 0, f)
	}
}

// Pointee returns the size of what the variable points to, or 0 if it isn't a pointer or
// that is unknown.
func (v *Variable) Pointee() uintptr {
	if v.typ == nil {
		return 0
	}
	if p, ok := v.typ.Underlying().(*types.Pointer); ok {
		return Size(p.Elem())
	}
	return 0
}

func pointers(t types.Type, at uintptr, f func(offset uintptr)) {
	switch u := t.Underlying().(type) {
	case *types.Basic:
		if u.Kind() == types.String || u.Kind() == types.UnsafePointer {
			f(at)
		}
	case *types.Interface:
		f(at + wordSize) // the first word is never that of a heap object
	case *types.Array:
		n := uintptr(sizes.Sizeof(u.Elem()))
		for i := range uintptr(u.Len()) {
			pointers(u.Elem(), at+i*n, f)
		}
	case *types.Struct:
		for i, offset := range offsets(u) {
			pointers(u.Field(i).Type(), at+offset, f)
		}
	default:
		f(at)
	}
}

// offsets returns where the fields of a struct are.
func offsets(s *types.Struct) []uintptr {
	fields := make([]*types.Var, s.NumFields())
	for i := range fields {
		fields[i] = s.Field(i)
	}
	all := make([]uintptr, len(fields))
	for i, o := range sizes.Offsetsof(fields) {
		all[i] = uintptr(o)
	}
	return all
}

// At returns which part of the variable the word at an offset belongs to, as
// .field[2], and the type of that part.
func (v *Variable) At(offset uintptr) (part string, t types.Type) {
	if v.typ == nil || offset >= v.Size {
		return "", nil
	}
	return At(v.typ, offset)
}

// Size returns the size of a type in bytes, 0 if it isn't known.
func Size(t types.Type) uintptr {
	if !known(t) {
		return 0
	}
	return uintptr(sizes.Sizeof(t))
}

// Whole returns a type with its contents, which types that variables point to lack.
func (r *Reader) Whole(t types.Type) types.Type {
	n, ok := types.Unalias(t).(*types.Named)
	if !ok || n.Obj().Pkg() == nil || n.TypeArgs().Len() > 0 {
		return t
	}
	if p := r.open(n.Obj().Pkg().Path(), ""); p != nil {
		if o, ok := r.object(p, n.Obj().Name()).(*types.TypeName); ok {
			return o.Type()
		}
	}
	return t
}

// At returns which part of a value of a type the word at an offset belongs to, as .field[2], and
// the type of that part.
func At(t types.Type, offset uintptr) (part string, inner types.Type) {
	switch u := t.Underlying().(type) {
	case *types.Array:
		size := uintptr(sizes.Sizeof(u.Elem()))
		part, inner := At(u.Elem(), offset%size)
		return fmt.Sprintf("[%d]", offset/size) + part, inner
	case *types.Struct:
		for i, start := range offsets(u) {
			if f := u.Field(i); offset-start < uintptr(sizes.Sizeof(f.Type())) {
				part, inner := At(f.Type(), offset-start)
				return "." + f.Name() + part, inner
			}
		}
	}
	return "", t
}

// Part returns which bytes of the variable a chain of fields selects. It is all of them
// if that isn't known or leads through a pointer.
func (v *Variable) Part(fields []string) (start, end uintptr) {
	start, end = 0, v.Size
	t := v.typ
	for _, name := range fields {
		if t == nil {
			break
		}
		field, index, _ := types.LookupFieldOrMethod(t, true, packageOf(t), name)
		if _, ok := field.(*types.Var); !ok {
			break
		}
		for _, i := range index {
			s, ok := t.Underlying().(*types.Struct)
			if !ok {
				return start, end
			}
			f := s.Field(i)
			start += offsets(s)[i]
			end = start + uintptr(sizes.Sizeof(f.Type()))
			t = f.Type()
		}
	}
	return start, end
}

// packageOf returns the package that the fields of a type are declared in.
func packageOf(t types.Type) *types.Package {
	if n, ok := types.Unalias(t).(*types.Named); ok {
		return n.Obj().Pkg()
	}
	if s, ok := t.Underlying().(*types.Struct); ok && s.NumFields() > 0 {
		return s.Field(0).Pkg()
	}
	return nil
}
