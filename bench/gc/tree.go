package gc

import "unsafe"

// A Node is a node of the tree on which the collector is timed: two pointers and a number, 24 bytes on 64-bit systems.
type Node struct {
	Left, Right *Node
	Value       int64
}

// NodeBytes is the size of a Node.
const NodeBytes = int(unsafe.Sizeof(Node{}))

// Build builds a balanced tree of n nodes, each from alloc. Nodes are numbered in the order in which they are made.
func Build(n int, alloc func() *Node) *Node { return build(0, n, alloc) }

// build builds the subtree of the n nodes from the number first on.
func build(first, n int, alloc func() *Node) *Node {
	if n == 0 {
		return nil
	}
	b := alloc()
	b.Value = int64(first)
	left := (n - 1) / 2
	b.Left = build(first+1, left, alloc)
	b.Right = build(first+1+left, n-1-left, alloc)
	return b
}

// Count walks a tree and counts the nodes whose number fits their place. A node whose memory was returned twice has the
// wrong number in one of its places.
func (b *Node) Count() int {
	good, _ := b.count(0)
	return good
}

// count also returns the number after those of the subtree.
func (b *Node) count(first int) (good, next int) {
	if b == nil {
		return 0, first
	}
	if b.Value == int64(first) {
		good = 1
	}
	left, next := b.Left.count(first + 1)
	right, next := b.Right.count(next)
	return good + left + right, next
}
