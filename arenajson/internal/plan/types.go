package plan

import (
	"encoding"
	"encoding/json"
	"reflect"
	"time"
)

var (
	zeroerType        = reflect.TypeFor[zeroer]()
	marshalerType     = reflect.TypeFor[json.Marshaler]()
	TextMarshalerType = reflect.TypeFor[encoding.TextMarshaler]()
	textAppenderType  = reflect.TypeFor[encoding.TextAppender]()
)

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
