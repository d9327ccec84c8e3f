package trees

import pavanmanishd "github.com/pavanmanishd/arena"

// onPavanmanishd gives the arena a first chunk for the deepest tree. After Reset it reuses only the first one: with
// small ones it would take new ones for each tree and keep all of them.
func onPavanmanishd(depth int) forest {
	return pavanmanishdForest{pavanmanishd.NewArena(bytesOf(depth))}
}

type pavanmanishdForest struct{ a *pavanmanishd.Arena }

func (f pavanmanishdForest) drop(*Node) { f.a.Reset() }

// tree erases each node itself: Alloc, which would do so, takes nearly twice as long.
func (f pavanmanishdForest) tree(depth int) *Node {
	n := pavanmanishd.AllocUninitialized[Node](f.a)
	*n = Node{}
	if depth > 0 {
		n.left = f.tree(depth - 1)
		n.right = f.tree(depth - 1)
	}
	return n
}
