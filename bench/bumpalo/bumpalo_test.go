package bumpalo

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/harena-go/arena/internal/tests/testkit"
)

// build returns the result of Program.Build, or skips a test without cargo. It uses the crate's own target directory,
// so that the program is compiled once and not for each test.
func build(t *testing.T) string {
	t.Helper()
	testkit.NeedsLong(t, "builds a program in Rust")
	if _, err := exec.LookPath("cargo"); err != nil {
		t.Skip("there is no cargo")
	}
	program, err := Program.Build()
	if err != nil {
		if strings.Contains(err.Error(), "download") || strings.Contains(err.Error(), "network") {
			t.Skip(err)
		}
		t.Fatal(err)
	}
	return program
}

func TestLoopsAreMeasured(t *testing.T) {
	lines, err := Lines(build(t), "micro", "-quick")
	if err != nil {
		t.Fatal(err)
	}
	if len(lines) == 0 {
		t.Error("there are no rows")
	}
	for _, l := range lines {
		if l.Row == "" || l.Value <= 0 {
			t.Errorf("%+v has no name or no value", l)
		}
		// The machine may be slow, but nothing here takes a second.
		if l.Value > 1 {
			t.Errorf("%+v isn't in seconds", l)
		}
	}
}

func TestRowsArePicked(t *testing.T) {
	lines, err := Lines(build(t), "micro", "-quick", "-rows", "new-n")
	if err != nil {
		t.Fatal(err)
	}
	if len(lines) != 1 || lines[0].Row != "new-node" {
		t.Errorf("%v, want new-node alone", lines)
	}
}

func TestGameIsPlayed(t *testing.T) {
	lines, err := Lines(build(t), "trees", "-depth", "6", "-workers", "2")
	if err != nil {
		t.Fatal(err)
	}
	want := "stretch tree of depth 7\t check: 255\n" +
		"64\t trees of depth 4\t check: 1984\n" +
		"16\t trees of depth 6\t check: 2032\n" +
		"long lived tree of depth 6\t check: 127"
	if len(lines) != 1 || lines[0].Checksum != want {
		t.Fatalf("%+v, want one line with %q", lines, want)
	}
	if l := lines[0]; l.Wall <= 0 || l.CPU <= 0 || l.RSS < 1<<16 {
		t.Errorf("%+v: all must be positive", l)
	}
}

func TestFailuresAreTold(t *testing.T) {
	program := build(t)
	for want, args := range map[string][]string{
		"must be micro or trees": {"macro"},
		"-depth needs a number":  {"trees", "-depth", "high"},
	} {
		if _, err := Lines(program, args...); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v: %v, want an error with %q", args, err, want)
		}
	}
	if _, err := Lines(""); err == nil || !strings.Contains(err.Error(), "not built") {
		t.Errorf("without a program: %v", err)
	}
}

func TestWithoutCargo(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	_, err := Program.Build()
	if err == nil || !strings.Contains(err.Error(), "not installed") {
		t.Errorf("%v, want an error that says that cargo is not installed", err)
	}
}

// TestBrokenCargo replaces cargo by a program that fails like it.
func TestBrokenCargo(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("a script can't take cargo's place here")
	}
	for name, c := range map[string]struct{ script, want string }{
		"no network": {
			"echo '    Updating index' >&2; echo 'error: failed to download' >&2; exit 101",
			"cargo can't build the program in Rust: failed to download",
		},
		"other words": {"echo broken; exit 1", "cargo can't build the program in Rust: broken"},
		"silence":     {"exit 3", "cargo can't build the program in Rust: exit status 3"},
	} {
		dir := t.TempDir()
		script := "#!/bin/sh\n" + c.script + "\n"
		if err := os.WriteFile(filepath.Join(dir, "cargo"), []byte(script), 0o755); err != nil {
			t.Fatal(err)
		}
		t.Setenv("PATH", dir)
		if _, err := Program.Build(); err == nil || err.Error() != c.want {
			t.Errorf("%s: %v, want %q", name, err, c.want)
		}
	}
}
