package markdown

import (
	"bytes"
	"strconv"
	"strings"
)

// Render writes a document as HTML.
func (d *Document) Render(out *bytes.Buffer) { renderBlocks(out, d.Blocks) }

func renderBlocks(out *bytes.Buffer, blocks []Block) {
	for _, b := range blocks {
		renderBlock(out, b)
	}
}

func renderBlock(out *bytes.Buffer, b Block) {
	switch b := b.(type) {
	case *Heading:
		level := byte('0' + b.Level)
		out.WriteString("<h")
		out.WriteByte(level)
		attribute(out, "id", b.ID)
		out.WriteString(">")
		renderInlines(out, b.Text)
		out.WriteString("</h")
		out.WriteByte(level)
		out.WriteString(">\n")
	case *Paragraph:
		if b.tight {
			renderInlines(out, b.Text)
			return
		}
		out.WriteString("<p>")
		renderInlines(out, b.Text)
		out.WriteString("</p>\n")
	case *Code:
		out.WriteString("<pre><code")
		if b.Language != "" {
			attribute(out, "class", b.Language)
		}
		out.WriteString(">")
		escaped(out, b.Text)
		out.WriteString("\n</code></pre>\n")
	case *Quote:
		out.WriteString("<blockquote>\n")
		renderBlocks(out, b.Blocks)
		out.WriteString("</blockquote>\n")
	case *List:
		renderList(out, b)
	case *Rule:
		out.WriteString("<hr>\n")
	}
}

func renderList(out *bytes.Buffer, l *List) {
	tag := "ul"
	if l.Ordered {
		tag = "ol"
	}
	out.WriteString("<")
	out.WriteString(tag)
	if l.Ordered && l.Start != 1 {
		attribute(out, "start", strconv.Itoa(l.Start))
	}
	out.WriteString(">\n")
	for _, item := range l.Items {
		out.WriteString("<li>")
		renderBlocks(out, item.Blocks)
		out.WriteString("</li>\n")
	}
	out.WriteString("</")
	out.WriteString(tag)
	out.WriteString(">\n")
}

func renderInlines(out *bytes.Buffer, inlines []Inline) {
	for _, x := range inlines {
		switch x := x.(type) {
		case *Text:
			escaped(out, x.Text)
		case *Emphasis:
			tag := "em>"
			if x.Strong {
				tag = "strong>"
			}
			out.WriteString("<")
			out.WriteString(tag)
			renderInlines(out, x.Of)
			out.WriteString("</")
			out.WriteString(tag)
		case *CodeSpan:
			out.WriteString("<code>")
			escaped(out, x.Text)
			out.WriteString("</code>")
		case *Link:
			out.WriteString("<a")
			address(out, "href", x.Dest)
			if x.Title != "" {
				attribute(out, "title", x.Title)
			}
			out.WriteString(">")
			renderInlines(out, x.Of)
			out.WriteString("</a>")
		case *Image:
			out.WriteString("<img")
			address(out, "src", x.Dest)
			out.WriteString(` alt="`)
			plain(out, x.Of)
			out.WriteString(`">`)
		case *Break:
			out.WriteString("<br>\n")
		}
	}
}

// plain writes the text of inlines, without their tags.
func plain(out *bytes.Buffer, inlines []Inline) {
	for _, x := range inlines {
		switch x := x.(type) {
		case *Text:
			escaped(out, x.Text)
		case *CodeSpan:
			escaped(out, x.Text)
		case *Emphasis:
			plain(out, x.Of)
		case *Link:
			plain(out, x.Of)
		}
	}
}

func attribute(out *bytes.Buffer, name, value string) {
	out.WriteString(" ")
	out.WriteString(name)
	out.WriteString(`="`)
	escaped(out, value)
	out.WriteString(`"`)
}

// address writes an attribute with an address, unless the address runs a script.
func address(out *bytes.Buffer, name, dest string) {
	if scheme, _, ok := strings.Cut(dest, ":"); ok {
		switch {
		case strings.EqualFold(scheme, "http"), strings.EqualFold(scheme, "https"), strings.EqualFold(scheme, "mailto"):
		case strings.ContainsAny(scheme, "/?#"): // a path
		default:
			dest = ""
		}
	}
	attribute(out, name, dest)
}

// escaped writes a text without tags.
func escaped(out *bytes.Buffer, s string) {
	from := 0
	for i := range len(s) {
		var with string
		switch s[i] {
		case '&':
			with = "&amp;"
		case '<':
			with = "&lt;"
		case '>':
			with = "&gt;"
		case '"':
			with = "&quot;"
		default:
			continue
		}
		out.WriteString(s[from:i])
		out.WriteString(with)
		from = i + 1
	}
	out.WriteString(s[from:])
}
