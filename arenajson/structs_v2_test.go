//go:build goexperiment.jsonv2 && go1.27

package arenajson_test

import (
	"encoding/json/jsontext"
	jsonv2 "encoding/json/v2"
	"errors"
	"fmt"
	"reflect"

	"github.com/harena-go/arena"
	"github.com/harena-go/arena/arenajson"
)

func init() {
	codecs = append(codecs, codec{"v2", true,
		func(a *arena.Arena, b []byte, v any) error { return arenajson.Unmarshal(a, b, v) },
		func(_ *arena.Arena, b []byte, v any) error { return jsonv2.Unmarshal(b, v) },
		func(v any) ([]byte, error) { return arenajson.Append(nil, v, arenajson.Deterministic(true)) },
		func(v any) ([]byte, error) { return jsonv2.Marshal(v, jsonv2.Deterministic(true)) },
		func(err error) string {
			var syntax *jsontext.SyntacticError
			var semantic *jsonv2.SemanticError
			switch {
			case err == nil:
				return "none"
			case errors.As(err, &syntax):
				return "syntax" // where depends on whether methods read it
			case errors.As(err, &semantic):
				return fmt.Sprintf("type: %v at %d, %s, %s", semantic.GoType, semantic.ByteOffset, semantic.JSONPointer, string(semantic.JSONValue))
			}
			return "other"
		},
		func(reflect.Type) bool { return false },
	})
}
