package arenapgx

import (
	"reflect"
	"time"

	"github.com/harena-go/arena"
)

// A column says how a value of the server becomes a value of Go: that of a field, of what a pointer leads to, or of an
// element.
type column struct {
	op     op
	kind   reflect.Kind   // of the Go value
	offset uintptr        // in the struct
	valid  uintptr        // where in a nullable struct the field Valid is
	typ    reflect.Type   // of the Go value
	elem   *column        // of what is in the pointer, slice or nullable struct
	key    arena.TypeKey  // of elem
	loc    *time.Location // of a timestamptz, nil for that of time.Unix
	null   string         // a text that is NULL, too: that of JSON in a pointer
	apart  bool           // JSON may have containers and methods, which must not get an arena that ends before them
}

// An op is a way to read a value.
type op uint8

const (
	viaPgx op = iota
	asPointer
	asNull
	asSlice
	asInt2
	asInt4
	asInt8
	asTextInt
	asFloat4
	asFloat8
	asTextFloat
	asBool
	asTextBool
	asString
	asBytes
	asHexBytes
	asUUID
	asUUIDText
	asTimestamptz
	asTimestamp
	asDate
	asNumeric
	asNumericFloat
	asNumericInt
	asNumericText
	asJSON
)
