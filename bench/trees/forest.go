package trees

import (
	"errors"
	"fmt"

	"github.com/harena-go/arena/bench/suite"
)

// A forest has the trees of one worker, one at a time. Each peer has its own, which calls itself directly and not
// through the interface, so that the allocator's functions are inlined into the recursion where possible.
type forest interface {
	tree(depth int) *Node
	drop(dead *Node) // the tree that was built last
}

// makers make the forests of Go's peers.
var makers = map[string]func() forest{
	suite.Heap:          onHeap,
	suite.SyncPool:      onPool,
	suite.Runtime:       onRuntime,
	suite.Harena:        onHarena,
	suite.SelfContained: onSelfContained,
}

func maker(peer string) (func() forest, error) {
	make, ok := makers[peer]
	switch {
	case !ok:
		return nil, fmt.Errorf("binary-trees knows no peer %q", peer)
	case make == nil:
		return nil, errors.New("the runtime's experimental arena is not in this build; " +
			"GOEXPERIMENT=arenas puts it there")
	}
	return make, nil
}
