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

// state is copied again and again: few are made, and the copies have the field, too.
type state struct {
	words []string
	pos   int
}

// branch is made as a copy of another.
type branch struct {
	text string
	at   int
}

// compiler is what all expressions lead to.
type compiler struct{ code []string }

// base is what expressions embed.
type base struct{ c *compiler }

type literal struct {
	base
	value string
}

type sum struct {
	base
	left, right expr
}

type expr interface{ compile() *Node }

// printer is a parameter of interface methods.
type printer struct{ out []string }

type visitor interface {
	visit(p *printer, n *Node) *Node
}

type upper struct{}

// scratch is from a pool.
type scratch struct{ used int }

var pool = sync.Pool{New: func() any { return new(scratch) }}

// matcher is made before units begin, which have copies of it.
type matcher struct {
	text string
	n    int
}

var original = newMatcher("matched")

// spare is there before units begin, and none makes one.
type spare struct{ used int }

var spares = &spare{}

// table is large.
type table struct {
	rows  [200]int
	names []string
}

// element is a node: documents have many, if not this one.
type element struct {
	name string
	kids []token
}

type token interface{ text() string }

func (e *element) text() string { return e.name }

func (e *element) add(name string) *Node { // a parameter
	kid := &element{name: name}
	e.kids = append(e.kids, kid)
	return &Node{Name: kid.text()}
}

// Parse is the unit.
func Parse(words ...string) *Node {
	s := &state{words, 0} // which gets its names
	root := s.copyOf("root")
	for s.pos < len(s.words) {
		before := s.save()
		held = before
		root.Kids = append(root.Kids, s.next())
		s.restore(before)
		s.pos++
	}
	held = nil
	b := &branch{text: "branch"}
	root.Kids = append(root.Kids, b.fork().fork().fork().fork().fork().node())
	forked = nil
	c := &compiler{}
	root.Kids = append(root.Kids, c.of(words).compile())
	p := &printer{}
	root.Kids = append(root.Kids, visited(upper{}, p, root))
	root.Kids = append(root.Kids, Helper("helper"), pooled(), returned())
	root.Kids = append(root.Kids, large(words), largeCopy(words))
	root.Kids = append(root.Kids, library(words))
	root.Kids = append(root.Kids, matched(words).node())
	cloned = nil
	root.Kids = append(root.Kids, spareOf(words).nodes())
	root.Kids = append(root.Kids, (&element{}).add("element"))
	n := declared(words)
	root.Kids = append(root.Kids, &n)
	return root
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

func (b *branch) fork() *branch { // made, and then a copy
	other := &branch{}
	*other = *b
	other.at++
	forked = other
	return other
}

func (b *branch) node() *Node { return &Node{Name: b.text} }

func (c *compiler) of(words []string) expr { // a field
	if len(words) == 1 {
		return &literal{base{c}, words[0]}
	}
	return &sum{base{c}, c.of(words[:1]), c.of(words[1:])}
}

func (l *literal) compile() *Node { // by interface, and l.c leads to the field
	l.c.code = append(l.c.code, l.value)
	return &Node{Name: l.value}
}

func (s *sum) compile() *Node {
	n := &Node{Name: "sum"}
	n.Kids = append(n.Kids, s.left.compile(), s.right.compile())
	s.c.code = append(s.c.code, "sum")
	return n
}

func visited(v visitor, p *printer, n *Node) *Node { return v.visit(p, n) }

func (upper) visit(p *printer, n *Node) *Node { // by interface, and p has the field
	p.out = append(p.out, n.Name)
	return &Node{Name: "visited"}
}

// Helper keeps its signature, and needs no other name for users.
func Helper(name string) *Node { return &Node{Name: name} }

func pooled() *Node { // the field is set, and cleared
	s := pool.Get().(*scratch)
	defer pool.Put(s)
	return s.node("pooled")
}

func returned() *Node {
	s := get()
	n := s.node("returned")
	pool.Put(s)
	return n
}

func get() *scratch { return pool.Get().(*scratch) }

func (s *scratch) node(name string) *Node {
	s.used++
	return &Node{Name: name}
}

// matched needs a parameter: in each copy the field would be that of the original, nil.
func matched(words []string) *matcher {
	if len(words) > 100 { // which no unit has
		return rare(words)
	}
	cloned = original.clone()
	return cloned
}

func rare(words []string) *matcher { return newMatcher(words[0]) }

func newMatcher(text string) *matcher { return &matcher{text: text} }

func (m *matcher) clone() *matcher { return &matcher{text: m.text} }

func (m *matcher) node() *Node {
	m.n++
	return &Node{Name: m.text}
}

func spareOf(words []string) *spare {
	if len(words) > 100 { // which no unit has
		return &spare{}
	}
	return spares
}

func (s *spare) nodes() *Node { // a parameter, since the arena would have less than half of what is moved
	s.used++
	return &make([]Node, 1000)[0]
}

func large(words []string) *Node { // New and fields
	t := &table{names: words}
	kept = t
	kept = nil
	return &Node{Name: t.names[0]}
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

	forked *branch
	cloned *matcher

	list []string
)
