package deepclone

import (
	"reflect"
	"unsafe"
)

// This file is about memory that types don't show: pointers to one element that stand for more.

// A Hook is implemented by types of size zero. A struct with a field of such a type says
// by it what its other fields don't. The address that the methods get is the field's, so
// if that comes first, the struct's.
type Hook interface {
	// Slices calls reach with each slice of which a struct in the source has just
	// pointers to elements.
	Slices(at unsafe.Pointer, reach func(slice any))

	// Cloned completes a clone, in which all pointers lead to clones, but Go's
	// maps are still empty. It may be called twice.
	Cloned(at unsafe.Pointer)
}

var hookType = reflect.TypeFor[Hook]()

// A hooked is the place of a hook in a clone.
type hooked struct {
	hook Hook
	at   unsafe.Pointer
}

// reachHidden is reach for a slice that no place in the source shows.
func (c *cloner) reachHidden(slice any) {
	s := shapeOf(reflect.TypeOf(slice).Elem())
	words := (*sliceWords)((*interfaceWords)(unsafe.Pointer(&slice)).data) // fact 9
	c.reach(words.data, s.base, words.len*s.count)
}

// logged returns type and number of what the pointer at address at, in a slog.Value, leads
// to, if that may be more than one. lengthAt is the distance from there to the length.
func logged(at unsafe.Pointer, lengthAt int) (elem reflect.Type, n int) {
	held := reflect.TypeOf(*(*any)(at))
	if held == nil {
		return nil, 0
	}
	switch typeName(held) {
	case "log/slog.stringptr", "log/slog.groupptr":
		return held.Elem(), int(*(*uint64)(unsafe.Add(at, lengthAt))) // fact 11
	}
	return nil, 0
}

// reachLog is reach for the pointer in a slog.Value.
func (c *cloner) reachLog(slot *slot, at unsafe.Pointer) uint32 {
	elem, n := logged(at, slot.count)
	if elem == nil {
		return c.reachHeld(reflect.TypeOf(*(*any)(at)), at)
	}
	s := shapeOf(elem)
	return c.reach((*interfaceWords)(at).data, s.base, n*s.count)
}
