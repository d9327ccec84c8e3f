package syntax

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strconv"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/harena-go/arena/arenajson/internal/number"
	"github.com/harena-go/arena/arenajson/internal/option"
	"github.com/harena-go/arena/arenajson/internal/text"
)

// This file checks values of all kinds for a diagnosis. Its functions get the start of a value and
// return its end, as the Reader's do, but an error ends the diagnosis.
//
// Before each token they call before with a stand-in for the text so far: the excerpt for an error
// there has it in front.

// word checks that the word w is at i.
func (g *diagnosis) word(i int, w string) int {
	for k := range len(w) {
		if i+k >= len(g.data) || g.data[i+k] != w[k] {
			g.unexpected(i+k, "in literal "+w+" (expecting "+strconv.QuoteRune(rune(w[k]))+")")
		}
	}
	return i + len(w)
}

// number checks the number at i. If it is incomplete, the error is there.
func (g *diagnosis) number(i int) int {
	g.begin = i
	if g.peek(i) == '-' {
		i++
	}
	if g.peek(i) == '0' {
		i++
	} else {
		i = g.digits(i)
	}
	if g.peek(i) == '.' {
		i = g.digits(i + 1)
	}
	if g.peek(i)|0x20 == 'e' {
		if i++; g.peek(i) == '+' || g.peek(i) == '-' {
			i++
		}
		i = g.digits(i)
	}
	return i
}

// digits checks that there is a digit at i, and returns the end of the digits.
func (g *diagnosis) digits(i int) int {
	if g.peek(i)-'0' > 9 {
		// If the text ends in a number, the excerpt begins with the number, unless that is too
		// long.
		if i < len(g.data) || i-g.begin > longestToken {
			g.beforeDigit(i)
		}
		if i >= len(g.data) {
			g.wrong(g.begin, io.ErrUnexpectedEOF)
		}
		g.unexpected(i, "in number (expecting digit)")
	}
	return number.SkipDigits(g.data, i)
}

// beforeDigit is before for the part of a number with a missing digit at i: a zero stands for
// everything before the point, the e or the sign.
func (g *diagnosis) beforeDigit(i int) {
	part := i - 1
	if c := g.data[part]; part > g.begin && (c == '-' || c == '+') {
		part--
	}
	if part > g.begin {
		g.standIn += "0"
	}
	g.token = part
}

// text checks the string at i, and returns its text and its end. It looks for errors only if the
// fast way fails. Invalid UTF-8 is replaced if it is allowed.
func (g *diagnosis) text(i int) (b []byte, end int) {
	if b, end = g.in.Text(i); end >= 0 {
		return b, end
	}
	// The string is wrong, or its UTF-8 doesn't matter: check it byte by byte.
	strict, standIn := g.flags&option.AllowInvalidUTF8 == 0, g.standIn+`"`
	for i++; ; {
		switch c := g.peek(i); {
		case i >= len(g.data):
			g.wrong(i, io.ErrUnexpectedEOF)
		case c == '"':
			return b, i + 1
		case c == '\\':
			g.before(standIn, i)
			b, i = g.escape(b, i, strict)
		case c < ' ':
			g.before(standIn, i)
			g.wrong(i, fmt.Errorf("invalid character %s in string (expecting non-control character)",
				text.QuoteRune(g.data[i:])))
		default:
			r, n := utf8.DecodeRune(g.data[i:])
			if r == utf8.RuneError && n == 1 && strict {
				// The text ends within a character, which may have been valid.
				if !utf8.FullRune(g.data[i:]) {
					g.wrong(i, io.ErrUnexpectedEOF)
				}
				g.wrong(i, text.ErrUTF8)
			}
			b = utf8.AppendRune(b, r)
			i += n
		}
	}
}

// escape checks the escape at i, appends its character, and returns its end. strict: halves of
// surrogate pairs are errors.
func (g *diagnosis) escape(b []byte, i int, strict bool) ([]byte, int) {
	if i+1 >= len(g.data) {
		g.wrong(i, io.ErrUnexpectedEOF)
	}
	if c := text.Escapes[g.data[i+1]]; c != 0 {
		return append(b, c), i + 2
	}
	r := g.hex(i)
	if !utf16.IsSurrogate(r) {
		return utf8.AppendRune(b, r), i + 6
	}
	// The first half of a pair. The second must follow; the end may cut it off.
	low := rune(-1)
	if i+12 <= len(g.data) {
		low = text.Hex4(g.data, i+6)
	} else if rest := g.data[i+6:]; strict && r < 0xdc00 && couldBeEscape(rest) {
		g.wrong(i, io.ErrUnexpectedEOF)
	}
	if pair := utf16.DecodeRune(r, low); pair != utf8.RuneError {
		return utf8.AppendRune(b, pair), i + 12
	}
	if strict {
		end := i + 6
		if low >= 0 {
			end += 6
		}
		g.wrong(i, fmt.Errorf("%w %s in string", errSurrogates, strconv.Quote(string(g.data[i:end]))))
	}
	return utf8.AppendRune(b, utf8.RuneError), i + 6
}

// errSurrogates is for half of a surrogate pair.
var errSurrogates = errors.New("invalid surrogate pair")

// couldBeEscape reports whether b is the beginning of \uXXXX.
func couldBeEscape(b []byte) bool {
	for i, c := range b {
		switch {
		case i == 0 && c != '\\', i == 1 && c != 'u', i > 1 && text.Hexes[c] < 0:
			return false
		}
	}
	return true
}

// hex returns the character of the escape \uXXXX at i.
func (g *diagnosis) hex(i int) rune {
	if r := text.Hex4(g.data, i); r >= 0 {
		return r
	}
	// How much of the escape to show: without a wrong digit the end has cut it off.
	end := i + 2
	if g.data[i+1] == 'u' {
		for end < len(g.data) && end < i+6 && text.Hexes[g.data[end]] >= 0 {
			end++
		}
		if end == len(g.data) {
			g.wrong(i, io.ErrUnexpectedEOF)
		}
		end = min(i+6, len(g.data))
	}
	g.wrong(i, fmt.Errorf("invalid escape sequence %s in string", strconv.Quote(string(g.data[i:end]))))
	return 0
}

// enter counts a level of nesting that begins at i.
func (g *diagnosis) enter(i int) {
	if g.depth--; g.depth < 0 {
		g.wrong(i, ErrDepth)
	}
}

// array checks the array at i, and returns its end. The stand-ins are the shortest correct arrays
// up to the next element.
func (g *diagnosis) array(i int) int {
	g.enter(i)
	i = g.space(i + 1)
	if g.peek(i) == ']' {
		g.depth++
		return i + 1
	}
	g.path = append(g.path, place{})
	top := len(g.path) - 1
	g.before("[", i)
	for {
		// The end of the text, or a brace, in place of an element.
		if c := g.peek(i); i != g.upTo && (i >= len(g.data) || c == '}' && g.path[top].index > 0) {
			g.path = g.path[:top] // the error is the array's
			g.unexpected(i, "after array element (expecting ',' or ']')")
		}
		i = g.space(g.value(i))
		g.before(`[""`, i)
		switch g.peek(i) {
		// A comma before a bracket is an error itself.
		case ',':
			comma := i
			i = g.space(i + 1)
			g.before(`["",`, i)
			if c := g.peek(i); i != g.upTo && (c == ']' || c == '}') {
				g.path = g.path[:top]
				g.unexpected(comma, "at start of value")
			}
			g.path[top].index++
		case ']':
			g.path = g.path[:top]
			g.depth++
			return i + 1
		default:
			g.path = g.path[:top]
			g.unexpected(i, "after array element (expecting ',' or ']')")
		}
	}
}

// object checks the object at i, and returns its end. Its names are in a set, as in skipObject.
func (g *diagnosis) object(i int) int {
	g.enter(i)
	i = g.space(i + 1)
	if g.peek(i) == '}' {
		g.depth++
		return i + 1
	}
	top, names := len(g.path), g.in.OpenNames()
	g.before("{", i)
	for {
		i = g.member(i, &names)
		g.before(`{"":""`, i)
		switch g.peek(i) {
		// As in arrays, a comma before a brace is an error itself.
		case ',':
			g.path = g.path[:top]
			comma := i
			i = g.space(i + 1)
			g.before(`{"":"",`, i)
			if c := g.peek(i); c == ']' || c == '}' {
				g.unexpected(comma, "at start of value")
			}
		case '}':
			g.path = g.path[:top]
			g.in.CloseNames(&names)
			g.depth++
			return i + 1
		default:
			g.path = g.path[:top]
			g.unexpected(i, "after object value (expecting ',' or '}')")
		}
	}
}

// notName reports the value at i in place of a name, once it is complete.
func (g *diagnosis) notName(i int) {
	switch c := g.peek(i); {
	case i >= len(g.data):
	case c == '{' || c == '[':
		g.wrong(i, ErrName)
	// Version 2 reads the value before it reports that a name is missing.
	case c != '}' && c != ']' && c != ',' && c != ':' && g.flags&option.Legacy == 0:
		g.value(i)
		g.wrong(i, ErrName)
	}
	g.unexpected(i, "at start of string (expecting '\"')")
}

// ErrName is for a value in place of a name.
var ErrName = errors.New("object member name must be a string")

// member checks a member, and returns the start of the next token. The path leads to the member
// until the caller shortens it.
func (g *diagnosis) member(i int, names *NameSet) int {
	if g.peek(i) != '"' {
		g.notName(i)
	}
	name, end := g.text(i)
	escaped := !text.Within(g.data, name, i+1)
	// The name is in the scratch of Text, which the value may need.
	if escaped {
		name = bytes.Clone(name)
	}
	g.path = append(g.path, place{name, -1})
	// The diagnosis ends at this name.
	if i == g.upTo {
		g.arrived(true)
	}
	if g.flags&option.AllowDuplicateNames == 0 && !g.in.AddName(names, name, i+1, escaped) {
		g.wrong(i, ErrDuplicateName)
	}
	i = g.space(end)
	if g.before(`{""`, i); g.peek(i) != ':' {
		g.unexpected(i, "after object name (expecting ':')")
	}
	i = g.space(i + 1)
	g.before(`{"":`, i)
	return g.space(g.value(i))
}
