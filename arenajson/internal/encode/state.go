// Package encode writes values as JSON, by their plans.
//
// An Encoder's functions append what they write to b, and return it. Most of them
// make room once, for all that a value of their kind can need, and then store words
// without looking: so there may be some bytes written behind the result.
//
// Members of objects and elements of arrays come with a comma in front. The first
// comma becomes the brace or bracket when all are written: there is no question at
// each whether it is the first.
//
// Errors are rare, and no result is for them: what can't be written ends with a
// panic, which Append recovers and returns as a fault, or with the options of v1 as
// the standard library's error.
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

// This file holds the Encoder, how it begins and ends, and how it finds cycles.

// failMethod reports what a method with that name has returned. Version 2 doesn't
// let methods return errors.ErrUnsupported, which means something else to it.
func (e *Encoder) failMethod(t reflect.Type, err error, name string) {
	if e.flags&option.Legacy != 0 {
		panic(encodeError{err: &json.MarshalerError{Type: t, Err: err}})
	}
	if errors.Is(err, errors.ErrUnsupported) {
		err = errors.New(name + " method may not return errors.ErrUnsupported")
	}
	e.fail(t, err)
}

// encoders are those that wait for a value.
var encoders = sync.Pool{New: func() any { return new(Encoder) }}

// New returns an Encoder that writes one value with some options.
func New(set option.Flags) *Encoder {
	e := encoders.Get().(*Encoder)
	e.flags = set
	return e
}

// Keep gives back an Encoder that has come to the end of a value, for the next one.
// out is what it has written to its Buffer. One that has failed isn't given back:
// its lists are full of what it was at.
func (e *Encoder) Keep(out []byte) {
	// Buffers that are very large go to the GC.
	if e.Buffer = out; cap(e.Buffer) > mem.KeepBytes {
		e.Buffer = nil
	}
	if cap(e.keys) > mem.KeepBytes {
		e.keys = nil
	}
	e.keys = e.keys[:0]
	encoders.Put(e)
}

// An Encoder writes one value at a time. Its memory is kept for the next one.
type Encoder struct {
	flags  option.Flags
	naming bool // the value is the name of a member
	depth  int  // of pointers, maps and slices
	seen   map[visit]struct{}
	names  []string // of the maps that are being written in order, those of inner ones behind
	keys   []byte   // names of integers, of maps that are being written in order
	Buffer []byte   // for what isn't appended to a caller's
}

// A visit is a pointer, map or slice that the encoder is in. A slice is another one
// if its length is another one.
type visit struct {
	typ reflect.Type
	p   unsafe.Pointer
	len int
}

// cycleDepth is how deep an encoder goes before it looks for cycles. Looking takes
// a map, in which each pointer is entered and deleted; few values are as deep as
// this.
const cycleDepth = 1000

// An encodeError is what the encoder panics with, and Append recovers: a fault, or
// an error as the original encoding/json returns it.
type encodeError struct {
	fault *syntax.Fault
	err   error
}

// fail ends the encoder: a value of the type can't be written.
func (e *Encoder) fail(t reflect.Type, err error) {
	f, err := e.errorOf(t, err)
	panic(encodeError{f, err})
}

// errorOf returns the error for a value of a type that can't be written, in one
// result or the other. A nil err means that none of the type can.
func (e *Encoder) errorOf(t reflect.Type, err error) (*syntax.Fault, error) {
	switch {
	case e.flags&option.Legacy == 0:
		return &syntax.Fault{Type: t, Err: err, Writing: true}, nil
	case err == nil:
		return nil, &json.UnsupportedTypeError{Type: t}
	}
	return nil, err
}

// notFinite returns the error for a float of so many bits that JSON has no number
// for.
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

// enter is called before what a pointer, slice or map leads to is written, and
// leave afterwards. Beyond cycleDepth they find cycles: n is the length of a slice,
// and else 0.
func (e *Encoder) enter(t reflect.Type, p unsafe.Pointer, n int) {
	if e.depth++; e.depth > cycleDepth {
		e.visit(visit{t, p, n})
	}
}

// visit notes that the encoder is in v, and fails if it was already.
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
