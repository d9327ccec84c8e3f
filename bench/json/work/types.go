package work

import (
	stdjson "encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strconv"
)

// manyNames is the number of different names from which on objects become maps.
const manyNames = 100

// typeOf returns a type that fits all of the values: that of a program that knows only this text of a format.
func typeOf(values []any) reflect.Type {
	var t reflect.Type
	for _, v := range values {
		switch v := v.(type) {
		case nil:
		case bool:
			t = merge(t, reflect.TypeFor[bool]())
		case string:
			t = merge(t, reflect.TypeFor[string]())
		case stdjson.Number:
			n := reflect.TypeFor[int64]()
			if _, err := v.Int64(); err != nil || t == reflect.TypeFor[float64]() {
				n = reflect.TypeFor[float64]()
				if t == reflect.TypeFor[int64]() {
					t = nil
				}
			}
			t = merge(t, n)
		case []any:
			return listType(values)
		case map[string]any:
			return objectType(values)
		}
	}
	if t == nil {
		return Any
	}
	return t
}

func merge(x, y reflect.Type) reflect.Type {
	if x == nil || x == y {
		return y
	}
	return Any
}

// listType is typeOf for arrays.
func listType(values []any) reflect.Type {
	var all []any
	for _, v := range values {
		list, ok := v.([]any)
		if !ok && v != nil {
			return Any
		}
		all = append(all, list...)
	}
	return reflect.SliceOf(typeOf(all))
}

// objectType is typeOf for objects.
func objectType(values []any) reflect.Type {
	members := map[string][]any{}
	null := false
	for _, v := range values {
		m, ok := v.(map[string]any)
		if !ok && v != nil {
			return Any
		}
		null = null || v == nil
		for k, x := range m {
			members[k] = append(members[k], x)
		}
	}
	names := make([]string, 0, len(members))
	numeric := true
	var all []any
	for k, v := range members {
		names = append(names, k)
		all = append(all, v...)
		_, err := strconv.Atoi(k)
		numeric = numeric && err == nil
	}
	if len(names) >= manyNames || numeric && len(names) > 0 {
		return reflect.MapOf(reflect.TypeFor[string](), typeOf(all))
	}
	slices.Sort(names)
	var fields []reflect.StructField
	for i, k := range names {
		fields = append(fields, reflect.StructField{Name: "F" + strconv.Itoa(i), Type: typeOf(members[k]),
			Tag: reflect.StructTag(fmt.Sprintf("json:%q", k))})
	}
	if null {
		return reflect.PointerTo(reflect.StructOf(fields))
	}
	return reflect.StructOf(fields)
}
