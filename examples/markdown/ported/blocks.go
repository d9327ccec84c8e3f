package markdown

import (
	"strconv"
	"strings"
	"unicode"

	"github.com/harena-go/arena"
)

func (p *parser) lines(source string) []string {
	lines := arena.MakeSlice[string](p.a, 0, strings.Count(source, "\n")+1)
	for line := range strings.Lines(source) {
		lines = arena.Append(p.a, lines, strings.TrimRight(line, "\r\n"))
	}
	return lines
}

// blocks parses lines to blocks.
func (p *parser) blocks(lines []string, depth int) (blocks []Block) {
	for len(lines) > 0 {
		if blank(lines[0]) || p.define(lines[0]) {
			lines = lines[1:]
			continue
		}
		b, n := p.block(lines, depth)
		blocks = arena.Append(p.a, blocks, b)
		lines = lines[n:]
	}
	return blocks
}

// block parses the block that begins in the first line, and returns how many lines it has.
func (p *parser) block(lines []string, depth int) (Block, int) {
	line := strings.TrimLeft(lines[0], " ")
	if level := headingLevel(line); level > 0 {
		raw := strings.Trim(line[level:], " #")
		return arena.NewOf(p.a, Heading{Level: level, ID: p.id(raw), raw: raw}), 1
	}
	if fence(line) {
		return p.code(lines)
	}
	if isRule(line) {
		return arena.New[Rule](p.a), 1
	}
	if depth < maxDepth {
		if line[0] == '>' {
			return p.quote(lines, depth)
		}
		if _, ok := markerOf(lines[0]); ok {
			return p.list(lines, depth)
		}
	}
	n := 1
	for n < len(lines) && !blank(lines[n]) && !p.begins(lines[n], depth) {
		n++
	}
	for i := range n {
		lines[i] = strings.TrimLeft(lines[i], " ")
	}
	return arena.NewOf(p.a, Paragraph{raw: strings.TrimRight(arena.Join(p.a, lines[:n], "\n"), " ")}), n
}

func blank(line string) bool { return strings.TrimLeft(line, " \t") == "" }

// begins reports whether a line ends the paragraph before it.
func (p *parser) begins(line string, depth int) bool {
	_, marker := markerOf(line)
	line = strings.TrimLeft(line, " ")
	return headingLevel(line) > 0 || fence(line) || isRule(line) || depth < maxDepth && (line[0] == '>' || marker)
}

func headingLevel(line string) int {
	n := len(line) - len(strings.TrimLeft(line, "#"))
	if n > 6 || n < len(line) && line[n] != ' ' {
		return 0
	}
	return n
}

func fence(line string) bool { return strings.HasPrefix(line, "```") || strings.HasPrefix(line, "~~~") }

func isRule(line string) bool {
	c, n := line[0], 0
	if c != '-' && c != '*' && c != '_' {
		return false
	}
	for i := range len(line) {
		switch line[i] {
		case c:
			n++
		case ' ':
		default:
			return false
		}
	}
	return n >= 3
}

// id returns a unique identifier for a heading.
func (p *parser) id(text string) string {
	p.buf = p.buf[:0]
	for _, r := range text {
		switch {
		case unicode.IsLetter(r) || unicode.IsDigit(r):
			p.buf = append(p.buf, string(unicode.ToLower(r))...)
		case r == ' ' || r == '-':
			p.buf = append(p.buf, '-')
		}
	}
	id := p.a.AllocBytesToString(p.buf)
	n, known := p.ids.Get(id)
	p.ids.Set(id, n+1)
	if known {
		p.buf = strconv.AppendInt(append(p.buf, '-'), int64(n), 10)
		id = p.a.AllocBytesToString(p.buf)
		*p.ids.Ref(id)++
	}
	return id
}

func (p *parser) code(lines []string) (Block, int) {
	open := strings.TrimLeft(lines[0], " ")
	n := 1
	for n < len(lines) && !strings.HasPrefix(strings.TrimLeft(lines[n], " "), open[:3]) {
		n++
	}
	c := arena.NewOf(p.a, Code{Language: strings.TrimSpace(strings.TrimLeft(open, open[:1]))})
	if n > 1 {
		c.Text = arena.Join(p.a, lines[1:n], "\n")
	}
	return c, min(n+1, len(lines))
}

func (p *parser) quote(lines []string, depth int) (Block, int) {
	var inner []string
	for _, line := range lines {
		line = strings.TrimLeft(line, " ")
		if line == "" || line[0] != '>' {
			break
		}
		inner = arena.Append(p.a, inner, strings.TrimPrefix(line[1:], " "))
	}
	n := len(inner)
	return arena.NewOf(p.a, Quote{p.blocks(inner, depth+1)}), n
}

// A marker is the beginning of a list's item.
type marker struct {
	ordered bool
	number  int
	indent  int // where the item's text begins
}

func markerOf(line string) (m marker, ok bool) {
	rest := strings.TrimLeft(line, " ")
	m.indent = len(line) - len(rest)
	digits := 0
	for digits < len(rest) && digits < 9 && '0' <= rest[digits] && rest[digits] <= '9' {
		m.number = 10*m.number + int(rest[digits]-'0')
		digits++
	}
	m.ordered = digits > 0
	rest = rest[digits:]
	if rest == "" {
		return m, false
	}
	switch rest[0] {
	case '-', '*', '+':
		ok = !m.ordered
	case '.', ')':
		ok = m.ordered
	}
	m.indent += digits + 2
	return m, ok && len(rest) > 1 && rest[1] == ' '
}

func (p *parser) list(lines []string, depth int) (Block, int) {
	first, _ := markerOf(lines[0])
	l := arena.NewOf(p.a, List{Ordered: first.ordered, Start: first.number, Tight: true})
	at := 0
	for at < len(lines) {
		m, ok := markerOf(lines[at])
		if !ok || m.ordered != first.ordered || isRule(strings.TrimLeft(lines[at], " ")) {
			break
		}
		inner := arena.Append(p.a, nil, lines[at][m.indent:])
		end := at + 1 // of the lines that surely belong to the item
		for i := end; i < len(lines); i++ {
			switch {
			case blank(lines[i]):
				inner = arena.Append(p.a, inner, "")
				continue
			case indented(lines[i], m.indent):
				inner = arena.Append(p.a, inner, lines[i][m.indent:])
			default:
				i = len(lines)
				continue
			}
			end = i + 1
		}
		inner = inner[:end-at]
		for _, line := range inner {
			l.Tight = l.Tight && line != ""
		}
		l.Items = arena.Append(p.a, l.Items, arena.NewOf(p.a, Item{p.blocks(inner, depth+1)}))
		for at = end; at < len(lines) && blank(lines[at]); at++ {
		}
		if _, ok := p.next(lines[at:]); ok && at > end {
			l.Tight = false
		}
	}
	for _, item := range l.Items {
		for _, b := range item.Blocks {
			if b, ok := b.(*Paragraph); ok {
				b.tight = l.Tight
			}
		}
	}
	return l, at
}

// next returns the marker of the first line, if it has one.
func (p *parser) next(lines []string) (m marker, ok bool) {
	if len(lines) == 0 {
		return m, false
	}
	return markerOf(lines[0])
}

func indented(line string, n int) bool {
	return len(line) > n && strings.TrimLeft(line[:n], " ") == ""
}

// define takes a line that defines the target of a label.
func (p *parser) define(line string) bool {
	label, rest, ok := strings.Cut(strings.TrimLeft(line, " "), "]:")
	if !ok || len(label) < 2 || label[0] != '[' {
		return false
	}
	dest, title, _ := strings.Cut(strings.TrimSpace(rest), " ")
	if dest == "" {
		return false
	}
	key := p.key(label[1:])
	if !p.refs.Has(key) {
		p.refs.Set(p.a.AllocString(key), ref{dest, strings.Trim(title, ` "'()`)})
	}
	return true
}

// key returns a label in its form for comparisons.
func (p *parser) key(label string) string { return strings.ToLower(strings.TrimSpace(label)) }
