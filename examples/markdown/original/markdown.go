// Package markdown makes HTML of texts in a language like Markdown, in plain Go: blocks by lines,
// inlines within them, a tree, and a renderer. Package ported beside it is the same with an arena.
//
// There are headings with identifiers, paragraphs, quotes, lists, code between fences, rules, links
// by reference; emphasis, code, links, images, addresses, and breaks of lines. What a text says as
// HTML comes out as text.
package markdown

import "bytes"

// maxDepth is how deep quotes, lists, links and emphasis may be in each other. What
// is deeper is text.
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

// A parser holds what is known of the whole text.
type parser struct {
	refs map[string]ref
	ids  map[string]int // of headings
	buf  []byte
}

// A ref is where links with a label lead to.
type ref struct{ dest, title string }
