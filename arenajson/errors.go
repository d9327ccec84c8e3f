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

// This file holds Error, how it is made of what the codecs report, and how it
// becomes one of encoding/json's.

// An Error says what is wrong with a text, or why it doesn't fit the type of a value.
//
// With [errors.As] it is also the *json.SyntaxError or *json.UnmarshalTypeError of package
// encoding/json that this would have returned. That is found out by asking it, about a few bytes
// that lead to the same error: an Error doesn't refer to the text.
type Error struct {
	Offset  int64        // bytes of the text in front of the problem
	Pointer string       // where it is, as a JSON Pointer (RFC 6901): "/users/3/name"
	Kind    byte         // how the value begins that doesn't fit: one of n t " 0 { [, f for true as well; or 0
	Type    reflect.Type // of the Go value that it doesn't fit, or nil if the syntax is wrong
	Value   string       // the string or number that doesn't fit, as it is in the text; may be ""
	Err     error        // what is wrong; may be nil if it is just the type

	excerpt syntax.Excerpt
	root    reflect.Type // what the excerpt was to be read to
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

// decode can't import this package: it is told here which errors of methods are
// ours.
func init() {
	decode.IsError = func(err error) bool {
		var own *Error
		return errors.As(err, &own)
	}
}

// ErrDuplicateName is what the Err of an [Error] is if an object has two members of the same
// name, and [AllowDuplicateNames] isn't set.
var ErrDuplicateName = errors.New("duplicate object member name")

// ErrUnknownName is what the Err of an [Error] is if there is no field for a member, and
// [RejectUnknownMembers] is set.
var ErrUnknownName = errors.New("unknown object member name")

// ErrDepth is what the Err of an [Error] is if values are nested too deeply, see [WithDepthLimit].
var ErrDepth = errors.New("exceeded max depth")

// ErrBytes is what the Err of an [Error] is if a value is longer than [WithByteLimit] allows.
var ErrBytes = errors.New("exceeded max bytes")

// longestPart is about how many bytes of the text, of its names and of a type's name are
// in a message, as in those of encoding/json/v2.
const longestPart = 100

// Error says what is wrong, and where in the text. It leaves out the middle of a Pointer
// of more than 100 bytes, as encoding/json/v2 does.
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

// typeName returns the name of a type, or what kind it is if that is long: then it mostly
// is a struct without a name, of many fields.
func typeName(t reflect.Type) string {
	if name := t.String(); len(name) <= longestPart {
		return name
	}
	return t.Kind().String()
}

// shortPointer returns a pointer with its middle left out if it is long. What is left
// are whole names, where there are several, with an ellipsis for the first and the last
// of those between.
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

// errorText returns an error with a colon in front, or nothing for nil.
func errorText(err error) string {
	if err == nil {
		return ""
	}
	return ": " + err.Error()
}

// Unwrap returns e.Err.
func (e *Error) Unwrap() error { return e.Err }

// As is what [errors.As] calls. It knows the errors of package encoding/json.
func (e *Error) As(target any) bool {
	switch t := target.(type) {
	case **json.SyntaxError:
		return e.asSyntaxError(t)
	case **json.UnmarshalTypeError:
		return e.asTypeError(t)
	}
	return e.asV2(target)
}

// kindName returns the name of what a value is that begins with c.
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

// asSyntaxError is As for the error of encoding/json.
func (e *Error) asSyntaxError(t **json.SyntaxError) bool {
	var v any
	if e.Type != nil || !e.excerpt.Known || !errors.As(json.Unmarshal([]byte(e.excerpt.Text), &v), t) {
		return false
	}
	(*t).Offset = e.excerpt.Whole((*t).Offset)
	return true
}

// asTypeError is asSyntaxError for values that don't fit. Where encoding/json has no error, since it allows for
// more, there is one all the same.
func (e *Error) asTypeError(t **json.UnmarshalTypeError) bool {
	if e.Type == nil || e.Err == ErrUnknownName {
		return false
	}
	if e.excerpt.Known {
		switch std := json.Unmarshal([]byte(e.excerpt.Text), reflect.New(e.root).Interface()).(type) {
		case *json.UnmarshalTypeError:
			if option.Classic || std.Field != "" || e.field() == "" { // else it counts from the value
				std.Offset = e.excerpt.Whole(std.Offset)
			}
			if !option.Classic && std.Field != "" {
				std.Field = e.field() // with the indexes, which the excerpt hasn't
			}
			*t = std
			return true
		case nil, *Error: // which a container's method returns
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

// field returns e's Pointer as encoding/json writes it: with dots, and none in
// front.
func (e *Error) field() string {
	return strings.ReplaceAll(strings.TrimPrefix(e.Pointer, "/"), "/", ".")
}

// stdKind is kindName as encoding/json has it.
func stdKind(c byte) string {
	if c == 't' || c == 'f' {
		return "bool"
	}
	return kindName(c)
}
