package main

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/harena-go/arena/scout/internal/report"
)

// outside sees to it that the programs in testdata, modules of their own, aren't looked for in this workspace.
func outside(t *testing.T) { t.Setenv("GOWORK", "off") }

// TestBadInput: whatever can't be answered is one clear line, and status 2.
func TestBadInput(t *testing.T) {
	outside(t)
	text := filepath.Join(t.TempDir(), "text")
	if err := os.WriteFile(text, []byte("no profile\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		args string
		want string
	}{
		{"testdata/broken", "example.com/broken doesn't compile: ./broken.go:4:28: undefined: undefinedName"},
		{"testdata/untested", "example.com/untested: no benchmark found: the package has no test files"},
		{"testdata/nowhere", "testdata/nowhere: "},
		{"-bench Fails testdata/failing", "-bench Fails: failing_test.go:12: not what was wanted"},
		{"-bench Panics testdata/failing", "-bench Panics: panic: runtime error: makeslice: len out of range"},
		{"-bench Missing testdata/failing", "no benchmark found in example.com/failing for -bench Missing; -run names a test"},
		{"-bench Once testdata/failing", "Once: the unit has begun fewer than 16 times"},
		{"-bench Nothing testdata/failing", "no function of example.com/failing, below a benchmark, allocates anything"},
		{"-run TestNothing testdata/failing", "no function of example.com/failing, below a benchmark, allocates anything"},
		{"-unit Missing -bench Once testdata/failing", "-unit Missing: no function of that name"},
		{"-cpu " + text + " testdata/orders", text + " is no profile"},
		{"-run X -bench Y testdata/failing", "-run and -bench exclude each other"},
		{"testdata/failing testdata/orders", "one package at a time"},
		{"-live 12pounds testdata/failing", "want a number of bytes such as 500MB"},
	} {
		var stdout, stderr bytes.Buffer
		code := run(append([]string{"-q"}, strings.Fields(test.args)...), &stdout, &stderr)
		line, rest, _ := strings.Cut(stderr.String(), "\n")
		if code != 2 || !strings.Contains(line, test.want) || stdout.Len() > 0 {
			t.Errorf("%s: status %d, %q, want %q; output %q", test.args, code, line, test.want, stdout.String())
		}
		if rest != "" && !strings.HasPrefix(test.args, "-live") { // package flag adds how flags are used
			t.Errorf("%s: more than one line: %q", test.args, stderr.String())
		}
	}
}

// TestOrders: of a service as there are many, the screen and the JSON say what is known of it. A profile of another
// program is refused.
func TestOrders(t *testing.T) {
	outside(t)
	own := filepath.Join(t.TempDir(), "own.pprof")
	cmd := exec.Command("go", "test", "-bench", ".", "-benchtime", "300ms", "-cpuprofile", own, "-o", filepath.Join(t.TempDir(), "orders.test"), ".")
	cmd.Dir = "testdata/orders"
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	var stdout, stderr bytes.Buffer
	html := filepath.Join(t.TempDir(), "orders.html")
	if code := run([]string{"-json", "-html", html, "-cpu", own, "testdata/orders"}, &stdout, &stderr); code != 0 {
		t.Fatalf("status %d: %s", code, stderr.String())
	}
	if page, err := os.ReadFile(html); err != nil || !bytes.Contains(page, []byte("Service.audit")) {
		t.Errorf("page of %d bytes, %v", len(page), err)
	}
	if !strings.Contains(stderr.String(), "compiling") {
		t.Errorf("progress %q", stderr.String())
	}
	var a report.Answer
	if err := json.Unmarshal(stdout.Bytes(), &a); err != nil {
		t.Fatal(err)
	}
	if a.Unit != "example.com/orders.(*Service).Handle" || a.Benchmark != "BenchmarkHandle" || a.UnitsPerOp != 1 || !a.Dump {
		t.Errorf("unit %s of %s, %v an iteration, dump %v", a.Unit, a.Benchmark, a.UnitsPerOp, a.Dump)
	}
	if a.Costs == nil || a.Costs.CPU <= 0 || a.Costs.ExpectMove < 1 || a.Costs.ExpectAll < a.Costs.ExpectMove/2 || a.Costs.Production == nil || a.Costs.Production.ExpectMove < 1 {
		t.Errorf("costs %+v", a.Costs)
	}
	for _, want := range []struct{ verdict, text, holder string }{
		{"move", "&Item{}", ""},
		{"move", "append([]Step)", ""},
		{"helper", "strings.Fields", ""},
		{"clone", "\"item \" + item.SKU + \" of \"…", "Service.names"},
		{"keep", "&Event{}", "Service.audit"},
	} {
		if !said(a, want.verdict, want.text, want.holder) {
			t.Errorf("%s isn't said to be %s, %s", want.text, want.verdict, want.holder)
		}
	}
	other := filepath.Join("testdata", "failing")
	stderr.Reset()
	if code := run([]string{"-q", "-bench", "Fails", "-cpu", own, other}, &stdout, &stderr); code != 2 {
		t.Errorf("status %d", code)
	}
}

// TestNoDump: while somebody is in a system call there is no dump, which would end the program. All but the holders is
// known nevertheless.
func TestNoDump(t *testing.T) {
	outside(t)
	var stdout, stderr bytes.Buffer
	if code := run([]string{"-q", "-n", "64", "-bench", "Blocked", "testdata/failing"}, &stdout, &stderr); code != 0 {
		t.Fatalf("status %d: %s", code, stderr.String())
	}
	for _, want := range []string{"keep    1 line    100.0%  failing.go:6 make([]byte) 1/unit, held by somebody", "note    no dump of the heap"} {
		if !strings.Contains(stdout.String(), want) {
			t.Errorf("%s\nwant %s", stdout.String(), want)
		}
	}
}

func said(a report.Answer, verdict, text, holder string) bool {
	for _, l := range a.Findings {
		if l.Verdict == verdict && (l.Expr == text || strings.HasSuffix(l.Library, text)) && strings.Contains(l.Holder, holder) {
			return true
		}
	}
	return false
}

// TestOtherProfile: a profile of another program says nothing about this one.
func TestOtherProfile(t *testing.T) {
	outside(t)
	other := filepath.Join(t.TempDir(), "other.pprof")
	cmd := exec.Command("go", "test", "-run", "TestWork", "-count", "2000", "-bench", "^$", "-cpuprofile", other, "-o", filepath.Join(t.TempDir(), "x.test"), ".")
	cmd.Dir = "testdata/failing"
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	var stdout, stderr bytes.Buffer
	code := run([]string{"-q", "-cpu", other, "testdata/orders"}, &stdout, &stderr)
	if code != 2 || !strings.Contains(stderr.String(), "is of another program") {
		t.Errorf("status %d: %s%s", code, stderr.String(), stdout.String())
	}
}

func TestBytes(t *testing.T) {
	for text, want := range map[string]amount{"500MB": 500e6, "1.5 GiB": 3 << 29, "12": 12, "7K": 7e3, "9B": 9} {
		var b amount
		if err := b.Set(text); err != nil || b != want {
			t.Errorf("%q: %d, %v", text, b, err)
		}
	}
	for _, text := range []string{"", "x", "-1", "1e30", "NaN", "12 pounds"} {
		var b amount
		if err := b.Set(text); err == nil {
			t.Errorf("%q: %d", text, b)
		}
	}
}
