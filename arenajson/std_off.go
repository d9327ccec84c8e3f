//go:build (!goexperiment.jsonv2 || !go1.27) && !go1.28

package arenajson

import (
	"reflect"

	"github.com/harena-go/arena/arenajson/internal/option"
)

// This file replaces std_on.go without encoding/json/v2 in the standard library.

// asV2 reports false: there are no such errors.
func (e *Error) asV2(target any) bool { return false }

// asStd does nothing: there is no encoding/json/v2 to ask.
func (e *Error) asStd(data []byte, t reflect.Type, f option.Flags) {}
