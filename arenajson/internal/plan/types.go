package plan

import (
	"encoding"
	"encoding/json"
	"reflect"
	"time"
)

// This file holds the types that plans look for.

// The interfaces whose methods write values, or say when they are zero.
var (
	zeroerType        = reflect.TypeFor[zeroer]()
	marshalerType     = reflect.TypeFor[json.Marshaler]()
	TextMarshalerType = reflect.TypeFor[encoding.TextMarshaler]()
	textAppenderType  = reflect.TypeFor[encoding.TextAppender]()
)

// The interfaces whose methods read values, and the types that have a kind of their
// own.
var (
	unmarshalerType     = reflect.TypeFor[json.Unmarshaler]()
	textUnmarshalerType = reflect.TypeFor[encoding.TextUnmarshaler]()
	arenaType           = reflect.TypeFor[ArenaUnmarshaler]()
	NumberType          = reflect.TypeFor[json.Number]()
	rawType             = reflect.TypeFor[json.RawMessage]()
	TimeType            = reflect.TypeFor[time.Time]()
	durationType        = reflect.TypeFor[time.Duration]()
	AnyType             = reflect.TypeFor[any]()
	StringType          = reflect.TypeFor[string]()
)
