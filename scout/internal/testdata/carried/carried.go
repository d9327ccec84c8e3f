// Package carried has the structs that bring an arena along, and variables whose address is taken. Comments say what a
// patch must make of them.
package carried

import (
	"bytes"
	"io"
	"reflect"
	"slices"
	"strings"
	"sync"
)

// Node is what is made everywhere.
type Node struct {
	Name string
	Kids []*Node
}

// Parser is what the unit is given, with one more in it. Both have fields for as long as a unit runs.
type Parser struct {
	inner
	units int
	*shared
}

type inner struct{ pos int }

// shared may be used by other goroutines: no field.
type shared struct {
	mu sync.Mutex
	n  int
}

// state is copied again and again: few are made, and the copies have the field, too.
type state struct {
	words []string
	pos   int
}

// compiler is what all expressions lead to.
type compiler struct{ code []string }

type literal struct {
	c     *compiler
	value string
}

type expr interface{ compile(p *printer) *Node }

// printer is a parameter of interface methods.
type printer struct{ out []string }

// scratch is kept by a pool: no field.
type scratch struct{ used int }

var pool = sync.Pool{New: func() any { return new(scratch) }}

// table is large.
type table struct {
	rows  [200]int
	names []string
}

// element is a struct with others like it.
type element struct {
	name string
	kids []token
}

type token interface{ text() string }

func (e *element) text() string { return e.name }

func (e *element) add(name string) *Node { // a field
	kid := &element{name: name}
	e.kids = append(e.kids, kid)
	return &Node{Name: kid.text()}
}

func NewParser() *Parser { return &Parser{shared: &shared{}} }

// Parse is the unit.
func (p *Parser) Parse(words ...string) *Node {
	p.units++
	s := &state{words: words}
	root := s.copyOf("root")
	for s.pos < len(s.words) {
		before := s.save()
		held = before
		root.Kids = append(root.Kids, s.next())
		s.restore(before)
		s.pos++
	}
	held = nil
	c := &compiler{}
	out := &printer{}
	root.Kids = append(root.Kids, c.of(words).compile(out), p.node(), p.inner.node(), p.shared.node())
	root.Kids = append(root.Kids, Helper("helper"), pooled())
	root.Kids = append(root.Kids, largeCopy(words))
	root.Kids = append(root.Kids, library(words))
	root.Kids = append(root.Kids, (&element{}).add("element"))
	n := declared(words)
	root.Kids = append(root.Kids, &n)
	done := make(chan *Node)
	go func() { done <- parallel("launched") }()
	root.Kids = append(root.Kids, <-done)
	return root
}

func (p *Parser) node() *Node { // a field
	p.units++
	return &Node{Name: "parser"}
}

func (i *inner) node() *Node { // a field
	i.pos++
	return &Node{Name: "inner"}
}

func (s *shared) node() *Node { // a parameter
	s.mu.Lock()
	defer s.mu.Unlock()
	s.n++
	return &Node{Name: "shared"}
}

func parallel(name string) *Node { // another goroutine: as it was
	return &Node{Name: name}
}

func (s *state) save() *state { // a copy
	cpy := *s
	return &cpy
}

func (s *state) restore(before *state) { *s = *before }

func (s *state) next() *Node { // a field
	var n Node
	n.Name = s.words[s.pos]
	return &n
}

func (s *state) copyOf(name string) *Node {
	n, ok := named(name)
	if !ok {
		return nil
	}
	return &n
}

func named(name string) (Node, bool) { return Node{Name: name}, true }

func (c *compiler) of(words []string) expr { // a field
	return &literal{c, words[0]}
}

func (l *literal) compile(p *printer) *Node { // by interface, and p has the field
	p.out = append(p.out, l.value)
	return &Node{Name: l.value}
}

// Helper keeps its signature, and needs no other name for users.
func Helper(name string) *Node { return &Node{Name: name} }

func pooled() *Node {
	s := pool.Get().(*scratch)
	defer pool.Put(s)
	return s.node("pooled")
}

func (s *scratch) node(name string) *Node { // a parameter
	s.used++
	return &Node{Name: name}
}

func largeCopy(words []string) *Node {
	t := table{names: words}
	u := t
	kept = &u
	kept = nil
	return &Node{Name: u.names[0]}
}

func library(words []string) *Node { // functions of the standard library that an arena has
	text := strings.ReplaceAll(strings.Repeat(strings.ToUpper(words[0]), 20), "O", words[1])
	b, err := io.ReadAll(strings.NewReader(text))
	list = slices.Clone(words)
	first := list[0]
	list = nil
	if err != nil || !bytes.Equal(b, []byte(text)) {
		return nil
	}
	typ := reflect.TypeFor[*Node]()
	n := reflect.New(typ.Elem()).Interface().(*Node)
	n.Name = first
	return n
}

func declared(words []string) Node {
	for _, word := range words {
		last = &word
	}
	last = nil
	return Node{Name: words[0]}
}

var (
	kept *table
	last *string
	held *state
	list []string
)
