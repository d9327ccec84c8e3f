//go:build (!goexperiment.jsonv2 || !go1.27) && !go1.28

package plan

import (
	"reflect"
)

// This file replaces std_on.go without encoding/json/v2 in the standard library.

// extraMethods has no interfaces without encoding/json/v2.
var extraMethods []reflect.Type

// valueType is nil: there is no jsontext.Value.
var valueType reflect.Type

// implementsFrom reports false: there is no such method.
func implementsFrom(reflect.Type) bool { return false }

// implementsTo reports false: there is no such method.
func implementsTo(reflect.Type) bool { return false }
