package arenajson

import (
	"encoding/json"
	"errors"
	"io"
	"strings"

	"github.com/harena-go/arena/arenajson/internal/option"
	"github.com/harena-go/arena/arenajson/internal/text"
)

// This file holds what an Error keeps of a text: a short one that has the same error at its end. Package
// encoding/json is asked about it for its own errors, when somebody wants to know them.

// An excerpt is a text in which encoding/json finds the same error as in the whole.
type excerpt struct {
	known  bool // there is one
	text   string
	at     int // a place in it,
	offset int // and where in the whole that is
	less   int // bytes that were left out behind it
}

// The bounds of an excerpt: of one value as it is, and of all.
const (
	longestToken   = 1 << 10
	longestExcerpt = 8 << 10
)

// before notes that what comes at i has a stand-in in front, which leads to the same state.
func (g *diagnosis) before(standIn string, i int) { g.standIn, g.token = standIn, i }

// syntaxExcerpt returns the excerpt for an error in the syntax at an offset, as of all that is read so far only
// the last token matters. It is empty for what isn't an error to encoding/json.
func (g *diagnosis) syntaxExcerpt(offset int, err error) excerpt {
	end := min(max(offset, g.token)+16, len(g.data))
	switch {
	case err == errDuplicateName, errors.Is(err, text.ErrUTF8), errors.Is(err, errSurrogates),
		err == errDepth && len(g.path) < option.DefaultDepth:
		return excerpt{}
	case err == errDepth:
		return excerpt{known: true, text: strings.Repeat("[", option.DefaultDepth+1), at: option.DefaultDepth, offset: offset}
	case err == io.ErrUnexpectedEOF:
		tail := g.data[g.token:]
		if len(tail) > longestToken {
			tail = tail[:1] // a string that doesn't end; numbers have a stand-in
		}
		return excerpt{known: true, text: g.standIn + string(tail), at: len(g.standIn) + len(tail), offset: len(g.data)}
	case end-g.token > longestToken:
		return excerpt{}
	}
	return excerpt{known: true, text: g.standIn + string(g.data[g.token:end]), at: len(g.standIn), offset: g.token}
}

// valueExcerpt returns the excerpt for a value at i that doesn't fit, or a name: with what leads there alone.
func (g *diagnosis) valueExcerpt(i int, isName bool) excerpt {
	var open, end []byte
	at := 0
	for _, p := range g.path {
		at = len(open) + 1
		if p.index >= 0 {
			open, end = append(open, '['), append(end, ']')
			continue
		}
		quoted, err := json.Marshal(string(p.name))
		if err != nil || len(open)+len(quoted) > longestExcerpt {
			return excerpt{}
		}
		open, end = append(append(append(open, '{'), quoted...), ':'), append(end, '}')
	}
	x := excerpt{known: true, at: len(open), offset: i}
	switch c := g.peek(i); {
	case isName:
		x.at = at
		open = append(open, "null"...)
	case c == '{' || c == '[':
		open = append(open, c, c+2)
	default:
		next := g.in.skip(i)
		if next < 0 {
			return excerpt{}
		}
		token := g.data[i:next]
		if len(token) > longestToken {
			if c != '"' {
				return excerpt{}
			}
			token = []byte(`""`)
			x.less = next - i - len(token)
		}
		open = append(open, token...)
	}
	for k := len(end) - 1; k >= 0; k-- {
		open = append(open, end[k])
	}
	x.text = string(open)
	return x
}

// whole returns where in the whole text a place in the excerpt is.
func (x *excerpt) whole(at int64) int64 {
	if at > int64(x.at) {
		at += int64(x.less)
	}
	return at + int64(x.offset-x.at)
}
