// Package grammar has a parser that a stand-in for goyacc has made of parser.y.
package grammar

import "strings"

// A Node is a word.
type Node struct {
	Name string
	Next *Node
}

type lexer struct {
	rest  string
	words int
}

// Lex returns the next word.
func (l *lexer) Lex() (word string) {
	word, l.rest, _ = strings.Cut(l.rest, ",")
	return word
}

// Parse makes a list of words.
func Parse(text string) *Node {
	var p yyParserImpl
	return p.Parse(&lexer{rest: text})
}
