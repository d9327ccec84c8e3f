//go:build !goexperiment.jsonv2 || !go1.27

package plan

import (
	"reflect"
)

// extraMethods are the interfaces of encoding/json/v2, where there is that.
var extraMethods []reflect.Type

func implementsFrom(reflect.Type) bool { return false }

func implementsTo(reflect.Type) bool { return false }
