//go:build (!goexperiment.jsonv2 || !go1.27) && !go1.28

package plan

import (
	"reflect"
)

// This file is std_on.go for where the standard library has no encoding/json/v2.

// extraMethods are the interfaces of encoding/json/v2, where there is that.
var extraMethods []reflect.Type

// valueType is jsontext.Value, where there is that.
var valueType reflect.Type

// implementsFrom reports false: there is no such method.
func implementsFrom(reflect.Type) bool { return false }

// implementsTo reports false: there is no such method.
func implementsTo(reflect.Type) bool { return false }
