package arenadebug

import (
	"cmp"
	"fmt"
	"maps"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/harena-go/arena"
)

// This file holds what is found out for the page, once for all forms of it. It may not know what they look
// like.

// A report is what one look at the pools has shown.
type report struct {
	Time     time.Time
	Pool     string   `json:",omitempty"` // the only one that is shown; "" for all
	Findings []string // what is wrong, in words
	Pools    []poolReport
	Refresh  int `json:"-"` // seconds; 0 for never
}

// A poolReport is that of one pool.
type poolReport struct {
	Name     string
	Stats    arena.PoolStats
	LimitHit *limitHit `json:",omitempty"`
	Groups   []group   // of leases, by where they were taken, the oldest first

	leases []arena.Lease
}

// A limitHit is the last allocation that was refused.
type limitHit struct {
	Ago   time.Duration
	Asked int
	Total bool
	Stack []string
}

// A group is the leases that were taken at one place.
type group struct {
	Place  string // "" if it isn't known
	Key    string // of the oldest
	Count  int
	Oldest time.Duration
	Median time.Duration
	Old    int      // how many are old
	Stack  []string // of the oldest, a line for each call
}

// maxGroups is how many groups of a pool are shown.
const maxGroups = 20

// old is the age from which leases are suspicious if there are several, and veryOld that from which one is.
const old, veryOld = 10 * time.Second, 10 * time.Minute

// newReport looks at those of the pools that have a name, or at all.
func newReport(pools []*arena.Pool, name string, now time.Time) *report {
	r := &report{Time: now, Pool: name}
	for _, p := range pools {
		if name != "" && p.Name() != name {
			continue
		}
		pr := poolReport{Name: p.Name(), Stats: p.Stats(), leases: p.Leases(0)}
		if last, ok := p.LastLimitHit(); ok {
			pr.LimitHit = &limitHit{now.Sub(last.Time), last.Asked, last.Total, stackLines(last.Stack)}
			pr.LimitHit.Stack = users(pr.LimitHit.Stack)
		}
		pr.group()
		r.Findings = append(r.Findings, pr.findings()...)
		r.Pools = append(r.Pools, pr)
	}
	return r
}

// group sorts the leases by where they were taken.
func (p *poolReport) group() {
	at := map[string]*group{}
	ages := map[string][]time.Duration{}
	places := map[*runtime.Frame]string{} // by stack, which many leases share
	for _, l := range p.leases {          // the oldest first
		var stack *runtime.Frame
		if len(l.Stack) > 0 {
			stack = &l.Stack[0]
		}
		where, ok := places[stack]
		if !ok {
			where = place(l.Stack)
			places[stack] = where
		}
		g := at[where]
		if g == nil {
			g = &group{Place: where, Key: l.Key, Oldest: l.Age, Stack: users(stackLines(l.Stack))}
			at[where] = g
		}
		g.Count++
		if l.Age >= old {
			g.Old++
		}
		ages[where] = append(ages[where], l.Age)
	}
	for where, g := range at {
		g.Median = ages[where][len(ages[where])/2]
		p.Groups = append(p.Groups, *g)
	}
	slices.SortFunc(p.Groups, func(a, b group) int {
		return cmp.Or(-cmp.Compare(a.Oldest, b.Oldest), -cmp.Compare(a.Count, b.Count), cmp.Compare(a.Place, b.Place))
	})
	p.Groups = p.Groups[:min(len(p.Groups), maxGroups)]
}

// findings returns what is wrong with the pool, the worst first.
func (p *poolReport) findings() (all []string) {
	s := &p.Stats
	say := func(format string, args ...any) { all = append(all, p.Name+": "+fmt.Sprintf(format, args...)) }
	if s.Escapes > 0 {
		say("%s to memory that was taken back; OnEscape or the log has the stacks", count(s.Escapes, "reference"))
	}
	if s.LimitHits > 0 {
		option := "WithLimit"
		if p.LimitHit.Total {
			option = "WithPoolLimit"
		}
		say("%s refused by limits, the last by %s %s ago, which asked for %s at %s",
			count(s.LimitHits, "allocation"), option, ago(p.LimitHit.Ago), size(p.LimitHit.Asked), first(p.LimitHit.Stack))
	}
	unknown := 0
	for _, g := range p.Groups {
		switch {
		case g.Old < 3 && g.Oldest < veryOld:
		case g.Place == "":
			unknown += g.Old
		default:
			say("%s older than %s, taken at %s; the oldest has been lent for %s", count(g.Old, "lease"), ago(old), g.Place, ago(g.Oldest))
		}
	}
	if unknown > 0 {
		say("%s older than %s, of which it isn't known where they were taken", count(unknown, "lease"), ago(old))
	}
	if s.Lost > 0 {
		say("%s never put back and found by the GC", count(s.Lost, "arena"))
	}
	if lent := s.Reserved - s.Retained; s.PoolLimit > 0 && lent > s.PoolLimit/10*9 {
		say("arenas that are lent have %s of the %s that WithPoolLimit allows", size(lent), size(s.PoolLimit))
	}
	if s.Waste > 64<<20 && s.Waste > s.Reserved/2 {
		say("idle arenas have %s that they have never used", size(s.Waste))
	}
	return all
}

// place returns the call that took an arena, as "web.(*Export).run export.go:88", or "" if it isn't known.
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
		lines = append(lines, fmt.Sprintf("%s %s:%d", f.Function[strings.LastIndex(f.Function, "/")+1:], filepath.Base(f.File), f.Line))
	}
	return lines
}

// users returns a stack from the first call on that is the user's.
func users(lines []string) []string {
	i := slices.IndexFunc(lines, func(s string) bool {
		for _, own := range []string{"arena.", "arenahttp.", "memory.", "watch.", "profile."} {
			if strings.HasPrefix(s, own) {
				return false
			}
		}
		return true
	})
	return lines[max(0, i):]
}

// maxKeys is how many keys of a pool are shown.
const maxKeys = 100

// Keys returns the numbers of the pool's keys, those with most gets first.
func (p poolReport) Keys() []arena.PoolStats {
	keys := slices.SortedFunc(maps.Values(p.Stats.Keys), func(a, b arena.PoolStats) int {
		return cmp.Or(-cmp.Compare(a.Gets, b.Gets), cmp.Compare(a.Name, b.Name))
	})
	return keys[:min(len(keys), maxKeys)]
}

// numbers are those of a pool, with what follows from them.
type numbers struct {
	arena.PoolStats
	Lent, Needed int // bytes of arenas that are lent, and of idle ones that have used them
}

// Numbers returns those of the pool.
func (p poolReport) Numbers() numbers {
	s := p.Stats
	return numbers{s, s.Reserved - s.Retained, s.Retained - s.Waste}
}

// text writes the report for a terminal.
func (r *report) text(b *strings.Builder) {
	for _, f := range r.Findings {
		fmt.Fprintf(b, "! %s\n", f)
	}
	if len(r.Findings) == 0 {
		fmt.Fprintln(b, "nothing is wrong, as far as it is seen from here")
	}
	for _, p := range r.Pools {
		fmt.Fprintf(b, "\n%s\n  %s\n  idle %d, limit hits %d, checked %d, escapes %d, waste %s; use p50 %s, p90 %s, p99 %s\n", p.Name, p.Stats.String(),
			p.Stats.Idle, p.Stats.LimitHits, p.Stats.Checked, p.Stats.Escapes, size(p.Stats.Waste), size(p.Stats.Usage.P50), size(p.Stats.Usage.P90), size(p.Stats.Usage.P99))
		for _, s := range p.Keys() {
			fmt.Fprintf(b, "  key %q: %d gets, %d lent, %s reserved\n", s.Name, s.Gets, s.Live, size(s.Reserved))
		}
		for _, g := range p.Groups {
			fmt.Fprintf(b, "  %s, the oldest for %s\n", count(g.Count, "lease"), ago(g.Oldest))
			for _, line := range g.Stack {
				fmt.Fprintf(b, "    %s\n", line)
			}
		}
	}
}

// count returns a number of things.
func count(n int, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return fmt.Sprintf("%d %ss", n, thing)
}

// size returns a number of bytes with a unit.
func size(n int) string {
	switch v := float64(n); {
	case n >= 1<<30:
		return fmt.Sprintf("%.1f GiB", v/(1<<30))
	case n >= 1<<20:
		return fmt.Sprintf("%.1f MiB", v/(1<<20))
	case n >= 1<<10:
		return fmt.Sprintf("%.1f KiB", v/(1<<10))
	}
	return fmt.Sprintf("%d B", n)
}

// ago returns a time with one unit.
func ago(d time.Duration) string {
	switch {
	case d >= 2*time.Hour:
		return fmt.Sprintf("%d h", d/time.Hour)
	case d >= 2*time.Minute:
		return fmt.Sprintf("%d min", d/time.Minute)
	}
	return fmt.Sprintf("%d s", d/time.Second)
}

// percent returns a part of a whole, from 0 to 100.
func percent(part, whole int) int { return 100 * max(0, part) / max(1, whole) }
