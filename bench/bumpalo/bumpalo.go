// Package bumpalo builds and runs the program in Rust that does the work of
// some suites with bumpalo, Rust's bump allocator: the bar outside Go.
package bumpalo

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

// Build compiles the program, with all that cargo writes in dir. The error says
// in a sentence why there is none.
func Build(dir string) (program string, err error) {
	cargo, err := exec.LookPath("cargo")
	if err != nil {
		return "", errors.New("cargo, which builds programs in Rust, is not installed")
	}
	manifest, err := manifest()
	if err != nil {
		return "", err
	}
	c := exec.Command(cargo, "build", "--release", "--locked", "--target-dir", dir, "--manifest-path", manifest)
	if out, err := c.CombinedOutput(); err != nil {
		return "", fmt.Errorf("cargo can't build the program in Rust: %s", cmp.Or(firstError(out), err.Error()))
	}
	program = filepath.Join(dir, "release", "harena-bench-bumpalo")
	if runtime.GOOS == "windows" {
		program += ".exe"
	}
	return program, nil
}

// manifest is where the crate lies: beside the directory that this file was
// compiled in, or in the current one if the build left that out or the sources
// are gone.
func manifest() (string, error) {
	places := []string{"rust"}
	if _, file, _, ok := runtime.Caller(0); ok && filepath.IsAbs(file) {
		places = []string{filepath.Join(filepath.Dir(file), "..", "rust"), "rust"}
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

// A Line is what the program prints in a line: of a row of micro or mixed, its
// name and its value; of binary-trees, the rest.
type Line struct {
	Row   string  // as the rows of the suite in Go
	Value float64 // seconds for one operation, or bytes a second

	Checksum  string  // the game's output
	Wall, CPU float64 // seconds
	RSS       float64 // bytes, the highest
}

// Lines runs the program and returns what it prints.
func Lines(program string, args ...string) ([]Line, error) {
	if program == "" {
		return nil, errors.New("the program with Rust's bumpalo was not built")
	}
	c := exec.Command(program, args...)
	var stderr bytes.Buffer
	c.Stderr = &stderr
	out, err := c.Output()
	if err != nil {
		why := strings.TrimSpace(stderr.String())
		return nil, fmt.Errorf("the program in Rust failed: %s", cmp.Or(why, err.Error()))
	}
	var lines []Line
	d := json.NewDecoder(bytes.NewReader(out))
	for {
		var l Line
		switch err := d.Decode(&l); {
		case err == io.EOF:
			return lines, nil
		case err != nil:
			return nil, fmt.Errorf("the program in Rust printed something else than lines of JSON: %w", err)
		}
		lines = append(lines, l)
	}
}
