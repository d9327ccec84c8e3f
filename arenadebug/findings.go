package arenadebug

import (
	"fmt"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/harena-go/arena"
)

// This file describes a pool's problems, and names the place in the user's code that took an arena.

// findings returns the pool's problems, the worst first.
func (p *poolReport) findings() (all []string) {
	s := &p.Stats
	say := func(format string, args ...any) { all = append(all, p.Name+": "+fmt.Sprintf(format, args...)) }
	if s.Escapes > 0 {
		say("%s to reclaimed memory; OnEscape or the log has the stacks", count(s.Escapes, "reference"))
	}
	if s.LimitHits > 0 {
		// The option that refused shows the cause: one large request, or all of them together.
		option := "WithLimit"
		if p.LimitHit.Total {
			option = "WithPoolLimit"
		}
		say("%s refused by limits, the last by %s %s ago, which asked for %s at %s",
			count(s.LimitHits, "allocation"), option, ago(p.LimitHit.Ago), size(p.LimitHit.Asked),
			first(p.LimitHit.Stack))
	}
	// Leases without a place share one line, since they can't be told apart.
	unknown := 0
	for _, g := range p.Groups {
		switch {
		// One or two leases of some seconds may be slow requests.
		case g.Old < 3 && g.Oldest < veryOld:
		case g.Place == "":
			unknown += g.Old
		default:
			say("%s older than %s, taken at %s; the oldest has been lent for %s",
				count(g.Old, "lease"), ago(old), g.Place, ago(g.Oldest))
		}
	}
	if unknown > 0 {
		say("%s older than %s, taken at places that weren't noted", count(unknown, "lease"), ago(old))
	}
	if s.Lost > 0 {
		say("%s never put back and found by the GC", count(s.Lost, "arena"))
	}
	if of, u := p.starved(); u != nil {
		say("large requests don't find their memory again: "+
			"a get%s took %s from the Go heap lately, of the %s that it needed", of, size(u.Taken), size(u.Needed))
	}
	// Nine tenths: the next large request may be refused.
	if lent := s.Reserved - s.Retained; s.PoolLimit > 0 && lent > s.PoolLimit/10*9 {
		say("arenas that are lent have %s of the %s that WithPoolLimit allows", size(lent), size(s.PoolLimit))
	}
	// Below 64 MiB nobody would change a setting.
	if s.Waste > 64<<20 && s.Waste > s.Reserved/2 {
		say("idle arenas have %s that they have never used", size(s.Waste))
	}
	p.eachKey(func(s *arena.PoolStats, of string) {
		if each := s.Used / uint64(max(1, s.Puts)); !s.Reuse && s.Sampled >= 1000 && each >= 4<<10 && s.Kept == 0 {
			say("nothing was kept of %s%s that were looked at: "+
				"if tests agree, WithReuse() saves allocating %s each time",
				count(s.Sampled, "lease"), of, size(int(each)))
		}
	})
	return all
}

// starved returns the usage of the requests that took most from the Go heap lately, those of a key or of the whole
// pool, or nil. They must be large, and have taken more than half of their need: below 32 KiB new memory costs little
// beside the work in it. In a pool with fewer than a thousand gets most memory is new in any case.
func (p *poolReport) starved() (of string, worst *arena.UsagePercentiles) {
	p.eachKey(func(s *arena.PoolStats, name string) {
		u := &s.Usage
		if s.Reuse && s.Gets >= 1000 && u.Taken >= 32<<10 && 2*u.Taken > u.Needed &&
			(worst == nil || u.Taken >= worst.Taken) {
			of, worst = name, u
		}
	})
	return of, worst
}

// eachKey calls f for the pool, and for each key.
func (p *poolReport) eachKey(f func(s *arena.PoolStats, of string)) {
	f(&p.Stats, "")
	for _, k := range p.keys() {
		f(&k, fmt.Sprintf(" of key %q", k.Name))
	}
}

// place returns the call that took an arena, as "web.(*Export).run export.go:88", or "" if it is unknown.
func place(stack []runtime.Frame) string { return first(users(stackLines(stack))) }

func first(lines []string) string {
	if len(lines) == 0 {
		return ""
	}
	return lines[0]
}

// stackLines returns a line for each call.
func stackLines(stack []runtime.Frame) (lines []string) {
	for _, f := range stack {
		// The package's path would fill the line; its last part and the file are enough.
		function := f.Function[strings.LastIndex(f.Function, "/")+1:]
		lines = append(lines, fmt.Sprintf("%s %s:%d", function, filepath.Base(f.File), f.Line))
	}
	return lines
}

// users returns a stack from the user's first call on: the calls above it belong to this module.
func users(lines []string) []string {
	i := slices.IndexFunc(lines, func(s string) bool {
		// These prefixes are packages of this module, below the user's call.
		for _, own := range []string{"arena.", "arenahttp.", "memory.", "watch.", "profile."} {
			if strings.HasPrefix(s, own) {
				return false
			}
		}
		return true
	})
	return lines[max(0, i):]
}
