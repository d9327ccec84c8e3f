//go:build (goexperiment.jsonv2 && go1.27) || go1.28

package arenajson_test

import (
	"encoding/json"
	"encoding/json/jsontext"
	jsonv2 "encoding/json/v2"
	"io"
	"reflect"
)

// The reference for version 2 is the standard library, where it has that.
type (
	semanticError  = jsonv2.SemanticError
	syntacticError = jsontext.SyntacticError
	rawValue       = jsontext.Value
)

var numberLeaf = reflect.TypeFor[json.Number]()

const exactPointers = true

var errDuplicate = jsontext.ErrDuplicateName

func newTokens(r io.Reader) *jsontext.Decoder { return jsontext.NewDecoder(r) }

func unmarshalV2(b []byte, v any) error { return jsonv2.Unmarshal(b, v) }

func marshalV2(v any) ([]byte, error) { return jsonv2.Marshal(v, jsonv2.Deterministic(true)) }
