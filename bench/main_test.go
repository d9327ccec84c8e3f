package main

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/harena-go/arena/bench/report"
	"github.com/harena-go/arena/bench/suite"
	"github.com/harena-go/arena/internal/tests/testkit"
)

// With this variable set the test binary is the program. The processes that
// the program starts inherit it.
const asProgram = "HARENA_BENCH_AS_PROGRAM"

func TestMain(m *testing.M) {
	if os.Getenv(asProgram) != "" {
		main()
		os.Exit(0)
	}
	os.Exit(m.Run())
}

func invoke(t *testing.T, args ...string) (stdout, stderr string, err error) {
	t.Helper()
	me, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	var out, errs strings.Builder
	c := exec.Command(me, args...)
	c.Env = append(os.Environ(), asProgram+"=1")
	c.Stdout, c.Stderr = &out, &errs
	err = c.Run()
	return out.String(), errs.String(), err
}

// quick runs some suites in the quick form and returns what -json wrote.
func quick(t *testing.T, args ...string) (r *report.Report, stdout, stderr string) {
	t.Helper()
	file := filepath.Join(t.TempDir(), "r.json")
	stdout, stderr, err := invoke(t, append([]string{"-quick", "-html", "", "-json", file}, args...)...)
	if err != nil {
		t.Fatalf("%v\n%s", err, stderr)
	}
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	r = new(report.Report)
	if err := json.Unmarshal(text, r); err != nil {
		t.Fatal(err)
	}
	return r, stdout, stderr
}

func peersOf(r *report.Report, name string) (peers []string) {
	for _, res := range r.Results {
		if res.Suite == name && !slices.Contains(peers, res.Peer) {
			peers = append(peers, res.Peer)
		}
	}
	return peers
}

// TestQuickRun runs everything that needs no build of its own.
func TestQuickRun(t *testing.T) {
	testkit.NeedsLong(t, "runs all suites")
	page := filepath.Join(t.TempDir(), "r.html")
	r, stdout, stderr := quick(t, "-html", page)
	for _, s := range suites() {
		if s.Build != nil {
			continue // only by name
		}
		want := slices.DeleteFunc(s.Peers, func(peer string) bool { return programs[peer] != nil })
		got := peersOf(r, s.Name)
		for _, peer := range want {
			if !slices.Contains(got, peer) {
				t.Errorf("%s has no results of %s; notes: %q", s.Name, peer, r.Notes)
			}
		}
		if !strings.Contains(stdout, s.Title) {
			t.Errorf("the output lacks the suite %q", s.Title)
		}
	}
	for _, res := range r.Results {
		if len(res.Values) != 1 || res.Values[0] < 0 {
			t.Errorf("%s/%s/%s was not measured once: %v", res.Suite, res.Row, res.Peer, res.Values)
		}
	}
	if !strings.Contains(stderr, "ports/harena-self-contained") {
		t.Errorf("no progress lines on a stderr that is no terminal:\n%s", stderr)
	}
	if text, err := os.ReadFile(page); err != nil || !strings.Contains(string(text), "</html>") {
		t.Errorf("no page: %v", err)
	}
}

func TestChoice(t *testing.T) {
	r, stdout, stderr := quick(t, "-suites", "trees/gc,micro/new-64", "-peers", "harena,sync.Pool", "-depth", "8", "-rounds", "2")
	if got, want := peersOf(r, "trees"), []string{"heap", "sync.Pool", "harena"}; !slices.Equal(got, want) {
		t.Errorf("peers of trees: %q, want %q", got, want)
	}
	for _, res := range r.Results {
		if !strings.HasPrefix(res.Row, map[string]string{"trees": "gc-", "micro": "new-64"}[res.Suite]) || len(res.Values) != 2 {
			t.Errorf("%s/%s/%s: %v", res.Suite, res.Row, res.Peer, res.Values)
		}
	}
	if !strings.Contains(stdout, "depth 8") || !strings.Contains(stderr, "trees/sync.Pool 2/2") {
		t.Errorf("-depth or -rounds is not followed:\n%s%s", stdout, stderr)
	}
}

func TestRequests(t *testing.T) {
	_, stdout, _ := quick(t, "-suites", "server-in-process", "-peers", "harena", "-requests", "1234")
	if !strings.Contains(stdout, "1234 requests in a round") {
		t.Errorf("-requests is not followed:\n%s", stdout)
	}
}

func TestErrorsAreSentences(t *testing.T) {
	encoded := func(j job) string {
		text, _ := json.Marshal(j)
		return string(text)
	}
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"-suites", "trees,nothing-is-called-so"}, `no suite "nothing-is-called-so"; there are checks, safe, micro`},
		{[]string{"-quick", "-suites", "micro/old-8", "-peers", "heap", "-html", ""}, "micro/old-8: there are no such rows"},
		{[]string{"-peers", "jemalloc"}, `no peer "jemalloc"; there are heap`},
		{[]string{"trees"}, `what to do with "trees"?`},
		{[]string{"-depth", "99"}, "between 6 and 24"},
		{[]string{"-requests", "-1"}, "must be positive"},
		{[]string{"-child", "x"}, "for the program itself"},
		{[]string{"-child", "x", "-load", "y"}, "no setting of the server"},
		{[]string{"-child", encoded(job{Suite: "magic"})}, `no suite "magic"`},
		{[]string{"-child", encoded(job{"server", "magic", suite.Config{}})}, `no peer "magic"`},
		{[]string{"-child", encoded(job{"trees", "magic", suite.Config{}})}, `"magic"`},
		{[]string{"-quick", "-suites", "micro/new-8", "-peers", "heap", "-html", "no/such/dir/x.html"}, "can't write the page"},
	} {
		_, stderr, err := invoke(t, c.args...)
		if err == nil || !strings.Contains(stderr, c.want) || !strings.Contains(stderr, "bench: ") {
			t.Errorf("%q: error %v, %q; want a sentence with %q", c.args, err, stderr, c.want)
		}
	}
}

// A wrong answer of ours ends the run; another peer with one is dropped from the tables.
func TestWrongAnswers(t *testing.T) {
	fake := func(wrong string) *runner {
		s := suite.Suite{Name: "fake", Peers: []string{suite.Heap, wrong}, Rounds: 2, Seconds: func(suite.Config) float64 { return 1 }}
		r, err := newRunner(plan{{Suite: s}}, flags{})
		if err != nil {
			t.Fatal(err)
		}
		r.start = func(_ planned, peer string) (suite.Output, error) {
			sum := "right"
			if peer == wrong && len(r.report.Results) > 2 {
				sum = "wrong"
			}
			return suite.Output{Checksum: sum, Results: []suite.Result{
				{Suite: "fake", Row: "a", Peer: peer, Values: []float64{1}},
				{Suite: "fake", Row: "b", Peer: peer, Values: []float64{1}},
			}}, nil
		}
		return r
	}
	if err := fake(suite.Harena).run(); err == nil || !strings.Contains(err.Error(), "WRONG ANSWERS") || !strings.Contains(err.Error(), "fake/harena") {
		t.Errorf("a wrong answer of ours: %v", err)
	}
	r := fake(suite.Nuke)
	if err := r.run(); err != nil {
		t.Errorf("a wrong answer of a peer: %v", err)
	}
	if got := peersOf(r.report, "fake"); !slices.Equal(got, []string{suite.Heap}) {
		t.Errorf("results of %q are left", got)
	}
	if len(r.report.Notes) != 1 || !strings.Contains(r.report.Notes[0], "nuke has no results in the suite fake: WRONG ANSWERS") {
		t.Errorf("notes: %q", r.report.Notes)
	}
}

// TestBriefPlan: a run without flags takes a minute at most, without any program but this one, and all that it measures
// is there.
func TestBriefPlan(t *testing.T) {
	f, err := parse(nil, t.Output())
	if err != nil || !f.brief {
		t.Fatal(f, err)
	}
	p, err := makePlan(f)
	if err != nil || len(p) != len(glances) {
		t.Fatal(p, err)
	}
	if s := p.seconds(); s > 75 {
		t.Errorf("it takes %.0f s", s)
	}
	for _, s := range p {
		for _, one := range suites() {
			if one.Name == s.Name && one.Peers[0] != s.Peers[0] {
				t.Errorf("%s: compared with %s", s.Name, s.Peers[0])
			}
		}
		for _, peer := range s.Peers {
			if programs[peer] != nil || s.Build != nil {
				t.Errorf("%s/%s needs a build of its own", s.Name, peer)
			}
		}
	}
	for _, args := range [][]string{{"-full"}, {"-quick"}, {"-suites", "gc"}, {"-publish"}, {"-rounds", "2"}} {
		if f, err := parse(args, t.Output()); err != nil || f.brief {
			t.Errorf("%q is taken for no flags (%v)", args, err)
		}
	}
}
