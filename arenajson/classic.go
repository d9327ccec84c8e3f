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
	"github.com/harena-go/arena/arenajson/internal/plan"
	"github.com/harena-go/arena/arenajson/internal/syntax"
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
func (d *decoder) quotedClassic(n *plan.Node, p unsafe.Pointer, i int) int {
	e, base := n.Elem, n.Elem
	if e.Kind == plan.KindPointer {
		base = e.Elem
	}
	if k := base.Typ.Kind(); k > reflect.Float64 && k != reflect.String || k == reflect.Invalid {
		return d.value(e, p, i)
	}
	end := d.Skip(i)
	if end < 0 {
		return -1
	}
	switch d.Data[i] {
	case 'n':
		return d.value(e, p, i)
	case '"':
	default:
		if kindOfByte(d.Data[i]) == '0' {
			if _, err := number.ParseFloat(d.Data[i:end], 64); err != nil {
				d.outOfRange(i, err) // and counts as null
				if e.Kind == plan.KindPointer {
					mem.Set[unsafe.Pointer](p, nil)
				}
				return end
			}
		}
		d.note(misused(nil, e.Typ))
		return end
	}
	b, _ := d.Text(i)
	s := string(b)
	if s == "" {
		d.note(misused(s, e.Typ))
		return end
	}
	if e.Kind == plan.KindPointer {
		if s[0] == 'n' {
			return d.quotedNil(p, s, e.Typ, end)
		}
		q := mem.Get[unsafe.Pointer](p)
		if q == nil {
			q = arena.NewType(d.a, base.Key)
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
func (d *decoder) fromQuoted(n *plan.Node, p unsafe.Pointer, s string, i, end int) int {
	if n.Plain != nil {
		return d.quotedMethod(n, p, s, end)
	}
	switch c := s[0]; {
	case c == 'n':
		if s != "null" {
			d.note(misused(s, n.Typ))
		}
	case c == 't' || c == 'f':
		if s != "true" && s != "false" || n.Kind != plan.KindBool {
			d.note(misused(s, n.Typ))
		} else {
			mem.Set(p, c == 't')
		}
	case c == '"':
		return d.quotedText(n, p, s, i, end)
	case c != '-' && c-'0' > 9:
		return d.stop(misused(s, n.Typ))
	case n.Kind == plan.KindNumber:
		mem.Set(p, d.a.AllocString(s))
	case n.Kind == plan.KindString || n.Kind == plan.KindBool:
		return d.stop(misused(s, n.Typ))
	default:
		if n.Kind == plan.KindDuration {
			n = &plan.Node{Kind: plan.KindInt64, Bits: 64, Size: 8, Typ: n.Typ}
		}
		if err := fromGo(n, p, s); err != nil {
			d.misfit(n.Typ, end, i, '0', err)
		}
	}
	return end
}

// quotedText reads a string in a string.
func (d *decoder) quotedText(n *plan.Node, p unsafe.Pointer, s string, i, end int) int {
	in := syntax.Reader{Data: []byte(s), Flags: d.Flags}
	b, inner := in.Text(0)
	switch {
	case inner != len(s):
		return d.stop(misused(s, n.Typ))
	case n.Kind == plan.KindNumber && (len(b) == 0 || number.Skip(b, 0) != len(b)):
		return d.stop(invalidNumber([]byte(s)))
	case n.Kind == plan.KindString || n.Kind == plan.KindNumber:
		mem.Set(p, d.a.AllocString(string(b)))
		return end
	}
	return d.mismatch(n.Typ, i, nil)
}

// quotedMethod gives what was in a string to a method, whatever it is.
func (d *decoder) quotedMethod(n *plan.Node, p unsafe.Pointer, s string, end int) int {
	v := mem.Value(n.Typ, p).Addr().Interface()
	var err error
	switch u, ok := v.(json.Unmarshaler); {
	case n.Kind == plan.KindArena:
		err = v.(plan.ArenaUnmarshaler).UnmarshalJSONArena(d.a, []byte(s))
	case ok:
		err = u.UnmarshalJSON([]byte(s))
	case s[0] == 'n':
		return d.fromQuoted(n.Plain, p, s, 0, end)
	case s[0] != '"':
		d.note(misused(s, n.Typ))
	default:
		in := syntax.Reader{Data: []byte(s), Flags: d.Flags}
		b, inner := in.Text(0)
		if inner != len(s) {
			return d.stop(misused(s, n.Typ))
		}
		err = v.(encoding.TextUnmarshaler).UnmarshalText(b)
	}
	if err != nil {
		return d.stop(err)
	}
	return end
}
