package trees

import wundergraph "github.com/wundergraph/go-arena"

func onWundergraph(int) forest { return wundergraphForest{wundergraph.NewMonotonicArena()} }

type wundergraphForest struct{ a wundergraph.Arena }

func (f wundergraphForest) drop(*Node) { f.a.Reset() }

func (f wundergraphForest) tree(depth int) *Node {
	n := wundergraph.Allocate[Node](f.a)
	if depth > 0 {
		n.left = f.tree(depth - 1)
		n.right = f.tree(depth - 1)
	}
	return n
}
