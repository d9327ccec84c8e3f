package gc

import (
	"fmt"

	"github.com/harena-go/arena"
	"github.com/harena-go/arena/bench/suite"
	"github.com/ortuman/nuke"
)

// A ground is the memory for one tree.
type ground struct {
	alloc func() *Node
	// reserved returns the bytes that it has taken; it is nil if only the growth of the heap shows them.
	reserved func() int
	// free releases it, once nothing points to its nodes any more. Until then it keeps them alive.
	free func()
}

// newGround returns a peer's ground for n nodes.
func newGround(peer string, n int) (ground, error) {
	switch peer {
	case suite.Heap, Empty:
		return ground{func() *Node { return new(Node) }, nil, func() {}}, nil
	case suite.Runtime:
		return onRuntime()
	case suite.Nuke:
		// One buffer, since the arena searches all of them for each node.
		size := n*NodeBytes + 8
		a := nuke.NewMonotonicArena(size, 1)
		return ground{func() *Node { return nuke.New[Node](a) }, func() int { return size },
			func() { a.Reset(true) }}, nil
	case suite.Harena:
		return inArena(arena.NewArena()), nil
	case suite.SelfContained:
		return inArena(arena.NewArena(arena.WithNoScan())), nil
	case suite.Typed:
		a := arena.NewArena()
		nodes := arena.For[Node](a)
		g := inArena(a)
		g.alloc = func() *Node { return nodes.New() }
		return g, nil
	}
	return ground{}, fmt.Errorf("the suite gc knows no peer %q", peer)
}

func inArena(a *arena.Arena) ground {
	return ground{
		alloc:    func() *Node { return arena.New[Node](a) },
		reserved: func() int { return a.Stats().Reserved },
		free:     a.Free,
	}
}
