//go:build !goexperiment.jsonv2 || !go1.27

package arenajson

import (
	"reflect"

	"github.com/harena-go/arena/arenajson/internal/option"
	"github.com/harena-go/arena/arenajson/internal/plan"
)

func (d *decoder) methodFrom(v any, i, end int) (done bool, err error) { return false, nil }

func (e *Error) asV2(target any) bool { return false }

func (e *encoder) methodTo(b []byte, n *plan.Node, v any) ([]byte, bool) { return b, false }

// asStd changes an error in the syntax to what the standard library would report.
func (e *Error) asStd(data []byte, t reflect.Type, f option.Flags) {}
