package collections

import (
	"testing"

	"github.com/harena-go/arena/bench/suite"
	"github.com/harena-go/arena/internal/engine/race"
)

// TestRows: all peers have the same rows, with the same sums.
func TestRows(t *testing.T) {
	sum, rows := "", 0
	for _, peer := range Suite().Peers {
		out, err := run(peer, suite.Config{Quick: true})
		if err != nil {
			t.Fatal(err)
		}
		seen := map[string]bool{}
		for _, r := range out.Results {
			if seen[r.Row] || r.Peer != peer || r.Unit != suite.Seconds || r.Values[0] < 1e-10 {
				t.Errorf("odd result: %+v", r)
			}
			seen[r.Row] = true
		}
		if sum == "" {
			sum, rows = out.Checksum, len(seen)
		}
		if out.Checksum != sum || len(seen) != rows || rows != 56 {
			t.Errorf("%s has %d rows with the checksum %q, want %d with %q", peer, len(seen), out.Checksum, rows, sum)
		}
	}
}

func TestRowsAreChosen(t *testing.T) {
	out, err := run(suite.Heap, suite.Config{Quick: true, Rows: "slice-build-1000"})
	if err != nil || len(out.Results) != 2 {
		t.Errorf("%+v, %v", out.Results, err)
	}
}

func TestUnknownPeer(t *testing.T) {
	if _, err := run("magic", suite.Config{Quick: true}); err == nil {
		t.Error("no error")
	}
}

// TestAllocations: no container takes memory from the heap when its arena is warm.
func TestAllocations(t *testing.T) {
	for _, peer := range []string{suite.Harena, suite.SelfContained} {
		w, err := workshopOf(peer)
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range w.rows(1000) {
			r.do() // twice, with the Reset: the second life may put larger chunks in front
			if n := testing.AllocsPerRun(5, func() { r.do() }); n != 0 && !race.Instrumented {
				t.Errorf("%s, %s: %v heap allocations", peer, r.name, n)
			}
			w.done()
		}
	}
}
