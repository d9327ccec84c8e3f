package server

import (
	"maps"
	"math/rand/v2"
	"strconv"
	"testing"

	"github.com/harena-go/arena"
)

// TestTableIsAMap does the same to a table and to a built-in map, small and
// large, in an arena that is reset in between.
func TestTableIsAMap(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 1))
	a := arena.NewArena()
	for round := range 300 {
		a.Reset()
		keys := 1 + rnd.IntN(1+round)
		m := map[string]int{}
		tab := arena.New[table[int]](a)
		for i := range 2 * keys {
			k := strconv.Itoa(rnd.IntN(keys))
			m[k] = i
			tab.set(a, a.AllocString(k), i)
			if probe := strconv.Itoa(rnd.IntN(keys)); true {
				want, wantOK := m[probe]
				if got, ok := tab.get(probe); got != want || ok != wantOK {
					t.Fatalf("%d keys: %s is %d, %v, want %d, %v", len(m), probe, got, ok, want, wantOK)
				}
			}
		}
		if got := maps.Collect(tab.all); !maps.Equal(got, m) || tab.len() != len(m) {
			t.Fatalf("got %v, want %v", got, m)
		}
		if tab.index != nil && len(m) <= smallTable || tab.index == nil && len(m) > smallTable {
			t.Fatalf("%d keys, and an index of %d", len(m), len(tab.index))
		}
		tab.clear()
		if _, ok := tab.get("0"); ok || tab.len() != 0 {
			t.Fatal("a table that was cleared is not empty")
		}
		tab.set(a, "x", 1)
		if v, ok := tab.get("x"); v != 1 || !ok || tab.len() != 1 {
			t.Fatal("a table that was cleared can't be used again")
		}
	}
}

func TestSessionsNoticeChanges(t *testing.T) {
	fresh := func() *sessions { return newSessions(500) }
	if c := fresh(); !c.intact(500) || c.intact(505) || len(c.byToken) != 100 {
		t.Fatalf("a new cache isn't intact, or of any size: %d sessions", len(c.byToken))
	}
	for name, spoil := range map[string]func(*sessions){
		"order":  func(c *sessions) { c.oldest.newer = c.oldest.newer.newer },
		"user":   func(c *sessions) { c.newest.user.id = 5 },
		"basket": func(c *sessions) { c.newest.basket[0] = 5 },
		"token":  func(c *sessions) { c.newest.token += "x" },
		"more":   func(c *sessions) { c.byToken["x"] = nil },
	} {
		c := fresh()
		if spoil(c); c.intact(500) {
			t.Errorf("%s: a spoilt cache is called intact", name)
		}
	}
}
