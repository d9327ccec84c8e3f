package main

import (
	"encoding/json"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/harena-go/arena/bench/measure"
	"github.com/harena-go/arena/bench/report"
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

func program(t *testing.T, args ...string) (stdout, stderr string, err error) {
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

func TestQuickRun(t *testing.T) {
	if testing.Short() {
		t.Skip("runs all workloads")
	}
	dir := t.TempDir()
	jsonFile, htmlFile := filepath.Join(dir, "r.json"), filepath.Join(dir, "r.html")
	stdout, stderr, err := program(t, "-quick", "-json", jsonFile, "-html", htmlFile)
	if err != nil {
		t.Fatalf("%v\n%s", err, stderr)
	}
	for _, want := range []string{"index:", "trees:", "gc10m:", "server:", "server-in-process:", "micro:", "goals", "machine", "experimental arena", htmlFile} {
		if !strings.Contains(stdout, want) {
			t.Errorf("the output lacks %q:\n%s", want, stdout)
		}
	}
	if !strings.Contains(stderr, "index/self-contained") {
		t.Errorf("no progress lines on a stderr that is no terminal:\n%s", stderr)
	}
	text, err := os.ReadFile(jsonFile)
	if err != nil {
		t.Fatal(err)
	}
	var r report.Report
	if err := json.Unmarshal(text, &r); err != nil {
		t.Fatal(err)
	}
	if len(r.Workloads) != 5 || len(r.Micro) < 10 || len(r.Goals) < 21 {
		t.Errorf("%d workloads, %d micro rows, %d goals", len(r.Workloads), len(r.Micro), len(r.Goals))
	}
	for _, w := range r.Workloads {
		for _, a := range w.Allocators {
			answers := strings.HasPrefix(w.Name, "server")
			if len(a.Runs) != 1 || a.Name != "empty" && (a.Runs[0].Wall <= 0 || !answers && a.Runs[0].FullGC <= 0) {
				t.Errorf("%s/%s was not measured once: %+v", w.Name, a.Name, a.Runs)
			}
			if s := a.Runs[0]; answers && (s.Requests != quickRequests || s.Latency.P50 <= 0 || s.Latency.Max < s.Latency.P99 ||
				(s.Checksum == "") != (a.Name == "null" || a.Name == "parse-only") || w.Name != "server" && s.LoadCPU != 0) {
				t.Errorf("%s/%s: %+v", w.Name, a.Name, s)
			}
		}
	}
	if page, err := os.ReadFile(htmlFile); err != nil || !strings.Contains(string(page), "</html>") {
		t.Errorf("no page: %v", err)
	}
}

func TestOneJob(t *testing.T) {
	stdout, stderr, err := program(t, "-quick", "-run", "trees/(heap|typed)", "-html", "", "-depth", "8", "-rounds", "2")
	if err != nil {
		t.Fatalf("%v\n%s", err, stderr)
	}
	if !strings.Contains(stdout, "depth 8") || !strings.Contains(stdout, "typed") || strings.Contains(stdout, "self-contained") || strings.Contains(stdout, "micro") {
		t.Errorf("-run and -depth are not followed:\n%s", stdout)
	}
	if !strings.Contains(stderr, "trees/typed 2/2") {
		t.Errorf("-rounds 2 is not followed:\n%s", stderr)
	}
}

func TestRequests(t *testing.T) {
	stdout, stderr, err := program(t, "-quick", "-run", "server/null", "-html", "", "-requests", "1234")
	if err != nil {
		t.Fatalf("%v\n%s", err, stderr)
	}
	if !strings.Contains(stdout, "1234 requests in a round") {
		t.Errorf("-requests is not followed:\n%s", stdout)
	}
}

func TestErrorsAreSentences(t *testing.T) {
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"-run", "nothing-is-called-so"}, "matches nothing"},
		{[]string{"-run", "("}, "no regular expression"},
		{[]string{"index"}, `what to do with "index"?`},
		{[]string{"-depth", "99"}, "between 6 and 24"},
		{[]string{"-child", "x"}, "for the program itself"},
		{[]string{"-child", `{"Workload":"index","Allocator":"heap","Root":"no/such/place"}`}, "no Go source to index"},
		{[]string{"-requests", "-1"}, "must be positive"},
		{[]string{"-child", `{"Workload":"server","Allocator":"magic"}`}, `no allocator "magic"`},
		{[]string{"-child", `{"Workload":"server-in-process","Allocator":"magic"}`}, `no allocator "magic"`},
		{[]string{"-child", `{"Workload":"trees","Allocator":"magic"}`}, `no allocator "magic"`},
		{[]string{"-quick", "-run", "micro/mark", "-html", "no/such/dir/x.html"}, "can't write the page"},
	} {
		_, stderr, err := program(t, c.args...)
		if err == nil || !strings.Contains(stderr, c.want) || !strings.Contains(stderr, "bench: ") {
			t.Errorf("%q: error %v, %q; want a sentence with %q", c.args, err, stderr, c.want)
		}
	}
}

func TestWrongAnswersAreLoud(t *testing.T) {
	runs := func(sums ...string) (v []measure.Sample) {
		for _, s := range sums {
			v = append(v, measure.Sample{Checksum: s})
		}
		return v
	}
	r := &report.Report{Workloads: []report.Workload{{Name: "index", Allocators: []report.Allocator{
		{Name: "heap", Runs: runs("a", "a")},
		{Name: "default", Runs: runs("a", "a")},
		{Name: "scan-only", Runs: runs("")},
	}}}}
	if err := agree(r, "index"); err != nil {
		t.Errorf("equal answers: %v", err)
	}
	r.Workloads[0].Allocators[1].Runs[1].Checksum = "b"
	if err := agree(r, "index"); err == nil || !strings.Contains(err.Error(), "index/default") {
		t.Errorf("different answers: %v, want an error that names index/default", err)
	}
}

func TestPlan(t *testing.T) {
	f, err := parse([]string{"-run", "index|micro/new-8"}, io.Discard)
	if err != nil {
		t.Fatal(err)
	}
	p, err := makePlan(f)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	steps := 0
	for _, j := range p.jobs {
		names = append(names, j.String())
		steps += p.times(j)
	}
	if got, want := strings.Join(names, " "), "index/heap index/default index/self-contained index/scan-only micro/new-8"; got != want {
		t.Errorf("plan %q, want %q", got, want)
	}
	if want := 3*defaultRounds + 2; steps != want {
		t.Errorf("%d steps, want %d", steps, want)
	}
}
