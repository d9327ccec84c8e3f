package trees

import "sync"

func onHeap() forest { return heapForest{} }

type heapForest struct{}

func (heapForest) drop(*Node) {}

func (f heapForest) tree(depth int) *Node {
	if depth == 0 {
		return &Node{}
	}
	return &Node{f.tree(depth - 1), f.tree(depth - 1)}
}

// pool is shared, as in programs: it keeps a list for each processor.
var pool = sync.Pool{New: func() any { return new(Node) }}

func onPool() forest { return poolForest{} }

type poolForest struct{}

func (f poolForest) tree(depth int) *Node {
	n := pool.Get().(*Node)
	if depth > 0 {
		n.left = f.tree(depth - 1)
		n.right = f.tree(depth - 1)
	}
	return n
}

func (f poolForest) drop(dead *Node) {
	if dead.left != nil {
		f.drop(dead.left)
		f.drop(dead.right)
		*dead = Node{}
	}
	pool.Put(dead)
}
