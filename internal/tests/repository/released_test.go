package repository

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// TestNothingIsRemoved: all promises of the newest release are still there. testdata/released has its listings, those
// of TestAPI as they were then; before the first release, as it will be. internal/release writes them. A version that
// has a heading in CHANGELOG.md must be the listed one.
func TestNothingIsRemoved(t *testing.T) {
	base := filepath.Join("testdata", "released")
	versions, _ := filepath.Glob(filepath.Join(base, "v*"))
	if len(versions) != 1 {
		t.Fatalf("released: %q; the listings of one version are kept", versions)
	}
	log, err := os.ReadFile(filepath.Join(root, "CHANGELOG.md"))
	if err != nil {
		t.Fatal(err)
	}
	if newest := regexp.MustCompile(`(?m)^## \[(\d+\.\d+\.\d+)\]`).FindSubmatch(log); newest != nil && "v"+string(newest[1]) != filepath.Base(versions[0]) {
		t.Errorf("CHANGELOG.md says %s, released is %s", newest[1], versions[0])
	}
	files, _ := filepath.Glob(filepath.Join(versions[0], "*.txt"))
	if len(files) < 5 {
		t.Fatalf("listings %q", files)
	}
	for _, file := range files {
		was, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		is, err := os.ReadFile(filepath.Join("testdata", "api", filepath.Base(file)))
		if err != nil {
			t.Errorf("%s: its package is gone", file)
		}
		for _, line := range removed(string(was), string(is)) {
			t.Errorf("%s: was released and is gone: %s", file, line)
		}
	}
}

// removed returns the lines of a listing that another one lacks, in the same declaration. An interface may not
// have more methods either, as others' types implement it.
func removed(was, is string) (lines []string) {
	now := declared(is)
	for name, old := range declared(was) {
		for _, line := range old {
			if !slices.Contains(now[name], line) {
				lines = append(lines, line)
			}
		}
		if strings.HasSuffix(name, "interface {") && len(now[name]) > len(old) {
			lines = append(lines, name+" has more methods")
		}
	}
	slices.Sort(lines)
	return lines
}

// declared returns the lines of each declaration in a listing, by its first line. How they are
// aligned doesn't count.
func declared(listing string) map[string][]string {
	decls := map[string][]string{}
	name := ""
	for line := range strings.Lines(listing) {
		inside := line == "\n" || strings.HasPrefix(line, "\t") || strings.HasPrefix(line, ")") || strings.HasPrefix(line, "}")
		line = strings.Join(strings.Fields(line), " ")
		if !inside {
			name = line
		}
		if line != "" {
			decls[name] = append(decls[name], line)
		}
	}
	return decls
}
