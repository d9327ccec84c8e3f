package index

import (
	"go/token"
	"strings"
)

// syntax follows just enough of Go's grammar to know, token by token, which
// identifier a top-level declaration declares, which comment documents it, and
// which string is an import path. A parser would allocate a tree; this keeps
// the share of the index in the workload's memory high.
type syntax struct {
	depth    int  // of open brackets
	kind     Kind // of the declaration that we are in, 0 outside
	start    int  // line of its keyword
	group    bool // in the parentheses of "var ("
	receiver bool // in the parentheses of "func ("
	wants    bool // the next identifier is a declared name
	named    bool // the last token was one
	imp      bool // in an import declaration

	doc      []byte // the last comment group, without markers; reused
	docEnd   int    // line it ends on, 0 if there is none
	lastLine int    // of the last token that is no comment
}

// What a token means beyond itself.
type event int

const (
	nothing event = iota
	declares
	imports
)

func (s *syntax) begin() { *s = syntax{doc: s.doc[:0]} }

// next takes the next token and says what it means.
func (s *syntax) next(tok token.Token, line int) (e event) {
	named := false
	switch tok {
	case token.IDENT:
		if s.wants {
			e, named, s.wants = declares, true, false
		}
	case token.STRING:
		if s.imp {
			e = imports
		}
	case token.COMMA:
		s.wants = s.wants || s.named && s.kind != Func // var a, b int
	case token.IMPORT:
		s.imp = s.depth == 0
	case token.CONST, token.FUNC, token.TYPE, token.VAR:
		if s.depth == 0 && s.kind == 0 {
			s.kind, s.start, s.wants = kinds[tok], line, true
		}
	case token.LPAREN, token.LBRACE, token.LBRACK:
		s.open(tok)
	case token.RPAREN, token.RBRACE, token.RBRACK:
		s.close()
	case token.SEMICOLON:
		if s.depth == 0 {
			s.kind, s.wants, s.imp = 0, false, false
		} else if s.group && s.depth == 1 {
			s.wants = true
		}
	}
	s.named, s.lastLine = named, line
	return e
}

var kinds = map[token.Token]Kind{token.CONST: Const, token.FUNC: Func, token.TYPE: Type, token.VAR: Var}

func (s *syntax) open(tok token.Token) {
	if s.depth == 0 && s.wants && tok == token.LPAREN {
		if s.kind == Func {
			s.receiver, s.wants = true, false
		} else {
			s.group = true
		}
	}
	s.depth++
}

func (s *syntax) close() {
	s.depth = max(s.depth-1, 0)
	if s.depth == 0 {
		s.wants = s.receiver // func (r R) Name: the name comes after it
		s.group, s.receiver = false, false
	}
}

// comment takes a comment. It belongs to the group before it if nothing stands
// between them; one that follows code on its line documents nothing.
func (s *syntax) comment(lit string, line int) {
	if s.depth > 1 || s.depth == 1 && !s.group || line == s.lastLine {
		return
	}
	if s.docEnd != line-1 || s.lastLine == s.docEnd {
		s.doc = s.doc[:0]
	}
	s.docEnd = line + strings.Count(lit, "\n")
	switch {
	case strings.HasPrefix(lit, "//go:"):
		return // an instruction to the compiler
	case strings.HasPrefix(lit, "//"):
		lit = strings.TrimPrefix(lit[2:], " ")
	default:
		lit = strings.TrimSuffix(lit[2:], "*/")
	}
	s.doc = append(append(s.doc, lit...), '\n')
}

// docAbove is the comment that ends on the line above a declaration whose name
// stands on line.
func (s *syntax) docAbove(line int) []byte {
	if !s.group {
		line = s.start
	}
	if s.docEnd == 0 || s.docEnd != line-1 {
		return nil
	}
	return s.doc
}
