package program

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestFailuresAreSentences: the go command's message is passed on, without the names of packages.
func TestFailuresAreSentences(t *testing.T) {
	_, err := Go{Name: "none", Dir: "json/std", Env: []string{"GOEXPERIMENT=magic"}, Failure: "it can't be built"}.Build()
	if err == nil || !strings.HasPrefix(err.Error(), "it can't be built: ") || !strings.Contains(err.Error(), "magic") {
		t.Error(err)
	}
	if got := firstLine([]byte("go: downloading a v1\n# a/b\n\nb.go:1: broken\n")); got != "b.go:1: broken" {
		t.Errorf("first line %q", got)
	}
}

// TestGeneratedOnce: sources are generated once for each state of their inputs, and not kept after a failure.
func TestGeneratedOnce(t *testing.T) {
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	t.Setenv("HOME", t.TempDir())
	writes, fail := 0, true
	g := Generated{Name: "test", From: []string{"program/generated.go"}, Into: "program/nowhere", Write: func(dir string) error {
		if writes++; fail {
			return os.ErrInvalid
		}
		return os.WriteFile(filepath.Join(dir, "a.go"), []byte("package nowhere\n"), 0o666)
	}}
	if _, err := g.Make(); err == nil || !strings.Contains(err.Error(), "test can't be generated") {
		t.Error(err)
	}
	fail = false
	dir, err := g.Make()
	if again, err2 := g.Make(); err != nil || err2 != nil || again != dir || writes != 2 {
		t.Errorf("%v, %v; %q and %q after %d writes", err, err2, dir, again, writes)
	}
	text, err := os.ReadFile(filepath.Join(dir, overlay))
	if err != nil || !strings.Contains(string(text), filepath.Join(dir, "a.go")) {
		t.Errorf("overlay %s: %v", text, err)
	}
	g.From = append(g.From, "program/rust.go")
	if other, err := g.Make(); err != nil || other == dir || writes != 3 {
		t.Errorf("from other files: %q, %v", other, err)
	}
	g.From = []string{"program/*.none"}
	if _, err := g.Make(); err == nil || !strings.Contains(err.Error(), "no files") {
		t.Error(err)
	}
}
