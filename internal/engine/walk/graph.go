package walk

import (
	"fmt"
	"reflect"
	"unsafe"
)

// This file follows pointers, in values that are alive.

// Limits of Graph: values, and elements of one slice.
const (
	maxGraph    = 256
	maxElements = 32
)

// A hop is the target of a pointer: a value, or several in a row.
type hop struct {
	path string
	t    reflect.Type
	p    unsafe.Pointer
	n    int
}

// Graph calls f for each pointer that v leads to, the nearest first, with an expression for its place, which begins
// with root, and its target's address. It follows those for which f returns true, some hundred at most. It doesn't look
// into maps, channels and closures, which other goroutines may be using.
func (w *Walker) Graph(root string, v any, f func(path string, to unsafe.Pointer) bool) {
	type place struct {
		t reflect.Type
		p unsafe.Pointer
	}
	seen := map[place]bool{}
	next := []hop{{root, reflect.TypeFor[any](), unsafe.Pointer(&v), 1}}
	for i := 0; i < len(next) && i < maxGraph; i++ {
		h := next[i]
		w.Values(h.t, h.p, h.n, func(offset, to uintptr) {
			path := h.path
			if h.n > 1 {
				path += fmt.Sprintf("[%d]", offset/h.t.Size())
			}
			field, part, at := find(h.t, offset%h.t.Size())
			to2 := hop{path: path + field, p: *(*unsafe.Pointer)(unsafe.Pointer(&to)), n: 1}
			to2.lead(part, unsafe.Add(h.p, offset-offset%h.t.Size()+at)) // fact 11
			if f(to2.path, to2.p) && to2.t != nil && !seen[place{to2.t, to2.p}] {
				seen[place{to2.t, to2.p}] = true
				next = append(next, to2)
			}
		})
	}
}

// lead sets the type and the number of the values at which the pointer at an address points, in a part of type t. The
// type is nil if they aren't to be followed.
func (h *hop) lead(t reflect.Type, at unsafe.Pointer) {
	switch t.Kind() {
	case reflect.Pointer:
		h.t = t.Elem()
	case reflect.Slice:
		h.t, h.n = t.Elem(), int(min(load(at, word), maxElements))
	case reflect.Interface:
		d := dynamic(t, load(at, 0))
		h.path += ".(" + d.String() + ")"
		switch d.Kind() {
		case reflect.Pointer:
			h.t = d.Elem()
		case reflect.Map, reflect.Chan, reflect.Func, reflect.UnsafePointer:
		default:
			if d.Size() != word { // else the second word may be the value itself (fact 9)
				h.t = d
			}
		}
	}
}
