// Package target finds the package to look at, and its module, with the go command. It must not depend on later steps.
package target

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// A Package is one that can be tested.
type Package struct {
	Dir        string // absolute
	ImportPath string
	Name       string // as in the package clause
	Module     Module

	TestGoFiles, XTestGoFiles []string          // of the package, and of its external test package
	Loops                     map[string][]byte // files for the compiler that make benchmarks of tests
	Plain                     map[string][]byte // files for the compiler, instead of those with //line directives
}

// A Module is a package's module. Path is "" if there is none, as for the standard library.
type Module struct{ Path, Dir, GoMod, GoVersion string }

// Find returns the package that a pattern names: a folder, of whatever module, or an import path.
func Find(pattern string) (*Package, error) {
	// Folders are listed from within, so that they may belong to another module than the current folder.
	dir, name := ".", pattern
	if info, err := os.Stat(pattern); err == nil && info.IsDir() {
		dir, name = pattern, "."
	}
	// -e: the build reports packages that don't compile, and names the faulty line.
	const fields = "Dir,ImportPath,Name,Module,TestGoFiles,XTestGoFiles,Error,Incomplete"
	cmd := exec.Command("go", "list", "-e", "-json="+fields, name)
	cmd.Dir = dir
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		if line := FirstLine(stderr.String()); line != "" {
			err = errors.New(line)
		}
		return nil, fmt.Errorf("%s: %w", pattern, err)
	}
	decoder := json.NewDecoder(bytes.NewReader(out))
	var p struct {
		Package
		Error *struct{ Err string }
	}
	if err := decoder.Decode(&p); err != nil {
		return nil, fmt.Errorf("%s names no package", pattern)
	}
	// The pattern has dots, such as ./...
	if decoder.More() {
		return nil, fmt.Errorf("%s names more than one package; look at one at a time", pattern)
	}
	if p.Error != nil {
		return nil, fmt.Errorf("%s: %s", pattern, FirstLine(p.Error.Err))
	}
	p.Plain = map[string][]byte{}
	p.files(func(path string, text []byte) {
		if plain := Plain(text); !bytes.Equal(plain, text) {
			p.Plain[path] = plain
		}
	})
	return &p.Package, nil
}

// Plain returns a file without //line directives, which goyacc and Ragel write: stacks then name the file itself.
func Plain(text []byte) []byte { return directive.ReplaceAll(text, []byte("//Line ")) }

var directive = regexp.MustCompile(`(?m)^//line `)

// Tests yields the files of the package's tests, and those of its external tests, with the suffix of their package
// name.
func (p *Package) Tests(yield func(suffix string, files []string) bool) {
	_ = yield("", p.TestGoFiles) && yield("_test", p.XTestGoFiles)
}

// FirstLine returns the first line of a message that isn't blank or a heading of the go command.
func FirstLine(text string) string {
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if line != "" && !strings.HasPrefix(line, "#") {
			return line
		}
	}
	return ""
}

// benchmark matches the declaration of a benchmark.
var benchmark = regexp.MustCompile(`(?m)^func Benchmark\w*\(\w+ \*testing\.B\)`)

// Benchmarks returns the folders of the module, other than the package's own, that have benchmarks: ./parser.
func (p *Package) Benchmarks() (folders []string) {
	p.files(func(path string, text []byte) {
		dir := filepath.Dir(path)
		rel, err := filepath.Rel(p.Module.Dir, dir)
		rel = strings.TrimSuffix("./"+filepath.ToSlash(rel), "/.")
		if err == nil && strings.HasSuffix(path, "_test.go") && dir != p.Dir && benchmark.Match(text) &&
			!slices.Contains(folders, rel) {
			folders = append(folders, rel)
		}
	})
	return folders
}

// files calls a function for each source file of the module, with its text.
func (p *Package) files(do func(path string, text []byte)) {
	filepath.WalkDir(p.Module.Dir, func(path string, d fs.DirEntry, err error) error {
		name := filepath.Base(path)
		switch {
		case err != nil || p.Module.Dir == "":
			return fs.SkipAll
		case d.IsDir():
			_, err := os.Stat(filepath.Join(path, "go.mod"))
			if path != p.Module.Dir && (err == nil || name[0] == '_' || name[0] == '.' || name == "testdata" ||
				name == "vendor") {
				return fs.SkipDir
			}
		case strings.HasSuffix(name, ".go"):
			if text, err := os.ReadFile(path); err == nil {
				do(path, text)
			}
		}
		return nil
	})
}

// Owns reports whether a source file is of the package's module.
func (p *Package) Owns(file string) bool {
	// The standard library belongs to no module: there the package itself is the root.
	root := p.Module.Dir
	if root == "" {
		root = p.Dir
	}
	rel, err := filepath.Rel(root, file)
	return err == nil && rel != ".." && !strings.HasPrefix(rel, ".."+string(filepath.Separator))
}
