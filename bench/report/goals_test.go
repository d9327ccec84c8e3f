package report

import (
	"slices"
	"strings"
	"testing"

	"github.com/harena-go/arena/bench/json/work"
	"github.com/harena-go/arena/bench/suite"
)

func TestGoalsOfAGoodRun(t *testing.T) {
	r := judged()
	if len(r.Goals) != 112 {
		t.Errorf("%d goals, want 112", len(r.Goals))
	}
	var keys []string
	for _, g := range r.Goals {
		if !g.Reached || g.Why != "" {
			t.Errorf("%s: %s, wanted %s: not reached", g.What, g.Measured(), g.Bound())
		}
		keys = append(keys, g.Key)
	}
	slices.Sort(keys)
	if n := len(slices.Compact(keys)); n != len(r.Goals) {
		t.Errorf("%d keys for %d goals: a reason would be given for the wrong one", n, len(r.Goals))
	}
}

// TestGoalsThatAreMissed makes one measurement bad at a time: exactly the goals
// that depend on it fall.
func TestGoalsThatAreMissed(t *testing.T) {
	for name, c := range map[string]struct {
		suite, row, peer string
		value            float64
		lost             []string
	}{
		"slow New":           {"micro", "new-64", suite.Harena, 2.05e-9, []string{"heap/new-64/harena", "bumpalo/new-64"}},
		"slower New":         {"micro", "new-1k", suite.Harena, 25e-9, []string{"rivals/new-1k", "bumpalo/new-1k"}},
		"slow arrays":        {"micro", "array-64", suite.Harena, 14e9, []string{"rivals/array-64"}},
		"a fast rival":       {"micro", "new-8", suite.Goutil, 1.1e-9, []string{"rivals/new-8"}},
		"a fast rival's s":   {"micro", "string-8", suite.Runtime, 2.2e-9, []string{"rivals/string-8"}},
		"a rival's s, 1.7x":  {"micro", "string-8", suite.Runtime, 2.8e-9, nil},
		"slow growth":        {"micro", "append-100", suite.Harena, 34e-9, []string{"rivals/append-100"}},
		"bumpalo is faster":  {"micro", "new-64", suite.Bumpalo, 0.9e-9, []string{"bumpalo/new-64"}},
		"slow typed nodes":   {"micro", "new-node", suite.Typed, 2.2e-9, []string{"heap/new-node/harena-typed"}},
		"slow default nodes": {"micro", "new-node", suite.Harena, 4.5e-9, []string{"heap/new-node/harena"}},
		"slow strings":       {"micro", "string-32", suite.Harena, 7e-9, []string{"heap/string-32/harena", "rivals/string-32"}},
		"slow pool":          {"micro", "pool-get-put", suite.Harena, 40e-9, []string{"heap/pool-get-put"}},
		"an allocation":      {"micro", "append-1000-allocs", suite.Harena, 0.1, []string{"allocs/append-1000"}},
		"length matters":     {"micro", "uninit-1m", suite.Harena, 10e-9, []string{"constant/uninit"}},
		"slower with each":   {"micro", "growth-last", suite.Harena, 5e-9, []string{"growth/harena"}},
		"big first chunk":    {"micro", "live-1000", suite.SelfContained, 8<<20 + 1, []string{"live-1000/harena-self-contained"}},
		"GC looks inside":    {"gc", "full-gc-10000000", suite.SelfContained, 400e-6, []string{"gc/self-contained/empty", "gc/self-contained/flat"}},
		"default GC":         {"gc", "full-gc-10000000", suite.Harena, 31e-3, []string{"gc/default/heap"}},
		"wasteful":           {"gc", "reserved", suite.SelfContained, 1.11, []string{"reserved/harena-self-contained"}},
		"slow trees":         {"trees", "wall", suite.SelfContained, 0.09, []string{"bumpalo/trees"}},
		"slow requests":      {"server-in-process", "rps", suite.Harena, 39_000, []string{"server-in-process/rps"}},
		"a tail over HTTP":   {"server", "p99", suite.Harena, 250e-6, []string{"server/p99"}},
		"dear to observe":    {"server-observed", "cpu-ratio", "harena-observed", 1.1, []string{"observed/cpu"}},
		"a slow map":         {"collections", "map-of-string-build-1000-cpu", suite.Harena, 15e-9, []string{"collections/map-build-1000"}},
		"slow look-ups":      {"collections", "map-of-string-miss-10", suite.Harena, 26e-9, []string{"collections/map-look-up-10"}},
		"look-ups like Go's": {"collections", "map-of-int-hit-10", suite.Harena, 23e-9, nil},
		"a slow buffer":      {"collections", "buffer-build-1000000-cpu", suite.Harena, 12e-9, []string{"collections/buffer-build-1000000"}},
		"slow structs":       {"json", "typed-order", suite.Harena, 1.9e-6, []string{"json/rust/typed-order", "json/typed-order", "json/typed", "json/typed/std-1.27", "json/typed/std-1.27-v2"}},
		"structs like Rust":  {"json", "typed-citm", suite.Harena, 1.23e-6, []string{"json/rust/typed-citm"}},
		"a fast sonic":       {"json", "typed-citm", suite.SonicJSON, 1.7e-6, []string{"json/typed-citm", "json/typed"}},
		"easyjson checks":    {"json", "typed-citm", suite.EasyJSON, 0.5e-6, nil},
		"a slow body":        {"json", "handler-order", suite.Harena, 1.2e-6, []string{"json/handler-order"}},
		"slow skipping":      {"json", "members-4 of 60", suite.Harena, 2.2e-6, []string{"json/members-4 of 60", "json/rust/members-4 of 60"}},
		"slow objects":       {"json", "object-citm", suite.Harena, 2e-6, []string{"json/object"}},
		"slow maps":          {"json", "any-citm", suite.Harena, 9e-6, []string{"json/any"}},
		"slow writing":       {"json", "write-order", suite.Harena, 2.5e-6, []string{"json/write/std-1.27"}},
		"a slow first":       {"json", "first-twitter", suite.Harena, 20e-6, []string{"json/first-twitter"}},
		"a body allocates":   {"json", "allocs-handler-order", suite.Harena, 1, []string{"json/allocs-handler-order"}},
		"slow traces":        {"wire", "decode-traces", suite.Harena, 1.3e-6, []string{"wire/decode-traces"}},
		"behind hyperpb":     {"wire", "read-traces", suite.HyperpbProfiled, 1e-6, []string{"wire/hyperpb/read-traces"}},
		"slow without arena": {"wire", "decode-small", suite.HarenaOnHeap, 9.5e-6, []string{"wire/heap/decode-small"}},
		"slow pods":          {"wire", "decode-pods", suite.Harena, 3e-6, []string{"wire/decode-pods"}},
		"vtproto is faster":  {"wire", "decode-traces", suite.VTProtoPool, 0.5e-6, nil},
		"messages allocate":  {"wire", "allocs-small", suite.Harena, 1, []string{"wire/allocs-small"}},
		"slow rows":          {"rows", "row-10000", suite.Harena, 2e-7, []string{"rows/row-10000/bytes", "rows/row-10000/pgx"}},
		"slow one row":       {"rows", "row-1", suite.Harena, 9e-7, []string{"rows/row-1/pgx"}},
		"rows allocate":      {"rows", "allocs-10000", suite.Harena, 0.5, []string{"rows/allocs-10000"}},
		"a large server":     {"server", "peak-rss", suite.Harena, 800 << 20, []string{"server/peak-rss"}},
	} {
		r := sample()
		spoil(r, c.suite, c.row, c.peer, c.value)
		r.Judge()
		var lost []string
		for _, g := range r.Goals {
			if !g.Reached {
				lost = append(lost, g.Key)
			}
		}
		slices.Sort(lost)
		slices.Sort(c.lost)
		if !slices.Equal(lost, c.lost) {
			t.Errorf("%s: lost %q, want %q", name, lost, c.lost)
		}
	}
}

// TestMissedGoalsSayWhy: a goal without a reason says that there is none yet,
// and one with a reason says the reason.
func TestMissedGoalsSayWhy(t *testing.T) {
	const key = "rivals/new-1k"
	before, had := reasons[key]
	t.Cleanup(func() {
		delete(reasons, key)
		if had {
			reasons[key] = before
		}
	})
	delete(reasons, key)
	for _, want := range []string{"not explained yet", "a kilobyte takes time to clear"} {
		if want != unexplained {
			reasons[key] = want
		}
		r := sample()
		spoil(r, "micro", "new-1k", suite.Harena, 1e-6)
		r.Judge()
		for form, text := range shown(t, r) {
			if !strings.Contains(text, want) {
				t.Errorf("%s doesn't say %q", form, want)
			}
		}
	}
}

// TestReasonsBelongToGoals finds reasons whose goal was renamed.
func TestReasonsBelongToGoals(t *testing.T) {
	r := judged()
	texts, err := work.Texts(true)
	if err != nil {
		t.Fatal(err)
	}
	json := work.Rows(texts)
	for key, reason := range reasons {
		known := slices.ContainsFunc(r.Goals, func(g Goal) bool { return g.Key == key }) ||
			slices.ContainsFunc(json, func(w work.Row) bool { return "json/"+w.Name == key })
		row := strings.HasPrefix(key, "rivals/") || strings.HasPrefix(key, "bumpalo/") || strings.HasPrefix(key, "wire/") // one for each row there is
		if !known && !row || strings.TrimSpace(reason) == "" {
			t.Errorf("there is no goal %q, or its reason is empty", key)
		}
	}
}

func TestGoalsNeedMeasurements(t *testing.T) {
	r := sample()
	r.Results = slices.DeleteFunc(r.Results, func(m suite.Result) bool { return m.Row != "uninit-1k" && m.Row != "uninit-1m" })
	r.Judge()
	if len(r.Goals) != 1 || r.Goals[0].Key != "constant/uninit" {
		t.Errorf("of one pair of rows: %+v", r.Goals)
	}
}

func TestMissedGoalsComeFirst(t *testing.T) {
	r := sample()
	spoil(r, "micro", "array-1024", suite.Harena, 1)
	r.Judge()
	for _, g := range r.goalGroups() {
		if g.Name == overRivals && (g.Reached != 14 || g.Count != 15 || g.Goals[0].Reached || !g.Goals[1].Reached) {
			t.Errorf("%d of %d, the first: %+v", g.Reached, g.Count, g.Goals[0])
		}
	}
}

// TestTheNodeOfTheDefaultArenaIsShownToo: the goal is the self-contained one's.
func TestTheNodeOfTheDefaultArenaIsShownToo(t *testing.T) {
	for _, g := range judged().Goals {
		if g.Key == "rivals/new-node" && (!strings.Contains(g.What, suite.SelfContained) || !strings.Contains(g.Aside, "3.")) {
			t.Errorf("%+v", g)
		}
	}
}
