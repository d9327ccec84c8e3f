package arenajson

import (
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strconv"
	"strings"
)

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

	excerpt excerpt
	root    reflect.Type // what the excerpt was to be read to
	writing bool         // the Go value is at fault
}

// ErrDuplicateName is what the Err of an [Error] is if an object has two members of the same
// name, and [AllowDuplicateNames] isn't set.
var ErrDuplicateName = errors.New("duplicate object member name")

// ErrDepth is what the Err of an [Error] is if values are nested too deeply, see [WithDepthLimit].
var ErrDepth = errors.New("exceeded max depth")

// ErrBytes is what the Err of an [Error] is if a value is longer than [WithByteLimit] allows.
var ErrBytes = errors.New("exceeded max bytes")

func (e *Error) Error() string {
	var b strings.Builder
	b.WriteString("arenajson: ")
	if e.Type != nil {
		if e.writing {
			return "arenajson: cannot marshal Go " + e.Type.String() + errorText(e.Err)
		}
		b.WriteString("cannot unmarshal")
		if e.Kind != 0 {
			b.WriteString(" JSON " + kindName(e.Kind))
		}
		if e.Value != "" && len(e.Value) < 100 {
			b.WriteString(" " + e.Value)
		}
		b.WriteString(" into Go " + e.Type.String())
		b.WriteString(errorText(e.Err))
	} else {
		fmt.Fprint(&b, e.Err)
	}
	if e.Pointer != "" {
		b.WriteString(" within " + strconv.Quote(e.Pointer))
	}
	b.WriteString(" at offset " + strconv.FormatInt(e.Offset, 10))
	return b.String()
}

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

// kindOfByte returns the Kind of an Error for a value that begins with c.
func kindOfByte(c byte) byte {
	switch {
	case c == '-' || c-'0' <= 9:
		return '0'
	}
	return c
}

func lengthError(got, want int) error {
	if got < want {
		return errors.New("too few array elements")
	}
	return errors.New("too many array elements")
}

// mismatch reports that the value at i, which is complete, doesn't fit a type. With the
// options of v1 it returns where the value ends.
//
//go:noinline
func (d *decoder) mismatch(t reflect.Type, i int, err error) int {
	end := d.skip(i)
	if end < 0 {
		return -1 // what is wrong with the syntax comes first
	}
	if d.known() {
		return end
	}
	e := d.errorAt(t, i, kindOfByte(d.data[i]), err)
	if err != nil && (e.Kind == '"' || e.Kind == '0') {
		e.Value = string(d.data[i:end])
	}
	return d.report(e, end)
}

// mismatchToken is mismatch where v2 doesn't look into an array or object before it reports
// that there shouldn't be one.
//
//go:noinline
func (d *decoder) mismatchToken(t reflect.Type, i int, err error) int {
	c := d.peek(i)
	if d.flags&legacy == 0 && (c == '{' || c == '[') {
		return d.report(d.errorAt(t, i, c, err), -1)
	}
	return d.mismatch(t, i, err)
}

// misfit reports something at an offset. With the options of v1 what follows is at i.
//
//go:noinline
func (d *decoder) misfit(t reflect.Type, i, offset int, kind byte, err error) int {
	if d.known() {
		return i
	}
	return d.report(d.errorAt(t, offset, kind, err), i)
}

// known counts an error, and says whether there is one already that counts: to make an Error
// takes time in proportion to what was read.
func (d *decoder) known() bool {
	d.faults++
	return d.saved != nil || d.fault != nil
}

// misfitValue reports that the value at i has nowhere to go.
func (d *decoder) misfitValue(t reflect.Type, i int, err error) int {
	if d.flags&legacy == 0 {
		return d.report(d.errorAt(t, i, 0, err), -1)
	}
	return d.misfit(t, d.skip(i), i, 0, err)
}

// report ends the decoder with an error, or notes it and goes on at i.
func (d *decoder) report(e *Error, i int) int {
	if d.flags&legacy == 0 {
		d.err = e
		return -1
	}
	if d.saved == nil && d.fault == nil {
		d.saved = e
	}
	return i
}

func (d *decoder) errorAt(t reflect.Type, offset int, kind byte, err error) *Error {
	pointer, x := pointerTo(d.data, offset)
	return &Error{Offset: int64(offset), Pointer: pointer, Kind: kind, Type: t, Err: err, excerpt: x, root: d.root}
}

// duplicateAt reports the name at i to be a second one.
func (d *decoder) duplicateAt(i int) int {
	d.err = d.errorAt(nil, i, 0, ErrDuplicateName)
	return -1
}
