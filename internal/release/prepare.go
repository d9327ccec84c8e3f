package main

import (
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"maps"
	"path"
	"regexp"
	"slices"
	"strings"
)

// unreleased are the path elements that mark modules without versions.
var unreleased = []string{".ci", "bench", "conformance"}

// prepare returns the files of a release, and its tags in an order in which each module comes after
// those that it requires. The root comes first.
func prepare(before map[string]string, version, date string) (files map[string]string, tags []string, err error) {
	files = maps.Clone(before)
	if files[changelogFile], err = changelog(files[changelogFile], version, date); err != nil {
		return nil, nil, err
	}
	recordAPI(files, version)
	dirs, err := modules(files)
	if err != nil {
		return nil, nil, err
	}
	sums := map[string]string{} // by module path, the lines of go.sum
	for _, dir := range dirs {
		mod, sum := path.Join(dir, "go.mod"), path.Join(dir, "go.sum")
		m := parse(files[mod])
		if files[mod] = m.set(version); !released(dir) {
			continue
		}
		if files[mod], err = dropReplaces(files[mod]); err != nil {
			return nil, nil, fmt.Errorf("%s: %w", mod, err)
		}
		for _, needed := range m.requires {
			if sums[needed] == "" {
				return nil, nil, fmt.Errorf("%s requires %s, which isn't released", mod, needed)
			}
			files[sum] = replaceSums(files[sum], needed, sums[needed])
		}
		sums[m.path] = fmt.Sprintf("%s %s %s\n%[1]s %[2]s/go.mod %[4]s\n", m.path, version,
			hash(zipped(files, dir, m.path+"@"+version+"/")), hash(map[string]string{"go.mod": files[mod]}))
		tags = append(tags, path.Join(dir, version))
	}
	return files, tags, nil
}

// recordAPI saves the version's promised API, for TestNothingIsRemoved in internal/tests/repository.
func recordAPI(files map[string]string, version string) {
	const data = "internal/tests/repository/testdata/"
	maps.DeleteFunc(files, func(name, _ string) bool { return strings.HasPrefix(name, data+"released/") })
	for name, text := range maps.Clone(files) {
		if base, ok := strings.CutPrefix(name, data+"api/"); ok {
			files[data+"released/"+version+"/"+base] = text
		}
	}
}

func released(dir string) bool {
	return !slices.ContainsFunc(strings.Split(dir, "/"), func(element string) bool {
		return slices.Contains(unreleased, element)
	})
}

// modules returns the directories of all modules, each after those that it requires.
func modules(files map[string]string) (dirs []string, err error) {
	found := map[string]string{} // the directories, by module path
	for name, text := range files {
		if dir := path.Dir(name); path.Base(name) == "go.mod" && !slices.Contains(strings.Split(dir, "/"), "testdata") {
			found[parse(text).path] = dir
		}
	}
	state := map[string]int{} // 1 while its requirements are visited, then 2
	var visit func(module string)
	visit = func(module string) {
		dir, ours := found[module]
		switch {
		case !ours:
			err = errors.Join(err, fmt.Errorf("no module %s", module))
		case state[module] == 1:
			err = errors.Join(err, fmt.Errorf("%s requires itself", module))
		case state[module] == 0:
			state[module] = 1
			for _, needed := range parse(files[path.Join(dir, "go.mod")]).requires {
				visit(needed)
			}
			state[module] = 2
			dirs = append(dirs, dir)
		}
	}
	for _, module := range slices.Sorted(maps.Keys(found)) {
		visit(module)
	}
	return dirs, err
}

// A module holds the content of go.mod about the repository's modules.
type module struct {
	text, path string
	requires   []string
}

var (
	moduleLine  = regexp.MustCompile(`(?m)^module (\S+)$`)
	requireLine = regexp.MustCompile(`(?m)^((?:require )?\s*(github\.com/harena-go/arena\S*)) v\S+`)
	replaceLine = regexp.MustCompile(`(?m)\n*^(?:replace )?\s*github\.com/harena-go/arena.* => .*$`)
	emptyBlock  = regexp.MustCompile(`\n*replace \(\s*\)`)
)

func parse(text string) module {
	m := module{text: text}
	if line := moduleLine.FindStringSubmatch(text); line != nil {
		m.path = line[1]
	}
	for _, line := range requireLine.FindAllStringSubmatch(text, -1) {
		m.requires = append(m.requires, line[2])
	}
	return m
}

// set returns go.mod with a version for all modules of the repository.
func (m module) set(version string) string {
	return requireLine.ReplaceAllString(m.text, "$1 "+version)
}

// dropReplaces removes the replacements of the repository's modules. Nothing else may be replaced:
// go install takes no command from a module with replacements.
func dropReplaces(text string) (string, error) {
	text = emptyBlock.ReplaceAllString(replaceLine.ReplaceAllString(text, ""), "")
	if strings.Contains(text, "=>") {
		return "", errors.New("go install refuses modules with replace directives")
	}
	return text, nil
}

// replaceSums sets the lines of a module in go.sum, which is in the order of module paths.
func replaceSums(text, module, lines string) string {
	all := slices.DeleteFunc(slices.Collect(strings.Lines(text)), func(line string) bool {
		return strings.HasPrefix(line, module+" ")
	})
	all = append(all, slices.Collect(strings.Lines(lines))...)
	slices.SortStableFunc(all, func(a, b string) int {
		return strings.Compare(strings.Fields(a)[0], strings.Fields(b)[0])
	})
	return strings.Join(all, "")
}

// zipped returns the files in the zip file of a module. The go command leaves out the modules in
// directories below, and adds the license of the repository where a module has none.
func zipped(files map[string]string, dir, prefix string) map[string]string {
	zip := map[string]string{prefix + "LICENSE": files["LICENSE"]}
	for name, text := range files {
		if moduleOf(files, path.Dir(name)) == dir {
			zip[prefix+strings.TrimPrefix(name, dir+"/")] = text
		}
	}
	return zip
}

// moduleOf returns the directory of the module that a directory belongs to.
func moduleOf(files map[string]string, dir string) string {
	for dir != "." && files[path.Join(dir, "go.mod")] == "" {
		dir = path.Dir(dir)
	}
	return dir
}

// hash returns the hash of some files in go.sum's format.
func hash(files map[string]string) string {
	h := sha256.New()
	for _, name := range slices.Sorted(maps.Keys(files)) {
		fmt.Fprintf(h, "%x  %s\n", sha256.Sum256([]byte(files[name])), name)
	}
	return "h1:" + base64.StdEncoding.EncodeToString(h.Sum(nil))
}
