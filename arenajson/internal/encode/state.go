// Package encode writes values as JSON, by their plans.
//
// An Encoder's functions append to b, and return it. Most reserve the largest size once and then
// write whole words, so a few bytes after the result may be overwritten.
//
// Members of objects and elements of arrays have a comma in front. At the end the first comma
// becomes the brace or bracket: so no member needs a test for being the first.
//
// Errors are rare, and functions have no result for them: a value that can't be written causes a
// panic, which Append recovers and returns as a fault, or with the options of v1 as the standard
// library's error.
//
// The package must not depend on how values are read.
package encode

import (
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strconv"
	"sync"
	"unsafe"

	"github.com/harena-go/arena/arenajson/internal/mem"
	"github.com/harena-go/arena/arenajson/internal/option"
	"github.com/harena-go/arena/arenajson/internal/syntax"
)

// This file holds the Encoder, its beginning and end, and the search for cycles.

// failMethod reports an error of the method with that name. Version 2 doesn't let methods return
// errors.ErrUnsupported, which has another meaning there.
func (e *Encoder) failMethod(t reflect.Type, err error, name string) {
	if e.flags&option.Legacy != 0 {
		panic(encodeError{err: &json.MarshalerError{Type: t, Err: err}})
	}
	if errors.Is(err, errors.ErrUnsupported) {
		err = errors.New(name + " method may not return errors.ErrUnsupported")
	}
	e.fail(t, err)
}

// encoders are the idle Encoders.
var encoders = sync.Pool{New: func() any { return new(Encoder) }}

// New returns an Encoder that writes one value with some options.
func New(set option.Flags) *Encoder {
	e := encoders.Get().(*Encoder)
	e.flags = set
	return e
}

// Keep returns an Encoder to the pool after it has written a value. out is the text in its Buffer.
// An Encoder that has failed isn't kept: its lists are full of the value's names.
func (e *Encoder) Keep(out []byte) {
	// Very large buffers go to the GC.
	if e.Buffer = out; cap(e.Buffer) > mem.KeepBytes {
		e.Buffer = nil
	}
	if cap(e.keys) > mem.KeepBytes {
		e.keys = nil
	}
	e.keys = e.keys[:0]
	encoders.Put(e)
}

// An Encoder writes one value at a time. The next one uses its memory again.
type Encoder struct {
	flags  option.Flags
	naming bool // the value is the name of a member
	depth  int  // of pointers, maps and slices
	seen   map[visit]struct{}
	names  []string // of the maps being written in order, the innermost last
	keys   []byte   // names of integers, of maps being written in order
	Buffer []byte   // for results that aren't appended to a caller's
}

// A visit is a pointer, map or slice whose contents are being written. Slices of different lengths
// are different.
type visit struct {
	typ reflect.Type
	p   unsafe.Pointer
	len int
}

// cycleDepth is the depth from which an encoder looks for cycles. That takes a map, to which each
// pointer is added and from which it is deleted; few values are as deep as this.
const cycleDepth = 1000

// An encodeError is the panic value of the encoder, which Append recovers: a fault, or an error of
// the original encoding/json.
type encodeError struct {
	fault *syntax.Fault
	err   error
}

// fail ends the encoder: a value of the type can't be written.
func (e *Encoder) fail(t reflect.Type, err error) {
	f, err := e.errorOf(t, err)
	panic(encodeError{f, err})
}

// errorOf returns the error for a value of a type that can't be written, in one result or the
// other. A nil err means that no value of the type can be.
func (e *Encoder) errorOf(t reflect.Type, err error) (*syntax.Fault, error) {
	switch {
	case e.flags&option.Legacy == 0:
		return &syntax.Fault{Type: t, Err: err, Writing: true}, nil
	case err == nil:
		return nil, &json.UnsupportedTypeError{Type: t}
	}
	return nil, err
}

// notFinite returns the error for a float of size bits that JSON has no number for.
func (e *Encoder) notFinite(f float64, size int) (*syntax.Fault, error) {
	t := reflect.TypeFor[float64]()
	if size == 32 {
		t = reflect.TypeFor[float32]()
	}
	if e.flags&option.Legacy != 0 {
		str := strconv.FormatFloat(f, 'g', -1, size)
		return nil, &json.UnsupportedValueError{Value: reflect.ValueOf(f).Convert(t), Str: str}
	}
	return e.errorOf(t, fmt.Errorf("unsupported value: %v", f))
}

// enter is called before the contents of a pointer, slice or map are written, and leave afterwards.
// Beyond cycleDepth they find cycles: n is the length of a slice, and else 0.
func (e *Encoder) enter(t reflect.Type, p unsafe.Pointer, n int) {
	if e.depth++; e.depth > cycleDepth {
		e.visit(visit{t, p, n})
	}
}

// visit records that the contents of v are being written, and fails if they were already.
func (e *Encoder) visit(v visit) {
	// A value that leads to itself: the errors are the standard library's.
	if _, ok := e.seen[v]; ok {
		err := fmt.Errorf("encountered a cycle via %s", v.typ)
		if e.flags&option.Legacy != 0 {
			err = &json.UnsupportedValueError{Value: reflect.Zero(v.typ), Str: err.Error()}
		}
		e.fail(v.typ, err)
	}
	if e.seen == nil {
		e.seen = map[visit]struct{}{}
	}
	e.seen[v] = struct{}{}
}

// leave undoes enter, with the same arguments.
func (e *Encoder) leave(t reflect.Type, p unsafe.Pointer, n int) {
	if e.depth--; e.depth >= cycleDepth {
		delete(e.seen, visit{t, p, n})
	}
}
