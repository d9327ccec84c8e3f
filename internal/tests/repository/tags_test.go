package repository

import (
	"go/build/constraint"
	"go/parser"
	"go/token"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// This file holds what published code does when Go goes on. A version of Go may make an
// experiment the default, and a later one delete it: then no build has its tag.

// A goVersion is a minor version of Go, with the tags of its experiments.
type goVersion struct {
	minor       int
	experiments []string
}

// defaultOn has the experiments that a version of Go turned on, by that version.
var defaultOn = map[string]int{"jsonv2": 27}

// selects reports whether a file with the build line is part of a build on Linux.
func (v goVersion) selects(t *testing.T, line string) bool {
	if line == "" {
		return true
	}
	x, err := constraint.Parse(line)
	if err != nil {
		t.Fatal(line, err)
	}
	return x.Eval(func(tag string) bool {
		if name, ok := strings.CutPrefix(tag, "goexperiment."); ok {
			return slices.Contains(v.experiments, name)
		}
		if minor, ok := strings.CutPrefix(tag, "go1."); ok {
			n, err := strconv.Atoi(minor)
			return err == nil && n <= v.minor
		}
		return slices.Contains([]string{"linux", "amd64", "unix", "gc", "cgo"}, tag)
	})
}

// goVersions returns a version with its default experiments, and with each of them the other way. From deleted on, no
// experiment has a tag by default.
func goVersions(minor, deleted int) (all []goVersion) {
	usual := goVersion{minor: minor}
	for name, since := range defaultOn {
		if since <= minor && minor < deleted {
			usual.experiments = append(usual.experiments, name)
		}
	}
	all = append(all, usual)
	for name := range defaultOn {
		other := slices.Clone(usual.experiments)
		if i := slices.Index(other, name); i >= 0 {
			other = slices.Delete(other, i, i+1)
		} else {
			other = append(other, name)
		}
		all = append(all, goVersion{minor, other})
	}
	return all
}

// The versions of Go that this module is for, the newest that its tags know, and the first that may lack an experiment.
const oldestGo, knownGo, newestGo = 26, 27, 29

// TestLaterVersionsOfGo: with a later version of Go, with and without each experiment, the same files are part of a
// build as with the newest known version, so that no default changes. The engine's knowledge of the runtime is for
// versions that were looked at: others are slower.
func TestLaterVersionsOfGo(t *testing.T) {
	known := goVersions(knownGo, knownGo+1)[0]
	tagged := 0
	for _, file := range tracked(t) {
		if !strings.HasSuffix(file, ".go") || inTestdata(file) || strings.HasPrefix(file, "internal/engine/") {
			continue
		}
		line := buildLine(t, filepath.Join(root, file))
		if strings.Contains(line, "go1.") || strings.Contains(line, "goexperiment.") {
			tagged++
		}
		for minor := knownGo + 1; minor <= newestGo; minor++ {
			for _, v := range goVersions(minor, knownGo+1) {
				if want, got := known.selects(t, line), v.selects(t, line); want != got {
					t.Errorf("%s: %v with Go 1.%d, and %v with Go 1.%d and experiments %q", file, want, knownGo, got, minor, v.experiments)
				}
			}
		}
	}
	if tagged < 20 {
		t.Errorf("only %d files with tags", tagged)
	}
}

// TestNamesStay: each later version of Go has the public names of the earlier ones, with and without each experiment.
func TestNamesStay(t *testing.T) {
	for _, dir := range publicPackages(t) {
		text := listing(t, dir)
		has := func(v goVersion) (names []string) {
			for line := range strings.Lines(string(text)) {
				text, tag, ok := strings.Cut(strings.TrimSuffix(line, "\n"), " //go:build ")
				if !ok || v.selects(t, "//go:build "+tag) {
					names = append(names, text)
				}
			}
			return names
		}
		for minor := oldestGo; minor < newestGo; minor++ {
			for _, v := range goVersions(minor, knownGo+1) {
				for _, later := range goVersions(minor+1, knownGo+1) {
					if lost := missing(has(v), has(later)); len(lost) > 0 {
						t.Errorf("%s: Go 1.%d %q has what 1.%d %q lacks: %q", name(dir), v.minor, v.experiments, later.minor, later.experiments, lost)
					}
				}
			}
		}
	}
}

// missing returns the elements of a that b lacks.
func missing(a, b []string) []string {
	return slices.DeleteFunc(slices.Clone(a), func(s string) bool { return slices.Contains(b, s) })
}

// buildLine returns a file's build line, or "".
func buildLine(t *testing.T, file string) string {
	f, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.PackageClauseOnly|parser.ParseComments)
	if err != nil {
		t.Fatal(err)
	}
	return tagOf(f)
}

// TestDefaultOn: the experiments that the tags of files name are those whose history this file knows, or the runtime's
// arenas, which are compared only.
func TestDefaultOn(t *testing.T) {
	for _, file := range tracked(t) {
		if !strings.HasSuffix(file, ".go") || inTestdata(file) {
			continue
		}
		for word := range strings.FieldsFuncSeq(buildLine(t, filepath.Join(root, file)), func(r rune) bool { return strings.ContainsRune("!()&| ", r) }) {
			if name, ok := strings.CutPrefix(word, "goexperiment."); ok && name != "arenas" && defaultOn[name] == 0 {
				t.Errorf("%s: since when is experiment %s the default?", file, name)
			}
		}
	}
}
