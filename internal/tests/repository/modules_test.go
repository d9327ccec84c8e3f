package repository

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

var (
	goLine   = regexp.MustCompile(`(?m)^go (1\.\d+)(?:\.0)?$`)
	required = regexp.MustCompile(`(?m)^(?:require)?\s*(\S+\.\S+/\S+) (v\S+)$`) // directly: without a comment behind it
)

// TestModulesInStep: all modules of the repository require the same Go, and the same version of each dependency that
// several of them use, so that a program can use any of them together. All are in go.work but those that are always
// built with versions of their own.
func TestModulesInStep(t *testing.T) {
	work, err := os.ReadFile(filepath.Join(root, "go.work"))
	if err != nil {
		t.Fatal(err)
	}
	want := goLine.FindStringSubmatch(string(work))
	if want == nil {
		t.Fatal("go.work has no line with a version of Go")
	}
	seen, shared := map[string]string{}, 0
	for _, file := range modules(t) {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		dir, _ := filepath.Rel(root, filepath.Dir(file))
		dir = "./" + filepath.ToSlash(dir)
		listed := regexp.MustCompile(`(?m)^\s+` + regexp.QuoteMeta(strings.TrimSuffix(dir, "/.")) + `$`).Match(work)
		if listed == slices.Contains([]string{"./bench/wire/decoders", "./conformance"}, dir) {
			t.Errorf("%s isn't in go.work, or is there with versions of its own", dir)
		}
		if got := goLine.FindStringSubmatch(string(text)); got == nil || got[1] != want[1] {
			t.Errorf("%s wants %q, go.work %q", file, got, want[0])
		}
		for _, m := range required.FindAllStringSubmatch(string(text), -1) {
			path, version := m[1], m[2]
			if have, ok := seen[path]; ok {
				if shared++; have != version {
					t.Errorf("%s wants %s %s, another module %s", file, path, version, have)
				}
			}
			seen[path] = version
		}
	}
	if shared < 10 {
		t.Errorf("only %d requirements are shared", shared)
	}
}

// modules returns the go.mod files of the repository.
func modules(t *testing.T) (files []string) {
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && (d.Name() == "testdata" || strings.HasPrefix(d.Name(), ".") && path != root):
			return fs.SkipDir
		case d.Name() == "go.mod":
			files = append(files, path)
		}
		return nil
	})
	if err != nil || len(files) < 8 {
		t.Fatalf("modules %q, %v", files, err)
	}
	return files
}

// TestPlatforms compares the table of docs/promises.md with what .ci/run and .ci/nightly do.
func TestPlatforms(t *testing.T) {
	page, err := os.ReadFile(filepath.Join(root, "docs", "promises.md"))
	if err != nil {
		t.Fatal(err)
	}
	script := ""
	for _, file := range []string{"run", "nightly", "steps.bash"} {
		script += read(t, filepath.Join(".ci", file))
	}
	row := func(of string) (platforms []string) {
		line := regexp.MustCompile(`(?m)^\| ` + of + ` \|([^|\n]+)\|`).FindStringSubmatch(string(page))
		if line == nil {
			t.Fatalf("docs/promises.md has no row %q", of)
		}
		for _, m := range regexp.MustCompile("`([a-z0-9/.]+)`").FindAllStringSubmatch(line[1], -1) {
			platforms = append(platforms, m[1])
		}
		return platforms
	}
	built := regexp.MustCompile(`(?m)^platforms="([^"]+)"$`).FindStringSubmatch(script)
	if built == nil {
		t.Fatal(".ci/run has no line platforms=")
	}
	if got, want := row("compiled"), strings.Fields(built[1]); !slices.Equal(got, want) {
		t.Errorf("the page says %q are compiled, .ci/run compiles %q", got, want)
	}
	for platform, step := range map[string]string{"linux/386": "i386", "linux/arm64": "arm64", "linux/s390x": "s390x", "js/wasm": "wasm"} {
		if !slices.Contains(append(row("all tests"), row("a part of the tests")...), platform) || !strings.Contains(script, "\t\""+step+":") {
			t.Errorf("%s, step %s: the page and the steps don't agree", platform, step)
		}
	}
	versions := row("Go")
	newest := regexp.MustCompile(`(?m)^export GOTOOLCHAIN=go(1\.\d+)`).FindStringSubmatch(script)
	oldest := regexp.MustCompile(`(?m)^export go126=go(1\.\d+)`).FindStringSubmatch(script)
	mod, err := os.ReadFile(filepath.Join(root, "go.mod"))
	if err != nil {
		t.Fatal(err)
	}
	if want := []string{goLine.FindStringSubmatch(string(mod))[1], newest[1]}; !slices.Equal(versions, want) || oldest[1] != want[0] {
		t.Errorf("the page says Go %q, go.mod and .ci/run %q", versions, want)
	}
}
