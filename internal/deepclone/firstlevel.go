package deepclone

import (
	"reflect"
	"strings"
	"unsafe"
)

// FirstLevel replaces the target of the pointer, slice or string of type t at v by a copy, or returns false if t is
// none of these. It works on the words of pointers, slices and strings (fact 9), because a reflect.Value would box
// them.
func FirstLevel(t reflect.Type, v unsafe.Pointer) bool {
	switch t.Kind() {
	case reflect.Pointer:
		if p := (*unsafe.Pointer)(v); *p != nil {
			*p = shapeOf(t.Elem()).copyOut(*p, 1)
		}
	case reflect.Slice:
		if s := (*sliceWords)(v); s.data != nil {
			s.data, s.cap = shapeOf(t.Elem()).copyOut(s.data, s.len), s.len
		}
	case reflect.String:
		s := (*string)(v)
		*s = strings.Clone(*s)
	default:
		return false
	}
	return true
}
