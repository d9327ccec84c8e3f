package safe

import (
	"slices"
	"testing"

	"github.com/harena-go/arena/bench/suite"
)

func TestRows(t *testing.T) {
	var sums, rows []string
	for _, peer := range Suite().Peers {
		out, err := run(peer, suite.Config{Quick: true})
		if err != nil {
			t.Fatal(err)
		}
		sums = append(sums, out.Checksum)
		for _, r := range out.Results {
			if peer == suite.Heap {
				rows = append(rows, r.Row)
			} else if !slices.Contains(rows, r.Row) {
				t.Errorf("%s has the row %s, which the heap hasn't", peer, r.Row)
			}
			if r.Row == "request-bytes" && r.Values[0] < 1000 && peer != suite.Harena {
				t.Errorf("%s: a request of 199 objects takes %v bytes", peer, r.Values[0])
			}
		}
	}
	if slices.Sort(sums); sums[0] != sums[len(sums)-1] || sums[0] == "0" {
		t.Errorf("checksums: %q", sums)
	}
}

func TestUnknownPeer(t *testing.T) {
	if _, err := run("magic", suite.Config{Quick: true}); err == nil {
		t.Error("no error for an unknown peer")
	}
}
