package scout

import (
	"cmp"
	"errors"
	"fmt"
	"time"

	"github.com/harena-go/arena/scout/internal/probe"
	"github.com/harena-go/arena/scout/internal/sites"
)

// This file goes from the unit that promises most to the next ones, until one has something to gain. That one unit has
// nothing says nothing of the others of its package, so a no is an answer for all of them that were looked at.

// Worth is how many times less CPU a unit must take for an arena to be worth its work.
const Worth = 1.07

const (
	tries   = 4                // how many functions may turn out to run too few times, or to have nothing to gain
	lookFor = 45 * time.Second // after that nobody waits for another look
)

// A tour is what the looks so far have found.
type tour struct {
	*session
	began time.Time // the search for more than the first look has found
	looks int
	seen  map[string]bool // functions that were looked at
	best  *Look           // the one with the most to gain, though that isn't worth an arena
	less  []string        // the others
	err   error           // why there is none
	idle  error           // that a unit allocates now and then only; it says more than err
}

// first looks at the first unit that runs often enough, allocates something each time, and has something to gain. If
// there is none it returns the one with the most.
func (s *session) first(all []Bench) (*Look, error) {
	t := tour{session: s, seen: map[string]bool{}, err: s.no(all)}
	for i := range all {
		b := &all[i]
		if t.best != nil && !b.asked && !t.late() {
			if err := s.ask(b); err != nil { // there is an answer
				s.Say("%s: %v", b.Name, err)
			}
		}
		for _, u := range b.units {
			if t.best != nil && (t.seen[u.Function] || b.little(u)) {
				continue
			}
			if t.looks++; t.looks > tries || t.best != nil && t.late() {
				return t.end()
			}
			t.seen[u.Function] = true
			if done, err := t.visit(b, u, len(all)-1); err != nil {
				return nil, err
			} else if done {
				return t.end()
			}
		}
	}
	return t.end()
}

// late reports whether it is too late for another look.
func (t *tour) late() bool { return time.Since(t.began) > lookFor }

// little reports whether memory takes too little of a unit for an arena to be worth its work, by what was measured. A
// guess is no reason to say no.
func (b *Bench) little(u sites.Candidate) bool {
	share := u.Share
	if b.AtMost > 0 {
		share *= b.memory
	}
	return share < 1-1/Worth
}

// end returns the answer.
func (t *tour) end() (*Look, error) {
	if t.best == nil {
		return nil, cmp.Or(t.idle, t.err)
	}
	t.best.Less = t.less
	return t.best, nil
}

// visit looks at a unit, and reports whether that was the last one.
func (t *tour) visit(b *Bench, u sites.Candidate, others int) (done bool, err error) {
	one, remove, err := t.apart()
	if err != nil {
		return false, err
	}
	defer remove()
	bare := sites.Bare(u.Function)
	look, err := one.look(u, b.line, others)
	no := (*No)(nil)
	switch {
	case err == nil && (look.objects() >= 1 || t.Unit != ""):
		return t.compare(look), nil
	case err == nil:
		t.Say("%s allocates less than an object a call", bare)
		t.idle = cmp.Or[error](t.idle, &No{bare + " allocates less than an object a call"})
	case errors.As(err, &no):
		t.idle = cmp.Or(t.idle, err)
	// The outermost function may run once, and call the real unit in its loop.
	case errors.Is(err, probe.ErrNone):
		t.err = err
		t.Say("%s runs too few times", bare)
	case t.best != nil: // there is an answer
		t.Say("%s: %v", bare, err)
	default:
		return false, err
	}
	return false, nil
}

// compare keeps the look with more to gain, and reports whether that is enough, or nothing is known of it.
func (t *tour) compare(look *Look) (enough bool) {
	if look.Costs == nil {
		t.best = look
		return true
	}
	say := func(l *Look) string {
		return fmt.Sprintf("%s in %s, %.2fx", sites.Bare(l.Unit.Function), l.Benchmark, l.gain())
	}
	if t.best == nil {
		t.began = time.Now()
	}
	if t.best == nil || look.gain() > t.best.gain() {
		t.best, look = look, t.best
	}
	if look != nil {
		t.less = append(t.less, say(look))
	}
	if enough = t.best.gain() >= Worth; !enough {
		t.Say("nothing worth an arena in %s; looking further", sites.Bare(t.best.Unit.Function))
	}
	return enough
}

// gain returns how many times less CPU a unit takes at most.
func (l *Look) gain() float64 {
	e := l.Costs.Expect
	gain := max(e.Moved, e.All, e.Later)
	if p := l.Costs.Elsewhere; p != nil {
		gain = max(gain, p.Expect.Moved, p.Expect.All, p.Expect.Later)
	}
	return gain
}
