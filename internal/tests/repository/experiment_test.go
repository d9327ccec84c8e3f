//go:build !race && !asan && !msan

package repository

import (
	"go/build"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// This file holds docs/migration.md to its word: a program for the runtime's experiment
// needs another import, and nothing else.

// experiment is the folder of the runtime's experimental package arena in the toolchain.
func experiment(t *testing.T) string {
	dir := filepath.Join(build.Default.GOROOT, "src", "arena")
	if !exists(filepath.Join(dir, "arena.go")) {
		t.Skip("this toolchain has no sources of the experiment")
	}
	return dir
}

// TestExperimentPrograms compiles and runs the experiment's own tests, and a program for it, with
// the import changed.
func TestExperimentPrograms(t *testing.T) {
	if testing.Short() {
		t.Skip("compiles two programs")
	}
	here, err := filepath.Abs(root)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	write(t, filepath.Join(dir, "go.mod"), "module experiment\n\ngo 1.26\n\nrequire github.com/harena-go/arena v0.0.0\n\nreplace github.com/harena-go/arena => "+here+"\n")
	migrate(t, "testdata/experiment/main.go.txt", filepath.Join(dir, "main.go"))
	run := func(args ...string) string {
		cmd := exec.Command("go", args...)
		cmd.Dir = dir
		cmd.Env = append(os.Environ(), "GOWORK=off", "GOFLAGS=-mod=mod", "GOEXPERIMENT=")
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("go %q: %v\n%s", args, err, out)
		}
		return string(out)
	}
	const want = "1 99 100 42 0\n1 42 2 xxx\ntrue\n2036\nnode 0\n"
	if got := run("run", "."); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	tests, _ := filepath.Glob(filepath.Join(experiment(t), "*_test.go"))
	for _, file := range tests {
		migrate(t, file, filepath.Join(dir, "theirs", filepath.Base(file)))
	}
	if len(tests) > 0 {
		if out := run("test", "-v", "./theirs"); !strings.Contains(out, "--- PASS: TestSmoke") {
			t.Errorf("their tests say\n%s", out)
		}
	}
}

// migrate copies a file with the import changed, and for all builds.
func migrate(t *testing.T, from, to string) {
	text, err := os.ReadFile(from)
	if err != nil {
		t.Fatal(err)
	}
	changed := strings.Replace(string(text), "\t\"arena\"\n", "\t\"github.com/harena-go/arena\"\n", 1)
	if changed == string(text) {
		t.Fatalf("%s doesn't import the experiment", from)
	}
	write(t, to, strings.Replace(changed, "//go:build goexperiment.arenas\n", "", 1))
}
