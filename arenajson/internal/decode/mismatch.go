package decode

import (
	"errors"
	"fmt"
	"reflect"

	"github.com/harena-go/arena/arenajson/internal/option"
	"github.com/harena-go/arena/arenajson/internal/syntax"
)

// This file reports values that don't fit, and errors of methods.
//
// By default the first such error ends decoding. With the options of v1 decoding goes on, and the
// first error is returned at the end: so these functions return the next position. The original
// encoding/json doesn't go on after some errors, and returns some unchanged.
//
//	                     version 2     v1 built on it     the original
//	doesn't fit          ends, err     goes on, saved     goes on, saved
//	a method's error     ends          goes on, noted     ends, fatal
//	wrong syntax         ends, decoded values stay; with v1 nothing is stored
//
// Making a fault means reading the text again up to its offset, for the pointer. So only the first
// is made.

// IsError reports whether an error is an Error of package arenajson, which sets IsError: methods'
// errors of that type are returned unchanged.
var IsError func(error) bool

// fail reports a method's error for the value from i to end.
func (d *decoder) fail(t reflect.Type, i, end int, err error, name string) int {
	if errors.Is(err, errors.ErrUnsupported) {
		err = errors.New(name + " method may not return errors.ErrUnsupported")
	}
	// The original stops here; the one built on version 2 goes on.
	if d.Flags&option.Legacy != 0 {
		if option.Classic {
			return d.stop(err)
		}
		d.note(err)
		return end
	}
	if IsError(err) {
		d.methodErr = err
		return -1
	}
	d.err = d.faultAt(t, i, kindOfByte(d.Data[i]), err)
	return -1
}

// note records an error after which the original goes on. The first counts.
func (d *decoder) note(err error) {
	if !d.known() {
		d.methodErr = err
	}
}

// stop ends decoding with an error after which the original doesn't go on.
func (d *decoder) stop(err error) int {
	d.fatal = err
	return -1
}

// kindOfByte returns the Kind of a fault for a value that begins with c.
func kindOfByte(c byte) byte {
	switch {
	case c == '-' || c-'0' <= 9:
		return '0'
	}
	return c
}

// lengthError returns the error for an array of the wrong length.
func lengthError(got, want int) error {
	if got < want {
		return errors.New("too few array elements")
	}
	return errors.New("too many array elements")
}

// mismatch reports that the value at i, which is complete, doesn't fit a type. With the options of
// v1 it returns the end of the value.
//
//go:noinline
func (d *decoder) mismatch(t reflect.Type, i int, err error) int {
	end := d.Skip(i)
	if end < 0 {
		return -1 // a syntax error takes precedence
	}
	// Only the first is reported; making one means reading the text again up to it.
	if d.known() {
		return end
	}
	e := d.faultAt(t, i, kindOfByte(d.Data[i]), err)
	if err != nil && (e.Kind == '"' || e.Kind == '0') {
		e.Value = string(d.Data[i:end])
	}
	return d.report(e, end)
}

// mismatchToken is mismatch where v2 reports an array or object without reading it.
//
//go:noinline
func (d *decoder) mismatchToken(t reflect.Type, i int, err error) int {
	c := d.Peek(i)
	if d.Flags&option.Legacy == 0 && (c == '{' || c == '[') {
		return d.report(d.faultAt(t, i, c, err), -1)
	}
	return d.mismatch(t, i, err)
}

// misfit reports an error at an offset. With the options of v1 decoding goes on at i.
//
//go:noinline
func (d *decoder) misfit(t reflect.Type, i, offset int, kind byte, err error) int {
	if d.known() {
		return i
	}
	return d.report(d.faultAt(t, offset, kind, err), i)
}

// known counts an error, and reports whether an earlier one takes precedence: making a fault takes
// time in proportion to the text before it.
func (d *decoder) known() bool {
	d.faults++
	return d.saved != nil || d.methodErr != nil
}

// misfitValue reports that the value at i has no destination.
func (d *decoder) misfitValue(t reflect.Type, i int, err error) int {
	if d.Flags&option.Legacy == 0 {
		return d.report(d.faultAt(t, i, 0, err), -1)
	}
	return d.misfit(t, d.Skip(i), i, 0, err)
}

// report ends decoding with a fault, or with the options of v1 saves the first, and goes on at i.
func (d *decoder) report(e *syntax.Fault, i int) int {
	if d.Flags&option.Legacy == 0 {
		d.err = e
		return -1
	}
	if d.saved == nil && d.methodErr == nil {
		d.saved = e
	}
	return i
}

// faultAt returns a fault at an offset, with the pointer to that place.
func (d *decoder) faultAt(t reflect.Type, offset int, kind byte, err error) *syntax.Fault {
	pointer, x := syntax.PointerTo(d.Data, offset)
	return &syntax.Fault{
		Offset: int64(offset), Pointer: pointer, Kind: kind, Type: t, Err: err, Excerpt: x, Root: d.root}
}

// duplicateAt reports that the name at i is a duplicate.
func (d *decoder) duplicateAt(i int) int {
	d.err = d.faultAt(nil, i, 0, syntax.ErrDuplicateName)
	return -1
}

// misused returns the original's error for a field with the tag option string that got another
// value: a text, whose beginning is quoted, or nil for values other than strings.
func misused(what any, t reflect.Type) error {
	if s, ok := what.(string); ok {
		return fmt.Errorf("arenajson: invalid use of ,string struct tag, trying to unmarshal %.100q into %v", s, t)
	}
	return fmt.Errorf("arenajson: invalid use of ,string struct tag, trying to unmarshal unquoted value into %v", t)
}

// invalidNumber returns the original's error for a json.Number that got another string, whose
// beginning is quoted.
func invalidNumber(text []byte) error {
	return fmt.Errorf("arenajson: invalid number literal, trying to unmarshal %.100q into Number", text)
}

// mismatchValueless is mismatch without Fault.Value.
func (d *decoder) mismatchValueless(t reflect.Type, i int, err error) int {
	end := d.mismatch(t, i, err)
	if d.err != nil {
		d.err.Value = ""
	}
	return end
}
