//go:build !goexperiment.jsonv2

package arenajson

import "reflect"

// extraMethods are the interfaces of encoding/json/v2, where there is that.
var extraMethods []reflect.Type

func implementsFrom(reflect.Type) bool { return false }

func (d *decoder) methodFrom(v any, i, end int) (done bool, err error) { return false, nil }

func (e *Error) asV2(target any) bool { return false }

// classic says that encoding/json is the original, and not built on its version 2.
const classic = true

func implementsTo(reflect.Type) bool { return false }

func (e *encoder) methodTo(b []byte, n *node, v any) ([]byte, bool) { return b, false }
