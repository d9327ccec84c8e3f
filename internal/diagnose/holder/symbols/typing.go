package symbols

import (
	"fmt"
	"reflect"

	"github.com/harena-go/arena/internal/diagnose/holder/dump"
)

// This file finds the types of a dump's memory, to name its fields.

// A Typing is the known type of a piece of memory: from the offset At on it has values of type Elem, or only one of
// them if Single is set.
type Typing struct {
	Elem   reflect.Type // nil if unknown
	At     uintptr
	Single bool

	Guessed bool // the type may be another
}

// Types finds types in a dump of this process.
type Types struct {
	*Executable
	dump   *dump.Dump
	source *sourceReader // nil until sourceVariable needs it
}

// NewTypes returns Types for a dump. With a zero Executable it finds few types.
func NewTypes(d *dump.Dump, e *Executable) *Types { return &Types{Executable: e, dump: d} }

// Inside follows a type down to the pointer at an offset in the memory. It returns the path of fields to the pointer,
// and the type of its target. It returns false if the type has no pointer there, so that the memory must have another
// type. before is the word in front of the pointer, which for an interface has the type.
func (y *Types) Inside(t Typing, offset, before uintptr) (path string, next Typing, ok bool) {
	if t.Elem == nil || offset < t.At || t.Elem.Size() == 0 {
		return "", Typing{}, false
	}
	// i is the index of the value, in memory that has several.
	offset -= t.At
	i := offset / t.Elem.Size()
	if t.Single && i > 0 {
		return "", Typing{}, false
	}
	if !t.Single {
		path = fmt.Sprintf("[%d]", i)
	}
	inner, next, ok := y.field(t.Elem, offset%t.Elem.Size(), before)
	return path + inner, next, ok
}

// field is Inside for one value of a type.
func (y *Types) field(t reflect.Type, offset, before uintptr) (path string, next Typing, ok bool) {
	// Types other than structs and arrays have a pointer in the first word, except interfaces, which have it in the
	// second.
	switch t.Kind() {
	case reflect.Struct:
		for i := range t.NumField() {
			if f := t.Field(i); offset-f.Offset < f.Type.Size() {
				path, next, ok = y.field(f.Type, offset-f.Offset, before)
				return "." + f.Name + path, next, ok
			}
		}
		return "", Typing{}, false
	case reflect.Array:
		path, next, ok = y.field(t.Elem(), offset%t.Elem().Size(), before)
		return fmt.Sprintf("[%d]", offset/t.Elem().Size()) + path, next, ok
	case reflect.Interface:
		return "", y.Dynamic(before), offset == y.dump.WordSize
	case reflect.Pointer:
		next = Typing{Elem: t.Elem(), Single: true}
	case reflect.Slice:
		next = Typing{Elem: t.Elem()}
	case reflect.String:
		next = Typing{Elem: reflect.TypeFor[byte]()}
	case reflect.Map, reflect.Chan, reflect.Func:
		next = Typing{Elem: t, Single: true}
	case reflect.UnsafePointer:
	default:
		return "", Typing{}, false
	}
	return "", next, offset == 0
}

// Dynamic returns the type of the target of an interface's second word, by its first word: a type's descriptor, or an
// itab. Values that are a single pointer, however wrapped, are the second word themselves.
func (y *Types) Dynamic(word uintptr) Typing {
	// In an interface with methods the first word leads to an itab.
	if t, ok := y.dump.Itabs[word]; ok {
		word = t
	}
	t := y.TypeAt(word)
	if t == nil {
		return Typing{}
	}
	// Unwrap structs and arrays of one pointer.
	for {
		switch {
		case t.Kind() == reflect.Struct && t.NumField() == 1 && t.Size() == y.dump.WordSize:
			t = t.Field(0).Type
		case t.Kind() == reflect.Array && t.Len() == 1 && t.Size() == y.dump.WordSize:
			t = t.Elem()
		default:
			if k := t.Kind(); k == reflect.Pointer || k == reflect.Map || k == reflect.Chan || k == reflect.Func {
				_, next, _ := y.field(t, 0, 0)
				return next
			}
			return Typing{Elem: t, Single: true}
		}
	}
}

// String returns the type of pointers to the memory: *T, or []T for several values.
func (t Typing) String() string {
	if t.Elem == nil {
		return ""
	}
	if t.Single {
		return "*" + t.Elem.String()
	}
	return "[]" + t.Elem.String()
}

// Objects with pointers, in size classes above headerMin and up to headerMax bytes, have a header in front with the
// address of the type's descriptor.
const (
	headerMin  = wordBytes * wordBytes * 8
	headerMax  = 32 << 10
	HeaderSize = 8 // bytes
)

// MayHaveHeader reports whether an object is in a size class with headers. It has one if it has pointers.
func (y *Types) MayHaveHeader(i int32) bool {
	size := y.dump.Objects.Size(i)
	return headerMin < size && size <= headerMax
}

// Header returns the type in an object's own header. If the object has room for another value of the type, it is
// assumed to have several.
func (y *Types) Header(i int32) Typing {
	if !y.MayHaveHeader(i) {
		return Typing{}
	}
	t := y.TypeAt(y.dump.Word(y.dump.Object(i).Contents, 0))
	return Typing{Elem: t, At: HeaderSize, Single: t != nil && 2*t.Size() > y.dump.Objects.Size(i)}
}
