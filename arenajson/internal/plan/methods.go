package plan

import (
	"reflect"

	"github.com/harena-go/arena"
)

// This file selects the methods of a type: for reading, for writing, for omitzero, and for keys of
// maps.

// NamesKeys reports whether the original encoding/json decodes names into keys of a type.
func NamesKeys(t reflect.Type) bool {
	return IsNameKind(t.Kind()) || reflect.PointerTo(t).Implements(textUnmarshalerType)
}

// IsNameKind reports whether keys of a kind are decoded from names, and written as names.
func IsNameKind(k reflect.Kind) bool {
	return k == reflect.String || reflect.Int <= k && k <= reflect.Uintptr
}

// writerOf returns the writer of a type's values: a method of it or of a pointer to it, if there is
// one, and otherwise its kind. Types with a kind of their own are written by kind.
func writerOf(t reflect.Type) writer {
	if t.Kind() == reflect.Interface || t == TimeType || t == rawType || t == NumberType || t == Ordered.Type {
		return ByKind
	}
	has := func(m reflect.Type) bool {
		return t.Implements(m) || t.Kind() != reflect.Pointer && reflect.PointerTo(t).Implements(m)
	}
	switch {
	case t.Kind() == reflect.Pointer: // its target has them as well
	case implementsTo(t) || has(marshalerType):
		return byMarshalJSON
	case has(textAppenderType) || has(TextMarshalerType):
		return byMarshalText
	}
	return ByKind
}

// An ArenaUnmarshaler is an UnmarshalerArena of package arenajson, which has the
// same method.
type ArenaUnmarshaler interface {
	UnmarshalJSONArena(a *arena.Arena, data []byte) error
}

// zeroer is implemented by types with their own test for zero.
type zeroer interface{ IsZero() bool }

// hasMethods reports whether a type or a pointer to it has methods that read or write JSON.
func hasMethods(t reflect.Type) bool {
	for _, m := range append(extraMethods, marshalerType, unmarshalerType, TextMarshalerType, textUnmarshalerType,
		textAppenderType) {
		if t.Implements(m) || reflect.PointerTo(t).Implements(m) {
			return true
		}
	}
	return false
}

// zeroMethod returns a function that calls the IsZero method of a type's values, or nil if there is
// no such method. Nil pointers and interfaces are zero without a call.
func zeroMethod(t reflect.Type) func(reflect.Value) bool {
	switch {
	// A nil pointer is zero, and calling its method could panic.
	case (t.Kind() == reflect.Pointer || t.Kind() == reflect.Interface) && t.Implements(zeroerType):
		return func(v reflect.Value) bool {
			return v.IsNil() ||
				v.Kind() == reflect.Interface && v.Elem().Kind() == reflect.Pointer && v.Elem().IsNil() ||
				v.Interface().(zeroer).IsZero()
		}
	case t.Implements(zeroerType):
		return func(v reflect.Value) bool { return v.Interface().(zeroer).IsZero() }
	case reflect.PointerTo(t).Implements(zeroerType):
		return func(v reflect.Value) bool { return v.Addr().Interface().(zeroer).IsZero() }
	}
	return nil
}
