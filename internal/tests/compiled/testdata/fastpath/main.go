// Fastpath is compiled by a test that reads what the compiler made of it.
package main

import (
	"github.com/harena-go/arena"
	"github.com/harena-go/arena/collections"
)

// Own is a type without pointers of the caller's own package: the compiler
// emits its descriptor here, and treats loads from it differently from those
// of a type that it imports.
type Own struct{ a, b, c uint64 }

// Node is a type with pointers.
type Node struct {
	left, right *Node
	n           int
}

//go:noinline
func NewInt(a *arena.Arena) *int { return arena.New[int](a) }

//go:noinline
func NewOwn(a *arena.Arena) *Own { return arena.New[Own](a) }

//go:noinline
func NewNode(a *arena.Arena) *Node { return arena.New[Node](a) }

//go:noinline
func NewOfOwn(a *arena.Arena, x uint64) *Own { return arena.NewOf(a, Own{a: x}) }

//go:noinline
func NewOfNode(a *arena.Arena, l *Node) *Node { return arena.NewOf(a, Node{left: l}) }

//go:noinline
func TypedInt(t *arena.Typed[int]) *int { return t.New() }

//go:noinline
func TypedNode(t *arena.Typed[Node]) *Node { return t.New() }

//go:noinline
func AppendOne(a *arena.Arena, s []int, v int) []int { return arena.Append(a, s, v) }

//go:noinline
func AppendNode(a *arena.Arena, s []*Node, n *Node) []*Node { return arena.Append(a, s, n) }

//go:noinline
func SliceAppend(s *collections.Slice[int], v int) { s.Append(v) }

//go:noinline
func SliceAppendNode(s *collections.Slice[*Node], n *Node) { s.Append(n) }

//go:noinline
func AppendNodes(a *arena.Arena, s []*Node, n *Node) []*Node { return arena.Append(a, s, n, n) }

//go:noinline
func ForNew(a *arena.Arena) *Node { return arena.For[Node](a).New() }

//go:noinline
func Copy(a *arena.Arena, s []Own) []Own { return arena.CopySlice(a, s) }

//go:noinline
func SlotAt(s *collections.Slots[Own], r collections.Ref[Own]) *Own { return s.At(r) }

func main() {
	var a arena.Arena
	NewInt(&a)
	NewOwn(&a)
	NewOfOwn(&a, 1)
	n := NewNode(&a)
	NewOfNode(&a, n)
	TypedInt(arena.For[int](&a))
	TypedNode(arena.For[Node](&a))
	AppendOne(&a, nil, 1)
	AppendNode(&a, nil, n)
	AppendNodes(&a, nil, n)
	SliceAppend(collections.NewSlice[int](&a, 0), 1)
	SliceAppendNode(collections.NewSlice[*Node](&a, 0), n)
	ForNew(&a)
	Copy(&a, nil)
}
