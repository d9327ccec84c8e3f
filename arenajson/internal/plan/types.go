package plan

import (
	"encoding"
	"encoding/json"
	"reflect"
	"time"
)

// This file holds the types that plans look for.

// The interfaces with methods that write values, or test for zero.
var (
	zeroerType        = reflect.TypeFor[zeroer]()
	marshalerType     = reflect.TypeFor[json.Marshaler]()
	TextMarshalerType = reflect.TypeFor[encoding.TextMarshaler]()
	textAppenderType  = reflect.TypeFor[encoding.TextAppender]()
)

// The interfaces with methods that read values, and the types with a kind of their own.
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
