package deepclone

import (
	"reflect"
	"unsafe"
)

// This file handles memory that types don't show: pointers to one element of several.

// A Hook is implemented by types of size zero. A struct has a field of such a type to describe references that its
// other fields don't show. The methods get the address of the field, which is that of the struct if the field comes
// first.
type Hook interface {
	// Slices calls reach with each slice that a struct in the source refers to only by
	// pointers to elements.
	Slices(at unsafe.Pointer, reach func(slice any))

	// Cloned completes a clone. All pointers in it lead to clones, but Go's maps are
	// still empty. It may be called twice.
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

// logged returns the type and number of elements behind the pointer at address at in a slog.Value,
// if there may be more than one. lengthAt is the distance from there to the length.
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
