//go:build (goexperiment.jsonv2 && go1.27) || go1.28

package arenajson

import (
	"encoding/json"
	"encoding/json/jsontext"
	jsonv2 "encoding/json/v2"
	"errors"
	"reflect"

	"github.com/harena-go/arena/arenajson/internal/option"
	"github.com/harena-go/arena/arenajson/internal/plan"
)

// This file holds the part of the API that needs encoding/json/v2 in the standard library.

// Std returns the Options that correspond to those of encoding/json and encoding/json/v2. It leaves
// out options without a counterpart here, among them functions for types, and the indentation of
// output. json.DefaultOptionsV1 is [DefaultOptionsV1]; its parts that have no name in this package
// are set only as a whole.
func Std(opts ...jsonv2.Options) Options {
	joined := jsonv2.JoinOptions(opts...)
	var o Options
	if v, ok := jsonv2.GetOption(joined, json.MergeWithLegacySemantics); ok {
		o = JoinOptions(o, flag(option.Legacy, v))
	}
	for _, b := range [...]struct {
		f option.Flags
		o func(bool) jsonv2.Options
	}{
		{option.AllowDuplicateNames, jsontext.AllowDuplicateNames},
		{option.AllowInvalidUTF8, jsontext.AllowInvalidUTF8},
		{option.MatchCaseInsensitive, jsonv2.MatchCaseInsensitiveNames},
		{option.RejectUnknown, jsonv2.RejectUnknownMembers},
		{option.StringifyNumbers, jsonv2.StringifyNumbers}, {option.Deterministic, jsonv2.Deterministic},
		{option.EscapeHTML, jsontext.EscapeForHTML}, {option.EscapeJS, jsontext.EscapeForJS},
		{option.NilMapAsNull, jsonv2.FormatNilMapAsNull}, {option.NilSliceAsNull, jsonv2.FormatNilSliceAsNull},
	} {
		if v, ok := jsonv2.GetOption(joined, b.o); ok {
			o = JoinOptions(o, flag(b.f, v))
		}
	}
	return o
}

// asV2 is As for the errors of encoding/json/v2.
func (e *Error) asV2(target any) bool {
	switch t := target.(type) {
	case **jsontext.SyntacticError:
		if e.Type != nil {
			return false
		}
		*t = &jsontext.SyntacticError{ByteOffset: e.Offset, JSONPointer: jsontext.Pointer(e.Pointer), Err: e.Err}
		if e.Err == ErrDuplicateName {
			(*t).Err = jsontext.ErrDuplicateName
		}
		return true
	case **jsonv2.SemanticError:
		if e.Type == nil {
			return false
		}
		*t = &jsonv2.SemanticError{ByteOffset: e.Offset, JSONPointer: jsontext.Pointer(e.Pointer),
			JSONKind: jsontext.Kind(e.Kind), JSONValue: jsontext.Value(e.Value), GoType: e.Type, Err: e.Err}
		return true
	}
	return false
}

// asStd changes a syntax error to that of the standard library, whose offset may depend on whether
// it reads the type by tokens or by whole values.
func (e *Error) asStd(data []byte, t reflect.Type, f option.Flags) {
	var std *jsontext.SyntacticError
	if t = plan.StdType(t); t == nil {
		return
	}
	defer func() { _ = recover() }() // it panics at nil pointers to embedded structs that aren't exported
	if !errors.As(jsonv2.Unmarshal(data, reflect.New(t).Interface(), f.Std()), &std) {
		return
	}
	e.Offset, e.Pointer = std.ByteOffset, string(std.JSONPointer)
	switch {
	case std.Err == jsontext.ErrDuplicateName:
		e.Err = ErrDuplicateName
	case e.Err != ErrDepth:
		e.Err = std.Err
	}
}
