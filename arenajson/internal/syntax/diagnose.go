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

// This file holds what runs only when a text has turned out to be wrong: it reads
// it again from the beginning, slowly, to say exactly where and why. The errors are
// those of encoding/json/v2, at its offsets and with its pointers: where a value
// ends too early that is the end of the text, or where the number or the escape
// begins that is cut off.

// A diagnosis reads a text until something is wrong with it, or up to an offset. It
// ends with a panic, which run recovers, so that its functions just read on.
type diagnosis struct {
	data  []byte
	flags option.Flags
	depth int
	upTo  int // or -1
	path  []place
	begin int // of the number

	in      Reader // of what isn't wrong
	standIn string // for what comes before
	token   int    // where the last token begins
}

// A place is a member or an element in which the diagnosis is.
type place struct {
	name  []byte
	index int // of an element; -1 for a member
}

// A flaw is what is wrong at an offset; a nil err means that upTo was reached.
type flaw struct {
	offset  int
	err     error
	pointer string
	excerpt Excerpt
}

// newDiagnosis prepares to read a text, up to an offset or -1.
func newDiagnosis(data []byte, f option.Flags, depth, upTo int) *diagnosis {
	// The depth is counted by the diagnosis, which has an error for it.
	in := Reader{Data: data, Flags: f, Depth: math.MaxInt}
	return &diagnosis{data: data, flags: f, depth: depth, upTo: upTo, in: in}
}

// Diagnose returns the first error in the syntax of a text, or nil. It reads all of
// the text again, and keeps the place where it is as a path of names and indexes,
// from which the error's pointer is made.
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

// PointerTo returns the JSON Pointer to the value or the name at an offset, in a
// text that is right up to there, and what is kept of the text. Options don't
// matter, as what they forbid has been found before.
func PointerTo(data []byte, offset int) (string, Excerpt) {
	g := newDiagnosis(data, option.AllowDuplicateNames|option.AllowInvalidUTF8, math.MaxInt, offset)
	if found := g.run(func() { g.value(g.space(0)) }); found != nil {
		return found.pointer, found.excerpt
	}
	return "", Excerpt{}
}

// run runs f up to where it finds something, and returns that, or nil.
func (g *diagnosis) run(f func()) (found *flaw) {
	defer g.catch(&found)
	f()
	return nil
}

// catch recovers what wrong and arrived panic with.
func (g *diagnosis) catch(found **flaw) {
	switch v := recover().(type) {
	case nil:
	case *flaw:
		*found = v
	default:
		panic(v)
	}
}

// wrong ends the diagnosis: err is at an offset of the text, and within what the
// path leads to.
func (g *diagnosis) wrong(offset int, err error) {
	panic(&flaw{offset, err, g.pointer(), g.syntaxExcerpt(offset, err)})
}

// arrived ends it at the offset up to which it goes. isName says that there is a
// name.
func (g *diagnosis) arrived(isName bool) {
	panic(&flaw{g.upTo, nil, g.pointer(), g.valueExcerpt(g.upTo, isName)})
}

// pointer returns where the diagnosis is, as a JSON Pointer.
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

// unexpected reports the character at i, or the end of the text. where says what
// was being read, and what could have come.
func (g *diagnosis) unexpected(i int, where string) {
	if i >= len(g.data) {
		g.wrong(len(g.data), io.ErrUnexpectedEOF)
	}
	g.wrong(i, fmt.Errorf("invalid character %s %s", text.QuoteRune(g.data[i:]), where))
}

// space returns where what follows the white space at i begins.
func (g *diagnosis) space(i int) int { return text.SkipSpace(g.data, i) }

// peek returns the byte at i, or 0 at the end.
func (g *diagnosis) peek(i int) byte {
	if i < len(g.data) {
		return g.data[i]
	}
	return 0
}

// value checks the value at i and returns where it ends. White space in front of it
// has been passed.
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
	// A bracket that closes an object: the problem is with the object, not with a
	// value in it.
	if n := len(g.path) - 1; g.peek(i) == ']' && n >= 0 && g.path[n].index < 0 {
		g.path = g.path[:n] // the problem is with the object
		g.unexpected(i, "after object value (expecting ',' or '}')")
	}
	g.unexpected(i, "at start of value")
	return 0
}
