// Package trees is binary-trees of the Computer Language Benchmarks Game: many short-lived trees are built, counted and
// dropped while a long-lived one stays. It only allocates and follows pointers.
//
// With arenas it works like the game's programs with memory pools: the first tree, which stretches the memory, and the
// long-lived one have an arena of their own, and each worker resets its arena after each tree.
package trees

import (
	"fmt"
	"runtime"
	"strings"
	"sync"
)

// A Node is the game's: two pointers and nothing else.
type Node struct{ left, right *Node }

// count walks a tree: to the left by recursion, to the right in a loop. The Rust compiler makes such a loop of two
// calls by itself and Go's doesn't, which has nothing to do with allocation.
func (n *Node) count() int {
	nodes := 1
	for ; n.left != nil; n = n.right {
		nodes += 1 + n.left.count()
	}
	return nodes
}

// nodes returns the number of a tree's nodes.
func nodes(depth int) int { return 2<<depth - 1 }

const minDepth = 4

// A game is a played game. The long-lived tree is part of it so that it is still there when the caller measures the
// memory.
type game struct {
	lines []string
	nodes int // all that were built
	long  *Node
	own   forest // of the long-lived tree
}

// String is the game's output.
func (g *game) String() string { return strings.Join(g.lines, "\n") }

// note adds a line of the output.
func (g *game) note(nodes int, format string, args ...any) {
	g.nodes += nodes
	g.lines = append(g.lines, fmt.Sprintf(format, args...)+fmt.Sprintf("\t check: %d", nodes))
}

// play plays with trees up to depth, as many at a time as there are processors.
func play(peer string, depth int) (*game, error) {
	depth = max(depth, minDepth+2)
	plant, err := maker(peer)
	if err != nil {
		return nil, err
	}
	g := &game{}
	stretch := plant()
	g.note(stretch.tree(depth+1).count(), "stretch tree of depth %d", depth+1)

	g.own = plant()
	g.long = g.own.tree(depth)
	workers := make([]forest, runtime.GOMAXPROCS(0))
	for i := range workers {
		workers[i] = plant()
	}
	for d := minDepth; d <= depth; d += 2 {
		n := 1 << (depth - d + minDepth)
		g.note(many(workers, n, d), "%d\t trees of depth %d", n, d)
	}
	g.note(g.long.count(), "long lived tree of depth %d", depth)
	return g, nil
}

// many builds and counts n trees, divided among the workers.
func many(workers []forest, n, depth int) int {
	counts := make([]int, len(workers))
	var wg sync.WaitGroup
	for w, f := range workers {
		share := n / len(workers)
		if w < n%len(workers) {
			share++
		}
		wg.Go(func() {
			total := 0
			for range share {
				t := f.tree(depth)
				total += t.count()
				f.drop(t)
			}
			counts[w] = total // once, not per tree: the counts share a cache line
		})
	}
	wg.Wait()
	total := 0
	for _, c := range counts {
		total += c
	}
	return total
}
