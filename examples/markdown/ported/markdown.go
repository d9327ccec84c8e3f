// Package markdown is package original with an arena for the tree, and for the parser's temporary data. A nil arena is
// the Go heap; the arena may be self-contained.
package markdown

import (
	"bytes"

	"github.com/harena-go/arena"
	"github.com/harena-go/arena/collections"
)

// maxDepth limits how deep quotes, lists, links and emphasis are nested. Deeper ones are text.
const maxDepth = 50

// Parse returns the tree of a text.
func Parse(source string) *Document { return ParseIn(nil, source) }

// ParseIn is Parse with the tree in an arena. It is valid until that is reset.
func ParseIn(a *arena.Arena, source string) *Document {
	a.KeepAlive(source) // most of the tree's text is a part of it
	p := &parser{a: a, refs: collections.NewMap[string, ref](a, 0), ids: collections.NewMap[string, int](a, 0)}
	d := arena.NewOf(a, Document{p.blocks(p.lines(source), 0)})
	p.inlinesOf(d.Blocks) // when all references are known
	return d
}

// Convert writes the HTML of a text.
func Convert(source string, out *bytes.Buffer) { ConvertIn(nil, source, out) }

// ConvertIn is Convert with an arena for everything but the HTML.
func ConvertIn(a *arena.Arena, source string, out *bytes.Buffer) { ParseIn(a, source).Render(out) }

// A parser has the data about the whole text.
type parser struct {
	a    *arena.Arena
	refs *collections.Map[string, ref]
	ids  *collections.Map[string, int] // of headings
	buf  []byte
}

// A ref is the target of links with a label.
type ref struct{ dest, title string }
