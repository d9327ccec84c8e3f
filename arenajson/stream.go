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

// This file holds the Decoder: which tokens may come next, the buffer, and where in
// the stream it is. Where a value ends is found first (syntax.Frame), and then it
// is read as a whole.

// A Decoder reads JSON values one after the other from a stream. It has a buffer of its own, on
// the Go heap, so that an arena may be reset between values:
//
//	for d.More() {
//		a.Reset()
//		v := arena.New[order](a)
//		if err := d.Decode(a, v); err != nil { ... }
//	}
//
// What it decodes to must be new, or set to zero, after a Reset: as in encoding/json, slices,
// maps and pointers that it has already are written to, and these would be of before.
//
// It reads more from the stream than it has returned, see [Decoder.Buffered]. A Decoder belongs to
// one goroutine at a time. It comes from [NewDecoder].
type Decoder struct {
	r      io.Reader
	buf    []byte
	pos    int     // what lies before was returned
	base   int64   // bytes of the stream before buf
	err    error   // from r, or of a syntax error, after which there is no going on
	over   bool    // err counts, whatever is in buf
	cut    bool    // More has found the end of the stream within an array or object
	opts   Options // joined
	open   []byte  // brackets that Token has returned, and that are still open
	expect expectation
}

// An expectation is what comes next in an array or object that Token has opened.
type expectation uint8

// What comes next, outside of all that Token has opened, in an array, or in an
// object.
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

// NewDecoder returns a Decoder that reads from r. [WithByteLimit] counts for each value, and
// bounds the buffer; [ReferenceInput] does nothing.
func NewDecoder(r io.Reader, opts ...Options) *Decoder {
	o := join(opts)
	o.given, o.set = all, o.set&^option.ReferenceInput
	return &Decoder{r: r, opts: o}
}

// Decode reads the next value to what v points to, as [Unmarshal] does. Within an array or
// object that [Decoder.Token] has opened, that is the next element, name or value. At the end of
// the stream it returns [io.EOF]. After a syntax error, and one of the stream, it returns that
// again and again; what doesn't fit v is passed over.
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

// failed makes an error of a value that began at start one of the stream.
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

// valueDone changes what is expected after a value.
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

// delimiters passes the comma or colon in front of a value.
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

// nameNext checks that a name comes where one must.
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

// where says in errors where something unexpected is.
var where = [...]string{
	expectValue: " at start of value", expectFirst: " at start of value",
	expectMember: " at start of value", expectElement: " at start of value",
	expectComma: " after array element (expecting ',' or ']')",
	expectColon: " after object name (expecting ':')",
	expectEnd:   " after object value (expecting ',' or '}')",
	expectName:  " at start of string (expecting '\"')", expectNext: " at start of string (expecting '\"')",
}

// syntax reports what is wrong at the present place, for good.
func (d *Decoder) syntax(err error) error {
	at := d.InputOffset()
	e := &Error{Offset: at, Err: err}
	if d.cut || err != io.ErrUnexpectedEOF && err != ErrBytes { // which encoding/json returns as it is, or doesn't know
		before := before[d.expect]
		rest := d.buf[d.pos:min(d.pos+utf8.UTFMax, len(d.buf))]
		e.excerpt = syntax.Excerpt{Known: true, Text: before + string(rest), At: len(before), Offset: int(at)}
	}
	d.err, d.over = e, true
	return e
}

// before stands in for what the stream had before, in the excerpts of errors.
var before = [...]string{expectValue: "", expectFirst: "[", expectElement: `["",`, expectComma: `[""`,
	expectName: "{", expectColon: `{""`, expectMember: `{"":`, expectEnd: `{"":""`, expectNext: `{"":"",`}

// eof is the error for the end of the stream within an array or object. To the Token of encoding/json, and to the
// Decode of the original, that is an end like any other, unless More has found it. Errors of the stream stay.
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

// truncated returns the error for a value that the stream ends in.
func (d *Decoder) truncated() error {
	f := syntax.Diagnose(d.buf[d.pos:], d.opts.set, d.opts.depth)
	if f == nil {
		return d.syntax(io.ErrUnexpectedEOF)
	}
	if f.Err == io.ErrUnexpectedEOF { // which encoding/json returns as it is
		f.Excerpt = syntax.Excerpt{}
	}
	err := newError(f)
	d.failed(err, d.InputOffset())
	return err
}

// minRead is how much room there is for a read at least.
const minRead = 4 << 10

// fill reads more into the buffer. What was returned goes.
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

// peek returns the next byte that isn't white space, at which d.pos then is.
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

// More reports whether there is another value, in the array or object that
// [Decoder.Token] has opened or else in the stream. It is false at the end, and
// after an error, which Decode and Token return. With [DefaultOptionsV1] and Go 1.27,
// it is true before an error of the stream, and where that ends too early.
func (d *Decoder) More() bool {
	c, err := d.peek()
	newer := !d.over && d.opts.set&option.Legacy != 0 && !option.Classic
	if newer && (err != nil || c == ',' || c == ':') {
		return d.moreBehind()
	}
	return err == nil && c != ']' && c != '}'
}

// moreBehind is More for the encoding/json that is built on its version 2: at the end of the
// stream, or before a comma or colon, behind which it looks for the end.
func (d *Decoder) moreBehind() bool {
	next := 1 // from d.pos
	for {
		next = text.SkipSpace(d.buf, min(d.pos+next, len(d.buf))) - d.pos
		if d.pos+next < len(d.buf) || d.err != nil && d.err != io.EOF {
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

// InputOffset returns how many bytes of the stream come before what is read next.
func (d *Decoder) InputOffset() int64 { return d.base + int64(d.pos) }

// Buffered returns a reader of what was read from the stream but not returned. It is valid until the
// next call of a method.
func (d *Decoder) Buffered() io.Reader { return bytes.NewReader(d.buf[d.pos:]) }

// Token returns the next token of the stream, as the Token of encoding/json does: one of the four
// json.Delim brackets, a string for a name, or else a bool, float64, string or nil; or a
// json.Number with [UseNumber]. Commas and colons are passed over. What it returns is on the Go
// heap. At the end it returns [io.EOF].
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

// closing is Token for a bracket that closes.
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
