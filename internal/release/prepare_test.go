package main

import (
	"slices"
	"strings"
	"testing"
)

const log = `# Changelog

## [Unreleased]

- More.

[Unreleased]: https://github.com/harena-go/arena/commits/HEAD
`

// small is a repository in which contrib/b requires contrib/c, which comes later in the alphabet.
func small() map[string]string {
	const root = "github.com/harena-go/arena"
	return map[string]string{
		"CHANGELOG.md": log, "LICENSE": "free\n", "arena.go": "package arena\n",
		"go.mod":                    "module " + root + "\n\ngo 1.26\n",
		"contrib/b/testdata/x":      "data\n",
		"contrib/b/own/go.mod":      "module " + root + "/contrib/b/own/bench\n",
		"contrib/b/go.sum":          "example.com/a v1.0.0 h1:a\n" + root + "/contrib/c v0.0.9 h1:old\nother.org/z v1.0.0 h1:z\n",
		"contrib/b/go.mod":          "module " + root + "/contrib/b\n\ngo 1.26\n\nrequire (\n\t" + root + " v0.0.0\n\t" + root + "/contrib/c v0.0.0\n\texample.com/a v1.0.0\n)\n\nreplace " + root + " => ../..\n\nreplace " + root + "/contrib/c => ../c\n",
		"contrib/c/go.mod":          "module " + root + "/contrib/c\n\ngo 1.26\n\nrequire " + root + " v0.0.0\n\nreplace (\n\t" + root + " => ../..\n)\n",
		"bench/go.mod":              "module " + root + "/bench\n\nrequire " + root + "/contrib/b v0.0.0\n\nreplace " + root + "/contrib/b => ../contrib/b\n",
		"contrib/c/testdata/go.mod": "module test\n",
		"internal/tests/repository/testdata/api/arena.txt":             "new\n",
		"internal/tests/repository/testdata/released/v0.0.9/arena.txt": "old\n",
	}
}

func TestPrepare(t *testing.T) {
	before := small()
	delete(before, "contrib/b/own/go.mod")
	files, tags, err := prepare(before, "v0.1.0", "2026-12-01")
	if err != nil {
		t.Fatal(err)
	}
	if want := []string{"v0.1.0", "contrib/c/v0.1.0", "contrib/b/v0.1.0"}; !slices.Equal(tags, want) {
		t.Errorf("tags %q, want %q", tags, want)
	}
	const root = "github.com/harena-go/arena"
	for name, want := range map[string]string{
		"CHANGELOG.md": "# Changelog\n\n## [Unreleased]\n\n## [0.1.0] - 2026-12-01\n\n- More.\n\n[Unreleased]: " +
			repository + "/compare/v0.1.0...HEAD\n[0.1.0]: " + repository + "/releases/tag/v0.1.0\n",
		"go.mod":           before["go.mod"],
		"contrib/c/go.mod": "module " + root + "/contrib/c\n\ngo 1.26\n\nrequire " + root + " v0.1.0\n",
		"contrib/b/go.mod": "module " + root + "/contrib/b\n\ngo 1.26\n\nrequire (\n\t" + root + " v0.1.0\n\t" + root + "/contrib/c v0.1.0\n\texample.com/a v1.0.0\n)\n",
		"bench/go.mod":     "module " + root + "/bench\n\nrequire " + root + "/contrib/b v0.1.0\n\nreplace " + root + "/contrib/b => ../contrib/b\n",
		"internal/tests/repository/testdata/released/v0.1.0/arena.txt": "new\n",
		"internal/tests/repository/testdata/released/v0.0.9/arena.txt": "",
	} {
		if files[name] != want {
			t.Errorf("%s:\n%s\nwant\n%s", name, files[name], want)
		}
	}
	var sums []string
	for line := range strings.Lines(files["contrib/b/go.sum"]) {
		sums = append(sums, strings.Join(strings.Fields(line)[:2], " "))
	}
	want := []string{"example.com/a v1.0.0", root + " v0.1.0", root + " v0.1.0/go.mod",
		root + "/contrib/c v0.1.0", root + "/contrib/c v0.1.0/go.mod", "other.org/z v1.0.0"}
	if !slices.Equal(sums, want) {
		t.Errorf("go.sum has %q, want %q", sums, want)
	}
}

// TestMistakes changes one file of a repository at a time, and names the error that follows.
func TestMistakes(t *testing.T) {
	const cycle = "module github.com/harena-go/arena/contrib/c\n\nrequire github.com/harena-go/arena/contrib/b v0.0.0\n"
	for _, c := range []struct{ version, file, text, want string }{
		{"v2.0.0", "arena.go", "", "v0.N.N or v1.N.N"},
		{"0.1.0", "arena.go", "", "v0.N.N or v1.N.N"},
		{"v0.01.0", "arena.go", "", "v0.N.N or v1.N.N"},
		{"v0.1.0-rc.1", "arena.go", "", "v0.N.N or v1.N.N"},
		{"v0.9.0", changelogFile, strings.Replace(log, "More.\n", "More.\n\n## [0.10.0] - 2026-11-30\n", 1), "v0.10.0"},
		{"v0.1.0", changelogFile, strings.Replace(log, "- More.", "", 1), "nothing under Unreleased"},
		{"v0.1.0", changelogFile, strings.Replace(log, "## [U", "## [NotU", 1), "no heading"},
		{"v0.1.0", changelogFile, strings.Replace(log, "\n[U", "\n[NotU", 1), "no link"},
		{"v0.1.0", "contrib/c/go.mod", cycle, "requires itself"},
		{"v0.1.0", "contrib/c/go.mod", strings.ReplaceAll(cycle, "arena/contrib/b", "arena/contrib/d"), "no module"},
		{"v0.1.0", "contrib/c/go.mod", strings.ReplaceAll(cycle, "arena/contrib/b", "arena/bench2"), "no module"},
		{"v0.1.0", "bench/go.mod", "module github.com/harena-go/arena/bench\n", ""},
		{"v0.1.0", "scout/go.mod", "module github.com/harena-go/arena/scout\n\nrequire github.com/harena-go/arena/bench v0.0.0\n", "isn't released"},
		{"v0.1.0", "scout/go.mod", "module github.com/harena-go/arena/scout\n\nreplace example.com/a => ../a\n", "replace directives"},
	} {
		files := small()
		files[c.file] = c.text
		switch _, _, err := prepare(files, c.version, "2026-12-01"); {
		case c.want == "" && err != nil, c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)):
			t.Errorf("%s, %s %q: %v, want %q", c.version, c.file, c.text, err, c.want)
		}
	}
}

// TestZip: a zip file lacks the modules below, and has a license.
func TestZip(t *testing.T) {
	zip := zipped(small(), "contrib/b", "b@v1/")
	if len(zip) != 4 || zip["b@v1/LICENSE"] != "free\n" || zip["b@v1/testdata/x"] != "data\n" {
		t.Errorf("contrib/b has %q", zip)
	}
	// From the module's own line in the checksum database.
	if got, want := hash(map[string]string{"go.mod": "module \"rsc.io/quote\"\n\nrequire \"rsc.io/sampler\" v1.3.0\n"}),
		"h1:LzX7hefJvL54yjefDEDHNONDjII0t9xZLPXsUe+TKr0="; got != want {
		t.Errorf("hash %s, want %s", got, want)
	}
}

func TestNotes(t *testing.T) {
	text, err := changelog(log, "v0.1.0", "2026-12-01")
	if err != nil {
		t.Fatal(err)
	}
	if got, err := notes(text, "v0.1.0"); got != "- More." || err != nil {
		t.Errorf("%q, %v", got, err)
	}
	if got, err := notes(text, "v0.2.0"); err == nil {
		t.Errorf("a version without a section has %q", got)
	}
}
