//go:build (!goexperiment.jsonv2 || !go1.27) && !go1.28

package arenajson_test

import (
	"io"
	"reflect"

	jsonv2 "github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// The reference for version 2 is the module from which it went to the standard library. It
// takes json.Number for any string.
type (
	semanticError  = jsonv2.SemanticError
	syntacticError = jsontext.SyntacticError
	rawValue       = jsontext.Value
)

var numberLeaf = reflect.TypeFor[int]()

const exactPointers = false

var errDuplicate = jsontext.ErrDuplicateName

func newTokens(r io.Reader) *jsontext.Decoder { return jsontext.NewDecoder(r) }

func unmarshalV2(b []byte, v any) error { return jsonv2.Unmarshal(b, v) }

func marshalV2(v any) ([]byte, error) { return jsonv2.Marshal(v, jsonv2.Deterministic(true)) }
