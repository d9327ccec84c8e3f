package trees

import "github.com/harena-go/arena"

func onHarena(int) forest { return harenaForest{arena.NewArena()} }

func onSelfContained(int) forest { return harenaForest{arena.NewArena(arena.WithNoScan())} }

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

func onTyped(int) forest {
	a := arena.NewArena()
	return &typedForest{a, arena.For[Node](a)}
}

type typedForest struct {
	a     *arena.Arena
	nodes *arena.Typed[Node]
}

func (f *typedForest) drop(*Node) { f.a.Reset() }

func (f *typedForest) tree(depth int) *Node { return typedTree(f.nodes, depth) }

func typedTree(nodes *arena.Typed[Node], depth int) *Node {
	n := nodes.New()
	if depth > 0 {
		n.left = typedTree(nodes, depth-1)
		n.right = typedTree(nodes, depth-1)
	}
	return n
}
