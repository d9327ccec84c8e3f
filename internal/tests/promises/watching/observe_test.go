package watching

import (
	"log/slog"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/harena-go/arena"
	"github.com/harena-go/arena/arenametrics"
	"github.com/harena-go/arena/internal/tests/testkit"
)

// This file tests what somebody sees who watches a program's pools.

var zeroPool arena.Pool

func TestPoolsAreKnownWhileTheyLive(t *testing.T) {
	named, unnamed := arena.NewPool(arena.WithName("named")), arena.NewPool(arena.WithReuse())
	if slices.Contains(arena.Pools(), &zeroPool) {
		t.Error("a zero pool that was never used is there")
	}
	zeroPool.Put(zeroPool.Get())
	all := arena.Pools()
	for _, p := range []*arena.Pool{named, unnamed, &zeroPool} {
		if !slices.Contains(all, p) {
			t.Errorf("%s isn't there", p.Name())
		}
	}
	if slices.Index(all, named) > slices.Index(all, unnamed) {
		t.Error("the order is not that in which they were made")
	}
	var none *arena.Pool
	if s := unnamed.Name(); named.Name() != "named" || !strings.HasPrefix(s, "pool at observe_test.go:") || zeroPool.Name() != "zero pool" || none.Name() != "nil pool" {
		t.Errorf("names: %s, %s, %s, %s", named.Name(), s, zeroPool.Name(), none.Name())
	}
	func() {
		gone := arena.NewPool(arena.WithReuse(), arena.WithName("gone"))
		gone.Put(gone.Get())
	}()
	all = nil
	isGone := func() bool {
		return !slices.ContainsFunc(arena.Pools(), func(p *arena.Pool) bool { return p.Name() == "gone" })
	}
	for range 20 {
		if runtime.GC(); isGone() {
			break
		}
	}
	if !isGone() {
		t.Error("a pool that nobody has is still there")
	}
	runtime.KeepAlive(named)
	runtime.KeepAlive(unnamed)
}

//go:noinline
func leak(p *arena.Pool) *arena.Arena { return p.GetKeyed("leaky") }

// TestLeasesTellWhereTheyWereLent: arenas that are lent while somebody watches.
func TestLeasesTellWhereTheyWereLent(t *testing.T) {
	p := arena.NewPool(arena.WithReuse(), arena.WithName("leases"))
	early := p.Get()
	if l := arenametrics.Leases(p, 0); len(l) != 1 || !l[0].AgeIsLowerBound || l[0].Stack != nil || l[0].Age != 0 {
		t.Fatalf("before somebody watched: %v", l)
	}
	var kept []*arena.Arena
	for range 32 {
		p.Put(p.Get()) // those that come back leave nothing behind
		kept = append(kept, leak(p))
		kept[len(kept)-1].AllocBytes(100)
	}
	all := arenametrics.Leases(p, 0)
	stacks := 0
	for _, l := range all {
		if l.Stack == nil {
			continue
		}
		stacks++
		if !slices.ContainsFunc(l.Stack, func(f runtime.Frame) bool { return strings.HasSuffix(f.Function, "watching.leak") }) || l.Key != "leaky" {
			t.Errorf("%q, %v", l.Key, l.Stack)
		}
		if l.Pool != "leases" || l.AgeIsLowerBound || l.Reserved == 0 {
			t.Errorf("%+v", l)
		}
	}
	if len(all) != 33 || stacks < 2 || !all[0].AgeIsLowerBound {
		t.Errorf("%d leases, %d stacks", len(all), stacks)
	}
	if len(arenametrics.Leases(p, 5)) != 5 {
		t.Error("more than were asked for")
	}
	time.Sleep(2100 * time.Millisecond)
	if l := arenametrics.Leases(p, 1)[0]; l.Age < time.Second || l.Age > time.Minute {
		t.Errorf("after 2 s the oldest has an age of %v", l.Age)
	}
	oldest := 0.0
	for _, m := range arenametrics.All() {
		if m.Pool == "leases" && m.Key == "leaky" && m.Name == "oldest_lease" {
			oldest = m.Value
		}
	}
	if oldest < 1 {
		t.Errorf("the metric says %v s", oldest)
	}
	for _, a := range append(kept, early) {
		p.Put(a)
	}
	if l := arenametrics.Leases(p, 0); len(l) != 0 {
		t.Errorf("all are back, but %v", l)
	}
	if l := arenametrics.Leases(nil, 0); l != nil {
		t.Error(l)
	}
}

func TestRefusalsSayWhoAsked(t *testing.T) {
	p := arena.NewPool(arena.WithReuse(), arena.WithLimit(10_000), arena.WithPoolLimit(50_000))
	if r, ok := arenametrics.LastLimitHit(p); ok {
		t.Error(r)
	}
	before := time.Now()
	ask := func(a *arena.Arena) error {
		a.AllocBytes(20_000)
		return nil
	}
	if p.Do(ask) == nil || p.DoKeyed("key", ask) == nil {
		t.Fatal("nothing was refused")
	}
	r, ok := arenametrics.LastLimitHit(p)
	if !ok || r.Asked < 20_000 || r.Total || r.Time.Before(before) ||
		!slices.ContainsFunc(r.Stack, func(f runtime.Frame) bool { return strings.Contains(f.Function, "TestRefusalsSayWhoAsked") }) {
		t.Errorf("%v, %+v", ok, r)
	}
	if s := p.Stats(); s.LimitHits != 2 || s.Keys["key"].LimitHits != 1 || s.Limit != 10_000 || s.PoolLimit != 50_000 {
		t.Errorf("%+v", s)
	}
	var held []*arena.Arena
	for range 7 {
		a := p.Get()
		held = append(held, a)
		func() {
			defer func() { recover() }()
			a.AllocBytes(9000)
		}()
	}
	if r, _ := arenametrics.LastLimitHit(p); !r.Total {
		t.Errorf("refused by the pool's limit: %+v", r)
	}
	runtime.KeepAlive(held)
}

// TestUseIsKnownByTypeAndQuantile: 19 in 20 take some 7 KB, the others ten times as much. With the address sanitizer
// there are gaps between values.
func TestUseIsKnownByTypeAndQuantile(t *testing.T) {
	type node struct {
		next *node
		_    [60]byte
	}
	p := arena.NewPool(arena.WithReuse())
	for i := range 4000 {
		a := p.GetKeyed([]string{"a", "b"}[i%2])
		n := 100
		if i/2%20 == 0 {
			n = 1000
		}
		for range n {
			arena.New[node](a)
		}
		a.AllocBytes(200)
		p.Put(a)
	}
	most := 25_000
	if testkit.Sanitized { // gaps are as large as values
		most *= 2
	}
	s := p.Stats()
	for _, s := range []arena.PoolStats{s, s.Keys["a"]} {
		u := s.Usage
		if u.P50 < 6000 || u.P50 > 20_000 || u.P90 < u.P50 || u.P99 < 60_000 || u.P99 > 200_000 || s.HighWater < 64_000 {
			t.Errorf("%d, %d, %d, %d", u.P50, u.P90, u.P99, s.HighWater)
		}
		if n := u.Types["watching.node"]; n < 8000 || n > most || u.Types[""] < 200 || u.Types[""] > 260 || len(u.Types) != 2 {
			t.Errorf("by type: %v", u.Types)
		}
	}
	if s.Idle == 0 || s.Waste > s.Retained || s.Idle+s.Live > s.Misses {
		t.Errorf("%+v", s)
	}
}

// TestEscapesAndChecksAreCounted by key, whether arenas are checked because of that or, one in 32, because they are
// observed; and each report says for what work, and where, the arena was lent.
func TestEscapesAndChecksAreCounted(t *testing.T) {
	type node struct{ next *node }
	for name, rate := range map[string]arena.PoolOption{"checked": arena.WithCheckRate(1), "observed": arena.WithObserveRate(1)} {
		var told []arena.Escape
		p := arena.NewPool(arena.WithReuse(), rate, arena.OnEscape(func(e arena.Escape) { told = append(told, e) }))
		var kept []any
		n := map[string]int{"checked": 10, "observed": 6400}[name]
		for i := range n {
			a := p.Get()
			if i%5 > 0 {
				p.Put(a)
				a = p.GetKeyed([]string{"a", "b"}[i%2])
			}
			kept = append(kept, arena.New[node](a))
			p.Put(a)
		}
		arena.FindEscapes()
		s := p.Stats()
		if of := n + n*4/5; s.Checked != of && (s.Checked < of/64 || s.Checked > of/16) || (s.Checked == of) != (name == "checked") {
			t.Errorf("%s: %d of %d checked", name, s.Checked, of)
		}
		if s.Escapes != len(told) || s.Escapes < n/64 {
			t.Errorf("%s: %d escapes, %d told", name, s.Escapes, len(told))
		}
		keys := map[string]int{}
		for _, e := range told {
			keys[e.Key]++
			if e.Type != "watching.node" || !slices.ContainsFunc(e.Lent, func(f runtime.Frame) bool { return strings.Contains(f.Function, "TestEscapesAndChecksAreCounted") }) {
				t.Errorf("%s: %v", name, e)
			}
		}
		if a, b := s.Keys["a"].Escapes, s.Keys["b"].Escapes; keys["a"] != a || keys["b"] != b || keys[""] != s.Escapes-a-b || a == 0 || b == 0 || keys[""] == 0 {
			t.Errorf("%s: by key: %v, %d, %d", name, keys, a, b)
		}
		if e := told[0]; e.Key != "" && !strings.Contains(e.String(), " with key ") || !strings.Contains(e.String(), "Lent by:") {
			t.Errorf("%s: %v", name, e)
		}
		runtime.KeepAlive(kept)
	}
}

func TestLogValues(t *testing.T) {
	var b strings.Builder
	log := slog.New(slog.NewTextHandler(&b, nil))
	e := arena.Escape{Arena: "a", Type: "T", Size: 8, Allocated: []runtime.Frame{{Function: "f", File: "f.go", Line: 7}}}
	log.Info("text", "escape", e)
	for _, want := range []string{"escape.type=T", "escape.allocated=f.go:7"} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("%s isn't in %s", want, b.String())
		}
	}
}
