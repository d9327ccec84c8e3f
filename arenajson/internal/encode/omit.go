package encode

import (
	"reflect"
	"time"
	"unsafe"

	"github.com/harena-go/arena/arenajson/internal/mem"
	"github.com/harena-go/arena/arenajson/internal/option"
	"github.com/harena-go/arena/arenajson/internal/plan"
)

// This file leaves out fields.
//
//	omitzero                 the zero value, or one whose IsZero method returns true
//	omitempty, version 2     null, "", {} or [] in JSON
//	omitempty, v1            false, 0, nil, and empty strings, slices, maps and arrays
//
// So version 2 writes some fields, and removes the empty ones; kinds for which the value is enough
// aren't written first.

// omits reports whether a field with one of these tag options is left out, before it is written.
func (e *Encoder) omits(f *plan.Field, p unsafe.Pointer) bool {
	if f.OmitZero && isZero(f, p) {
		return true
	}
	// With the options of v1 omitempty depends on the Go value, in version 2 on the JSON.
	if !f.OmitEmpty || e.flags&option.Legacy != 0 {
		return f.OmitEmpty && isEmpty(f, p)
	}
	n := f.Node
	if n.Kind == plan.KindQuoted {
		n = n.Elem
	}
	// Empty Go values of these kinds are empty in JSON, unless a method writes them.
	switch f.Type.Kind() { // others are written first
	case reflect.String, reflect.Slice, reflect.Map, reflect.Array, reflect.Pointer, reflect.Interface:
		methods := n.Writer != plan.ByKind || n.Plain != nil
		return !methods && n.Kind != plan.KindRaw && n.Kind != plan.KindNumber && isEmpty(f, p)
	}
	return false
}

// isZero reports whether omitzero leaves out the field at p: by its method if it has one, or else
// by its type's zero value.
func isZero(f *plan.Field, p unsafe.Pointer) bool {
	switch {
	case f.Type == plan.TimeType: // reflect would allocate the value to call its method
		return mem.At[time.Time](p).IsZero()
	case f.IsZero != nil:
		return f.IsZero(mem.Value(f.Type, p))
	}
	return isNothing(f, p)
}

// isEmpty reports whether omitempty leaves out the field at p with the options of v1.
func isEmpty(f *plan.Field, p unsafe.Pointer) bool {
	switch f.Type.Kind() {
	case reflect.Slice:
		return mem.Get[mem.Slice](p).Len == 0
	case reflect.Map:
		return mem.Get[unsafe.Pointer](p) == nil || mem.Value(f.Type, p).Len() == 0 // fact 9
	case reflect.Array:
		return f.Type.Len() == 0
	case reflect.Struct, reflect.Chan, reflect.Func, reflect.Complex64, reflect.Complex128:
		return false
	}
	return isNothing(f, p)
}

// isNothing reports whether the field at p has the zero value of its type. -0 counts as zero where
// encoding/json compares, and not where reflect does.
func isNothing(f *plan.Field, p unsafe.Pointer) bool {
	// By address for the usual kinds; by reflect for the others.
	switch k := f.Type.Kind(); {
	case k == reflect.String:
		return mem.Get[string](p) == ""
	case k == reflect.Float64: // -0 is zero here, too
		return mem.Get[float64](p) == 0
	case k < reflect.Float32, k == reflect.Pointer: // bools and integers
		return mem.IsZero(p, f.Type.Size())
	}
	return mem.Value(f.Type, p).IsZero()
}

// emptyJSON reports whether omitempty leaves out a written value.
func emptyJSON(b []byte) bool {
	switch string(b) {
	case "null", `""`, "{}", "[]":
		return true
	}
	return false
}
