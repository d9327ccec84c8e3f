package symbols

import (
	"fmt"
	"go/types"
	"reflect"
)

// This file finds types of the source in the program: package go/types has those of the source, package
// reflect those of the program. They are the same if they have the same text and the same packages.

// typeNamed returns the program's type for one of the source, nil if nothing needs its descriptor.
func (e *Executable) typeNamed(want types.Type) reflect.Type {
	text := reflectText(want)
	return e.findType(func(t reflect.Type) bool { return t.String() == text && samePackages(t, want) })
}

// reflectText returns what String of the same type in package reflect returns, "?" for types without a
// name that aren't worth the effort.
func reflectText(t types.Type) string {
	switch t := types.Unalias(t).(type) {
	case *types.Basic:
		if t.Kind() == types.UnsafePointer {
			return "unsafe.Pointer"
		}
		return types.Typ[t.Kind()].Name()
	// Reflect writes a named type with the last part of its package's path, as this does.
	case *types.Named:
		return types.TypeString(t, (*types.Package).Name)
	case *types.Pointer:
		return "*" + reflectText(t.Elem())
	case *types.Slice:
		return "[]" + reflectText(t.Elem())
	case *types.Array:
		return fmt.Sprintf("[%d]", t.Len()) + reflectText(t.Elem())
	case *types.Map:
		return "map[" + reflectText(t.Key()) + "]" + reflectText(t.Elem())
	case *types.Chan:
		return []string{"chan ", "chan<- ", "<-chan "}[t.Dir()] + reflectText(t.Elem())
	case *types.Interface:
		if t.Empty() {
			return "interface {}"
		}
	}
	return "?"
}

// samePackages reports whether the names in two types with the same text are of the same packages.
func samePackages(t reflect.Type, u types.Type) bool {
	// The text has only the last part of a package's path.
	switch u := types.Unalias(u).(type) {
	case *types.Named:
		return u.Obj().Pkg() == nil || u.Obj().Pkg().Path() == t.PkgPath()
	case *types.Map:
		return samePackages(t.Key(), u.Key()) && samePackages(t.Elem(), u.Elem())
	case interface{ Elem() types.Type }:
		return samePackages(t.Elem(), u.Elem())
	}
	return true
}
