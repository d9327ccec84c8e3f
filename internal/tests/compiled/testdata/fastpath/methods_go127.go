//go:build go1.27

package main

import "github.com/harena-go/arena"

// These are the functions of the same names without Method, with methods.

//go:noinline
func MethodNewInt(a *arena.Arena) *int { return a.New[int]() }

//go:noinline
func MethodNewOwn(a *arena.Arena) *Own { return a.New[Own]() }

//go:noinline
func MethodNewNode(a *arena.Arena) *Node { return a.New[Node]() }

//go:noinline
func MethodNewOfOwn(a *arena.Arena, x uint64) *Own { return a.NewOf(Own{a: x}) }

//go:noinline
func MethodNewOfNode(a *arena.Arena, l *Node) *Node { return a.NewOf(Node{left: l}) }

//go:noinline
func MethodAppendOne(a *arena.Arena, s []int, v int) []int { return a.Append(s, v) }

//go:noinline
func MethodAppendNode(a *arena.Arena, s []*Node, n *Node) []*Node { return a.Append(s, n) }

//go:noinline
func MethodAppendNodes(a *arena.Arena, s []*Node, n *Node) []*Node { return a.Append(s, n, n) }

//go:noinline
func MethodForNew(a *arena.Arena) *Node { return a.For[Node]().New() }

//go:noinline
func MethodCopy(a *arena.Arena, s []Own) []Own { return a.CopySlice(s) }

func init() {
	var a arena.Arena
	MethodNewInt(&a)
	MethodNewOwn(&a)
	MethodNewOfOwn(&a, 1)
	n := MethodNewNode(&a)
	MethodNewOfNode(&a, n)
	MethodAppendOne(&a, nil, 1)
	MethodAppendNode(&a, nil, n)
	MethodAppendNodes(&a, nil, n)
	MethodForNew(&a)
	MethodCopy(&a, nil)
}
