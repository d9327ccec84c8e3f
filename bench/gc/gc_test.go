package gc

import (
	"runtime"
	"slices"
	"testing"

	"github.com/harena-go/arena/bench/suite"
)

// peers returns the peers in this build.
func peers() []string {
	return slices.DeleteFunc(Suite().Peers, func(p string) bool {
		return p == suite.Runtime && !hasRuntime()
	})
}

func hasRuntime() bool {
	g, err := onRuntime()
	if err == nil {
		g.free()
	}
	return err == nil
}

func TestTreeSurvives(t *testing.T) {
	const n = 100_001
	for _, peer := range peers() {
		g, err := newGround(peer, n)
		if err != nil {
			t.Fatal(err)
		}
		root := Build(n, g.alloc)
		runtime.GC()
		runtime.GC()
		if c := root.Count(); c != n {
			t.Errorf("%s: %d of %d nodes are sound", peer, c, n)
		}
		root = nil
		g.free()
	}
}

func TestCountFindsDamage(t *testing.T) {
	const n = 1001
	root := Build(n, func() *Node { return new(Node) })
	if c := root.Count(); c != n {
		t.Errorf("%d of %d nodes are sound in a new tree", c, n)
	}
	root.Left.Left.Value++
	if c := root.Count(); c != n-1 {
		t.Errorf("%d nodes are sound in a tree with one damaged node of %d", c, n)
	}
	root.Right = nil
	if c := root.Count(); c != n/2 { // the root and its left half, but for the damaged node
		t.Errorf("%d nodes are sound in a tree that has lost half of %d", c, n)
	}
}

// TestDamageIsAnError builds on a ground that returns a node twice.
func TestDamageIsAnError(t *testing.T) {
	g, err := newGround(suite.Heap, 0)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := g.grow(1000, 0); err != nil {
		t.Error(err)
	}
	n, twice := 0, new(Node)
	alloc := g.alloc
	g.alloc = func() *Node {
		if n++; n == 990 || n == 1000 {
			return twice
		}
		return alloc()
	}
	if _, err := g.grow(1000, 0); err == nil {
		t.Error("nobody has noticed that two nodes are the same")
	}
}

func TestRows(t *testing.T) {
	const small, large = 1000, 50_000
	for _, peer := range peers() {
		out, err := run(peer, suite.Config{}, []int{small, large})
		if err != nil {
			t.Fatal(err)
		}
		got := map[string]suite.Result{}
		for _, r := range out.Results {
			got[r.Row] = r
			if r.Suite != name || r.Peer != peer || r.Title == "" || len(r.Values) != 1 || r.Values[0] <= 0 && peer != suite.Runtime {
				t.Errorf("odd result: %+v", r)
			}
		}
		if got["full-gc-1000"].X != small || got["full-gc-50000"].X != large || got["live-bytes"].Unit != suite.Bytes {
			t.Errorf("%s lacks the rows of collections: %+v", peer, out.Results)
		}
		if peer == Empty {
			if len(got) != 3 {
				t.Errorf("a program without a tree has the rows %+v", out.Results)
			}
			continue
		}
		live, ratio := got["live-bytes"].Values[0], got["reserved"].Values[0]
		if live < large*float64(NodeBytes) {
			t.Errorf("%s: %v bytes are live with %d nodes", peer, live, large)
		}
		// The runtime's arenas use the remains of other tests' ones.
		if ratio < 0.99 && peer != suite.Runtime || ratio > 2 && suite.Ours(peer) {
			t.Errorf("%s reserves %v bytes for one", peer, ratio)
		}
		if got["build"].Unit != suite.Seconds {
			t.Errorf("%s lacks the time to build", peer)
		}
	}
}

func TestRowsAreChosen(t *testing.T) {
	out, err := run(suite.Heap, suite.Config{Rows: "full-gc-2"}, []int{1000, 2000})
	if err != nil || len(out.Results) != 1 || out.Results[0].Row != "full-gc-2000" {
		t.Errorf("%+v, %v", out.Results, err)
	}
}

func TestUnknownPeer(t *testing.T) {
	if _, err := Suite().Run("magic", suite.Config{Quick: true}); err == nil {
		t.Error("no error")
	}
}

func TestThousands(t *testing.T) {
	for n, want := range map[int]string{1000: "1,000", 10_050: "10,050", 999_999: "999,999", 1e6: "1,000,000", 12_034_056: "12,034,056"} {
		if got := thousands(n); got != want {
			t.Errorf("thousands(%d) = %s, want %s", n, got, want)
		}
	}
}
