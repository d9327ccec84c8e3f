package slots

import (
	"testing"

	"github.com/harena-go/arena/bench/suite"
)

// TestRows: all peers measure all rows, their graphs are right, and their searches find the same.
func TestRows(t *testing.T) {
	answer := ""
	for _, peer := range Suite().Peers {
		out, err := run(peer, suite.Config{Quick: true})
		if err != nil {
			t.Fatal(err)
		}
		if len(out.Results) != 15 {
			t.Errorf("%s has %d rows", peer, len(out.Results))
		}
		for _, r := range out.Results {
			if r.Values[0] <= 0 {
				t.Errorf("%s: %+v", peer, r)
			}
		}
		if answer == "" {
			answer = out.Checksum
		}
		if out.Checksum != answer {
			t.Errorf("%s: %s, want %s", peer, out.Checksum, answer)
		}
	}
}

// TestCheckFindsDamage: a link that leads elsewhere is an error.
func TestCheckFindsDamage(t *testing.T) {
	for _, peer := range Suite().Peers {
		g, _ := newGraph(peer, 100)
		for i := range 100 {
			g.replace(i)
		}
		if g.check(0) == false || g.check(99) == false {
			t.Errorf("%s: damage in a new graph", peer)
		}
		switch g := g.(type) {
		case *pointers:
			g.table[0].far = g.table[1]
		case *refs:
			g.slots.At(g.table[0]).far = g.table[1]
		}
		if g.check(0) {
			t.Errorf("%s: damage is overlooked", peer)
		}
	}
}
