package trees

import goutil "github.com/flier/goutil/pkg/arena"

func onGoutil(int) forest { return goutilForest{new(goutil.Arena)} }

type goutilForest struct{ a *goutil.Arena }

func (f goutilForest) drop(*Node) { f.a.Reset() }

func (f goutilForest) tree(depth int) *Node {
	n := goutil.New(f.a, Node{})
	if depth > 0 {
		n.left = f.tree(depth - 1)
		n.right = f.tree(depth - 1)
	}
	return n
}
