package trees

import (
	"runtime"
	"testing"

	"github.com/harena-go/arena"
)

// TestNodeCounts checks against the formula, not against another run.
func TestNodeCounts(t *testing.T) {
	const depth = 10
	nodes := 1<<(depth+2) - 1 + 1<<(depth+1) - 1 // stretch and long-lived
	for d := minDepth; d <= depth; d += 2 {
		nodes += 1 << (depth - d + minDepth) * (1<<(d+1) - 1)
	}
	var first string
	for _, name := range Allocators {
		r, err := Run(name, depth)
		if err != nil {
			t.Fatal(err)
		}
		if r.Nodes != nodes {
			t.Errorf("%s: %d nodes, want %d", name, r.Nodes, nodes)
		}
		if first == "" {
			first = r.String()
		}
		if r.String() != first {
			t.Errorf("%s prints\n%s\nwant\n%s", name, r, first)
		}
		runtime.GC()
		if n := r.long.count(); n != 1<<(depth+1)-1 {
			t.Errorf("%s: the long-lived tree has %d nodes after a GC", name, n)
		}
	}
}

func TestUnknownAllocator(t *testing.T) {
	if _, err := Run("magic", 6); err == nil {
		t.Error("no error")
	}
}

func TestBigTreeSurvives(t *testing.T) {
	const n = 100_001
	for name, root := range map[string]*BigNode{
		"heap":           BigOnHeap(n),
		"default":        BigInArena(n, arena.NewArena()),
		"self-contained": BigInArena(n, arena.NewArena(arena.WithNoScan())),
	} {
		runtime.GC()
		runtime.GC()
		if c := root.Count(); c != n {
			t.Errorf("%s: %d of %d nodes are sound", name, c, n)
		}
	}
	root := BigOnHeap(n)
	root.Left.Left.Value++
	if c := root.Count(); c != n-1 {
		t.Errorf("%d nodes are sound in a tree with one damaged node of %d", c, n)
	}
}
