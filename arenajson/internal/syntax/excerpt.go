package syntax

import (
	"encoding/json"
	"errors"
	"io"
	"strings"

	"github.com/harena-go/arena/arenajson/internal/option"
	"github.com/harena-go/arena/arenajson/internal/text"
)

// This file makes excerpts of texts with errors: a short text with the same error at its end. When
// the error of encoding/json is requested, that package reads the excerpt; until then nothing
// refers to the text.
//
// For a syntax error the excerpt is a stand-in for the text before, such as `{"":` in front of a
// member's value, and the token with the error. For a value that doesn't fit it is the path of
// arrays and objects to the value, without their other contents.

// An Excerpt is a text in which encoding/json finds the same error as in the whole. Its offsets
// differ from those in the whole by the parts left out.
type Excerpt struct {
	Known  bool // there is one
	Text   string
	At     int // an offset in it,
	Offset int // and the same place in the whole
	less   int // bytes left out behind it
}

// The bounds of an excerpt, in bytes: of one unchanged value, and of all.
const (
	longestToken   = 1 << 10
	longestExcerpt = 8 << 10
)

// before records the stand-in for the text before i, which leads to the same state of its reader:
// `[""` is an array with an element.
func (g *diagnosis) before(standIn string, i int) { g.standIn, g.token = standIn, i }

// syntaxExcerpt returns the excerpt for a syntax error at an offset: of the text so far only the
// last token matters. It is empty for errors that encoding/json doesn't report.
func (g *diagnosis) syntaxExcerpt(offset int, err error) Excerpt {
	// Keep some bytes behind the error, since encoding/json may look at them.
	end := min(max(offset, g.token)+16, len(g.data))
	switch {
	case err == ErrDuplicateName, errors.Is(err, text.ErrUTF8), errors.Is(err, errSurrogates),
		err == ErrDepth && len(g.path) < option.DefaultDepth:
		return Excerpt{}
	// encoding/json has the same limit, which brackets alone exceed.
	case err == ErrDepth:
		deep := strings.Repeat("[", option.DefaultDepth+1)
		return Excerpt{Known: true, Text: deep, At: option.DefaultDepth, Offset: offset}
	case err == io.ErrUnexpectedEOF:
		tail := g.data[g.token:]
		if len(tail) > longestToken {
			tail = tail[:1] // an unterminated string; numbers have a stand-in
		}
		return Excerpt{Known: true, Text: g.standIn + string(tail), At: len(g.standIn) + len(tail), Offset: len(g.data)}
	case end-g.token > longestToken:
		return Excerpt{}
	}
	return Excerpt{Known: true, Text: g.standIn + string(g.data[g.token:end]), At: len(g.standIn), Offset: g.token}
}

// valueExcerpt returns the excerpt for a value at i that doesn't fit, or a name: with the path to
// it alone.
func (g *diagnosis) valueExcerpt(i int, isName bool) Excerpt {
	var open, end []byte
	at := 0
	// An array with one element or an object with one member for each level of the path.
	for _, p := range g.path {
		at = len(open) + 1
		if p.index >= 0 {
			open, end = append(open, '['), append(end, ']')
			continue
		}
		quoted, err := json.Marshal(string(p.name))
		if err != nil || len(open)+len(quoted) > longestExcerpt {
			return Excerpt{}
		}
		open, end = append(append(append(open, '{'), quoted...), ':'), append(end, '}')
	}
	x := Excerpt{Known: true, At: len(open), Offset: i}
	switch c := g.peek(i); {
	case isName:
		x.At = at
		open = append(open, "null"...)
	// Its contents don't matter, as it doesn't fit as a whole.
	case c == '{' || c == '[':
		open = append(open, c, c+2)
	default:
		next := g.in.Skip(i)
		if next < 0 {
			return Excerpt{}
		}
		token := g.data[i:next]
		// The length of a string doesn't matter for the error; that of a number may.
		if len(token) > longestToken {
			if c != '"' {
				return Excerpt{}
			}
			token = []byte(`""`)
			x.less = next - i - len(token)
		}
		open = append(open, token...)
	}
	// Close the path, the innermost first.
	for k := len(end) - 1; k >= 0; k-- {
		open = append(open, end[k])
	}
	x.Text = string(open)
	return x
}

// Whole returns the offset in the whole text for one in the excerpt.
func (x *Excerpt) Whole(at int64) int64 {
	if at > int64(x.At) {
		at += int64(x.less)
	}
	return at + int64(x.Offset-x.At)
}
