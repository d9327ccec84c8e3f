package script

import (
	"strconv"
	"strings"
)

type kind uint8

const (
	end kind = iota
	number
	text
	name
	punct
)

type token struct {
	kind kind
	text string // as in the source, or the value of a text
	num  int64
	line int
}

// A lexer cuts a source into tokens.
type lexer struct {
	source string
	at     int
	line   int
	buf    []byte // of a text with escapes
}

func (l *lexer) next() token {
	l.skip()
	from := l.at
	if from == len(l.source) {
		return token{kind: end, line: l.line}
	}
	switch c := l.source[from]; {
	case isLetter(c):
		for l.at < len(l.source) && (isLetter(l.source[l.at]) || isDigit(l.source[l.at])) {
			l.at++
		}
		return token{kind: name, text: l.source[from:l.at], line: l.line}
	case isDigit(c):
		for l.at < len(l.source) && isDigit(l.source[l.at]) {
			l.at++
		}
		n, err := strconv.ParseInt(l.source[from:l.at], 10, 64)
		if err != nil {
			fail(l.line, "the number %.40s is too large", l.source[from:l.at])
		}
		return token{kind: number, num: n, line: l.line}
	case c == '"':
		return l.text()
	}
	l.at++
	if l.at < len(l.source) {
		switch l.source[from : l.at+1] {
		case "==", "!=", "<=", ">=", "&&", "||":
			l.at++
		}
	}
	return token{kind: punct, text: l.source[from:l.at], line: l.line}
}

// skip skips blanks and comments.
func (l *lexer) skip() {
	for ; l.at < len(l.source); l.at++ {
		switch l.source[l.at] {
		case '\n':
			l.line++
		case ' ', '\t', '\r':
		case '#':
			n := strings.IndexByte(l.source[l.at:], '\n')
			if n < 0 {
				l.at = len(l.source)
				return
			}
			l.at += n - 1
		default:
			return
		}
	}
}

// text reads a text in quotes. One without escapes is a part of the source.
func (l *lexer) text() token {
	line, from := l.line, l.at+1
	l.buf = l.buf[:0]
	for i := from; i < len(l.source); i++ {
		switch c := l.source[i]; c {
		case '"':
			l.at = i + 1
			if len(l.buf) == 0 {
				return token{kind: text, text: l.source[from:i], line: line}
			}
			l.buf = append(l.buf, l.source[from:i]...)
			return token{kind: text, text: string(l.buf), line: line}
		case '\\':
			if i+1 == len(l.source) {
				continue
			}
			l.buf = append(l.buf, l.source[from:i]...)
			i++
			l.buf = append(l.buf, unescaped(l.source[i]))
			from = i + 1
		case '\n':
			l.line++
		}
	}
	fail(line, "a text has no end")
	return token{}
}

func unescaped(c byte) byte {
	switch c {
	case 'n':
		return '\n'
	case 't':
		return '\t'
	}
	return c
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

func isLetter(c byte) bool { return 'a' <= c|0x20 && c|0x20 <= 'z' || c == '_' }
