package scout

import (
	"testing"
	"time"

	"github.com/harena-go/arena/scout/internal/sites"
)

// TestPreparation: a benchmark's preparation doesn't count in memory's share of it.
func TestPreparation(t *testing.T) {
	t.Setenv("GOWORK", "off")
	s, remove, err := open(Options{Pattern: "../../cmd/arenascout/testdata/contact", Bench: "Prepared"})
	if err != nil {
		t.Fatal(err)
	}
	defer remove()
	all, err := s.benchmarks()
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

// TestByHand: a gain that takes other maps counts less than one that -try has, unless it is much greater.
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

// TestInTurnIsLess: a possible gain from two arenas in turn counts less than a sure one.
func TestInTurnIsLess(t *testing.T) {
	tour := tour{session: &session{}, seen: map[string]bool{}}
	tour.compare(&Bench{memory: 0.5, Objects: 1000, votes: 10}, &Look{Costs: &Costs{Expect: Expectation{Moved: 1, All: 1, Later: 1.2}}})
	sure := &Look{Costs: &Costs{Expect: Expectation{Moved: 1.3, All: 1.3}}}
	if tour.compare(&Bench{memory: 0.5, Objects: 1000, votes: 1}, sure); tour.best != sure {
		t.Error("what the next unit replaces comes first")
	}
}

// TestTime: a no has all the time to become an answer, and an answer only the time of another look.
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

// TestAnother: after a no the unit is looked at in a benchmark where memory's share is much larger.
func TestAnother(t *testing.T) {
	bench := func(name string, memory float64) Bench {
		return Bench{Name: name, memory: memory, AtMost: 1 / (1 - memory), units: []sites.Candidate{{Function: "f", Share: 1}}}
	}
	all := []Bench{bench("Long", 0.2), bench("Line", 0.6), bench("Word", 0.5), {Name: "Unknown", memory: 0.9}}
	for _, c := range []struct {
		looked string
		gain   float64
		looks  int
		want   string
	}{{"Long", 1.03, 1, "Line"}, {"Long", 1.2, 1, ""}, {"Long", 1.03, tries, ""}, {"Word", 1.03, 1, ""}} {
		look := &Look{Benchmark: c.looked, Costs: &Costs{Expect: Expectation{Moved: c.gain}}}
		tour := tour{session: &session{began: time.Now()}, seen: map[string]bool{"f": true}, best: look, looks: c.looks}
		got := ""
		if b := tour.another(all); b != nil {
			got = b.Name
		}
		if got != c.want {
			t.Errorf("after %.2fx in %s, %d looks: %q, want %q", c.gain, c.looked, c.looks, got, c.want)
		}
	}
}
