package json

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/harena-go/arena/bench/suite"
	"github.com/harena-go/arena/internal/tests/testkit"
)

func newerProgram(t *testing.T) string {
	t.Helper()
	testkit.NeedsLong(t, "builds a program with another toolchain")
	path, err := Newer.Build()
	if err != nil {
		t.Skip(err)
	}
	return path
}

// TestNewerMeasures: the program prints the requested rows, and no others.
func TestNewerMeasures(t *testing.T) {
	c := suite.Config{Quick: true, Rows: "typed-o", Program: newerProgram(t)}
	for _, peer := range []string{suite.NewerJSON, suite.NewerV2JSON} {
		out, err := run(peer, c)
		if err != nil {
			t.Fatal(err)
		}
		if len(out.Results) != 1 || out.Results[0].Row != "typed-order" || out.Results[0].Values[0] <= 0 || out.Results[0].Values[0] > 1 {
			t.Errorf("%s: %+v", peer, out.Results)
		}
	}
}

// TestNewerIsNewer: the program has the packages of a toolchain that has version 2.
func TestNewerIsNewer(t *testing.T) {
	out, err := exec.Command("go", "version", newerProgram(t)).Output()
	if err != nil {
		t.Fatal(err)
	}
	if fields := strings.Fields(string(out)); len(fields) < 2 || fields[1] < "go1.27" {
		t.Errorf("%s", out)
	}
}

// TestProgramsThatAreMissing: the error names the missing program.
func TestProgramsThatAreMissing(t *testing.T) {
	if _, err := run(suite.NewerJSON, suite.Config{Quick: true}); err == nil || !strings.Contains(err.Error(), "the program with std-1.27 was not built") {
		t.Errorf("without a program: %v", err)
	}
	t.Setenv("PATH", t.TempDir())
	if _, err := Newer.Build(); err == nil || !strings.Contains(err.Error(), "without Go 1.27") {
		t.Errorf("without a go command: %v", err)
	}
}

// TestToolchainThatIsMissing replaces the go command by a program that fails like it.
func TestToolchainThatIsMissing(t *testing.T) {
	dir := t.TempDir()
	script := "#!/bin/sh\necho \"go: download $GOTOOLCHAIN: no\" >&2\nexit 1\n"
	if err := os.WriteFile(filepath.Join(dir, "go"), []byte(script), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := exec.Command(filepath.Join(dir, "go")).Run(); err == nil || !strings.Contains(err.Error(), "exit status") {
		t.Skip("a script can't take the go command's place here")
	}
	t.Setenv("PATH", dir)
	want := fmt.Sprintf("without Go 1.27, or what it says to the program: go: download %s: no", newerGo)
	if _, err := Newer.Build(); err == nil || err.Error() != want && !newEnough() {
		t.Errorf("%v, want %q", err, want)
	}
}

// TestAllPeersAreDescribed: the report describes each peer.
func TestAllPeersAreDescribed(t *testing.T) {
	for _, peer := range Suite().Peers {
		if !slices.ContainsFunc(suite.All(), func(p suite.Peer) bool { return p.Name == peer && p.About != "" }) {
			t.Errorf("nothing is said of %s", peer)
		}
	}
}
