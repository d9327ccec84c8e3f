package encode

import (
	"bytes"
	"encoding/json"
	"unicode/utf8"

	"github.com/harena-go/arena/arenajson/internal/mem"
	"github.com/harena-go/arena/arenajson/internal/option"
	"github.com/harena-go/arena/arenajson/internal/plan"
	"github.com/harena-go/arena/arenajson/internal/syntax"
	"github.com/harena-go/arena/arenajson/internal/text"
)

// This file writes values that are JSON already: json.RawMessage, and results of methods. They are
// checked, and lose their white space. In version 2 strings are written anew, with the fewest
// escapes; with the options of v1 they stay unchanged, except for the characters that HTML and
// JavaScript escape.

// raw writes a value that is JSON already. If it isn't valid, raw fails with the error from
// Diagnose.
func (e *Encoder) raw(b []byte, n *plan.Node, raw []byte) []byte {
	if raw == nil && n.Kind == plan.KindRaw {
		return append(b, "null"...)
	}
	// The standard library with the options of v1 doesn't check UTF-8 here.
	f := e.flags
	if f&option.Legacy != 0 {
		f |= option.AllowInvalidUTF8
	}
	d := syntax.Reader{Data: raw, Flags: f, Depth: option.DefaultDepth}
	i := text.SkipSpace(raw, 0)
	end := d.Skip(i)
	if end < 0 || text.SkipSpace(raw, end) != len(raw) {
		if e.flags&option.Legacy != 0 {
			e.failMethod(n.Type, json.Unmarshal(raw, new(json.RawMessage)), "MarshalJSON")
		}
		inner := syntax.Diagnose(raw, f, option.DefaultDepth)
		panic(encodeError{fault: &syntax.Fault{Type: n.Type, Inner: inner, Writing: true}})
	}
	return e.compact(b, &d, i, end)
}

// compact writes the valid value from i to end without white space. Unchanged parts are copied in
// runs as long as possible.
func (e *Encoder) compact(b []byte, d *syntax.Reader, i, end int) []byte {
	start := i // of the unchanged run
	for i < end {
		switch c := d.Data[i]; {
		// White space in strings stays.
		case c == '"':
			next := d.SkipText(i)
			if !e.asIs(d.Data[i:next]) {
				b = append(b, d.Data[start:i]...)
				b = e.rawText(b, d, i, next)
				start = next
			}
			i = next
		case c <= ' ':
			b = append(b, d.Data[start:i]...)
			i = text.SkipSpace(d.Data, i)
			start = i
		default:
			i++
		}
	}
	return append(b, d.Data[start:end]...)
}

// asIs reports whether rawText would write a string unchanged. It may return false for others that
// stay unchanged.
func (e *Encoder) asIs(s []byte) bool {
	// In version 2 strings with escapes are written anew, in the shortest way.
	if e.flags&option.Legacy == 0 {
		return e.flags&option.AllowInvalidUTF8 == 0 && bytes.IndexByte(s, '\\') < 0
	}
	if e.flags&(option.EscapeHTML|option.EscapeJS) == 0 {
		return true
	}
	i := 0
	for ; i+8 <= len(s); i += 8 {
		if w := mem.Load64(s, i); w&text.Highs|text.Markup(w) != 0 {
			return false
		}
	}
	for ; i < len(s); i++ {
		if c := s[i]; c == '<' || c == '>' || c == '&' || c >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// rawText writes a JSON string: with the options of v1 unchanged but for HTML, else in the shortest
// way.
func (e *Encoder) rawText(b []byte, d *syntax.Reader, i, end int) []byte {
	if e.flags&option.Legacy == 0 {
		s, _ := d.Text(i)
		return text.Append(b, mem.String(s), e.flags)
	}
	start := i
	for ; i < end; i++ {
		c := d.Data[i]
		switch {
		case e.flags&option.EscapeHTML != 0 && (c == '<' || c == '>' || c == '&'):
			b = append(b, d.Data[start:i]...)
			b = text.AppendEscape(b, c)
			start = i + 1
		// U+2028 or U+2029, in three bytes.
		case e.flags&option.EscapeJS != 0 && c == 0xe2 && i+2 < end && d.Data[i+1] == 0x80 && d.Data[i+2]&^1 == 0xa8:
			b = append(b, d.Data[start:i]...)
			b = append(b, '\\', 'u', '2', '0', '2', text.HexDigits[d.Data[i+2]&15])
			start = i + 3
		}
	}
	return append(b, d.Data[start:end]...)
}
