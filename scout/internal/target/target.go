// Package target finds the package to look at, and the module that it is in, with the go command. It must not depend
// on what is done with the package.
package target

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// A Package is one that can be tested.
type Package struct {
	Dir        string // absolute
	ImportPath string
	Name       string // as in the package clause
	Module     Module
}

// A Module is the one that a package is in. Path is "" if there is none, as for the standard library.
type Module struct{ Path, Dir, GoMod, GoVersion string }

// Find returns the package that a pattern names: a folder, of whatever module, or an import path.
func Find(pattern string) (*Package, error) {
	// A folder is looked at from within, so that it may belong to another module than the current folder.
	dir, name := ".", pattern
	if info, err := os.Stat(pattern); err == nil && info.IsDir() {
		dir, name = pattern, "."
	}
	// -e: a package that doesn't compile is reported by the build, with the line that is wrong.
	cmd := exec.Command("go", "list", "-e", "-json=Dir,ImportPath,Name,Module,Error,Incomplete", name)
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
	return &p.Package, nil
}

// FirstLine returns the first line of a message that says something: not the go command's headings.
func FirstLine(text string) string {
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if line != "" && !strings.HasPrefix(line, "#") {
			return line
		}
	}
	return ""
}

// Owns reports whether a source file is of the package's module.
func (p *Package) Owns(file string) bool {
	// The standard library belongs to no module: there the package itself is what is owned.
	root := p.Module.Dir
	if root == "" {
		root = p.Dir
	}
	rel, err := filepath.Rel(root, file)
	return err == nil && rel != ".." && !strings.HasPrefix(rel, ".."+string(filepath.Separator))
}
