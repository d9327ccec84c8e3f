// Package cargo builds and runs programs in Rust that measure what there is outside Go.
package cargo

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
)

// A Crate is a program in Rust.
type Crate struct {
	Path string   // from the directory of the module bench
	Name string   // of the program
	Env  []string // what is set while it is compiled, beside the environment
}

// Build compiles the program, with all that cargo writes in dir, or in the
// crate's own directory target if dir is empty, where it finds most of it done the
// next time. The error says in a sentence why there is none.
func (c Crate) Build(dir string) (program string, err error) {
	cargo, err := exec.LookPath("cargo")
	if err != nil {
		return "", errors.New("cargo, which builds programs in Rust, is not installed")
	}
	manifest, err := c.manifest()
	if err != nil {
		return "", err
	}
	if dir == "" {
		dir = filepath.Join(filepath.Dir(manifest), "target")
	}
	build := exec.Command(cargo, "build", "--release", "--locked", "--target-dir", dir, "--manifest-path", manifest)
	build.Env = append(os.Environ(), c.Env...)
	if out, err := build.CombinedOutput(); err != nil {
		return "", fmt.Errorf("cargo can't build the program in Rust: %s", cmp.Or(firstError(out), err.Error()))
	}
	program = filepath.Join(dir, "release", c.Name)
	if runtime.GOOS == "windows" {
		program += ".exe"
	}
	return program, nil
}

// manifest is where the crate lies: beside the directory that this file was
// compiled in, or in the current one if the build left that out or the sources
// are gone.
func (c Crate) manifest() (string, error) {
	places := []string{c.Path}
	if _, file, _, ok := runtime.Caller(0); ok && filepath.IsAbs(file) {
		places = []string{filepath.Join(filepath.Dir(file), "..", c.Path), c.Path}
	}
	for _, p := range places {
		m := filepath.Join(p, "Cargo.toml")
		if _, err := os.Stat(m); err == nil {
			return m, nil
		}
	}
	return "", errors.New("the sources of the program in Rust are not where this program was built")
}

// firstError is what the first line of cargo's output says that tells an error,
// or the first line of all if none does.
func firstError(out []byte) string {
	lines := strings.Split(strings.TrimSpace(string(out)), "\n")
	for _, line := range lines {
		if strings.HasPrefix(line, "error") {
			return strings.TrimPrefix(strings.TrimSpace(line), "error: ")
		}
	}
	return lines[0]
}

// Run runs a program and returns what it prints.
func Run(program string, args ...string) ([]byte, error) {
	c := exec.Command(program, args...)
	var stderr bytes.Buffer
	c.Stderr = &stderr
	out, err := c.Output()
	if err != nil {
		why := strings.TrimSpace(stderr.String())
		return nil, fmt.Errorf("%s failed: %s", filepath.Base(program), cmp.Or(why, err.Error()))
	}
	return out, nil
}

// Lines runs a program that prints lines of JSON, and reads them.
func Lines[Line any](program string, args ...string) (lines []Line, err error) {
	out, err := Run(program, args...)
	if err != nil {
		return nil, err
	}
	d := json.NewDecoder(bytes.NewReader(out))
	for {
		var l Line
		switch err := d.Decode(&l); {
		case err == io.EOF:
			return lines, nil
		case err != nil:
			return nil, fmt.Errorf("%s printed something else than lines of JSON: %w", filepath.Base(program), err)
		}
		lines = append(lines, l)
	}
}
