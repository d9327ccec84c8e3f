package arenaproto_test

import (
	"bufio"
	"bytes"
	_ "embed"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/harena-go/arena/internal/tests/testkit"
)

//go:embed testdata/hook.go.txt
var hook []byte

// moduleDir returns where the source of a module is.
func moduleDir(t *testing.T, module string) string {
	t.Helper()
	out, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", module).Output()
	dir := strings.TrimSpace(string(out))
	if err != nil || dir == "" {
		t.Fatalf("module %s is not to be had: %v", module, err)
	}
	return dir
}

// copyOfficial returns a copy of the official runtime's module in which the tests of its package proto
// decode with arenaproto.
func copyOfficial(t *testing.T) string {
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS(moduleDir(t, "google.golang.org/protobuf"))); err != nil {
		t.Fatal(err)
	}
	tests, err := filepath.Glob(filepath.Join(dir, "proto", "*_test.go"))
	if err != nil || len(tests) < 20 {
		t.Fatalf("%d test files: %v", len(tests), err)
	}
	swap := strings.NewReplacer("proto.UnmarshalOptions", "arenaOptions", "proto.Unmarshal(", "arenaUnmarshal(")
	for _, name := range tests {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		write(t, name, []byte(swap.Replace(string(text))))
	}
	write(t, filepath.Join(dir, "proto", "arena_hook_test.go"), hook)
	write(t, filepath.Join(dir, "go.work"), []byte("go 1.26.0\n\nuse .\nuse "+moduleDir(t, "github.com/harena-go/arena")+
		"\nuse "+moduleDir(t, "github.com/harena-go/arena/contrib/arenaproto")+"\n"))
	return dir
}

// write replaces a file, which may be read-only.
func write(t *testing.T, name string, text []byte) {
	t.Helper()
	_ = os.Remove(name)
	if err := os.WriteFile(name, text, 0o644); err != nil {
		t.Fatal(err)
	}
}

// TestOfficial: the tests that the official runtime has for decoding pass with arenaproto in its place.
func TestOfficial(t *testing.T) {
	if testing.Short() {
		t.Skip("it builds the official runtime's tests")
	}
	dir := copyOfficial(t)
	type mode struct {
		name, arena, env string
		flags            []string
	}
	modes := []mode{
		{"arena", "", "", nil},
		{"heap", "nil", "", nil},
		{"self-contained", "contained", "", nil},
		{"clobberfree", "contained", "clobberfree=1", []string{"-count=1"}},
	}
	if testkit.Long { // it builds the standard library anew
		modes = append(modes, mode{"checkptr", "contained", "", []string{"-gcflags=all=-d=checkptr"}})
	}
	for _, mode := range modes {
		t.Run(mode.name, func(t *testing.T) {
			cmd := exec.Command("go", append(append([]string{"test", "-json"}, mode.flags...), "./proto")...)
			cmd.Dir, cmd.Stderr = dir, os.Stderr
			cmd.Env = append(os.Environ(), "TEST_ARENA="+mode.arena, "GOWORK="+filepath.Join(dir, "go.work"), "GOFLAGS=")
			if mode.env != "" {
				cmd.Env = append(cmd.Env, "GODEBUG="+mode.env, "GOGC=1")
			}
			out, err := cmd.Output()
			passed := count(t, out)
			if err != nil {
				t.Fatal(err)
			}
			if passed < 600 {
				t.Errorf("%d tests only", passed)
			}
			t.Logf("%d tests passed", passed)
		})
	}
}

// count returns how many tests passed, and reports the others.
func count(t *testing.T, out []byte) (passed int) {
	for lines := bufio.NewScanner(bytes.NewReader(out)); lines.Scan(); {
		var e struct{ Action, Test, Output string }
		if json.Unmarshal(lines.Bytes(), &e) != nil || e.Test == "" {
			continue
		}
		switch e.Action {
		case "pass":
			passed++
		case "fail":
			t.Errorf("%s failed", e.Test)
		}
	}
	return passed
}
