package trees

import (
	"unsafe"

	"github.com/harena-go/arena"
)

// A BigNode is a node of the tree that the collector is timed on: 24 bytes,
// two pointers and a number.
type BigNode struct {
	Left, Right *BigNode
	Value       int64
}

// BigNodeBytes is the size of a BigNode: 24 on 64-bit systems.
const BigNodeBytes = int(unsafe.Sizeof(BigNode{}))

// Big builds a balanced tree of n nodes, each from alloc.
func Big(n int, alloc func() *BigNode) *BigNode {
	if n == 0 {
		return nil
	}
	b := alloc()
	b.Value = int64(n)
	b.Left = Big((n-1)/2, alloc)
	b.Right = Big(n-1-(n-1)/2, alloc)
	return b
}

// Count walks a tree and counts the nodes whose number fits their place: the
// size of the subtree.
func (b *BigNode) Count() int {
	n, _ := b.count()
	return n
}

func (b *BigNode) count() (good, size int) {
	if b == nil {
		return 0, 0
	}
	gl, sl := b.Left.count()
	gr, sr := b.Right.count()
	good, size = gl+gr, sl+sr+1
	if b.Value == int64(size) {
		good++
	}
	return good, size
}

// BigOnHeap builds it on the Go heap.
func BigOnHeap(n int) *BigNode {
	return Big(n, func() *BigNode { return new(BigNode) })
}

// BigInArena builds it in any arena.
func BigInArena(n int, a *arena.Arena) *BigNode {
	return Big(n, func() *BigNode { return arena.New[BigNode](a) })
}
