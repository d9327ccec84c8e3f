package arenajson

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"slices"
	"unicode/utf8"

	"github.com/harena-go/arena"
	"github.com/harena-go/arena/arenajson/internal/option"
	"github.com/harena-go/arena/arenajson/internal/syntax"
	"github.com/harena-go/arena/arenajson/internal/text"
)

// This file holds the Decoder: the tokens that may come next, the buffer, and the position in the
// stream. It first finds the end of a value (syntax.Frame), and then decodes the value as a whole.

// A Decoder reads JSON values one after the other from a stream. It has a buffer of its own, on
// the Go heap, so that an arena may be reset between values:
//
//	for d.More() {
//		a.Reset()
//		v := arena.New[order](a)
//		if err := d.Decode(a, v); err != nil { ... }
//	}
//
// After a Reset, the destination must be new or zero: as in encoding/json, Decode writes to the
// slices, maps and pointers that it has already, and these would be dead.
//
// A Decoder reads ahead in the stream, see [Decoder.Buffered]. It belongs to one goroutine at a
// time, and comes from [NewDecoder].
type Decoder struct {
	r      io.Reader
	buf    []byte
	pos    int     // the bytes before were returned
	base   int64   // bytes of the stream before buf
	err    error   // from r, or a syntax error, after which decoding can't continue
	over   bool    // err counts even while buf has bytes
	cut    bool    // More has found the end of the stream within an array or object
	opts   Options // joined
	open   []byte  // brackets returned by Token and not yet closed
	expect expectation
}

// An expectation is the next token in an array or object that Token has opened.
type expectation uint8

// The expectations outside of arrays and objects opened by Token, in an array, and in an object.
const (
	expectValue   expectation = iota
	expectFirst               // a value or ]
	expectElement             // a value
	expectComma               // or ]
	expectName                // a name or }
	expectNext                // a name
	expectColon
	expectMember // the value of a member
	expectEnd    // a comma or }
)

// NewDecoder returns a Decoder that reads from r. [WithByteLimit] counts for each value, and bounds
// the buffer; [ReferenceInput] has no effect.
func NewDecoder(r io.Reader, opts ...Options) *Decoder {
	o := join(opts)
	o.given, o.set = all, o.set&^option.ReferenceInput
	return &Decoder{r: r, opts: o}
}

// Decode decodes the next value into the one that v points to, as [Unmarshal] does. Within an array
// or object opened by [Decoder.Token], the next value is an element, a name or a member's value. At
// the end of the stream it returns [io.EOF]. After a syntax error or an error of the stream, all
// further calls return that error; a value that doesn't fit v is skipped.
func (d *Decoder) Decode(a *arena.Arena, v any) error {
	if err := d.delimiters(false); err != nil {
		return err
	}
	data, err := d.frame()
	if err != nil {
		return err
	}
	start := d.InputOffset()
	d.pos += len(data)
	err = Unmarshal(a, data, v, d.opts)
	d.valueDone()
	if err != nil {
		d.failed(err, start)
	}
	return err
}

// failed turns the offsets in the error of a value that began at start into offsets in the stream,
// and keeps a syntax error.
//
//go:noinline
func (d *Decoder) failed(err error, start int64) {
	var e *Error
	if !errors.As(err, &e) {
		return
	}
	e.Offset += start
	if e.Type == nil {
		e.excerpt.Offset += int(start)
		d.err, d.over = err, true
	}
}

// valueDone updates the expectation after a value.
func (d *Decoder) valueDone() {
	switch d.expect {
	case expectFirst, expectElement:
		d.expect = expectComma
	case expectName, expectNext:
		d.expect = expectColon
	case expectMember:
		d.expect = expectEnd
	}
}

// delimiters passes over the comma or colon in front of a value.
func (d *Decoder) delimiters(token bool) error {
	c, err := d.peek()
	if err != nil {
		return d.eof(err, token)
	}
	switch {
	case d.expect == expectComma && c == ',':
		d.expect = expectElement
	case d.expect == expectColon && c == ':':
		d.expect = expectMember
	case d.expect == expectEnd && c == ',':
		d.expect = expectNext
	case d.expect == expectComma || d.expect == expectColon || d.expect == expectEnd:
		return d.syntax(d.unexpected(c))
	default:
		return d.nameNext(c)
	}
	d.pos++
	if c, err = d.peek(); err != nil {
		return d.eof(err, token)
	}
	return d.nameNext(c)
}

// nameNext checks that c begins a name if a name is expected.
func (d *Decoder) nameNext(c byte) error {
	if (d.expect == expectName || d.expect == expectNext) && c != '"' {
		return d.syntax(d.unexpected(c))
	}
	return nil
}

// unexpected returns the error for a byte that can't come next.
func (d *Decoder) unexpected(c byte) error {
	return errors.New("invalid character " + text.QuoteRune([]byte{c}) + where[d.expect])
}

// where is the part of an unexpected byte's error that describes the place.
var where = [...]string{
	expectValue: " at start of value", expectFirst: " at start of value",
	expectMember: " at start of value", expectElement: " at start of value",
	expectComma: " after array element (expecting ',' or ']')",
	expectColon: " after object name (expecting ':')",
	expectEnd:   " after object value (expecting ',' or '}')",
	expectName:  " at start of string (expecting '\"')", expectNext: " at start of string (expecting '\"')",
}

// syntax reports an error at the current offset, now and in all further calls.
func (d *Decoder) syntax(err error) error {
	at := d.InputOffset()
	e := &Error{Offset: at, Err: err}
	if d.cut || err != io.ErrUnexpectedEOF && err != ErrBytes { // else encoding/json has no SyntaxError
		before := before[d.expect]
		rest := d.buf[d.pos:min(d.pos+utf8.UTFMax, len(d.buf))]
		e.excerpt = syntax.Excerpt{Known: true, Text: before + string(rest), At: len(before), Offset: int(at)}
	}
	d.err, d.over = e, true
	return e
}

// before replaces the text before the error in the excerpts.
var before = [...]string{expectValue: "", expectFirst: "[", expectElement: `["",`, expectComma: `[""`,
	expectName: "{", expectColon: `{""`, expectMember: `{"":`, expectEnd: `{"":""`, expectNext: `{"":"",`}

// eof is the error for the end of the stream within an array or object. Token of encoding/json, and
// Decode of the original one, report it as io.EOF, unless More has found it. Errors of the stream
// are returned unchanged.
func (d *Decoder) eof(err error, token bool) error {
	d.over = d.over || err != io.EOF
	if err == io.EOF && len(d.open) > 0 && !(d.opts.set&option.Legacy != 0 && (token && !d.cut || option.Classic)) {
		return d.syntax(io.ErrUnexpectedEOF)
	}
	return err
}

// frame returns the bytes of the next value, which begins at d.pos.
func (d *Decoder) frame() ([]byte, error) {
	var f syntax.Frame
	for {
		if f.Find(d.buf[d.pos:]) || d.err == io.EOF && f.Number.Complete() {
			break
		}
		if limit := d.opts.bytes; d.opts.hasBytes && int64(f.At) > limit {
			d.pos += int(limit)
			return nil, d.syntax(ErrBytes)
		}
		if d.err != nil {
			if d.err == io.EOF {
				return nil, d.truncated()
			}
			d.over = true
			return nil, d.err
		}
		d.fill()
	}
	return d.buf[d.pos : d.pos+f.At : d.pos+f.At], nil
}

// truncated returns the error for a value that the end of the stream cuts off.
func (d *Decoder) truncated() error {
	f := syntax.Diagnose(d.buf[d.pos:], d.opts.set, d.opts.depth)
	if f == nil {
		return d.syntax(io.ErrUnexpectedEOF)
	}
	if f.Err == io.ErrUnexpectedEOF { // which encoding/json returns unchanged
		f.Excerpt = syntax.Excerpt{}
	}
	err := newError(f)
	d.failed(err, d.InputOffset())
	return err
}

// minRead is the least room for a Read.
const minRead = 4 << 10

// fill reads more into the buffer, and drops the bytes already returned.
func (d *Decoder) fill() {
	if d.pos > 0 {
		d.base += int64(d.pos)
		d.buf = d.buf[:copy(d.buf, d.buf[d.pos:])]
		d.pos = 0
	}
	if cap(d.buf)-len(d.buf) < minRead {
		d.buf = slices.Grow(d.buf, max(len(d.buf), minRead))
	}
	n, err := d.r.Read(d.buf[len(d.buf):cap(d.buf)])
	d.buf = d.buf[:len(d.buf)+n]
	if err != nil {
		d.err = err
	}
}

// peek returns the next byte that isn't white space, and moves d.pos to it.
func (d *Decoder) peek() (byte, error) {
	for {
		if d.over {
			return 0, d.err
		}
		if d.pos = text.SkipSpace(d.buf, d.pos); d.pos < len(d.buf) {
			return d.buf[d.pos], nil
		}
		if d.err != nil {
			return 0, d.err
		}
		d.fill()
	}
}

// More reports whether there is another value, in the array or object opened by [Decoder.Token] or
// else in the stream. It returns false at the end, and after an error, which Decode and Token
// return. With [DefaultOptionsV1] and Go 1.27, it returns true before an error of the stream, and
// before a premature end.
func (d *Decoder) More() bool {
	c, err := d.peek()
	newer := !d.over && d.opts.set&option.Legacy != 0 && !option.Classic
	if newer && (err != nil || c == ',' || c == ':') {
		return d.moreBehind()
	}
	return err == nil && (c != ']' && c != '}' || newer && d.expect == expectColon)
}

// moreBehind is More for the encoding/json that is built on its version 2: at the end of the
// stream, and before a comma or colon, where it looks whether the stream goes on.
func (d *Decoder) moreBehind() bool {
	next := 1 // from d.pos
	for {
		next = text.SkipSpace(d.buf, min(d.pos+next, len(d.buf))) - d.pos
		if at := d.pos + next; at < len(d.buf) {
			return d.expect != expectColon || d.buf[d.pos] != ':' || d.buf[at] != ']' && d.buf[at] != '}'
		}
		if d.err != nil && d.err != io.EOF {
			return true
		}
		if d.err != nil {
			break
		}
		d.fill()
	}
	d.cut = len(d.open) > 0 || d.pos < len(d.buf)
	return d.cut
}

// InputOffset returns the offset in the stream of the next byte to be decoded.
func (d *Decoder) InputOffset() int64 { return d.base + int64(d.pos) }

// Buffered returns a reader of the bytes that were read from the stream but not decoded. It is
// valid until the next call of a method.
func (d *Decoder) Buffered() io.Reader { return bytes.NewReader(d.buf[d.pos:]) }

// Token returns the next token of the stream, as Token of encoding/json does: one of the four
// json.Delim brackets, a string for a name, or else a bool, float64, string or nil; or a
// json.Number with [UseNumber]. It skips commas and colons. Its results are on the Go heap. At the
// end it returns [io.EOF].
func (d *Decoder) Token() (json.Token, error) {
	c, err := d.peek()
	if err != nil {
		return nil, d.eof(err, true)
	}
	if c == '}' || c == ']' {
		return d.closing(c)
	}
	if err := d.delimiters(true); err != nil {
		return nil, err
	}
	if c, err = d.peek(); err != nil {
		return nil, d.eof(err, true)
	}
	if c == '{' || c == '[' {
		if len(d.open) >= d.opts.depth {
			return nil, d.syntax(ErrDepth)
		}
		d.pos++
		d.open = append(d.open, c)
		d.expect = expectFirst
		if c == '{' {
			d.expect = expectName
		}
		return json.Delim(c), nil
	}
	var v any
	err = d.Decode(nil, &v)
	return v, err
}

// closing is Token for a closing bracket.
func (d *Decoder) closing(c byte) (json.Token, error) {
	ok := d.expect == expectName || d.expect == expectEnd
	if c == ']' {
		ok = d.expect == expectFirst || d.expect == expectComma
	}
	if !ok {
		return nil, d.syntax(d.unexpected(c))
	}
	d.pos++
	d.open = d.open[:len(d.open)-1]
	d.expect = expectValue
	if n := len(d.open); n > 0 {
		d.expect = expectEnd
		if d.open[n-1] == '[' {
			d.expect = expectComma
		}
	}
	return json.Delim(c), nil
}
