// Package walk finds the pointers in values, by the type of the memory around them. It reads memory that may be stale:
// pointers in it may lead to freed memory, so they are read as numbers and never followed.
//
// Facts are those of internal/engine/block.
package walk

import (
	"reflect"
	"unsafe"

	"github.com/harena-go/arena/internal/engine/layout"
)

const word = unsafe.Sizeof(uintptr(0))

// A Walker goes through values. It remembers the places of the pointers in each type.
type Walker struct {
	plans map[reflect.Type]*plan
}

// A plan has the places of the pointers in the values of a type: in the fields of a struct or the elements of an array,
// or at its own beginning.
type plan struct {
	typ    reflect.Type
	kind   reflect.Kind
	size   uintptr
	empty  bool    // the target of a pointer or slice has no bytes
	fields []field // of a struct, those with pointers
	elem   *plan   // of an array
	n      int
}

type field struct {
	offset uintptr
	plan   *plan
}

// Values calls f for each pointer in n values of type t at p, with its offset from p and
// the address that it leads to. It leaves out pointers that lead to no memory: nil, those
// of empty strings and slices, and those to values of size 0. It also leaves out the type
// word of an interface, as a type that reflect has made is never freed.
func (w *Walker) Values(t reflect.Type, p unsafe.Pointer, n int, f func(offset, to uintptr)) {
	plan := w.plan(t)
	if plan == nil {
		return
	}
	for i := range n {
		plan.walk(p, uintptr(i)*plan.size, f)
	}
}

// plan returns the plan of a type, nil if it has no pointers.
func (w *Walker) plan(t reflect.Type) *plan {
	if p, ok := w.plans[t]; ok {
		return p
	}
	var p *plan
	if layout.HasPointers(t) {
		p = w.newPlan(t)
	}
	if w.plans == nil {
		w.plans = map[reflect.Type]*plan{}
	}
	w.plans[t] = p
	return p
}

func (w *Walker) newPlan(t reflect.Type) *plan {
	p := &plan{typ: t, kind: t.Kind(), size: t.Size()}
	switch p.kind {
	case reflect.Struct:
		for i := range t.NumField() {
			f := t.Field(i)
			if inner := w.plan(f.Type); inner != nil {
				p.fields = append(p.fields, field{f.Offset, inner})
			}
		}
	case reflect.Array:
		p.elem, p.n = w.plan(t.Elem()), t.Len()
	case reflect.Pointer, reflect.Slice:
		p.empty = t.Elem().Size() == 0
	}
	return p
}

// walk finds the pointers in the value at an offset from base.
func (p *plan) walk(base unsafe.Pointer, at uintptr, f func(offset, to uintptr)) {
	switch p.kind {
	case reflect.Struct:
		for _, field := range p.fields {
			field.plan.walk(base, at+field.offset, f)
		}
		return
	case reflect.Array:
		for i := range p.n {
			p.elem.walk(base, at+uintptr(i)*p.elem.size, f)
		}
		return
	case reflect.String:
		if load(base, at+word) == 0 { // fact 9, as below
			return
		}
	case reflect.Slice:
		if load(base, at+2*word) == 0 || p.empty {
			return
		}
	case reflect.Interface:
		t := dynamic(p.typ, load(base, at))
		if t == nil || t.Size() == 0 || t.Kind() == reflect.Pointer && t.Elem().Size() == 0 {
			return
		}
		at += word
	case reflect.Pointer:
		if p.empty {
			return
		}
	}
	if to := load(base, at); to != 0 {
		f(at, to)
	}
}

// load reads a word, hidden from the detectors: if something writes to it at the same
// time, nothing depends on the result.
//
//go:norace
//go:noinline
func load(base unsafe.Pointer, offset uintptr) uintptr {
	return *(*uintptr)(unsafe.Add(base, offset)) // fact 11
}

// dynamic returns the type of the value in an interface of type t, given its
// first word, or nil if there is none. That leads to the type's descriptor, or
// to a table in which the descriptor's address is the second word (fact 5).
func dynamic(t reflect.Type, first uintptr) reflect.Type {
	if first == 0 {
		return nil
	}
	if t.NumMethod() > 0 {
		first = load(*(*unsafe.Pointer)(unsafe.Pointer(&first)), word) // not in the Go heap
	}
	var v any
	(*[2]uintptr)(unsafe.Pointer(&v))[0] = first // fact 5; its data stays nil
	return reflect.TypeOf(v)
}
