package wire

import (
	"slices"
	"testing"

	"github.com/harena-go/arena/bench/suite"
	"github.com/harena-go/arena/internal/tests/testkit"
)

// TestProgramMeasures: the program is built with its own module's versions, and each peer has its rows.
func TestProgramMeasures(t *testing.T) {
	testkit.NeedsLong(t, "builds a program")
	built, err := decoders.Build()
	if err != nil {
		t.Fatal(err)
	}
	c := suite.Config{Quick: true, Program: built}
	checksums := map[string]bool{}
	for _, peer := range Suite().Peers {
		out, err := run(peer, c)
		if err != nil {
			t.Errorf("%s: %v", peer, err)
			continue
		}
		var rows []string
		for _, r := range out.Results {
			if rows = append(rows, r.Row); r.Suite != name || r.Peer != peer || len(r.Values) != 1 || r.Group != Mallocs && r.Values[0] <= 0 {
				t.Errorf("%s: %+v", peer, r)
			}
			if peer == suite.Harena && r.Row == "allocs-"+Traces && r.Values[0] != 0 {
				t.Errorf("%g allocations", r.Values[0])
			}
		}
		builds := slices.Contains([]string{suite.Protobuf, suite.SyncPool, suite.FirstGear, suite.Harena}, peer)
		if slices.Contains(rows, "build-"+Export) != builds {
			t.Errorf("%s has the rows %q", peer, rows)
		}
		for _, input := range []string{Traces, Logs, Metrics, Span, Small, Descriptor, Wide, FewEntries, ManyEntries, RemoteWrite, Pods} {
			gogo := input == RemoteWrite || input == Pods
			want := peer == suite.Harena || peer == suite.HarenaOnHeap || gogo == (peer == suite.Gogo)
			if peer == suite.SyncPool || peer == suite.FirstGear {
				want = false // they only build
			}
			if slices.Contains(rows, "decode-"+input) != want || slices.Contains(rows, "read-"+input) != (want && !gogo) {
				t.Errorf("%s has the rows %q", peer, rows)
			}
		}
		if out.Checksum != "" {
			checksums[out.Checksum] = true
		}
	}
	if len(checksums) != 1 {
		t.Errorf("checksums %v", checksums)
	}
}

// TestDecoders runs the tests of the program, whose module isn't in go.work.
func TestDecoders(t *testing.T) {
	testkit.NeedsLong(t, "builds a program")
	if out, err := decoders.Test("./..."); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}
