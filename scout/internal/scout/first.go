package scout

import (
	"cmp"
	"errors"
	"fmt"
	"time"

	"github.com/harena-go/arena/scout/internal/probe"
	"github.com/harena-go/arena/scout/internal/sites"
)

// This file goes on from the most promising unit to the next ones, while there is time and one of them promises more
// than the best so far has kept of its promise. A unit without gain says nothing of the others in its package, so a no
// is an answer for all that were looked at.

// Worth is the least ratio of CPU for which an arena is worth its work.
const Worth = 1.07

// Sure is the estimated ratio of CPU from which on a gain isn't called "at most". Of six estimates of 1.1x that were
// tried, on packages for which the scout wasn't made, one was right: 1.00, 1.01, 1.01, 1.03, 1.06 and 1.13x.
const Sure = 1.15

// tries is the number of functions that may run too few times or keep less than they promise, most the number of looks
// until there is a sure gain: in miekg/dns many benchmarks call Unpack, and one Copy, which came sixth.
const tries, most = 4, 8

// A tour has the results of the looks so far.
type tour struct {
	*session
	looks   int
	longest time.Duration   // of the looks
	seen    map[string]bool // functions that were looked at
	best    *Look           // the one that saves most
	saves   float64         // its saving, in terms of promise
	answer  string          // best in a few words
	less    []string        // the others
	late    []string        // more promising ones without a look
	err     error           // the reason if there is no best
	idle    error           // a unit allocates only now and then; it says more than err
}

// first looks at the most promising units, and returns the look that saves most.
func (s *session) first(all []Bench) (*Look, error) {
	t := tour{session: s, seen: map[string]bool{}, err: s.no(all)}
	for i := range all {
		b := &all[i]
		if t.best != nil && !b.asked && b.promise() > t.saves && t.time() {
			if err := s.ask(b); err != nil { // there is an answer
				s.Say("%s: %v", b.Name, err)
			}
		}
		for _, u := range b.units {
			promise := b.promise() * u.Share / b.units[0].Share
			switch {
			case t.best == nil && t.spent() > 1:
			case t.best != nil && (u.Test || t.seen[u.Function] || b.little(u) || promise <= t.saves):
			case t.looks == most || t.best != nil && (!t.time() || t.looks >= tries && t.best.gain() >= Sure):
				t.late = append(t.late, fmt.Sprintf("%s in %s", sites.Bare(u.Function), b.Name))
				t.seen[u.Function] = true
			default:
				if err := t.visit(b, u, len(all)-1); err != nil {
					return nil, err
				}
			}
		}
	}
	if b := t.another(all); b != nil {
		if err := t.visit(b, b.units[0], len(all)-1); err != nil {
			return nil, err
		}
	}
	if t.best == nil {
		err := cmp.Or(t.idle, t.err)
		if s.spent() > 1 {
			err = fmt.Errorf("no answer within %v, see -within: %w", s.within(), err)
		}
		return nil, err
	}
	t.best.Less, t.best.Late, t.best.Left = t.less, t.late, s.left
	return t.best, nil
}

// another returns the benchmark with the largest share of memory whose unit got a no in another benchmark, if that
// share is twice as large: memory takes 15% of gomarkdown's ToHTML with a long text, and half with a line.
func (t *tour) another(all []Bench) (most *Bench) {
	if t.best == nil || t.found() || t.looks >= tries || !t.time() {
		return nil
	}
	least := 0.0
	for i := range all {
		switch b := &all[i]; {
		case b.Name == t.best.Benchmark:
			least = 2 * b.memory
		case b.AtMost == 0 || !t.seen[b.units[0].Function] || b.little(b.units[0]):
		case most == nil || b.memory > most.memory:
			most = b
		}
	}
	if most != nil && most.memory < least {
		return nil
	}
	return most
}

// found reports whether a unit is worth an arena. A no is worth more time: the next unit may be.
func (t *tour) found() bool { return t.best != nil && t.best.gain() >= Worth }

// time reports whether there is time for another look: as long as the longest so far, or, with only a no, until all
// time is spent.
func (t *tour) time() bool {
	if t.found() {
		return t.within()-time.Since(t.began) > t.longest
	}
	return t.spent() <= 1
}

// little reports whether memory's measured share of a unit is too small for an arena to be worth its work. A guess is
// no reason to say no.
func (b *Bench) little(u sites.Candidate) bool {
	share := u.Share
	if b.AtMost > 0 {
		share *= b.memory
	}
	return share < 1-1/Worth
}

// visit looks at a unit.
func (t *tour) visit(b *Bench, u sites.Candidate, others int) error {
	t.looks++
	t.seen[u.Function] = true
	one, remove, err := t.apart()
	if err != nil {
		return err
	}
	defer remove()
	if !t.found() { // on a busy machine a late answer is better than none
		one.Within = 2 * t.within()
	}
	began, bare := time.Now(), sites.Bare(u.Function)
	look, err := one.look(u, b.line, others)
	t.longest = max(t.longest, time.Since(began))
	no := (*No)(nil)
	switch {
	case err == nil && (look.objects() >= 1 || t.Unit != ""):
		look.Within = t.within()
		t.compare(b, look)
	case err == nil:
		t.Say("%s allocates less than an object a call", bare)
		t.idle = cmp.Or[error](t.idle, &No{bare + " allocates less than an object a call"})
	case errors.As(err, &no):
		t.idle = cmp.Or(t.idle, err)
	case errors.Is(err, probe.ErrNone) && u.Test:
		t.idle = cmp.Or[error](t.idle, &No{fmt.Sprintf("what is allocated in %s is %s's, of a test; not that of "+
			"functions of %s", b.Name, bare, t.pkg.ImportPath)})
	// The outermost function may run once, and call the real unit in its loop.
	case errors.Is(err, probe.ErrNone):
		t.err = err
		t.Say("%s runs too few times", bare)
	case t.best != nil: // there is an answer
		t.Say("%s: %v", bare, err)
	default:
		t.err = err
		if t.spent() < 1 {
			return err
		}
	}
	return nil
}

// compare keeps the look that saves more: the part of memory's share, and so of the promise, that arenas don't take
// again. A gain below Worth loses to one above, and a possible gain to a sure one, regardless of its part of the
// package. A gain through another map or library counts half: it is work by hand, and -try may have none of it; so does
// a gain that depends on releasing the last result.
func (t *tour) compare(b *Bench, look *Look) {
	e, gain := look.Costs.Expect, look.gain()
	tried := e.Moved
	if e.Held() {
		tried = (e.Moved + e.Later) / 2
		gain = tried
	}
	saves := b.promise() * (1 - 0.5/gain - 0.5/max(tried, 1)) / max(b.memory, 1e-9)
	for _, least := range []float64{Worth, Sure} {
		if gain < least {
			saves *= 1e-3
		}
	}
	said := look.said()
	t.Say("%s", said)
	if t.best == nil || saves > t.saves {
		t.best, t.saves, t.answer, said = look, saves, said, t.answer
	}
	if said != "" {
		t.less = append(t.less, said)
	}
}

// said describes an answer in a few words.
func (l *Look) said() string {
	return fmt.Sprintf("%s in %s, %.2fx", sites.Bare(l.Unit.Function), l.Benchmark, l.gain())
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
