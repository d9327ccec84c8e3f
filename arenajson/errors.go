package arenajson

import (
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/harena-go/arena/arenajson/internal/decode"
	"github.com/harena-go/arena/arenajson/internal/option"
	"github.com/harena-go/arena/arenajson/internal/syntax"
)

// This file holds Error: how it is made from the codecs' faults, and converted to the errors of
// encoding/json.

// An Error describes an error in the syntax of a text, or a value that doesn't fit its Go type.
//
// With [errors.As] it is also the *json.SyntaxError or *json.UnmarshalTypeError that package
// encoding/json would return. As lets that package decode a few bytes with the same error, which
// the Error holds instead of the text.
type Error struct {
	Offset  int64        // offset of the problem in the text
	Pointer string       // its place as a JSON Pointer (RFC 6901): "/users/3/name"
	Kind    byte         // first byte of the value that doesn't fit: one of n t " 0 { [, f for true as well; or 0
	Type    reflect.Type // of the Go value that it doesn't fit, or nil if the syntax is wrong
	Value   string       // the string or number that doesn't fit, as in the text; may be ""
	Err     error        // the cause; may be nil if only the type is wrong

	excerpt syntax.Excerpt
	root    reflect.Type // the type for decoding the excerpt
	writing bool         // the Go value is at fault
}

// newError returns the Error for a fault, or nil.
func newError(f *syntax.Fault) error {
	if f == nil {
		return nil
	}
	e := &Error{f.Offset, f.Pointer, f.Kind, f.Type, f.Value, f.Err, f.Excerpt, f.Root, f.Writing}
	switch {
	case f.Inner != nil:
		e.Err = newError(f.Inner)
	case f.Err == syntax.ErrDuplicateName:
		e.Err = ErrDuplicateName
	case f.Err == syntax.ErrDepth:
		e.Err = ErrDepth
	case f.Err == decode.ErrUnknownName:
		e.Err = ErrUnknownName
	}
	return e
}

// decode can't import this package, so it learns here which errors of methods are Errors.
func init() {
	decode.IsError = func(err error) bool {
		var own *Error
		return errors.As(err, &own)
	}
}

// ErrDuplicateName is the Err of an [Error] for two members of an object with the same name, unless
// [AllowDuplicateNames] is set.
var ErrDuplicateName = errors.New("duplicate object member name")

// ErrUnknownName is the Err of an [Error] for a member without a field, if [RejectUnknownMembers]
// is set.
var ErrUnknownName = errors.New("unknown object member name")

// ErrDepth is the Err of an [Error] for values nested too deeply, see [WithDepthLimit].
var ErrDepth = errors.New("exceeded max depth")

// ErrBytes is the Err of an [Error] for a value longer than [WithByteLimit] allows.
var ErrBytes = errors.New("exceeded max bytes")

// longestPart is roughly the most bytes of the text, of its names and of a type's name in a
// message, as in those of encoding/json/v2.
const longestPart = 100

// Error describes the problem and its place in the text. It leaves out the middle of a Pointer of
// more than 100 bytes, as encoding/json/v2 does.
func (e *Error) Error() string {
	var b strings.Builder
	b.WriteString("arenajson: ")
	if e.Type != nil {
		if e.writing {
			return "arenajson: cannot marshal Go " + typeName(e.Type) + errorText(e.Err)
		}
		b.WriteString("cannot unmarshal")
		if e.Kind != 0 {
			b.WriteString(" JSON " + kindName(e.Kind))
		}
		if e.Value != "" && len(e.Value) < longestPart {
			b.WriteString(" " + e.Value)
		}
		b.WriteString(" into Go " + typeName(e.Type))
		b.WriteString(errorText(e.Err))
	} else {
		fmt.Fprint(&b, e.Err)
	}
	if e.Pointer != "" {
		b.WriteString(" within " + strconv.Quote(shortPointer(e.Pointer)))
	}
	b.WriteString(" at offset " + strconv.FormatInt(e.Offset, 10))
	return b.String()
}

// typeName returns the name of a type, or its kind if the name is long, as that of an unnamed
// struct with many fields.
func typeName(t reflect.Type) string {
	if name := t.String(); len(name) <= longestPart {
		return name
	}
	return t.Kind().String()
}

// shortPointer returns a pointer, without its middle if it is long. The rest consists of whole
// names if there are several; an ellipsis stands for the first and the last of the missing ones.
func shortPointer(p string) string {
	if len(p) <= longestPart {
		return p
	}
	i, j := longestPart/2, len(p)-longestPart/2
	if k := strings.LastIndexByte(p[:i], '/'); k > 0 {
		i = k
	}
	if k := strings.IndexByte(p[j:], '/'); k >= 0 {
		j += k + 1
	}
	for !utf8.ValidString(p[:i]) {
		i--
	}
	for !utf8.ValidString(p[j:]) {
		j++
	}
	middle := []string{"…", "…/…", "…/…/…"}[min(strings.Count(p[i:j], "/"), 2)]
	if middle != "…" && p[i] == '/' {
		middle = strings.TrimPrefix(middle, "…")
	}
	if middle != "…" && p[j-1] == '/' {
		middle = strings.TrimSuffix(middle, "…")
	}
	return p[:i] + middle + p[j:]
}

// errorText returns an error's text after a colon, or "" for nil.
func errorText(err error) string {
	if err == nil {
		return ""
	}
	return ": " + err.Error()
}

// Unwrap returns e.Err.
func (e *Error) Unwrap() error { return e.Err }

// As implements the interface for [errors.As]. It knows the errors of package encoding/json.
func (e *Error) As(target any) bool {
	switch t := target.(type) {
	case **json.SyntaxError:
		return e.asSyntaxError(t)
	case **json.UnmarshalTypeError:
		return e.asTypeError(t)
	}
	return e.asV2(target)
}

// kindName returns the kind of a value that begins with c.
func kindName(c byte) string {
	switch c {
	case 'n':
		return "null"
	case 't', 'f':
		return "boolean"
	case '"':
		return "string"
	case '{', '}':
		return "object"
	case '[', ']':
		return "array"
	}
	return "number"
}

// asSyntaxError is As for a *json.SyntaxError.
func (e *Error) asSyntaxError(t **json.SyntaxError) bool {
	var v any
	if e.Type != nil || !e.excerpt.Known || !errors.As(json.Unmarshal([]byte(e.excerpt.Text), &v), t) {
		return false
	}
	(*t).Offset = e.excerpt.Whole((*t).Offset)
	return true
}

// asTypeError is asSyntaxError for values that don't fit. Where encoding/json allows more and has
// no error, it makes one.
func (e *Error) asTypeError(t **json.UnmarshalTypeError) bool {
	if e.Type == nil || e.Err == ErrUnknownName {
		return false
	}
	if e.excerpt.Known {
		switch std := json.Unmarshal([]byte(e.excerpt.Text), reflect.New(e.root).Interface()).(type) {
		case *json.UnmarshalTypeError:
			if option.Classic || std.Field != "" || e.field() == "" { // else it is relative to the value
				std.Offset = e.excerpt.Whole(std.Offset)
			}
			if !option.Classic && std.Field != "" {
				std.Field = e.field() // with the indexes, which the excerpt lacks
			}
			*t = std
			return true
		case nil, *Error: // a container's method returns an *Error
		default:
			return false
		}
	}
	*t = &json.UnmarshalTypeError{Value: stdKind(e.Kind), Type: e.Type, Offset: e.Offset, Field: e.field()}
	if e.Kind == '0' && e.Value != "" {
		(*t).Value += " " + e.Value
	}
	return true
}

// field returns e's Pointer as encoding/json writes it: with dots, and none in front.
func (e *Error) field() string {
	return strings.ReplaceAll(strings.TrimPrefix(e.Pointer, "/"), "/", ".")
}

// stdKind is kindName with the words of encoding/json.
func stdKind(c byte) string {
	if c == 't' || c == 'f' {
		return "bool"
	}
	return kindName(c)
}
