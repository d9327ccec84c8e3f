//go:build (!goexperiment.jsonv2 || !go1.27) && !go1.28

package arenajson

import (
	"reflect"

	"github.com/harena-go/arena/arenajson/internal/option"
)

// This file is std_on.go for where the standard library has no encoding/json/v2.

// asV2 reports false: there are no such errors.
func (e *Error) asV2(target any) bool { return false }

// asStd changes an error in the syntax to what the standard library would report.
func (e *Error) asStd(data []byte, t reflect.Type, f option.Flags) {}
