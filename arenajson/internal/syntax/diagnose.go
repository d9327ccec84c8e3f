package syntax

import (
	"bytes"
	"fmt"
	"io"
	"math"
	"strconv"

	"github.com/harena-go/arena/arenajson/internal/option"
	"github.com/harena-go/arena/arenajson/internal/text"
)

// This file runs only after a text has turned out to be wrong: it reads the text again from the
// beginning, slowly, to find the exact error. The errors are those of encoding/json/v2, with its
// offsets and pointers: a premature end is reported at the end of the text, or at the start of the
// number or escape that it cuts off.

// A diagnosis reads a text up to the first error, or up to an offset. It ends with a panic, which
// run recovers, so that its functions need no error results.
type diagnosis struct {
	data  []byte
	flags option.Flags
	depth int
	upTo  int // or -1
	path  []place
	begin int // of the number

	in      Reader // for correct parts
	standIn string // for the text before
	token   int    // start of the last token
}

// A place is a member or an element on the path of the diagnosis.
type place struct {
	name  []byte
	index int // of an element; -1 for a member
}

// A flaw is an error at an offset; a nil err means that upTo was reached.
type flaw struct {
	offset  int
	err     error
	pointer string
	excerpt Excerpt
}

// newDiagnosis prepares to read a text, up to an offset or -1.
func newDiagnosis(data []byte, f option.Flags, depth, upTo int) *diagnosis {
	// The diagnosis counts the depth itself, and has an error for it.
	in := Reader{Data: data, Flags: f, Depth: math.MaxInt}
	return &diagnosis{data: data, flags: f, depth: depth, upTo: upTo, in: in}
}

// Diagnose returns the first error in the syntax of a text, or nil. It reads the whole text again,
// and maintains the path of names and indexes, for the error's pointer.
func Diagnose(data []byte, f option.Flags, depth int) *Fault {
	g := newDiagnosis(data, f, depth, -1)
	found := g.run(func() {
		i := g.space(0)
		g.before("", i)
		i = g.space(g.value(i))
		if g.before(`""`, i); i < len(data) {
			g.unexpected(i, "after top-level value")
		}
	})
	if found == nil {
		return nil
	}
	return &Fault{Offset: int64(found.offset), Pointer: found.pointer, Err: found.err, Excerpt: found.excerpt}
}

// PointerTo returns the JSON Pointer to the value or the name at an offset, in a text that is right
// up to there, and the excerpt. Options don't matter, as the errors that they define have been
// found before.
func PointerTo(data []byte, offset int) (string, Excerpt) {
	g := newDiagnosis(data, option.AllowDuplicateNames|option.AllowInvalidUTF8, math.MaxInt, offset)
	if found := g.run(func() { g.value(g.space(0)) }); found != nil {
		return found.pointer, found.excerpt
	}
	return "", Excerpt{}
}

// run runs f up to its first flaw, and returns that, or nil.
func (g *diagnosis) run(f func()) (found *flaw) {
	defer g.catch(&found)
	f()
	return nil
}

// catch recovers the panics of wrong and arrived.
func (g *diagnosis) catch(found **flaw) {
	switch v := recover().(type) {
	case nil:
	case *flaw:
		*found = v
	default:
		panic(v)
	}
}

// wrong ends the diagnosis with an error at an offset of the text, within the value at the path.
func (g *diagnosis) wrong(offset int, err error) {
	panic(&flaw{offset, err, g.pointer(), g.syntaxExcerpt(offset, err)})
}

// arrived ends the diagnosis at its last offset. isName: there is a name.
func (g *diagnosis) arrived(isName bool) {
	panic(&flaw{g.upTo, nil, g.pointer(), g.valueExcerpt(g.upTo, isName)})
}

// pointer returns the path as a JSON Pointer.
func (g *diagnosis) pointer() string {
	var b []byte
	for _, p := range g.path {
		b = append(b, '/')
		if p.index >= 0 {
			b = strconv.AppendInt(b, int64(p.index), 10)
			continue
		}
		// In a pointer ~ is written as ~0, and / as ~1.
		name := bytes.ReplaceAll(p.name, []byte("~"), []byte("~0"))
		b = append(b, bytes.ReplaceAll(name, []byte("/"), []byte("~1"))...)
	}
	return string(b)
}

// unexpected reports the character at i, or the end of the text. where names the context, and the
// expected characters.
func (g *diagnosis) unexpected(i int, where string) {
	if i >= len(g.data) {
		g.wrong(len(g.data), io.ErrUnexpectedEOF)
	}
	g.wrong(i, fmt.Errorf("invalid character %s %s", text.QuoteRune(g.data[i:]), where))
}

// space returns the end of the white space at i.
func (g *diagnosis) space(i int) int { return text.SkipSpace(g.data, i) }

// peek returns the byte at i, or 0 at the end.
func (g *diagnosis) peek(i int) byte {
	if i < len(g.data) {
		return g.data[i]
	}
	return 0
}

// value checks the value at i, without white space before it, and returns its end.
func (g *diagnosis) value(i int) int {
	if i == g.upTo {
		g.arrived(false)
	}
	switch c := g.peek(i); {
	case c == '"':
		_, end := g.text(i)
		return end
	case c == '{':
		return g.object(i)
	case c == '[':
		return g.array(i)
	case c == 't':
		return g.word(i, "true")
	case c == 'f':
		return g.word(i, "false")
	case c == 'n':
		return g.word(i, "null")
	case c == '-' || c-'0' <= 9:
		return g.number(i)
	}
	// A closing bracket in an object: the error is the object's, not a value's in it.
	if n := len(g.path) - 1; g.peek(i) == ']' && n >= 0 && g.path[n].index < 0 {
		g.path = g.path[:n] // the error is the object's
		g.unexpected(i, "after object value (expecting ',' or '}')")
	}
	g.unexpected(i, "at start of value")
	return 0
}
