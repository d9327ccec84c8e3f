package scout

import (
	"testing"
	"time"
)

// TestPreparation: what prepares a benchmark is no part of what memory takes of it.
func TestPreparation(t *testing.T) {
	t.Setenv("GOWORK", "off")
	s, remove, err := open(Options{Pattern: "../../cmd/arenascout/testdata/contact", Bench: "Prepared"})
	if err != nil {
		t.Fatal(err)
	}
	defer remove()
	all, err := s.all()
	if err != nil {
		t.Fatal(err)
	}
	if err := s.rank(all); err != nil {
		t.Fatal(err)
	}
	if b := all[0]; b.Objects < 1 || b.AtMost == 0 || b.AtMost > 1.1 {
		t.Errorf("%+v", b)
	}
}

// TestByHand: a gain that takes other maps is less of an answer than one that -try has, unless it is much greater.
func TestByHand(t *testing.T) {
	look := func(moved, all float64) *Look {
		return &Look{Costs: &Costs{Expect: Expectation{Moved: moved, All: all, Later: all}}}
	}
	b := &Bench{memory: 0.5, Objects: 1000, votes: 1}
	for _, test := range []struct {
		maps, moves float64
		wins        bool
	}{{1.7, 1.3, false}, {3, 1.3, true}, {1.3, 1.2, false}} {
		tour := tour{session: &session{}, seen: map[string]bool{}}
		maps, moves := look(1, test.maps), look(test.moves, test.moves)
		tour.compare(b, maps)
		if tour.compare(b, moves); (tour.best == maps) != test.wins {
			t.Errorf("%+v", test)
		}
	}
}

// TestTime: a no has all the time to become an answer, and an answer only that in which another look ends.
func TestTime(t *testing.T) {
	for _, c := range []struct {
		gain  float64
		spent time.Duration
		want  bool
	}{{1.5, 90 * time.Second, true}, {1.5, 110 * time.Second, false}, {1.01, 110 * time.Second, true}, {1.01, 130 * time.Second, false}} {
		look := &Look{Costs: &Costs{Expect: Expectation{Moved: c.gain}}}
		tour := tour{session: &session{began: time.Now().Add(-c.spent)}, longest: 20 * time.Second, best: look}
		if got := tour.time(); got != c.want {
			t.Errorf("after %v, with %.2fx: %t", c.spent, c.gain, got)
		}
	}
}
