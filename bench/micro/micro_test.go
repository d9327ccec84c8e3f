package micro

import (
	"math"
	"testing"
	"time"

	"github.com/harena-go/arena/bench/suite"
	"github.com/harena-go/arena/internal/engine/race"
)

var short = meter{turn: 100 * time.Microsecond}

// testable returns a suite's peers that this build can run. Other projects' libraries run only in plain builds: they
// take long in builds that watch memory.
func testable(names []string) (can []string) {
	for _, peer := range names {
		_, err := opsOf(peer)
		if err == nil && (!race.Instrumented || !suite.Foreign(peer)) {
			can = append(can, peer)
		}
	}
	return can
}

// plausible fails for impossible costs of an operation. A loop that the compiler emptied takes a fraction of a cycle
// for each.
func plausible(t *testing.T, r suite.Result) {
	t.Helper()
	if len(r.Values) != 1 {
		t.Errorf("%s, %s: %d values, want one", r.Row, r.Peer, len(r.Values))
		return
	}
	v, low, high := r.Values[0], 0.2e-9, 5.0
	switch r.Unit {
	case suite.Bytes:
		low, high = 1, 1<<34 // the runtime's arenas take 8 MiB each
	case suite.Count:
		low, high = 0, 1e5
	}
	if math.IsNaN(v) || v < low || v > high {
		t.Errorf("%s, %s: %v %s is not plausible", r.Row, r.Peer, v, r.Unit)
	}
}

// TestRowsMeasureSomething also checks the counts that don't depend on the
// machine: the heap allocates once for each operation, warm arenas never.
func TestRowsMeasureSomething(t *testing.T) {
	all := known()
	done := map[string]bool{}
	for _, peer := range testable(Suite().Peers) {
		out, err := short.rows("micro", peer, suite.Config{})
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range out.Results {
			plausible(t, r)
			want := all[r.Row]
			if r.Title != want.title || r.Group != want.group || r.Unit != want.unit || r.Peer != peer || r.Suite != "micro" {
				t.Errorf("%s, %s: described as %+v", r.Row, peer, r)
			}
			if done[peer+r.Row] {
				t.Errorf("%s has two results in row %s", peer, r.Row)
			}
			done[peer+r.Row], done[r.Row] = true, true
			if r.Group != "allocs" || race.Instrumented {
				continue
			}
			switch n := r.Values[0]; {
			case suite.Ours(peer) && n != 0:
				t.Errorf("%s, %s: %v heap allocations for each operation", r.Row, peer, n)
			case peer == suite.Heap && r.Row == "append-1000-allocs" && n < 5:
				t.Errorf("appending 1,000 ints to nil allocates %v times on the heap: it can't have grown", n)
			case peer == suite.Heap && r.Row != "append-1000-allocs" && n != 1:
				t.Errorf("%s: %v heap allocations for each operation on the heap", r.Row, n)
			}
		}
	}
	for name := range all {
		if !done[name] {
			t.Errorf("no peer has row %s", name)
		}
	}
	for _, r := range rows {
		if fixed := r.group == "fixed"; fixed != done[Floor+r.name] || fixed && !done[suite.Typed+r.name] {
			t.Errorf("row %s: the floor and harena-typed have the fixed sizes, all of them", r.name)
		}
		if !done[suite.Heap+r.name] || !done[suite.Harena+r.name] || !done[suite.SelfContained+r.name] {
			t.Errorf("row %s lacks the heap or our arenas", r.name)
		}
	}
}

func TestBatchesAreBounded(t *testing.T) {
	for _, r := range rows {
		if r.batch < 1 || r.batch > objects || r.batch > 1 && r.batch*r.size > maxBatch {
			t.Errorf("%s: a batch of %d operations of %d bytes", r.name, r.batch, r.size)
		}
	}
}
