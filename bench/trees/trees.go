// Package trees is binary-trees of the Computer Language Benchmarks Game: many
// short-lived trees are built, counted and dropped while a long-lived one
// stays. It does nothing but allocate and follow pointers.
//
// The arena versions do what the game's programs with memory pools do: each
// worker has an arena that is reset after each tree.
package trees

import (
	"fmt"
	"runtime"
	"strings"
	"sync"

	"github.com/harena-go/arena"
)

// A Node is the game's: two pointers and nothing else.
type Node struct{ left, right *Node }

// count walks a tree.
func (n *Node) count() int {
	if n.left == nil {
		return 1
	}
	return 1 + n.left.count() + n.right.count()
}

// A forest is where one worker's trees grow.
type forest interface {
	tree(depth int) *Node // with 2^(depth+1)-1 nodes
	drop()                // all trees so far are dead
}

// Allocators are the names that Run knows.
var Allocators = []string{"heap", "default", "typed", "self-contained"}

func newForest(allocator string) (forest, error) {
	switch allocator {
	case "heap":
		return onHeap{}, nil
	case "default":
		return inArena{arena.NewArena()}, nil
	case "typed":
		a := arena.NewArena()
		return typed{a, arena.For[Node](a)}, nil
	case "self-contained":
		return inArena{arena.NewArena(arena.WithNoScan())}, nil
	}
	return nil, fmt.Errorf("binary-trees knows no allocator %q", allocator)
}

type onHeap struct{}

func (onHeap) drop() {}

func (f onHeap) tree(depth int) *Node {
	if depth == 0 {
		return &Node{}
	}
	return &Node{f.tree(depth - 1), f.tree(depth - 1)}
}

type inArena struct{ a *arena.Arena }

func (f inArena) drop() { f.a.Reset() }

func (f inArena) tree(depth int) *Node {
	n := arena.New[Node](f.a)
	if depth > 0 {
		n.left = f.tree(depth - 1)
		n.right = f.tree(depth - 1)
	}
	return n
}

type typed struct {
	a     *arena.Arena
	nodes *arena.Typed[Node]
}

func (f typed) drop() { f.a.Reset() }

func (f typed) tree(depth int) *Node {
	n := f.nodes.New()
	if depth > 0 {
		n.left = f.tree(depth - 1)
		n.right = f.tree(depth - 1)
	}
	return n
}

const minDepth = 4

// A Result is the game's output. The long-lived tree is part of it so that it
// is still there when the caller looks at the memory.
type Result struct {
	Lines []string
	Nodes int // all that were built
	long  *Node
	own   forest
}

// String is the game's output text.
func (r *Result) String() string { return strings.Join(r.Lines, "\n") }

// Run plays the game with trees up to depth.
func Run(allocator string, depth int) (*Result, error) {
	depth = max(depth, minDepth+2)
	workers := make([]forest, runtime.GOMAXPROCS(0))
	for i := range workers {
		f, err := newForest(allocator)
		if err != nil {
			return nil, err
		}
		workers[i] = f
	}
	r := &Result{}
	note := func(nodes int, format string, args ...any) {
		r.Nodes += nodes
		r.Lines = append(r.Lines, fmt.Sprintf(format, args...)+fmt.Sprintf("\t check: %d", nodes))
	}

	stretch := workers[0].tree(depth + 1).count()
	workers[0].drop()
	note(stretch, "stretch tree of depth %d", depth+1)

	own, err := newForest(allocator)
	if err != nil {
		return nil, err
	}
	r.own, r.long = own, own.tree(depth)
	for d := minDepth; d <= depth; d += 2 {
		n := 1 << (depth - d + minDepth)
		note(many(workers, n, d), "%d\t trees of depth %d", n, d)
	}
	note(r.long.count(), "long lived tree of depth %d", depth)
	return r, nil
}

// many builds and counts n trees, shared out among the workers.
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
				total += f.tree(depth).count()
				f.drop()
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
