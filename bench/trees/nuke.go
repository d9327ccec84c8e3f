package trees

import (
	"unsafe"

	"github.com/ortuman/nuke"
)

// bytesOf returns the size of a tree's nodes.
func bytesOf(depth int) int { return nodes(depth) * int(unsafe.Sizeof(Node{})) }

// onNuke gives the arena one buffer for the deepest tree. It doesn't grow, and searches all buffers from the first on
// at each allocation, so that more of them would only be slower; without room it falls back to the heap.
func onNuke(depth int) forest { return nukeForest{nuke.NewMonotonicArena(bytesOf(depth), 1)} }

type nukeForest struct{ a nuke.Arena }

func (f nukeForest) drop(*Node) { f.a.Reset(false) }

func (f nukeForest) tree(depth int) *Node {
	n := nuke.New[Node](f.a)
	if depth > 0 {
		n.left = f.tree(depth - 1)
		n.right = f.tree(depth - 1)
	}
	return n
}
