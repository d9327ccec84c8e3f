package arenajson

import (
	"encoding"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strconv"
	"time"
	"unsafe"

	"github.com/harena-go/arena"
	"github.com/harena-go/arena/arenajson/internal/mem"
)

// This file holds the kinds of values that are rare: those with methods, bytes, times, and
// those whose tags say that they are in strings.

// UnmarshalerArena is implemented by types that read themselves from JSON to an arena. It
// is preferred to json.Unmarshaler, and allowed in self-contained arenas.
type UnmarshalerArena interface {
	// UnmarshalJSONArena reads the value in data, which is valid JSON, and allocates what it
	// needs from a, which may be nil. It must not keep data.
	UnmarshalJSONArena(a *arena.Arena, data []byte) error
}

// fail reports what a method returned for the value from i to end.
func (d *decoder) fail(t reflect.Type, i, end int, err error, name string) int {
	if errors.Is(err, errors.ErrUnsupported) {
		err = errors.New(name + " method may not return errors.ErrUnsupported")
	}
	if d.flags&legacy != 0 {
		if classic {
			return d.stop(err)
		}
		d.note(err)
		return end
	}
	var own *Error
	if errors.As(err, &own) {
		d.fault = err
		return -1
	}
	d.err = d.errorAt(t, i, kindOfByte(d.data[i]), err)
	return -1
}

// method reads a value by its UnmarshalJSON, or what newer versions of Go have.
func (d *decoder) method(n *node, p unsafe.Pointer, i int) int {
	if d.flags&legacy != 0 && d.isName(i) {
		return d.value(n.plain, p, i)
	}
	end := d.skip(i)
	if end < 0 {
		return -1
	}
	v := mem.Value(n.typ, p).Addr().Interface()
	if done, err := d.methodFrom(v, i, end); done {
		if errors.Is(err, errors.ErrUnsupported) && err != nil {
			return d.value(n.plain, p, i)
		}
		if err != nil {
			return d.fail(n.typ, i, end, err, "UnmarshalJSONFrom")
		}
		return end
	}
	if err := v.(json.Unmarshaler).UnmarshalJSON(d.data[i:end:end]); err != nil {
		return d.fail(n.typ, i, end, err, "UnmarshalJSON")
	}
	return end
}

// isName says whether the string at i is the name of a member.
func (d *decoder) isName(i int) bool {
	if d.peek(i) != '"' {
		return false
	}
	end := d.skipText(i)
	return end >= 0 && d.peek(space(d.data, end)) == ':'
}

func (d *decoder) textMethod(n *node, p unsafe.Pointer, i int) int {
	if end := d.word(i, "null"); end >= 0 {
		if d.flags&legacy == 0 {
			setZero(n, p)
		}
		return end
	}
	if d.peek(i) != '"' {
		return d.mismatchValueless(n.typ, i, errNotString)
	}
	b, end := d.text(i)
	if end < 0 {
		return -1
	}
	err := mem.Value(n.typ, p).Addr().Interface().(encoding.TextUnmarshaler).UnmarshalText(b)
	if err != nil {
		return d.fail(n.typ, i, end, err, "UnmarshalText")
	}
	return end
}

var errNotString = errors.New("JSON value must be string type")

func (d *decoder) arenaMethod(n *node, p unsafe.Pointer, i int) int {
	end := d.skip(i)
	if end < 0 {
		return -1
	}
	u := mem.Value(n.typ, p).Addr().Interface().(UnmarshalerArena)
	if err := u.UnmarshalJSONArena(d.a, d.data[i:end:end]); err != nil {
		return d.fail(n.typ, i, end, err, "UnmarshalJSONArena")
	}
	return end
}

func (d *decoder) time(n *node, p unsafe.Pointer, i int) int {
	t := mem.At[time.Time](p)
	if d.flags&legacy != 0 && classic {
		return d.classicTime(n, t, i)
	}
	if end := d.word(i, "null"); end >= 0 {
		if d.flags&legacy == 0 {
			*t = time.Time{}
		}
		return end
	}
	if d.peek(i) != '"' {
		return d.mismatch(n.typ, i, nil)
	}
	b, end := d.text(i)
	if end < 0 {
		return -1
	}
	var x time.Time
	err := x.UnmarshalText(b)
	if err == nil && d.flags&legacy == 0 {
		err = strictTime(b)
	}
	if err != nil && d.flags&legacy != 0 {
		d.note(err)
		return end
	}
	if err != nil {
		return d.mismatchValueless(n.typ, i, err)
	}
	*t = x
	d.holdLocation(t)
	return end
}

// mismatchValueless is mismatch without Error.Value.
func (d *decoder) mismatchValueless(t reflect.Type, i int, err error) int {
	end := d.mismatch(t, i, err)
	if d.err != nil {
		d.err.Value = ""
	}
	return end
}

func (d *decoder) classicTime(n *node, t *time.Time, i int) int {
	end := d.skip(i)
	if end < 0 {
		return -1
	}
	if err := t.UnmarshalJSON(d.data[i:end:end]); err != nil {
		return d.fail(n.typ, i, end, err, "UnmarshalJSON")
	}
	d.holdLocation(t)
	return end
}

// holdLocation keeps a time's location alive, which may be on the Go heap.
func (d *decoder) holdLocation(t *time.Time) {
	if d.a.SelfContained() {
		d.a.KeepAlive(t.Location())
	}
}

// strictTime finds fault with what package time lets pass though RFC 3339 doesn't.
func strictTime(b []byte) error {
	const layout = "2006-01-02T15:04:05"
	zone := func(h, m byte, s []byte) bool { return s[0] > h || s[0] == h && s[1] > m }
	bad := len(b) < len(layout) || b[len("2006-01-02T1")] == ':' || b[min(len(layout), len(b)-1)] == ','
	if n := len(b) - len("+00:00"); !bad && b[len(b)-1] != 'Z' && n > 0 {
		bad = zone('2', '3', b[n+1:]) || zone('5', '9', b[n+4:])
	}
	if bad {
		return &time.ParseError{Layout: time.RFC3339, Value: string(b), LayoutElem: layout, ValueElem: string(b)}
	}
	return nil
}

func (d *decoder) duration(n *node, p unsafe.Pointer, i int) int {
	if d.flags&legacy != 0 {
		return d.integer(&node{kind: kindInt64, bits: 64, size: 8, typ: n.typ}, p, i)
	}
	return d.misfit(n.typ, i, i, 0, errDuration)
}

var errDuration = errors.New("no default representation")

// bytes reads a string of base64 to a slice or array of bytes.
func (d *decoder) bytes(n *node, p unsafe.Pointer, i int) int {
	array := n.kind == kindByteArray
	switch c := d.peek(i); {
	case n.namedByte && d.flags&legacy == 0, array && d.flags&legacy != 0, c == '[' && d.flags&legacy != 0:
		if array {
			return d.array(n, p, i)
		}
		return d.slice(n, p, i)
	case c == 'n':
		end := d.word(i, "null")
		if end >= 0 && (d.flags&legacy == 0 || !array) {
			setZero(n, p)
		}
		return end
	case c != '"':
		return d.mismatch(n.typ, i, nil)
	}
	b, end := d.text(i)
	if end < 0 {
		return -1
	}
	if err := d.base64(n, p, b); err != nil {
		if d.flags&legacy != 0 && classic {
			d.note(err)
			return end
		}
		return d.mismatchValueless(n.typ, i, err)
	}
	return end
}

// base64 decodes b to the bytes at p.
func (d *decoder) base64(n *node, p unsafe.Pointer, b []byte) error {
	if n.kind == kindByteArray {
		dst := unsafe.Slice(mem.At[byte](p), n.len)
		out, err := base64.StdEncoding.AppendDecode(dst[:0], b)
		if err != nil {
			return err
		}
		if err := d.strictBase64(b, len(out)); err != nil {
			return err
		}
		clear(dst[copy(dst, out):])
		if len(out) != n.len {
			return fmt.Errorf("decoded length of %d mismatches array length of %d", len(out), n.len)
		}
		return nil
	}
	s := mem.At[[]byte](p)
	room := base64.StdEncoding.DecodedLen(len(b))
	dst := (*s)[:0]
	if cap(dst) < room || classic && d.flags&legacy != 0 {
		dst = d.a.AllocBytesUninit(room)[:0]
	}
	k, err := base64.StdEncoding.Decode(dst[:room], b)
	if err != nil {
		return err
	}
	if err := d.strictBase64(b, k); err != nil {
		return err
	}
	if dst == nil {
		dst = []byte{}
	}
	*s = dst[:k:cap(dst)]
	return nil
}

// strictBase64 finds fault with line ends, which package base64 skips.
func (d *decoder) strictBase64(b []byte, n int) error {
	if d.flags&legacy != 0 || len(b) == base64.StdEncoding.EncodedLen(n) {
		return nil
	}
	for i, c := range b {
		if c == '\r' || c == '\n' {
			return fmt.Errorf("illegal character %s at offset %d", strconv.QuoteRune(rune(c)), i)
		}
	}
	return nil
}

// raw copies a value as it is.
func (d *decoder) raw(p unsafe.Pointer, i int) int {
	end := d.skip(i)
	if end < 0 {
		return -1
	}
	s := mem.At[[]byte](p)
	dst := (*s)[:0]
	if cap(dst) < end-i {
		dst = d.a.AllocBytesUninit(end - i)[:0]
	}
	*s = append(dst, d.data[i:end]...)
	return end
}

// jsonNumber reads a number to a json.Number.
func (d *decoder) jsonNumber(p unsafe.Pointer, i int, stringify bool) int {
	switch c := d.peek(i); {
	case c == 'n':
		end := d.word(i, "null")
		if end >= 0 && d.flags&legacy == 0 {
			mem.Set(p, "")
		}
		return end
	case c == '"':
		b, end := d.text(i)
		if end < 0 {
			return -1
		}
		if len(b) == 0 || skipNumber(b, 0) != len(b) {
			return d.mismatch(numberType, i, strconv.ErrSyntax)
		}
		mem.Set(p, d.keep(b, i+1))
		return end
	case (c == '-' || c-'0' <= 9) && !stringify:
		end := skipNumber(d.data, i)
		if end >= 0 {
			mem.Set(p, d.keep(d.data[i:end:end], i))
		}
		return end
	}
	return d.mismatch(numberType, i, nil)
}
