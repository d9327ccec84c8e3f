//go:build (goexperiment.jsonv2 && go1.27) || go1.28

package plan

import (
	"encoding/json/jsontext"
	jsonv2 "encoding/json/v2"
	"reflect"
)

// This file holds the types of encoding/json/v2 that plans look for.

// extraMethods are the interfaces of encoding/json/v2.
var extraMethods = []reflect.Type{reflect.TypeFor[jsonv2.MarshalerTo](), reflect.TypeFor[jsonv2.UnmarshalerFrom]()}

// valueType is for fields with the tag option embed.
var valueType = reflect.TypeFor[jsontext.Value]()

// implementsFrom reports whether values of a type have UnmarshalJSONFrom.
func implementsFrom(t reflect.Type) bool { return t.Implements(extraMethods[1]) }

// implementsTo reports whether values of a type, or pointers to them, have MarshalJSONTo.
func implementsTo(t reflect.Type) bool {
	return t.Implements(extraMethods[0]) ||
		t.Kind() != reflect.Pointer && reflect.PointerTo(t).Implements(extraMethods[0])
}
