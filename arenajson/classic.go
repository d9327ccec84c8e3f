package arenajson

import (
	"encoding"
	"encoding/json"
	"fmt"
	"reflect"
	"unsafe"

	"github.com/harena-go/arena"
	"github.com/harena-go/arena/arenajson/internal/mem"
	"github.com/harena-go/arena/arenajson/internal/number"
)

// This file holds what the original encoding/json, which Go has up to 1.26, does differently
// from the one that is built on version 2.

// misused says that a field with the tag option string got something else.
func misused(what any, t reflect.Type) error {
	if s, ok := what.(string); ok {
		return fmt.Errorf("arenajson: invalid use of ,string struct tag, trying to unmarshal %q into %v", s, t)
	}
	return fmt.Errorf("arenajson: invalid use of ,string struct tag, trying to unmarshal unquoted value into %v", t)
}

// invalidNumber says that a json.Number got another string.
func invalidNumber(text []byte) error {
	return fmt.Errorf("arenajson: invalid number literal, trying to unmarshal %q into Number", text)
}

// namesKeys reports whether names can be read to keys of a type.
func namesKeys(t reflect.Type) bool {
	return isNameKind(t.Kind()) || reflect.PointerTo(t).Implements(textUnmarshalerType)
}

// isNameKind reports whether keys of a kind are read from names, and written as names.
func isNameKind(k reflect.Kind) bool {
	return k == reflect.String || reflect.Int <= k && k <= reflect.Uintptr
}

// note remembers an error after which the original goes on.
func (d *decoder) note(err error) {
	if !d.known() {
		d.methodErr = err
	}
}

// stop ends the decoder with an error after which the original doesn't go on.
func (d *decoder) stop(err error) int {
	d.fatal = err
	return -1
}

// quotedClassic reads the value of a field with the tag option string.
func (d *decoder) quotedClassic(n *node, p unsafe.Pointer, i int) int {
	e, base := n.elem, n.elem
	if e.kind == kindPointer {
		base = e.elem
	}
	if k := base.typ.Kind(); k > reflect.Float64 && k != reflect.String || k == reflect.Invalid {
		return d.value(e, p, i)
	}
	end := d.skip(i)
	if end < 0 {
		return -1
	}
	switch d.data[i] {
	case 'n':
		return d.value(e, p, i)
	case '"':
	default:
		if kindOfByte(d.data[i]) == '0' {
			if _, err := number.ParseFloat(d.data[i:end], 64); err != nil {
				d.outOfRange(i, err) // and counts as null
				if e.kind == kindPointer {
					mem.Set[unsafe.Pointer](p, nil)
				}
				return end
			}
		}
		d.note(misused(nil, e.typ))
		return end
	}
	b, _ := d.text(i)
	s := string(b)
	if s == "" {
		d.note(misused(s, e.typ))
		return end
	}
	if e.kind == kindPointer {
		if s[0] == 'n' {
			return d.quotedNil(p, s, e.typ, end)
		}
		q := mem.Get[unsafe.Pointer](p)
		if q == nil {
			q = arena.NewType(d.a, base.key)
			mem.Set(p, q)
		}
		p = q
	}
	return d.fromQuoted(base, p, s, i, end)
}

// quotedNil reads what was in a string and begins with n to a pointer.
func (d *decoder) quotedNil(p unsafe.Pointer, s string, t reflect.Type, end int) int {
	if s != "null" {
		d.note(misused(s, t))
	} else {
		mem.Set[unsafe.Pointer](p, nil)
	}
	return end
}

// fromQuoted reads what was in the string from i to end.
func (d *decoder) fromQuoted(n *node, p unsafe.Pointer, s string, i, end int) int {
	if n.plain != nil {
		return d.quotedMethod(n, p, s, end)
	}
	switch c := s[0]; {
	case c == 'n':
		if s != "null" {
			d.note(misused(s, n.typ))
		}
	case c == 't' || c == 'f':
		if s != "true" && s != "false" || n.kind != kindBool {
			d.note(misused(s, n.typ))
		} else {
			mem.Set(p, c == 't')
		}
	case c == '"':
		return d.quotedText(n, p, s, i, end)
	case c != '-' && c-'0' > 9:
		return d.stop(misused(s, n.typ))
	case n.kind == kindNumber:
		mem.Set(p, d.a.AllocString(s))
	case n.kind == kindString || n.kind == kindBool:
		return d.stop(misused(s, n.typ))
	default:
		if n.kind == kindDuration {
			n = &node{kind: kindInt64, bits: 64, size: 8, typ: n.typ}
		}
		if err := fromGo(n, p, s); err != nil {
			d.misfit(n.typ, end, i, '0', err)
		}
	}
	return end
}

// quotedText reads a string in a string.
func (d *decoder) quotedText(n *node, p unsafe.Pointer, s string, i, end int) int {
	in := reader{data: []byte(s), flags: d.flags}
	b, inner := in.text(0)
	switch {
	case inner != len(s):
		return d.stop(misused(s, n.typ))
	case n.kind == kindNumber && (len(b) == 0 || number.Skip(b, 0) != len(b)):
		return d.stop(invalidNumber([]byte(s)))
	case n.kind == kindString || n.kind == kindNumber:
		mem.Set(p, d.a.AllocString(string(b)))
		return end
	}
	return d.mismatch(n.typ, i, nil)
}

// quotedMethod gives what was in a string to a method, whatever it is.
func (d *decoder) quotedMethod(n *node, p unsafe.Pointer, s string, end int) int {
	v := mem.Value(n.typ, p).Addr().Interface()
	var err error
	switch u, ok := v.(json.Unmarshaler); {
	case n.kind == kindArena:
		err = v.(arenaUnmarshaler).UnmarshalJSONArena(d.a, []byte(s))
	case ok:
		err = u.UnmarshalJSON([]byte(s))
	case s[0] == 'n':
		return d.fromQuoted(n.plain, p, s, 0, end)
	case s[0] != '"':
		d.note(misused(s, n.typ))
	default:
		in := reader{data: []byte(s), flags: d.flags}
		b, inner := in.text(0)
		if inner != len(s) {
			return d.stop(misused(s, n.typ))
		}
		err = v.(encoding.TextUnmarshaler).UnmarshalText(b)
	}
	if err != nil {
		return d.stop(err)
	}
	return end
}
