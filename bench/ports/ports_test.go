package ports

import (
	"bytes"
	"strings"
	"testing"

	"github.com/harena-go/arena/bench/suite"
)

// TestSameAnswers: all peers render the same page, in reused memory, too.
func TestSameAnswers(t *testing.T) {
	want := ""
	for _, peer := range Suite().Peers {
		render, err := renderer(peer)
		if err != nil {
			t.Fatal(err)
		}
		for range 3 {
			var out bytes.Buffer
			if err := render(&out); err != nil {
				t.Fatal(err)
			}
			if want == "" {
				want = out.String()
			}
			if out.String() != want {
				t.Errorf("%s says\n%s\nwant\n%s", peer, &out, want)
			}
		}
	}
	if part := `<a href="/people/hanne" title="Hanne keeps the books">old Hanne</a>`; !strings.Contains(want, part) {
		t.Errorf("no %q in\n%s", part, want)
	}
}

func TestRows(t *testing.T) {
	sum := ""
	for _, peer := range Suite().Peers {
		out, err := run(peer, suite.Config{Quick: true})
		if err != nil || len(out.Results) != 3 || sum != "" && out.Checksum != sum {
			t.Fatalf("%s: %+v, %v; want the checksum %q", peer, out, err, sum)
		}
		sum = out.Checksum
	}
	out, err := run(suite.Heap, suite.Config{Quick: true, Rows: "markdown-cpu"})
	if err != nil || len(out.Results) != 1 {
		t.Errorf("%+v, %v", out, err)
	}
	if _, err := run("magic", suite.Config{Quick: true}); err == nil {
		t.Error("an unknown peer")
	}
}
