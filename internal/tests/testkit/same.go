package testkit

import (
	"math"
	"reflect"
)

// Same is reflect.DeepEqual, but floats are the same if their bits are: NaN is NaN, and -0 isn't 0. It doesn't end for
// values that contain themselves.
func Same(x, y any) bool { return same(reflect.ValueOf(x), reflect.ValueOf(y)) }

func same(x, y reflect.Value) bool {
	if !x.IsValid() || !y.IsValid() || x.Type() != y.Type() {
		return x.IsValid() == y.IsValid() && !x.IsValid()
	}
	switch x.Kind() {
	case reflect.Float32, reflect.Float64:
		return math.Float64bits(x.Float()) == math.Float64bits(y.Float())
	case reflect.Pointer, reflect.Interface:
		if x.IsNil() || y.IsNil() {
			return x.IsNil() == y.IsNil()
		}
		return same(x.Elem(), y.Elem())
	case reflect.Struct:
		for i := range x.NumField() {
			if !same(x.Field(i), y.Field(i)) {
				return false
			}
		}
		return true
	case reflect.Slice, reflect.Array:
		if x.Len() != y.Len() || x.Kind() == reflect.Slice && x.IsNil() != y.IsNil() {
			return false
		}
		for i := range x.Len() {
			if !same(x.Index(i), y.Index(i)) {
				return false
			}
		}
		return true
	case reflect.Map:
		if x.Len() != y.Len() || x.IsNil() != y.IsNil() {
			return false
		}
		for _, k := range x.MapKeys() {
			if !same(x.MapIndex(k), y.MapIndex(k)) {
				return false
			}
		}
		return true
	}
	return x.Equal(y)
}
