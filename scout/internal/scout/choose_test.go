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
