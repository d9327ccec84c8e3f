package decode

import (
	"encoding"
	"encoding/json"
	"reflect"
	"strconv"
	"unsafe"

	"github.com/harena-go/arena/arenajson/internal/mem"
	"github.com/harena-go/arena/arenajson/internal/number"
	"github.com/harena-go/arena/arenajson/internal/option"
	"github.com/harena-go/arena/arenajson/internal/plan"
	"github.com/harena-go/arena/arenajson/internal/syntax"
)

// This file decodes fields with the tag option string, whose values are in strings.
//
//	                      numbers   bools, strings   in the string
//	version 2             yes       error            a JSON number
//	v1 built on it        yes       yes              a number of Go, or null
//	the original          yes       yes              anything, by its first byte
//
// Other types are an error in version 2, and otherwise decoded without the option. So are types
// with methods; the original passes the string's text to their methods.

// quotedClassic is quotedValue of the original. The first byte in the string decides; some errors
// end decoding, and others are recorded.
func (d *decoder) quotedClassic(n *plan.Node, p unsafe.Pointer, i int) int {
	e, base := n.Elem, n.Elem
	if e.Kind == plan.KindPointer && e.Type.Name() == "" {
		base = e.Elem
	}
	// The option is ignored for types other than bools, numbers and strings.
	if k := base.Type.Kind(); k > reflect.Float64 && k != reflect.String || k == reflect.Invalid {
		return d.value(e, p, i)
	}
	end := d.Skip(i)
	if end < 0 {
		return -1
	}
	// null stands alone; anything else must be in a string.
	switch d.Data[i] {
	case 'n':
		return d.value(e, p, i)
	case '"':
	default:
		if kindOfByte(d.Data[i]) == '0' {
			if _, err := number.ParseFloat(d.Data[i:end], 64); err != nil {
				d.outOfRange(i, err) // the number counts as null
				if e.Kind == plan.KindPointer {
					mem.Set[unsafe.Pointer](p, nil)
				}
				return end
			}
		}
		d.note(misused(nil, e.Type))
		return end
	}
	b, _ := d.Text(i)
	s := string(b)
	if s == "" {
		d.note(misused(s, e.Type))
		return end
	}
	if e.Kind == plan.KindPointer {
		if s[0] == 'n' {
			return d.quotedNil(p, s, e.Type, end)
		}
		q := mem.Get[unsafe.Pointer](p)
		if q == nil {
			q = base.Key.New(d.a)
			mem.Set(p, q)
		}
		p = q
	}
	return d.fromQuoted(base, p, s, i, end)
}

// quotedNil decodes the text of a string that begins with n into a pointer.
func (d *decoder) quotedNil(p unsafe.Pointer, s string, t reflect.Type, end int) int {
	if s != "null" {
		d.note(misused(s, t))
	} else {
		mem.Set[unsafe.Pointer](p, nil)
	}
	return end
}

// fromQuoted decodes s, the text of the string from i to end, by its first byte.
func (d *decoder) fromQuoted(n *plan.Node, p unsafe.Pointer, s string, i, end int) int {
	if n.Plain != nil {
		return d.quotedMethod(n, p, s, end)
	}
	// The first byte decides; the rest is checked as far as in the original.
	switch c := s[0]; {
	case c == 'n':
		if s != "null" {
			d.note(misused(s, n.Type))
		}
	case c == 't' || c == 'f':
		if s != "true" && s != "false" || n.Kind != plan.KindBool {
			d.note(misused(s, n.Type))
		} else {
			mem.Set(p, c == 't')
		}
	case c == '"':
		return d.quotedText(n, p, s, i, end)
	case c != '-' && c-'0' > 9:
		return d.stop(misused(s, n.Type))
	case n.Kind == plan.KindNumber:
		mem.Set(p, d.a.AllocString(s))
	case n.Kind == plan.KindString || n.Kind == plan.KindBool:
		return d.stop(misused(s, n.Type))
	default:
		if n.Kind == plan.KindDuration {
			n = plan.Nanoseconds
		}
		if err := fromGo(n, p, s); err != nil {
			d.misfit(n.Type, end, i, '0', err)
		}
	}
	return end
}

// quotedText decodes a string in a string, for strings and numbers.
func (d *decoder) quotedText(n *plan.Node, p unsafe.Pointer, s string, i, end int) int {
	in := syntax.Reader{Data: []byte(s), Flags: d.Flags}
	b, inner := in.Text(0)
	switch {
	case inner != len(s):
		return d.stop(misused(s, n.Type))
	case n.Kind == plan.KindNumber && (len(b) == 0 || number.Skip(b, 0) != len(b)):
		return d.stop(invalidNumber([]byte(s)))
	case n.Kind == plan.KindString || n.Kind == plan.KindNumber:
		mem.Set(p, d.a.AllocString(string(b)))
		return end
	}
	return d.mismatch(n.Type, i, nil)
}

// quotedMethod passes the text of a string to a method.
func (d *decoder) quotedMethod(n *plan.Node, p unsafe.Pointer, s string, end int) int {
	v := mem.Value(n.Type, p).Addr().Interface()
	var err error
	// The methods get the text without a check that it is JSON.
	switch u, ok := v.(json.Unmarshaler); {
	case n.Kind == plan.KindArena:
		err = v.(plan.ArenaUnmarshaler).UnmarshalJSONArena(d.lasting(), []byte(s))
	case ok:
		err = u.UnmarshalJSON([]byte(s))
	case s[0] == 'n':
		return d.fromQuoted(n.Plain, p, s, 0, end)
	case s[0] != '"':
		d.note(misused(s, n.Type))
	default:
		in := syntax.Reader{Data: []byte(s), Flags: d.Flags}
		b, inner := in.Text(0)
		if inner != len(s) {
			return d.stop(misused(s, n.Type))
		}
		err = v.(encoding.TextUnmarshaler).UnmarshalText(b)
	}
	if err != nil {
		return d.stop(err)
	}
	return end
}

// quotedValue decodes the value of a field with the tag option string. In version 2 the option is
// for numbers only.
func (d *decoder) quotedValue(n *plan.Node, p unsafe.Pointer, i int) int {
	// The original has its own rules.
	if option.Classic && d.Flags&option.Legacy != 0 {
		return d.quotedClassic(n, p, i)
	}
	e := n.Elem
	// Numbers are in strings, as with the option StringifyNumbers; types with methods ignore the
	// tag.
	switch e.Kind {
	case plan.KindInt64, plan.KindInt, plan.KindUint, plan.KindFloat64, plan.KindFloat32:
		return d.number(e, p, i, true)
	case plan.KindNumber:
		return d.jsonNumber(p, i, true)
	case plan.KindPointer:
		return d.quotedPointer(n, p, i)
	case plan.KindMethod, plan.KindText, plan.KindArena, plan.KindRaw:
		return d.value(e, p, i)
	}
	if d.Flags&option.Legacy == 0 {
		return d.misfit(e.Type, i, i, 0, plan.ErrStringTag)
	}
	switch e.Kind {
	case plan.KindString:
		return d.quotedString(e, p, i)
	case plan.KindBool:
		return d.quotedBool(e, p, i)
	case plan.KindDuration:
		return d.number(plan.Nanoseconds, p, i, true)
	}
	return d.value(e, p, i)
}

// quotedPointer applies the option to the target of a pointer. With the options of v1, null in a
// string is a nil pointer.
func (d *decoder) quotedPointer(n *plan.Node, p unsafe.Pointer, i int) int {
	if end := d.Word(i, "null"); end >= 0 {
		mem.Set[unsafe.Pointer](p, nil)
		return end
	}
	e := n.Elem.Elem
	if d.Flags&option.Legacy != 0 && e.Kind == plan.KindPointer {
		return d.value(n.Elem, p, i)
	}
	q := mem.Get[unsafe.Pointer](p)
	if q == nil {
		q = e.Key.New(d.a)
		mem.Set(p, q)
	}
	faults := d.faults
	end := d.quotedValue(&plan.Node{Kind: plan.KindQuoted, Type: e.Type, Size: e.Size, Elem: e}, q, i)
	// The string "null" was decoded, without an error, into a value that it left unchanged.
	nulls := d.Flags&option.Legacy != 0 && e.Kind != plan.KindAny && e.Kind != plan.KindInterface
	if nulls && end >= 0 && d.faults == faults && string(d.Data[i:end]) == `"null"` {
		mem.Set[unsafe.Pointer](p, nil)
	}
	return end
}

// quotedString decodes a string in a string, with the options of v1: the text must be a JSON string
// by itself. The text null leaves the value unchanged.
func (d *decoder) quotedString(n *plan.Node, p unsafe.Pointer, i int) int {
	if d.Peek(i) != '"' {
		return d.notString(n, p, i)
	}
	b, end := d.Text(i)
	if end < 0 || string(b) == "null" {
		return end
	}
	// A JSON string in the string.
	in := syntax.Reader{Data: append([]byte(nil), b...), Flags: d.Flags}
	s, inner := in.Text(0)
	if inner != len(in.Data) {
		return d.mismatch(n.Type, i, strconv.ErrSyntax)
	}
	mem.Set(p, d.a.AllocString(string(s)))
	return end
}

// quotedBool decodes a bool in a string, with the options of v1. null, in a string or not, leaves
// it unchanged.
func (d *decoder) quotedBool(n *plan.Node, p unsafe.Pointer, i int) int {
	if end := d.Word(i, "null"); end >= 0 {
		return end
	}
	if d.Peek(i) != '"' {
		return d.mismatchToken(n.Type, i, nil)
	}
	b, end := d.Text(i)
	if end < 0 {
		return -1
	}
	switch string(b) {
	case "true":
		mem.Set(p, true)
	case "false":
		mem.Set(p, false)
	case "null":
	default:
		return d.mismatch(n.Type, i, strconv.ErrSyntax)
	}
	return end
}
