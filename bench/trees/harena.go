package trees

import "github.com/harena-go/arena"

func onHarena() forest { return harenaForest{arena.NewArena()} }

func onSelfContained() forest { return harenaForest{arena.NewArena(arena.WithNoScan())} }

type harenaForest struct{ a *arena.Arena }

func (f harenaForest) drop(*Node) { f.a.Reset() }

func (f harenaForest) tree(depth int) *Node {
	n := arena.New[Node](f.a)
	if depth > 0 {
		n.left = f.tree(depth - 1)
		n.right = f.tree(depth - 1)
	}
	return n
}
