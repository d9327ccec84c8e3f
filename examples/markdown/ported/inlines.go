package markdown

import (
	"strings"

	"github.com/harena-go/arena"
)

// inlinesOf parses the text in all blocks.
func (p *parser) inlinesOf(blocks []Block) {
	for _, b := range blocks {
		switch b := b.(type) {
		case *Heading:
			b.Text = p.inlines(b.raw)
		case *Paragraph:
			b.Text = p.inlines(b.raw)
		case *Quote:
			p.inlinesOf(b.Blocks)
		case *List:
			for _, item := range b.Items {
				p.inlinesOf(item.Blocks)
			}
		}
	}
}

// A frame is an open emphasis or link. If it doesn't end, its sign is text.
type frame struct {
	sign string
	of   []Inline
}

// An inliner parses one text.
type inliner struct {
	*parser
	s      string
	at     int // the text before it is parsed
	from   int // start of the text that isn't in a frame yet
	frames []*frame
	ticks  [16]bool // of code: the text has no more such signs
}

func (p *parser) inlines(s string) []Inline {
	in := &inliner{parser: p, s: s, frames: arena.Append(p.a, nil, arena.New[frame](p.a))}
	for in.at < len(s) {
		in.step()
	}
	in.flush(in.at)
	in.drop(1)
	return in.frames[0].of
}

// add adds an inline to the innermost frame.
func (in *inliner) add(x Inline) {
	f := in.frames[len(in.frames)-1]
	f.of = arena.Append(in.a, f.of, x)
}

// flush makes an inline of the text up to a place.
func (in *inliner) flush(to int) {
	if in.from < to {
		in.add(arena.NewOf(in.a, Text{in.s[in.from:to]}))
	}
}

// take adds an inline that ends at a place.
func (in *inliner) take(x Inline, end int) {
	in.flush(in.at)
	if x != nil {
		in.add(x)
	}
	in.at, in.from = end, end
}

// drop turns the signs of all frames but the first n into text.
func (in *inliner) drop(n int) {
	for len(in.frames) > n {
		f := in.frames[len(in.frames)-1]
		in.frames = in.frames[:len(in.frames)-1]
		in.add(arena.NewOf(in.a, Text{f.sign}))
		below := in.frames[len(in.frames)-1]
		below.of = arena.Append(in.a, below.of, f.of...)
	}
}

// open begins a frame with the next sign.
func (in *inliner) open(sign string) {
	if len(in.frames) > maxDepth {
		in.at += len(sign)
		return
	}
	in.take(nil, in.at+len(sign))
	in.frames = arena.Append(in.a, in.frames, arena.NewOf(in.a, frame{sign: sign}))
}

// innermost returns the index of the innermost frame with a sign, -1 if there is none.
func (in *inliner) innermost(sign string) int {
	for i := len(in.frames) - 1; i > 0; i-- {
		if in.frames[i].sign == sign {
			return i
		}
	}
	return -1
}

// close ends frame i at a place, and returns its contents.
func (in *inliner) close(i, end int) []Inline {
	in.take(nil, end)
	in.drop(i + 1)
	of := in.frames[i].of
	in.frames = in.frames[:i]
	return of
}

func (in *inliner) step() {
	switch c := in.s[in.at]; c {
	case '\\':
		in.escape()
	case '`':
		in.code()
	case '*', '_':
		in.emphasis(c)
	case '[':
		in.open("[")
	case '!':
		if strings.HasPrefix(in.s[in.at:], "![") {
			in.open("![")
			return
		}
		in.at++
	case ']':
		in.link()
	case '<':
		in.address()
	case '\n':
		in.line()
	default:
		in.at++
	}
}

func (in *inliner) escape() {
	rest := in.s[in.at+1:]
	switch {
	case rest == "":
		in.at++
	case rest[0] == '\n':
		in.take(arena.New[Break](in.a), in.at+2)
	case strings.IndexByte("\\`*_{}[]<>()#+-.!|~\"'", rest[0]) >= 0:
		in.take(nil, in.at+1)
		in.at++
	default:
		in.at++
	}
}

func (in *inliner) line() {
	text := in.s[in.from:in.at]
	if !strings.HasSuffix(text, "  ") {
		in.at++
		return
	}
	end := in.at + 1
	in.at -= len(text) - len(strings.TrimRight(text, " "))
	in.take(arena.New[Break](in.a), end)
}

func (in *inliner) code() {
	sign := run(in.s[in.at:], '`')
	from := in.at + len(sign)
	if len(sign) >= len(in.ticks) || in.ticks[len(sign)] {
		in.at = from
		return
	}
	for i := from; i < len(in.s); {
		n := strings.IndexByte(in.s[i:], '`')
		if n < 0 {
			break
		}
		i += n
		closing := run(in.s[i:], '`')
		if closing == sign {
			text := in.s[from:i]
			if strings.IndexByte(text, '\n') >= 0 {
				text = in.joined(text)
			}
			in.take(arena.NewOf(in.a, CodeSpan{text}), i+len(sign))
			return
		}
		i += len(closing)
	}
	in.ticks[len(sign)] = true
	in.at = from
}

// joined returns a text of several lines as one.
func (in *inliner) joined(text string) string {
	in.buf = append(in.buf[:0], text...)
	for i, c := range in.buf {
		if c == '\n' {
			in.buf[i] = ' '
		}
	}
	return in.a.AllocBytesToString(in.buf)
}

// run returns the signs at the beginning of a text.
func run(s string, c byte) string {
	n := 1
	for n < len(s) && s[n] == c {
		n++
	}
	return s[:n]
}

func (in *inliner) emphasis(c byte) {
	sign := run(in.s[in.at:], c)
	if len(sign) > 2 {
		sign = sign[:2]
	}
	end := in.at + len(sign)
	opens := end < len(in.s) && !space(in.s[end])
	closes := in.at > 0 && !space(in.s[in.at-1])
	if c == '_' && in.at > 0 && word(in.s[in.at-1]) && end < len(in.s) && word(in.s[end]) {
		in.at = end
		return
	}
	if closes {
		if i := in.innermost(sign); i > 0 {
			of := in.close(i, end)
			in.add(arena.NewOf(in.a, Emphasis{len(sign) == 2, of}))
			return
		}
	}
	if opens {
		in.open(sign)
		return
	}
	in.at = end
}

func space(c byte) bool { return c == ' ' || c == '\n' || c == '\t' }

func word(c byte) bool {
	return 'a' <= c|0x20 && c|0x20 <= 'z' || '0' <= c && c <= '9' || c >= 0x80
}

// link ends a link or an image: [text](dest "title"), [text][label], [label].
func (in *inliner) link() {
	i, image := in.innermost("["), in.innermost("![")
	if i = max(i, image); i < 0 {
		in.at++
		return
	}
	to, end, ok := in.target(i)
	if !ok {
		in.at++
		in.flush(in.at)
		in.from = in.at
		in.drop(i)
		return
	}
	of := in.close(i, end)
	if i == image {
		in.add(arena.NewOf(in.a, Image{to.dest, to.title, of}))
	} else {
		in.add(arena.NewOf(in.a, Link{to.dest, to.title, of}))
	}
}

// target returns the target of a frame's link, and the end of its text.
func (in *inliner) target(i int) (to ref, end int, ok bool) {
	const longest = 1000
	rest := in.s[in.at+1:]
	if len(rest) > longest {
		rest = rest[:longest]
	}
	if rest != "" && rest[0] == '(' {
		if n := strings.IndexByte(rest, ')'); n > 0 {
			dest, title, _ := strings.Cut(strings.TrimSpace(rest[1:n]), " ")
			return ref{dest, strings.Trim(title, ` "'`)}, in.at + 1 + n + 1, true
		}
	}
	if rest != "" && rest[0] == '[' {
		if n := strings.IndexByte(rest, ']'); n > 1 {
			to, ok = in.refs.Get(in.key(rest[1:n]))
			return to, in.at + 1 + n + 1, ok
		}
	}
	if in.refs.Len() == 0 {
		return to, 0, false
	}
	open := strings.LastIndexByte(in.s[max(0, in.at-longest):in.at], '[')
	if open < 0 {
		return to, 0, false
	}
	to, ok = in.refs.Get(in.key(in.s[max(0, in.at-longest)+open+1 : in.at]))
	return to, in.at + 1, ok
}

func (in *inliner) address() {
	rest := in.s[in.at+1:]
	n := strings.IndexAny(rest[:min(len(rest), 1000)], "> \n<")
	if n < 1 || rest[n] != '>' || !strings.Contains(rest[:n], ":") {
		in.at++
		return
	}
	text := arena.Append[Inline](in.a, nil, arena.NewOf(in.a, Text{rest[:n]}))
	in.take(arena.NewOf(in.a, Link{Dest: rest[:n], Of: text}), in.at+n+2)
}
