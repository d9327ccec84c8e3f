// Package markdown converts texts in a language like Markdown to HTML, in plain Go: blocks by lines, inlines within
// them, a tree, and a renderer. Package ported beside it is the same with an arena.
//
// There are headings with identifiers, paragraphs, quotes, lists, code between fences, rules, links by reference;
// emphasis, code, links, images, addresses, and breaks of lines. HTML in a text comes out as text.
package markdown

import "bytes"

// maxDepth limits how deep quotes, lists, links and emphasis are nested. Deeper ones are text.
const maxDepth = 50

// Parse returns the tree of a text.
func Parse(source string) *Document {
	p := &parser{refs: map[string]ref{}, ids: map[string]int{}}
	d := &Document{p.blocks(p.lines(source), 0)}
	p.inlinesOf(d.Blocks) // when all references are known
	return d
}

// Convert writes the HTML of a text.
func Convert(source string, out *bytes.Buffer) { Parse(source).Render(out) }

// A parser has the data about the whole text.
type parser struct {
	refs map[string]ref
	ids  map[string]int // of headings
	buf  []byte
}

// A ref is the target of links with a label.
type ref struct{ dest, title string }
