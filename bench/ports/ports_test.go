package ports

import (
	"bytes"
	"strings"
	"testing"

	"github.com/harena-go/arena/bench/suite"
)

// TestSameAnswers: all peers do the same work, and it is some work.
func TestSameAnswers(t *testing.T) {
	want := map[string]string{}
	for _, peer := range Suite().Peers {
		all, err := units(peer)
		if err != nil {
			t.Fatal(err)
		}
		for name, do := range all {
			for range 3 { // the second and third in memory that was used before
				var out bytes.Buffer
				if err := do(&out); err != nil {
					t.Fatal(err)
				}
				if want[name] == "" {
					want[name] = out.String()
				}
				if out.String() != want[name] {
					t.Errorf("%s: %s says\n%s\nwant\n%s", peer, name, &out, want[name])
				}
			}
		}
	}
	for name, part := range map[string]string{
		Script:   `room n8: 357068 m2`,
		Markdown: `<a href="/people/hanne" title="Hanne keeps the books">old Hanne</a>`,
	} {
		if !strings.Contains(want[name], part) {
			t.Errorf("%s has no %q:\n%s", name, part, want[name])
		}
	}
}

func TestRows(t *testing.T) {
	sum := ""
	for _, peer := range Suite().Peers {
		out, err := run(peer, suite.Config{Quick: true})
		if err != nil || len(out.Results) != 6 || out.Checksum == "" {
			t.Fatalf("%+v, %v", out, err)
		}
		if sum == "" {
			sum = out.Checksum
		}
		if out.Checksum != sum {
			t.Errorf("%s has the checksum %s, want %s", peer, out.Checksum, sum)
		}
		for _, r := range out.Results {
			if r.Row == "script-cpu" && r.Values[0] < 1e-6 {
				t.Errorf("a script in no time: %+v", r)
			}
		}
	}
	out, err := run(suite.Heap, suite.Config{Quick: true, Rows: Markdown})
	if err != nil || len(out.Results) != 3 || out.Results[0].Row != "markdown-cpu" {
		t.Errorf("%+v, %v", out, err)
	}
	if _, err := run("magic", suite.Config{Quick: true}); err == nil {
		t.Error("an unknown peer")
	}
}
