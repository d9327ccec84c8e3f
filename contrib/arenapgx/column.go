package arenapgx

import (
	"reflect"
	"time"

	"github.com/harena-go/arena"
)

// A column says how a server's value is converted to a Go value, which is a field, an element or the target of a
// pointer.
type column struct {
	op     op
	kind   reflect.Kind   // of the Go value
	offset uintptr        // in the struct
	valid  uintptr        // offset of the field Valid in a nullable struct
	typ    reflect.Type   // of the Go value
	elem   *column        // of the pointer's target, the slice's elements or the nullable struct's value
	key    arena.TypeKey  // of elem
	loc    *time.Location // of a timestamptz, nil for that of time.Unix
	null   string         // a text that also means NULL, for JSON in a pointer
	apart  bool           // JSON is decoded without the arena, which containers and methods might outlive
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
