package report

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/harena-go/arena/bench/suite"
)

// TestEveryPeerHasAStyle: a peer with a name of its own has a mark of its own in the charts of its suite, so that
// none is left out or mistaken for another.
func TestEveryPeerHasAStyle(t *testing.T) {
	for _, p := range suite.All() {
		if !known(p.Name) {
			t.Errorf("%s has no style: charts leave it out", p.Name)
		}
	}
	for _, peers := range [][]suite.Peer{suite.Peers, suite.JSONPeers, suite.WirePeers, suite.RowPeers} {
		looks := map[string]string{}
		for _, p := range peers {
			look := fmt.Sprint(style(p.Name))
			if other := looks[look]; other != "" {
				t.Errorf("%s looks as %s does", p.Name, other)
			}
			looks[look] = p.Name
		}
	}
}

// TestChartShowsThePeersOfItsTable: each peer of a row of JSON or protobuf is in the chart above the table.
func TestChartShowsThePeersOfItsTable(t *testing.T) {
	r := sample()
	for _, name := range []string{"json", "wire"} {
		s := r.suite(name)
		for _, g := range r.groups(*s) {
			f, ok := s.dots(g)
			if !ok {
				continue
			}
			for _, p := range s.peersOf(g, func(string) bool { return true }) {
				drawn := slices.ContainsFunc(g.Rows, func(w row) bool {
					c := w.find(p)
					return c != nil && c.Ratio > 0
				})
				if drawn && !strings.Contains(f.SVG, "<title>"+p+": ") {
					t.Errorf("%s, %s: %s is in the table and not in the chart", name, g.Name, p)
				}
			}
		}
	}
}

// measured is a report of one row with the times of two peers in seconds.
func measured(heap, harena []float64) *Report {
	r := &Report{Suites: []Suite{{Name: "micro", Title: "micro", Plot: "bars", Peers: []string{suite.Heap, suite.Harena}}}}
	for peer, values := range map[string][]float64{suite.Heap: heap, suite.Harena: harena} {
		r.Results = append(r.Results, suite.Result{Suite: "micro", Row: "new-64", Title: "New, 64 B",
			Unit: suite.Seconds, Peer: peer, Values: values})
	}
	return r
}

// TestDoubt: what may be noise is pale and says why. With too few rounds for a test that is their range, since a ratio
// of 179 that is called not significant contradicts itself.
func TestDoubt(t *testing.T) {
	for name, c := range map[string]struct {
		heap, harena   []float64
		doubt, heading string
	}{
		"three rounds": {[]float64{180e-9, 179e-9, 200e-9}, []float64{1e-9, 1e-9, 1e-9},
			"3 rounds, from 179x to 200x", "3 rounds, from 179x to 200x"},
		"one round": {[]float64{180e-9}, []float64{1e-9}, "one round", "one round"},
		"six, noise": {[]float64{9e-9, 11e-9, 10e-9, 12e-9, 8e-9, 10e-9},
			[]float64{11e-9, 9e-9, 10e-9, 8e-9, 12e-9, 10e-9}, "not significant",
			"6 rounds, from 0.67x to 1.50x"},
		"six, large": {[]float64{7e-3, 7e-3, 7e-3, 7e-3, 1e-9, 1e-9}, []float64{1e-6, 1e-6, 1e-6, 1e-6, 1, 1},
			"6 rounds, from 0.00x to 7.00kx", "6 rounds, from 0.00x to 7.00kx"},
		"six, sure": {[]float64{180e-9, 181e-9, 182e-9, 183e-9, 184e-9, 185e-9},
			[]float64{1e-9, 1.01e-9, 1.02e-9, 1.03e-9, 1.04e-9, 1.05e-9}, "", ""},
	} {
		r := measured(c.heap, c.harena)
		w := r.rows(r.Suites[0])[0]
		if got := w.find(suite.Harena).doubt(); got != c.doubt {
			t.Errorf("%s: %q, want %q", name, got, c.doubt)
		}
		if got := w.find(suite.Heap).doubt(); got != "" {
			t.Errorf("%s: the base itself is doubted: %q", name, got)
		}
		if h := r.headlines()[0].Detail; strings.Contains(h, "significant") || c.heading != "" &&
			!strings.HasSuffix(h, "; "+c.heading) ||
			c.heading == "" && strings.Contains(h, ";") {
			t.Errorf("%s: the headline says %q", name, h)
		}
		var page strings.Builder
		if err := r.WriteHTML(&page); err != nil {
			t.Fatal(err)
		}
		if pale := strings.Contains(page.String(), `class="bar pale harena"`); pale != (c.doubt != "") {
			t.Errorf("%s: the bar is pale: %t", name, pale)
		}
		if pale := strings.Contains(page.String(), `class="mark harena pale strong"`); pale != (c.doubt != "") {
			t.Errorf("%s: the mark is pale: %t", name, pale)
		}
		if said := strings.Count(page.String(), c.doubt+"<"); c.doubt != "" && said < 2 { // the chart and the table
			t.Errorf("%s: the page says %q %d times", name, c.doubt, said)
		}
	}
}
