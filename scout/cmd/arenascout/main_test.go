package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/harena-go/arena/internal/tests/testkit"
	"github.com/harena-go/arena/scout/internal/report"
	"github.com/harena-go/arena/scout/internal/scout"
	"github.com/harena-go/arena/scout/internal/testrun"
	"github.com/harena-go/arena/scout/internal/trial"
)

// TestMain keeps the programs in testdata, modules of their own, out of this workspace. Each is built once, and
// measured for a short time: no test checks the exact numbers.
func TestMain(m *testing.M) {
	if os.Getenv("ARENASCOUT_MAIN") != "" { // see TestInterrupted
		main()
	}
	os.Setenv("GOWORK", "off")
	dir, remove, err := testrun.Scratch()
	if err != nil {
		panic(err)
	}
	testrun.Kept, scout.RunFor, trial.RoundFor, trial.Rounds = dir, 400*time.Millisecond, 50*time.Millisecond, [2]int{3, 3}
	code := m.Run()
	remove()
	os.Exit(code)
}

// TestBadInput: a question without an answer gets one clear line, and status 2.
func TestBadInput(t *testing.T) {
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
		{"-unit Missing -bench Once testdata/failing", "-unit Missing: no function of that name"},
		{"-cpu " + text + " testdata/orders", text + " is no profile"},
		{"-run X -bench Y testdata/failing", "-run and -bench exclude each other"},
		{"testdata/failing testdata/orders", "one package at a time"},
		{"-within 1us testdata/held", "no answer within 1µs, see -within"},
		{"-w testdata/orders", "-w is for -fix"},
		{"-out x testdata/orders", "-out is for -try"},
		{"-format xml testdata/orders", "-format xml is none of text, json and github"},
		{"-fix -bench . testdata/several", "-fix is for one benchmark, and -bench . matches 7: BenchmarkParse/small, BenchmarkParse/large, BenchmarkRender, "},
		{"-try -n 256 -bench Serve testdata/several", "-try: units run at the same time"},
		{"-live 12pounds testdata/failing", "want a number of bytes such as 500MB"},
	} {
		var stdout, stderr bytes.Buffer
		code := run(append([]string{"-q"}, strings.Fields(test.args)...), &stdout, &stderr)
		line, rest, _ := strings.Cut(stderr.String(), "\n")
		if code != 2 || !strings.Contains(line, test.want) || stdout.Len() > 0 != strings.HasPrefix(test.args, "-try") { // results so far are shown
			t.Errorf("%s: status %d, %q, want %q; output %q", test.args, code, line, test.want, stdout.String())
		}
		if rest != "" && !strings.HasPrefix(test.args, "-live") { // package flag adds the usage
			t.Errorf("%s: more than one line: %q", test.args, stderr.String())
		}
	}
}

// TestOrders: for a typical service, the screen and the JSON show the findings. A profile of another program is
// refused.
func TestOrders(t *testing.T) {
	own := filepath.Join(t.TempDir(), "own.pprof")
	cmd := exec.Command("go", "test", "-bench", ".", "-benchtime", "40000x", "-cpuprofile", own, "-o", filepath.Join(t.TempDir(), "orders.test"), ".")
	cmd.Dir = "testdata/orders"
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	t.Setenv("GOFLAGS", "-trimpath") // hides the files' paths
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
	// The results of a profile of some 20 samples may be a third off.
	if a.Costs == nil || a.Costs.CPU <= 0 || a.Costs.ExpectMove < 0.7 || a.Costs.ExpectAll < a.Costs.ExpectMove/2 || a.Costs.Production == nil || a.Costs.Production.ExpectMove < 0.7 {
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
	stderr.Reset()
	code := run([]string{"-q", "-n", "64", "-bench", "Render", "-cpu", own, "testdata/several"}, &stdout, &stderr)
	if code != 2 || !strings.Contains(stderr.String(), "is of another program") {
		t.Errorf("status %d: %s", code, stderr.String())
	}
}

// TestSeveral: each benchmark that -bench matches has an answer, with a unit of its own; one without allocations
// doesn't stop the others. Units that run at the same time don't count as outlived.
func TestSeveral(t *testing.T) {
	var stdout, stderr bytes.Buffer
	if code := run([]string{"-json", "-n", "1000", "-bench", "Parse/small|Render|Serve|Nothing|Generic", "testdata/several"}, &stdout, &stderr); code != 0 {
		t.Fatalf("status %d: %s", code, stderr.String())
	}
	if want := "BenchmarkNothing: the functions of example.com/several allocate nothing in BenchmarkNothing"; !strings.Contains(stderr.String(), want) {
		t.Errorf("%s\nwant %s", stderr.String(), want)
	}
	var answers []report.Answer
	for d := json.NewDecoder(&stdout); d.More(); {
		var a report.Answer
		if err := d.Decode(&a); err != nil {
			t.Fatal(err)
		}
		answers = append(answers, a)
	}
	var units []string
	for _, a := range answers {
		units = append(units, a.Benchmark+" "+a.Unit)
	}
	const of = " example.com/several."
	if got, want := strings.Join(units, ", "), "BenchmarkParse/small"+of+"Parse, BenchmarkRender"+of+"Render, BenchmarkServe"+of+"(*Service).Serve, BenchmarkGeneric"+of+"(*List[...]).Fill"; got != want {
		t.Fatalf("%s, want %s", got, want)
	}
	if a := answers[2]; !a.AtOnce || a.Units < 200 || !said(a, "move", "&Request{}", "") || !said(a, "keep", "&Entry{}", "Service.seen") {
		t.Errorf("of units that run at the same time: %+v", a)
	}
	if a := answers[3]; a.Objects < 20 || a.Costs == nil || a.Costs.ExpectMove < 0.7 || !said(a, "move", "new(T)", "") {
		t.Errorf("of a unit in a generic type: %+v", a)
	}
}

// TestParallel: units that overlap only because a benchmark runs several at a time are tried one after the other.
func TestParallel(t *testing.T) {
	testkit.NeedsLong(t, "measures for seconds")
	var stdout, stderr bytes.Buffer
	if code := run([]string{"-q", "-n", "1000", "-try", "-bench", "OneEach", "testdata/several"}, &stdout, &stderr); code != 0 {
		t.Fatalf("status %d: %s", code, stderr.String())
	}
	if want := "nothing of them outlived its unit in "; !strings.Contains(stdout.String(), want) {
		t.Errorf("%s\nwant %s", stdout.String(), want)
	}
}

// TestContact: without flags the scout finds the benchmark with the most to gain, and its unit behind the test's own
// functions; broken ones don't stop it. The benchmarks are listed first.
func TestContact(t *testing.T) {
	testkit.NeedsLong(t, "measures many benchmarks")
	var stdout, stderr bytes.Buffer
	if code := run([]string{"-n", "300", "testdata/contact"}, &stdout, &stderr); code != 0 {
		t.Fatalf("status %d: %s", code, stderr.String())
	}
	for _, want := range []string{"\nunit    (Parse|\\(\\*Parser\\)\\.Len), ", "(?m)^bench .* BenchmarkAll/made: Parse$", "BenchmarkHelper: Parse\n", "BenchmarkLabel: Label\n",
		" 0 objects, .* BenchmarkNone\n", "BenchmarkBroken"} {
		if !regexp.MustCompile(want).MatchString(stdout.String() + stderr.String()) {
			t.Errorf("no %q in\n%s%s", want, stdout.String(), stderr.String())
		}
	}
	if strings.Contains(stdout.String(), "bench   ") && strings.Index(stdout.String(), "bench   ") > strings.Index(stdout.String(), "unit    ") {
		t.Errorf("the table isn't first:\n%s", stdout.String())
	}
}

// TestNo: "nothing to move" is an answer, in one line with the reason.
func TestNo(t *testing.T) {
	for args, want := range map[string]string{
		"-bench None testdata/contact":       "expect  no: the functions of example.com/contact allocate nothing in BenchmarkNone\n",
		"-bench Nothing testdata/failing":    "expect  no: the functions of example.com/failing allocate nothing in BenchmarkNothing\n",
		"-run TestNothing testdata/failing":  "expect  no: the functions of example.com/failing allocate nothing in BenchmarkTestNothing\n",
		"-bench Helped testdata/failing":     "expect  no: what is allocated in BenchmarkHelped is helped's, of a test; not that of functions of example.com/failing\n",
		"-bench Seldom testdata/failing":     "expect  no: Seldom allocates less than an object a call\n",
		"-json -bench None testdata/contact": "\"no\": \"the functions of example.com/contact allocate nothing in BenchmarkNone\"",
	} {
		var stdout, stderr bytes.Buffer
		if code := run(append([]string{"-q"}, strings.Fields(args)...), &stdout, &stderr); code != 0 || !strings.Contains(stdout.String(), want) || stderr.Len() > 0 {
			t.Errorf("%s: status %d, %q, %q", args, code, stdout.String(), stderr.String())
		}
	}
}

// TestNoTests: a no from benchmarks stays the answer if there are no tests, or they can't run in a loop: here the
// loop's name is taken.
func TestNoTests(t *testing.T) {
	for name, tests := range map[string]string{
		"no tests": "", "a name that is taken": "func TestX(t *testing.T) {}\n\nfunc BenchmarkTestX(b *testing.B) {}\n",
	} {
		dir := t.TempDir()
		for file, text := range map[string]string{"go.mod": "module example.com/none\n\ngo 1.26\n", "none.go": "package none\n",
			"none_test.go": "package none\n\nimport \"testing\"\n\nfunc BenchmarkNone(b *testing.B) {\n\tfor b.Loop() {\n\t}\n}\n\n" + tests} {
			if err := os.WriteFile(filepath.Join(dir, file), []byte(text), 0o666); err != nil {
				t.Fatal(err)
			}
		}
		var stdout, stderr bytes.Buffer
		if code := run([]string{"-q", dir}, &stdout, &stderr); code != 0 || !strings.Contains(stdout.String(), "expect  no: the functions of example.com/none allocate nothing in ") {
			t.Errorf("%s: status %d, %q, %q", name, code, stdout.String(), stderr.String())
		}
	}
}

// TestNextUnit: if the most promising unit has nothing to gain, the others are looked at.
func TestNextUnit(t *testing.T) {
	var stdout, stderr bytes.Buffer
	if code := run([]string{"-q", "testdata/held"}, &stdout, &stderr); code != 0 {
		t.Fatalf("status %d: %s", code, stderr.String())
	}
	for _, want := range []string{`^bench   .* of BenchmarkKeep: Keep\nbench`, `(?m)^unit    Count, `,
		`(?m)^note    less to gain: Keep in BenchmarkKeep, 1\.0\dx$`, `(?m)^expect  \d\.\dx less CPU a unit$`} {
		if !regexp.MustCompile(want).MatchString(stdout.String()) {
			t.Errorf("no %q in\n%s", want, stdout.String())
		}
	}
}

// TestKept: values held until the next unit don't lead to a no: without reuse they are moved, and with reuse their
// holder is named.
func TestKept(t *testing.T) {
	testkit.NeedsLong(t, "measures for seconds")
	var stdout, stderr bytes.Buffer
	if code := run([]string{"-q", "-n", "300", "-try", "-bench", "Kept", "testdata/contact"}, &stdout, &stderr); code != 0 {
		t.Fatalf("status %d: %s", code, stderr.String())
	}
	for _, want := range []string{"held by Parser.last, until the next unit",
		"less CPU a unit if what holds the last result releases it before the next unit begins\n",
		"(?m)^tried   3 expressions in 1 file moved, of 3, to arenas of a Pool",
		"(?m)^reuse   with WithReuse\\(\\) nothing could be moved",
		"(?m)^kept    .*: the last one stays until the next unit, held by Parser.last"} {
		if !regexp.MustCompile(want).MatchString(stdout.String()) {
			t.Errorf("no %q in\n%s", want, stdout.String())
		}
	}
}

// TestDecoders: the JSON of a unit is measured on its own calls and is a part of the expected gain, -try reads and
// writes it in the arena, and finds the values that are kept, from 16 bytes on: of smaller ones a profile has the first
// in a block. Equal values that each unit builds again are reported. -out writes files for benchstat.
func TestDecoders(t *testing.T) {
	out := t.TempDir()
	var stdout, stderr bytes.Buffer
	if code := run([]string{"-q", "-n", "300", "-try", "-out", out, "-bench", "Handle", "testdata/decoders"}, &stdout, &stderr); code != 0 {
		t.Fatalf("status %d: %s", code, stderr.String())
	}
	// encoding/json of Go 1.27 keeps some of its objects in pools of its own. If the dump sees such a one, what read.go
	// decodes stays where it is.
	for _, want := range []string{`helper  4 lines .* read.go:\d+ json.Unmarshal -> arenajson.Unmarshal \(\d+\.\dx on its own calls\)`,
		`:\d+ json.Marshal -> arenajson.Marshal \(\d+\.\dx on its own calls\)`,
		`hoist   2 lines .* decoders.go:\d+ regexp.MustCompile -> a variable: it is equal in each unit`,
		`map\[string\]func\(string\) string{} -> a variable: it is equal in each unit`,
		`tried   [45] expressions in (1 file|2 files) moved, of \d, to arenas`, `reuse   [345] expressions? with WithReuse\(\): `} {
		if !regexp.MustCompile(want).MatchString(stdout.String()) {
			t.Errorf("no %q in\n%s", want, stdout.String())
		}
	}
	for _, name := range []string{"before.txt", "after.txt", "reuse.txt"} {
		text, err := os.ReadFile(filepath.Join(out, name))
		const rounds = `(BenchmarkHandle-\d+\t\d+\t\d+ ns/op\t\d+ cpu-ns/op\t\d+ B/op\t\d+ allocs/op\n){3}$`
		if want := `pkg: example.com/decoders\n` + rounds; err != nil || !regexp.MustCompile(want).Match(text) {
			t.Errorf("%s: %v\n%s", name, err, text)
		}
	}
	stdout.Reset()
	if code := run([]string{"-q", "-n", "300", "-bench", "Keep", "testdata/decoders"}, &stdout, &stderr); code != 0 {
		t.Fatalf("status %d: %s", code, stderr.String())
	}
	if !regexp.MustCompile(`json.Unmarshal.* held by`).MatchString(stdout.String()) {
		t.Error(stdout.String())
	}
}

// TestTests: if a package's benchmarks fail, or have nothing to gain, each of its tests becomes one. A test's output
// doesn't matter, and one that fails the second time doesn't stop the others.
func TestTests(t *testing.T) {
	testkit.NeedsLong(t, "measures each test of a package")
	var stdout, stderr bytes.Buffer
	if code := run([]string{"testdata/tested"}, &stdout, &stderr); code != 0 {
		t.Fatalf("status %d: %s", code, stderr.String())
	}
	for _, want := range []string{": .* TestOnce fails when it runs again", "unit    Parse, .* units of BenchmarkTestParse\n",
		"note    BenchmarkTestParse runs TestParse again and again"} {
		if !regexp.MustCompile(want).MatchString(stdout.String() + stderr.String()) {
			t.Errorf("no %q in\n%s%s", want, stdout.String(), stderr.String())
		}
	}
}

// TestFix: only the patch is on standard output, no file is changed, and a unit that has a struct on all paths passes
// the arena on as its field.
func TestFix(t *testing.T) {
	before, err := os.ReadFile("testdata/orders/orders.go")
	if err != nil {
		t.Fatal(err)
	}
	var stdout, stderr bytes.Buffer
	if code := run([]string{"-q", "-n", "300", "-fix", "testdata/orders"}, &stdout, &stderr); code != 0 {
		t.Fatalf("status %d: %s", code, stderr.String())
	}
	for _, want := range []string{"--- a/orders.go\n+++ b/orders.go\n", "+var arenas = arena.NewPool(arena.WithName(\"orders.Handle\"))\n",
		"+	a := arenas.Get()\n+	defer arenas.Put(a)\n", "+	s.arena = a\n"} {
		if !strings.Contains(stdout.String(), want) {
			t.Errorf("no %q in\n%s", want, stdout.String())
		}
	}
	for _, want := range []string{": (*Service).Handle lends an arena of a Pool; it goes to 0 functions as a parameter, and is a field of Service\n", "needs   go get github.com/harena-go/arena"} {
		if !strings.Contains(stderr.String(), want) {
			t.Errorf("no %q in\n%s", want, stderr.String())
		}
	}
	if after, err := os.ReadFile("testdata/orders/orders.go"); err != nil || !bytes.Equal(before, after) {
		t.Errorf("the file is changed: %v", err)
	}
}

// TestNoDump: during a system call there is no dump, which would end the program. Everything but the holders is still
// known.
func TestNoDump(t *testing.T) {
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

// TestChanges: annotated lines are those that differ from the previous commit, or from the base of a pull request.
func TestChanges(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	t.Setenv("GITHUB_BASE_REF", "")
	git := func(args ...string) {
		t.Helper()
		cmd := exec.Command("git", append([]string{"-c", "user.name=x", "-c", "user.email=x@example.com"}, args...)...)
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("git %v: %v\n%s", args, err, out)
		}
	}
	write := func(text string) {
		if err := os.WriteFile("x.go", []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		git("add", ".")
		git("commit", "-q", "-m", "x")
	}
	git("init", "-q", "-b", "main")
	write("package x\n")
	git("update-ref", "refs/remotes/origin/main", "HEAD")
	write("package x\n\nvar a int\n")
	write("package x\n\nvar a int\n\nvar b int\n")
	for base, want := range map[string]report.Range{"": {First: 4, Last: 5}, "main": {First: 2, Last: 5}} {
		t.Setenv("GITHUB_BASE_REF", base)
		root, changed, err := changes()
		if got := changed[filepath.Join(root, "x.go")]; err != nil || len(got) != 1 || got[0] != want {
			t.Errorf("base %q: %v, %v, want %v", base, changed, err, want)
		}
	}
	t.Chdir(t.TempDir())
	if _, _, err := changes(); err == nil || strings.Contains(err.Error(), "\n") {
		t.Errorf("outside of a repository: %v", err)
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

// TestInterrupted: Ctrl-C leaves no files behind.
func TestInterrupted(t *testing.T) {
	dir := t.TempDir()
	cmd := exec.Command(os.Args[0], "-bench", "Blocked", "testdata/failing")
	cmd.Env = append(os.Environ(), "ARENASCOUT_MAIN=1", "TMPDIR="+dir)
	said, err := cmd.StderrPipe()
	if err != nil || cmd.Start() != nil {
		t.Fatal(err)
	}
	line, err := bufio.NewReader(said).ReadString('\n')
	if files, _ := os.ReadDir(dir); err != nil || len(files) != 1 {
		t.Fatalf("%q, %v, with %v", line, err, files)
	}
	cmd.Process.Signal(os.Interrupt)
	cmd.Wait()
	if files, _ := os.ReadDir(dir); cmd.ProcessState.ExitCode() != interrupted || len(files) > 0 {
		t.Errorf("status %d, %v are left", cmd.ProcessState.ExitCode(), files)
	}
}
