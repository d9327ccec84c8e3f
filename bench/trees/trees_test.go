package trees

import (
	"fmt"
	"os/exec"
	"runtime"
	"strings"
	"testing"
	"unsafe"

	"github.com/harena-go/arena/bench/bumpalo"
	"github.com/harena-go/arena/bench/suite"
	"github.com/harena-go/arena/internal/engine/race"
	"github.com/harena-go/arena/internal/tests/testkit"
)

// peers returns the peers in Go in this build.
func peers() (names []string) {
	for _, p := range Suite().Peers {
		if makers[p] != nil {
			names = append(names, p)
		}
	}
	return names
}

// output returns the game's output by its rules, without a run.
func output(depth int) string {
	lines := []string{fmt.Sprintf("stretch tree of depth %d\t check: %d", depth+1, 4<<depth-1)}
	for d := minDepth; d <= depth; d += 2 {
		n := 1 << (depth - d + minDepth)
		lines = append(lines, fmt.Sprintf("%d\t trees of depth %d\t check: %d", n, d, n*(2<<d-1)))
	}
	lines = append(lines, fmt.Sprintf("long lived tree of depth %d\t check: %d", depth, 2<<depth-1))
	return strings.Join(lines, "\n")
}

// TestTreesAreSound checks each node of a tree that replaced a deeper one. It comes first: the others would not end if
// a tree had a cycle.
func TestTreesAreSound(t *testing.T) {
	const depth = 10
	for _, peer := range peers() {
		f := makers[peer]()
		f.drop(f.tree(depth))
		seen := map[*Node]bool{}
		var look func(n *Node, depth int)
		look = func(n *Node, depth int) {
			if seen[n] {
				t.Fatalf("%s: a node is in the tree twice", peer)
			}
			seen[n] = true
			if depth == 0 {
				if *n != (Node{}) {
					t.Fatalf("%s: a leaf is %v", peer, *n)
				}
				return
			}
			look(n.left, depth-1)
			look(n.right, depth-1)
		}
		look(f.tree(depth-1), depth-1)
		runtime.KeepAlive(f)
	}
}

func TestAllPeersPlay(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(3)) // by which the numbers of trees can't be divided
	const depth = 12
	for _, peer := range peers() {
		g, err := play(peer, depth)
		if err != nil {
			t.Fatal(err)
		}
		if g.String() != output(depth) {
			t.Errorf("%s prints\n%s\nwant\n%s", peer, g, output(depth))
		}
		for range 3 {
			runtime.GC()
			junk = make([]byte, 1<<20) // replaces lost memory
			for i := range junk {
				junk[i] = 0xDB
			}
		}
		if n := g.long.count(); n != nodes(depth) {
			t.Errorf("%s: the long-lived tree has %d nodes after a GC, want %d", peer, n, nodes(depth))
		}
	}
}

var junk []byte

// TestMemoryIsReused: a tree must grow in the memory of the previous one, with all peers that reuse memory.
func TestMemoryIsReused(t *testing.T) {
	if race.Instrumented {
		t.Skip("memory isn't used again at once while misuse is looked for")
	}
	testkit.NoGC(t) // it empties a sync.Pool
	const depth, trees = 13, 20
	bytes := nodes(depth) * int(unsafe.Sizeof(Node{}))
	for _, peer := range peers() {
		if peer == suite.Runtime {
			continue // it can't be reset
		}
		f := makers[peer]()
		f.drop(f.tree(depth))
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		for range trees {
			f.drop(f.tree(depth))
		}
		runtime.ReadMemStats(&after)
		took := int(after.TotalAlloc-before.TotalAlloc) / trees
		if anew := took > bytes/4; anew != (peer == suite.Heap) {
			t.Errorf("%s: a tree of %d bytes takes %d bytes from the heap", peer, bytes, took)
		}
	}
}

func TestSuiteRuns(t *testing.T) {
	s := Suite()
	c := suite.Config{Depth: 8}
	for _, peer := range s.Peers {
		out, err := s.Run(peer, c)
		if makers[peer] == nil { // bumpalo, and the runtime's arena in most builds
			if err == nil {
				t.Errorf("%s runs although it wasn't built", peer)
			}
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		if out.Checksum != output(8) || out.Note != "depth 8, 25774 nodes" {
			t.Errorf("%s: checksum %q, note %q", peer, out.Checksum, out.Note)
		}
		got := map[string]float64{}
		for _, r := range out.Results {
			if r.Suite != s.Name || r.Peer != peer || r.Title == "" || r.Unit == "" || len(r.Values) != 1 {
				t.Errorf("%s: odd result %+v", peer, r)
			}
			got[r.Row] = r.Values[0]
		}
		for _, row := range []string{"wall", "full-gc", "peak-heap"} {
			if got[row] <= 0 {
				t.Errorf("%s: %s is %v", peer, row, got[row])
			}
		}
	}
	if _, err := s.Run("magic", c); err == nil || !strings.Contains(err.Error(), "magic") {
		t.Errorf("an unknown peer: %v", err)
	}
}

func TestBumpaloPlays(t *testing.T) {
	if _, err := exec.LookPath("cargo"); err != nil {
		t.Skip("there is no cargo")
	}
	program, err := bumpalo.Program.Build()
	if err != nil {
		t.Skip(err) // package bumpalo's tests check whether that is right
	}
	out, err := Suite().Run(suite.Bumpalo, suite.Config{Depth: 10, Program: program})
	if err != nil {
		t.Fatal(err)
	}
	if out.Checksum != output(10) {
		t.Errorf("it prints\n%s\nwant\n%s", out.Checksum, output(10))
	}
	if len(out.Results) != 3 {
		t.Errorf("%d results, want wall, cpu and peak-rss", len(out.Results))
	}
}
