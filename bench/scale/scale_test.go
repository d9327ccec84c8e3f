package scale

import (
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/harena-go/arena/bench/suite"
)

// TestAnswersAreTheSame also has the collector run while orders are made.
func TestAnswersAreTheSame(t *testing.T) {
	const requests = 2000
	want := uint64(0)
	for request := range requests {
		want += makeOrder(heap{}, request).sum()
	}
	for _, peer := range Suite().Peers {
		d, err := newDesk(peer)
		if err != nil {
			t.Fatal(err)
		}
		for _, g := range []int{1, 3} {
			quit := make(chan bool)
			go func() {
				for {
					select {
					case <-quit:
						return
					default:
						runtime.GC()
					}
				}
			}()
			if got := d.answer(g, requests); got != want {
				t.Errorf("%s, %d goroutines: the answers' sum is %x, want %x", peer, g, got, want)
			}
			close(quit)
		}
	}
}

// TestSumSeesEverything changes each part of an order.
func TestSumSeesEverything(t *testing.T) {
	fresh := func() *order { return makeOrder(heap{}, 7) }
	want := fresh().sum()
	for what, change := range map[string]func(o *order){
		"a role":          func(o *order) { o.customer.roles[1] = "x" },
		"the customer":    func(o *order) { o.customer.name = "somebody else" },
		"an item's name":  func(o *order) { o.items[5].name += "!" },
		"an item's tag":   func(o *order) { o.items[5].tag += "!" },
		"an amount":       func(o *order) { o.items[9].amounts[0]++ },
		"a link":          func(o *order) { o.items[9].before = o.items[7] },
		"an item's buyer": func(o *order) { o.items[9].buyer = &customer{name: "x"} },
		"a list":          func(o *order) { o.items[9], o.items[8] = o.items[8], &item{tag: "x"} },
	} {
		o := fresh()
		change(o)
		if o.sum() == want {
			t.Errorf("changing %s doesn't change the sum", what)
		}
	}
	if makeOrder(heap{}, 8).sum() == want {
		t.Error("two requests have the same sum")
	}
}

func TestRows(t *testing.T) {
	sum := ""
	for _, peer := range Suite().Peers {
		out, err := run(peer, suite.Config{Quick: true, Requests: 200})
		if err != nil {
			t.Fatal(err)
		}
		var x []int
		for _, r := range out.Results {
			x = append(x, int(r.X))
			if r.Unit != suite.PerSecond || !r.More || r.Values[0] <= 0 || r.Peer != peer {
				t.Errorf("odd result: %+v", r)
			}
		}
		if !slices.Equal(x, goroutines()) || x[0] != 1 || !slices.Contains(x, 4) || !slices.Contains(x, max(4, runtime.NumCPU())) {
			t.Errorf("%s has rows of %v goroutines", peer, x)
		}
		if sum == "" {
			sum = out.Checksum
		}
		if out.Checksum != sum || !strings.HasPrefix(sum, "200 orders ") {
			t.Errorf("%s has the checksum %q, want %q", peer, out.Checksum, sum)
		}
	}
}

func TestRowsAreChosen(t *testing.T) {
	out, err := run(suite.Heap, suite.Config{Quick: true, Requests: 20, Rows: "goroutines-2"})
	if err != nil || len(out.Results) != 1 || out.Results[0].X != 2 {
		t.Errorf("%+v, %v", out.Results, err)
	}
}

func TestUnknownPeer(t *testing.T) {
	if _, err := run("magic", suite.Config{Quick: true}); err == nil {
		t.Error("no error")
	}
}
