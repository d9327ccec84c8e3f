package holder

import (
	"fmt"
	"go/types"
	"reflect"
	"runtime"
	"strings"
	"unsafe"

	"github.com/harena-go/arena/internal/diagnose/source"
)

// fromSource describes a variable without a symbol by its name in the source.
func (d *describer) fromSource(step *Step, addr, before uintptr) (next typing, ok bool) {
	if d.exe.text.data == nil {
		return typing{}, false
	}
	// What is allocated here would stay in the memory profile, and in each further dump.
	defer func(rate int) { runtime.MemProfileRate = rate }(runtime.MemProfileRate)
	runtime.MemProfileRate = 0
	if d.exe.naming == nil {
		d.exe.naming = newNaming(d.dump, d.exe.text)
	}
	t, ok := d.exe.naming.describe(step, addr, maxBehind)
	if t != nil {
		return d.pointedTo(t, before), ok
	}
	return d.dynamic(before), ok
}

// maxNames is of how many variables a report says that it may be one of them.
const maxNames = 3

// maxBehind is how many pointers from a variable to others without names are followed.
const maxBehind = 3

// describe says what is at an address, and returns the type of the word there, nil if it isn't
// known.
func (n *naming) describe(step *Step, addr uintptr, behind int) (t types.Type, ok bool) {
	found := n.variablesAt(addr)
	if len(found) == 0 || len(found) > maxNames {
		return n.describeBehind(step, addr, behind)
	}
	var all []string
	for _, s := range found {
		all = append(all, s.Name.String())
	}
	step.Name, step.Addr = strings.Join(all, " or "), addr
	if len(found) > 1 {
		return nil, true
	}
	v := found[0]
	step.Type = v.Type
	if len(v.starts) == 1 {
		step.Addr, step.Offset = v.starts[0], addr-v.starts[0]
		step.Field, t = v.At(step.Offset)
	}
	return t, true
}

// describeBehind describes what only a pointer in a variable leads to, as with
// var x = &T{...}, as a part of that variable.
func (n *naming) describeBehind(step *Step, addr uintptr, behind int) (types.Type, bool) {
	at, start := n.pointerBefore(addr)
	if at == 0 || behind == 0 {
		return nil, false
	}
	t, ok := n.describe(step, at, behind-1)
	if ok && t != nil {
		if p, isPointer := t.Underlying().(*types.Pointer); isPointer {
			elem := n.reader.Whole(p.Elem())
			if addr-start < source.Size(elem) {
				field, t := source.At(elem, addr-start)
				step.Field, step.Offset = step.Field+field, addr-start
				return t, true
			}
		}
	}
	*step = Step{Kind: Global}
	return nil, false
}

// pointerBefore returns the pointer in a variable to another that is the nearest up to an
// address, and where it leads to; zeros if there is none.
func (n *naming) pointerBefore(addr uintptr) (at, to uintptr) {
	for i := range n.variables {
		s := &n.variables[i]
		n.pointers(s.contents, s.fields, func(offset, p uintptr) bool {
			if p <= addr && p > to && n.segmentOf(p) == n.segmentOf(addr) {
				at, to = s.addr+offset, p
			}
			return true
		})
	}
	return at, to
}

// pointedTo returns what is known of the memory that the pointer in a value of a type
// leads to.
func (d *describer) pointedTo(t types.Type, before uintptr) typing {
	switch u := t.Underlying().(type) {
	case *types.Interface:
		return d.dynamic(before)
	case *types.Pointer:
		return typing{elem: d.exe.typeNamed(u.Elem()), single: true}
	case *types.Slice:
		return typing{elem: d.exe.typeNamed(u.Elem())}
	case *types.Map, *types.Chan, *types.Signature:
		return typing{elem: d.exe.typeNamed(t), single: true}
	case *types.Basic:
		if u.Kind() == types.String {
			return typing{elem: reflect.TypeFor[byte]()}
		}
	}
	return typing{}
}

// typeNamed returns the type of this program that source has, nil if nothing
// needs its descriptor.
func (e *executable) typeNamed(want types.Type) reflect.Type {
	text := reflectText(want)
	return e.findType(func(t reflect.Type) bool { return t.String() == text && samePackages(t, want) })
}

// findType returns a type of this program of which a condition holds, nil if there is none.
func (e *executable) findType(is func(reflect.Type) bool) reflect.Type {
	var v any = 0
	home := e.sectionOf(*(*uintptr)(unsafe.Pointer(&v)))
	for at := uintptr(0); at < uintptr(len(home.data)); at += wordBytes {
		if t := e.typeAt(home.addr + at); t != nil && is(t) {
			return t
		}
	}
	return nil
}

// reflectText returns what String of the same type in package reflect does, "?" for
// those without a name that lead nowhere.
func reflectText(t types.Type) string {
	switch t := types.Unalias(t).(type) {
	case *types.Basic:
		if t.Kind() == types.UnsafePointer {
			return "unsafe.Pointer"
		}
		return types.Typ[t.Kind()].Name()
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

// samePackages tells whether types with the same text have names of the same
// packages.
func samePackages(t reflect.Type, u types.Type) bool {
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
