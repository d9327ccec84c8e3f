package arenadebug

import (
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/harena-go/arena"
	"github.com/harena-go/arena/arenametrics"
	"github.com/harena-go/arena/internal/tests/testkit"
)

// stackOf returns a stack as arenametrics.Leases gives it.
func stackOf(function, file string, line int) []runtime.Frame {
	return []runtime.Frame{
		{Function: "github.com/harena-go/arena.(*Pool).Get", File: "/x/arena/pool.go", Line: 1},
		{Function: "github.com/harena-go/arena/arenahttp.(*loan).get", File: "/x/arenahttp/loan.go", Line: 2},
		{Function: function, File: file, Line: line},
		{Function: "net/http.HandlerFunc.ServeHTTP", File: "/go/server.go", Line: 3},
	}
}

// TestFindings: a pool has the findings for its problems, and none without problems.
func TestFindings(t *testing.T) {
	lease := func(age time.Duration, stack []runtime.Frame) arenametrics.Lease {
		return arenametrics.Lease{Age: age, Stack: stack}
	}
	leak := stackOf("example.com/shop/web.(*Export).run", "/src/web/export.go", 88)
	other := stackOf("example.com/shop/web.list", "/src/web/list.go", 7)
	for name, c := range map[string]struct {
		p    poolReport
		want []string
	}{
		"nothing":              {poolReport{Stats: arena.PoolStats{Gets: 1000, Reserved: 1 << 30, Retained: 1 << 30}}, nil},
		"young":                {poolReport{leases: []arenametrics.Lease{lease(9*time.Second, leak), lease(9*time.Second, leak), lease(0, other)}}, nil},
		"two that may be slow": {poolReport{leases: []arenametrics.Lease{lease(time.Minute, leak), lease(time.Minute, leak)}}, nil},
		"leak": {poolReport{leases: []arenametrics.Lease{lease(55*time.Second, leak), lease(30*time.Second, leak), lease(11*time.Second, leak), lease(time.Second, leak), lease(0, other)}},
			[]string{"p: 3 leases older than 10 s, taken at web.(*Export).run export.go:88; the oldest has been lent for 55 s"}},
		"one for an hour": {poolReport{leases: []arenametrics.Lease{lease(time.Hour, leak)}},
			[]string{"p: 1 lease older than 10 s, taken at web.(*Export).run export.go:88; the oldest has been lent for 60 min"}},
		"unknown": {poolReport{leases: []arenametrics.Lease{lease(time.Hour, nil)}},
			[]string{"p: 1 lease older than 10 s, taken at places that weren't noted"}},
		"refused": {poolReport{Stats: arena.PoolStats{LimitHits: 12}, LimitHit: &limitHit{40 * time.Second, 64 << 20, true, []string{"web.run export.go:131"}}},
			[]string{"p: 12 allocations refused by limits, the last by WithPoolLimit 40 s ago, which asked for 64.0 MiB at web.run export.go:131"}},
		"escapes, lost, waste, full": {poolReport{Stats: arena.PoolStats{Escapes: 1, Lost: 2, Reserved: 3 << 28, Retained: 2 << 28, Waste: 2 << 28, PoolLimit: 1 << 28}},
			[]string{"p: 1 reference to reclaimed memory; OnEscape or the log has the stacks", "p: 2 arenas never put back and found by the GC",
				"p: arenas that are lent have 256.0 MiB of the 256.0 MiB that WithPoolLimit allows", "p: idle arenas have 512.0 MiB that they have never used"}},
		"starved": {poolReport{Stats: starved("p", 5000)}, []string{
			"p: large requests don't find their memory again: a get took 600.0 KiB from the Go heap lately, of the 1.0 MiB that it needed"}},
		"starved key": {poolReport{Stats: arena.PoolStats{Gets: 1 << 20, Keys: map[string]arena.PoolStats{"list": starved("list", 1000)}}}, []string{
			"p: large requests don't find their memory again: a get of key \"list\" took 600.0 KiB from the Go heap lately, of the 1.0 MiB that it needed"}},
		"new":   {poolReport{Stats: starved("p", 999)}, nil},
		"small": {poolReport{Stats: arena.PoolStats{Reuse: true, Gets: 5000, Usage: arena.UsagePercentiles{Needed: 31 << 10, Taken: 31 << 10}}}, nil},
		"fed":   {poolReport{Stats: arena.PoolStats{Reuse: true, Gets: 5000, Usage: arena.UsagePercentiles{Needed: 1 << 20, Taken: 400 << 10}}}, nil},
		"nothing kept": {poolReport{Stats: arena.PoolStats{Sampled: 2000, Keys: map[string]arena.PoolStats{
			"list": {Name: "list", Sampled: 1000, Used: 8 << 20, Puts: 1024}, "some kept": {Sampled: 1000, Kept: 1, Used: 8 << 20, Puts: 1024}}}},
			[]string{"p: nothing was kept of 1000 leases of key \"list\" that were looked at: if tests agree, WithReuse() saves allocating 8.0 KiB each time"}},
		"first gear": {poolReport{Stats: arena.PoolStats{Gets: 5000, Usage: arena.UsagePercentiles{Needed: 1 << 20, Taken: 1 << 20}}}, nil},
	} {
		c.p.Name = "p"
		c.p.group()
		got := c.p.findings()
		if strings.Join(got, "\n") != strings.Join(c.want, "\n") {
			t.Errorf("%s:\n%s\nwant\n%s", name, strings.Join(got, "\n"), strings.Join(c.want, "\n"))
		}
	}
}

// starved returns statistics of requests that took more than half of their memory from the heap.
func starved(name string, gets int) arena.PoolStats {
	return arena.PoolStats{Name: name, Reuse: true, Gets: gets, Usage: arena.UsagePercentiles{Needed: 1 << 20, Taken: 600 << 10}}
}

// TestStarvedPool: there is a finding for a pool that must not keep the memory that its requests need, and none for
// one that may.
func TestStarvedPool(t *testing.T) {
	testkit.NeedsReuse(t)
	testkit.NoGC(t)
	for kept, want := range map[int]int{32 << 10: 1, 64 << 20: 0} {
		p := arena.NewPool(arena.WithReuse(), arena.WithMaxRetained(kept))
		for range 2000 {
			a := p.GetKeyed("list")
			for range 100 {
				a.AllocBytesUninit(4 << 10)
			}
			p.Put(a)
		}
		r := poolReport{Name: "p", Stats: p.Stats()}
		if got := r.findings(); len(got) != want || want > 0 && !strings.Contains(got[0], `of key "list"`) {
			t.Errorf("%d bytes may be kept: %q, %+v", kept, got, r.Stats.Keys["list"].Usage)
		}
	}
}

func TestGroupsAreBounded(t *testing.T) {
	p := poolReport{}
	for i := range 1000 {
		p.leases = append(p.leases, arenametrics.Lease{Age: time.Duration(1000-i) * time.Second, Stack: stackOf("f", "f.go", i)})
	}
	p.group()
	if len(p.Groups) != maxGroups || p.Groups[0].Oldest != 1000*time.Second {
		t.Errorf("%d groups, the first is %+v", len(p.Groups), p.Groups[0])
	}
}

func TestUnits(t *testing.T) {
	for got, want := range map[string]string{
		size(0): "0 B", size(1023): "1023 B", size(1024): "1.0 KiB", size(3 << 19): "1.5 MiB", size(1 << 30): "1.0 GiB",
		sizeOf(3 << 40): "3.0 TiB", short(1 << 20): "1 MiB", short(1.5 * (1 << 20)): "1.5 MiB",
		share(1, 0): "100%", share(0, 5): "0%", share(1, 4): "25%", share(1, 1000): "<1%",
		number(0): "0", number(0.25): "0.25", number(12.34): "12.3", number(999.7): "1 k", number(3.21e9): "3.2 G",
		ago(0): "0 s", ago(119 * time.Second): "119 s", ago(2 * time.Minute): "2 min", ago(3 * time.Hour): "3 h",
		count(1, "lease"): "1 lease", count(2, "lease"): "2 leases",
	} {
		if got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
}
