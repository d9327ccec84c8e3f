package testrun

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/harena-go/arena/scout/internal/probe"
	"github.com/harena-go/arena/scout/internal/target"
)

// TestLines: a benchmark's line is read, but not one into which the benchmark has printed.
func TestLines(t *testing.T) {
	out := "goos: linux\nBenchmarkA-8   \t     100\t      1234 ns/op\t 3.5 MB/s\t  12 B/op\t   2 allocs/op\nBenchmarkB/size=3-8 2 5.5 ns/op\nBenchmarkC-8 \tnoise\n 7 8 ns/op\nBenchmarkD 3 9 ns/op\nPASS\n"
	got := lines(out)
	if len(got) != 3 || got[0] != (Line{"BenchmarkA", 100, 1234, 2, 12}) || got[1] != (Line{Name: "BenchmarkB/size=3", N: 2, Op: 5}) || got[2].Name != "BenchmarkD" {
		t.Errorf("%+v", got)
	}
}

// TestComplaint: the line with the reason is found.
func TestComplaint(t *testing.T) {
	for out, want := range map[string]string{
		"--- FAIL: TestX\n    x_test.go:7: not what was wanted\n": "x_test.go:7: not what was wanted",
		"panic: no\n\ngoroutine 1\n":                              "panic: no",
		"BenchmarkX-2  \tpanic: no [recovered]\n":                 "panic: no [recovered]",
		"--- FAIL: TestX (0.1s)\nFAIL\n":                          "--- FAIL: TestX (0.1s)",
		"nothing\n":                                               "exit status 1",
	} {
		if got := complaint(out, errors.New("exit status 1")); got != want {
			t.Errorf("%q: %q, want %q", out, got, want)
		}
	}
}

// TestPanicked: the stack of the first panic is found, beneath the panics that followed.
func TestPanicked(t *testing.T) {
	out := "panic: no [recovered, repanicked]\n\ngoroutine 7 [running]:\nx.Unit.func1()\n\t/x/x.go:9 +0x2a\npanic({0x1, 0x2})\n\t/go/panic.go:860 +0x13a\n" +
		"x.New[...](...)\n\t/x/x.go:3\nx.(*T).each.func2(0x1?)\n\t/x/x.go:5 +0x1\ncreated by x.A in goroutine 1\n\t/x/y.go:1 +0x1\n\ngoroutine 8 [running]:\nx.B()\n\t/x/x.go:1\n"
	want := []probe.Frame{{Function: "x.New[...]", File: "/x/x.go", Line: 3},
		{Function: "x.(*T).each.func2", File: "/x/x.go", Line: 5}}
	if got := panicked(out); !slices.Equal(got, want) {
		t.Errorf("%+v", got)
	}
	if got := panicked("--- FAIL: TestX\n"); got != nil {
		t.Errorf("%+v", got)
	}
}

// TestNamed: tests are counted, subtests are not.
func TestNamed(t *testing.T) {
	out := "=== RUN   TestA\n    --- PASS: TestA/b (0.00s)\n--- PASS: TestA (0.00s)\n--- FAIL: TestB (0.01s)\n--- PASS: ExampleC (0.00s)\n"
	if got := strings.Join(named(out, "PASS"), " "); got != "TestA ExampleC" {
		t.Error(got)
	}
	if got := strings.Join(named(out, "FAIL"), " "); got != "TestB" {
		t.Error(got)
	}
}

// TestCut: a benchmark that panicked, but whose process ended well before the panic was printed, runs again. Package
// testing does so by chance; here a script does.
func TestCut(t *testing.T) {
	script := filepath.Join(t.TempDir(), "x.test")
	text := "#!/bin/sh\nif [ -e \"$0.asked\" ]; then echo 'panic: no'; exit 2; fi\n" +
		"printf 'BenchmarkX-2   \\t       0\\t               NaN ns/op\\nPASS\\n'\n$AGAIN \"$0.asked\"\n"
	if err := os.WriteFile(script, []byte(text), 0o777); err != nil {
		t.Fatal(err)
	}
	for again, want := range map[string]string{":": "BenchmarkX panicked, and the process ended", "touch": "-bench X: panic: no"} {
		t.Setenv("AGAIN", again)
		os.Remove(script + ".asked")
		if _, err := (Run{Binary: script, Bench: "X"}).Do(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", again, err, want)
		}
	}
}

func TestExact(t *testing.T) {
	if got, want := Exact("BenchmarkA/size=3"), "^BenchmarkA$/^size=3$"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

// TestCompile: an overlay takes effect, its errors name the original, and a package without tests leaves no binary, not
// even an old one.
func TestCompile(t *testing.T) {
	t.Setenv("GOWORK", "off")
	dir := t.TempDir()
	for name, text := range map[string]string{
		"go.mod": "module example.com/x\n\ngo 1.26\n", "x.go": "package x\n\nfunc X() int { return 1 }\n",
		"x_test.go": "package x\n\nimport \"testing\"\n\nfunc TestX(t *testing.T) {\n\tif X() != 2 {\n\t\tt.Fatal(X())\n\t}\n}\n",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	pkg, err := target.Find(dir)
	if err != nil {
		t.Fatal(err)
	}
	binary, file := filepath.Join(t.TempDir(), "x.test"), filepath.Join(pkg.Dir, "x.go")
	if err := Compile(pkg, Build{Output: binary, Overlay: map[string][]byte{file: []byte("package x\n\nfunc X() int { return 2 }\n")}}); err != nil {
		t.Fatal(err)
	}
	Kept = t.TempDir()
	defer func() { Kept = "" }()
	same := func(x string) bool { // like one that was built before
		again, overlay := filepath.Join(t.TempDir(), "x.test"), map[string][]byte{file: []byte("package x\n\nfunc X() int { return " + x + " }\n")}
		if err := errors.Join(Compile(pkg, Build{Output: binary}), Compile(pkg, Build{Output: again, Overlay: overlay})); err != nil {
			t.Fatal(err)
		}
		before, _ := os.Stat(again)
		if err := Compile(pkg, Build{Output: binary, Overlay: map[string][]byte{file: []byte("package x\n\nfunc X() int { return 2 }\n")}}); err != nil {
			t.Fatal(err)
		}
		after, err := os.Stat(binary)
		return err == nil && os.SameFile(before, after)
	}
	if !same("2") || same("3") {
		t.Error("what is kept isn't what was built")
	}
	Kept = ""
	run := Run{Binary: binary, Dir: pkg.Dir, Test: "TestX", Flags: []string{"-test.v"}}
	if r, err := run.Do(); err != nil || len(r.Passed) != 1 || r.CPU <= 0 {
		t.Errorf("%+v, %v", r, err)
	}
	run.Limit = time.Nanosecond
	if _, err := run.Do(); err == nil || !strings.Contains(err.Error(), "takes more than") {
		t.Errorf("with a limit of nothing: %v", err)
	}
	err = Compile(pkg, Build{Output: binary, Overlay: map[string][]byte{file: []byte("package x\n\nfunc X() int { return y }\n")}})
	if err == nil || !strings.Contains(err.Error(), "x.go:3:23: undefined: y") || strings.Contains(err.Error(), "overlay") {
		t.Errorf("%v", err)
	}
	if err := os.WriteFile(binary, nil, 0o666); err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(filepath.Join(dir, "x_test.go")); err != nil {
		t.Fatal(err)
	}
	if err := Compile(pkg, Build{Output: binary}); !errors.Is(err, ErrNoTests) {
		t.Errorf("without tests: %v", err)
	}
}

// TestMarks: the wall time of marking counts, not the CPU time.
func TestMarks(t *testing.T) {
	const out = "BenchmarkX \tgc 1 @0.022s 2%: 0.015+0.50+0.003 ms clock, 0.031+0.09/0.31/0+0.006 ms cpu, 3->4->0 MB, 4 MB goal, 0 MB stacks, 0 MB globals, 2 P\n" +
		"gc 12 @1.022s 2%: 0.015+1.5+0.003 ms clock, 0.031+9.09/9.31/0+0.006 ms cpu, 3->4->0 MB, 4 MB goal, 0 MB stacks, 0 MB globals, 2 P (forced)\n"
	if got := marks(out); got != 2*time.Millisecond {
		t.Errorf("%v", got)
	}
}
