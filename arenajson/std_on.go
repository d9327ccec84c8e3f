//go:build goexperiment.jsonv2 && go1.27

package arenajson

import (
	"bytes"
	"encoding/json"
	"encoding/json/jsontext"
	jsonv2 "encoding/json/v2"
	"errors"
	"reflect"
)

// This file holds what there is where the standard library has encoding/json/v2.

// extraMethods are the interfaces of encoding/json/v2.
var extraMethods = []reflect.Type{reflect.TypeFor[jsonv2.MarshalerTo](), reflect.TypeFor[jsonv2.UnmarshalerFrom]()}

func implementsFrom(t reflect.Type) bool { return t.Implements(extraMethods[1]) }

func implementsTo(t reflect.Type) bool {
	return t.Implements(extraMethods[0]) || t.Kind() != reflect.Pointer && reflect.PointerTo(t).Implements(extraMethods[0])
}

// std returns the standard library's options for a decoder's or encoder's.
func (f flags) std() jsonv2.Options {
	base := jsonv2.DefaultOptionsV2()
	if f&legacy != 0 {
		base = json.DefaultOptionsV1()
	}
	return jsonv2.JoinOptions(base,
		jsontext.AllowDuplicateNames(f&allowDuplicateNames != 0), jsontext.AllowInvalidUTF8(f&allowInvalidUTF8 != 0),
		jsonv2.MatchCaseInsensitiveNames(f&matchCaseInsensitive != 0), jsonv2.RejectUnknownMembers(f&rejectUnknown != 0),
		jsonv2.StringifyNumbers(f&stringifyNumbers != 0), jsonv2.Deterministic(f&deterministic != 0),
		jsontext.EscapeForHTML(f&escapeHTML != 0), jsontext.EscapeForJS(f&escapeJS != 0),
		jsonv2.FormatNilMapAsNull(f&nilMapAsNull != 0), jsonv2.FormatNilSliceAsNull(f&nilSliceAsNull != 0))
}

// Std returns the Options that do what those of encoding/json and encoding/json/v2 do. Those
// that this package has no counterpart for are left out: among them functions for types, and how
// output is indented. json.DefaultOptionsV1 is [DefaultOptionsV1]; of the options that it consists
// of, those that this package has no name for come with it only as a whole.
func Std(opts ...jsonv2.Options) Options {
	joined := jsonv2.JoinOptions(opts...)
	var o Options
	if v, ok := jsonv2.GetOption(joined, json.MergeWithLegacySemantics); ok {
		o = JoinOptions(o, flag(legacy, v))
	}
	for _, b := range [...]struct {
		f flags
		o func(bool) jsonv2.Options
	}{
		{allowDuplicateNames, jsontext.AllowDuplicateNames}, {allowInvalidUTF8, jsontext.AllowInvalidUTF8},
		{matchCaseInsensitive, jsonv2.MatchCaseInsensitiveNames}, {rejectUnknown, jsonv2.RejectUnknownMembers},
		{stringifyNumbers, jsonv2.StringifyNumbers}, {deterministic, jsonv2.Deterministic},
		{escapeHTML, jsontext.EscapeForHTML}, {escapeJS, jsontext.EscapeForJS},
		{nilMapAsNull, jsonv2.FormatNilMapAsNull}, {nilSliceAsNull, jsonv2.FormatNilSliceAsNull},
	} {
		if v, ok := jsonv2.GetOption(joined, b.o); ok {
			o = JoinOptions(o, flag(b.f, v))
		}
	}
	return o
}

// methodFrom reads the value from i to end by v's UnmarshalJSONFrom, if it has one.
func (d *decoder) methodFrom(v any, i, end int) (done bool, err error) {
	u, ok := v.(jsonv2.UnmarshalerFrom)
	if !ok {
		return false, nil
	}
	in := jsontext.NewDecoder(bytes.NewReader(d.data[i:end]), d.flags.std())
	err = jsonv2.UnmarshalDecode(in, v, d.flags.std())
	_ = u
	return true, err
}

// methodTo writes v by its MarshalJSONTo, if it has one.
func (e *encoder) methodTo(b []byte, n *node, v any) ([]byte, bool) {
	if _, ok := v.(jsonv2.MarshalerTo); !ok {
		return b, false
	}
	raw, err := jsonv2.Marshal(v, e.flags.std())
	if err != nil {
		e.failMethod(n.typ, err, "MarshalJSONTo")
	}
	return append(b, raw...), true
}

// asV2 is what As does for the errors of encoding/json/v2.
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
		*t = &jsonv2.SemanticError{ByteOffset: e.Offset, JSONPointer: jsontext.Pointer(e.Pointer), JSONKind: jsontext.Kind(e.Kind),
			JSONValue: jsontext.Value(e.Value), GoType: e.Type, Err: e.Err}
		return true
	}
	return false
}

// asStd changes an error in the syntax to what the standard library reports: which place that is
// may depend on whether the type lets it read tokens or whole values.
func (e *Error) asStd(data []byte, t reflect.Type, f flags) {
	var std *jsontext.SyntacticError
	if t = stdType(t); t == nil {
		return
	}
	if !errors.As(jsonv2.Unmarshal(data, reflect.New(t).Interface(), f.std()), &std) {
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
