// Package lib fills arenas, and doesn't know their kind.
package lib

import (
	"strconv"

	"github.com/harena-go/arena"
)

type Node struct {
	Name string
	Next *Node
}

func Number(a *arena.Arena, n int) *Node {
	p := arena.New[Node](a)
	p.Name = strconv.Itoa(n)
	return p
}

func Named(a *arena.Arena, name string) *Node { return arena.NewOf(a, Node{Name: name}) }

func Copied(a *arena.Arena, name string) *Node {
	return arena.NewOf(a, Node{Name: a.AllocString(name)})
}

func (n *Node) Rename(name string) { n.Name = name }

func Hello(name string) string { return "hello, " + name }

func SelfContained() *arena.Arena { return arena.NewArena(arena.WithName("tree"), arena.WithNoScan()) }

func Keep(a *arena.Arena, name string) string {
	a.KeepAlive(name)
	return name
}

func Raw(a *arena.Arena) *Node { return (*Node)(a.Alloc(24, 8)) }
