// Package lib has functions that other packages know by facts alone.
package lib

import "github.com/harena-go/arena"

type Node struct {
	Name string
	N    int
	Next *Node
}

type Parser struct {
	a    *arena.Arena
	root *Node
	own  arena.Arena
}

var pool = arena.NewPool(arena.WithReuse())

func NewParser(a *arena.Arena) *Parser { return &Parser{a: a} }

func (p *Parser) Parse(s string) *Node {
	n := arena.New[Node](p.a)
	n.Name = p.a.AllocString(s)
	return n
}

func (p *Parser) Reset() { p.a.Reset() }

func (p *Parser) Owned() *Node { return arena.New[Node](&p.own) }
func (p *Parser) DropOwned()   { p.own.Reset() }

func Make(a *arena.Arena) *Node { return arena.New[Node](a) }

func MakeOrFail(a *arena.Arena) (*Node, error) { return Make(a), nil }

func Clear(a *arena.Arena) { a.Reset() }

func ClearOrFail(a *arena.Arena, bad bool) error {
	if bad {
		a.Reset()
		return errBad
	}
	return nil
}

var errBad error

func First(list []*Node) *Node { return list[0] }

func Longest(a, b string) string {
	if len(a) > len(b) {
		return a
	}
	return b
}

func Length(s string) int { return len(s) }

func Undo(a *arena.Arena, m arena.Mark) { a.Rewind(m) }

func Scratch(a *arena.Arena) int {
	m := a.Mark()
	defer a.Rewind(m)
	return len(a.AllocBytes(100))
}

func Get() *arena.Arena  { return pool.Get() }
func Put(a *arena.Arena) { pool.Put(a) }

func With(f func(a *arena.Arena)) {
	a := pool.Get()
	defer pool.Put(a)
	f(a)
}

var last *Node

func Keep(n *Node)         { last = n }
func Link(n, next *Node)   { n.Next = next }
func Start(a *arena.Arena) { go Make(a) }
func Watch(n *Node)        { go func() { n.N++ }() }
func Last() *Node          { return last }
