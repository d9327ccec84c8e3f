// Package program builds and runs the programs for measurements outside this one: in Go with other settings or modules,
// and in Rust. The programs are in the user's cache directory, where the go command and cargo find that they are up to
// date.
package program

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"hash/fnv"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
)

// A Go is a program in Go.
type Go struct {
	Name    string     // of the executable
	Dir     string     // of the package, from that of module bench
	Env     []string   // in addition to the environment
	Sources *Generated // for the build, or nil
	Failure string     // begins the error
}

// Build builds the program. The error says in a sentence why there is none.
func (p Go) Build() (program string, err error) {
	program = executable(filepath.Join(cache(), p.Name))
	out, err := p.command("build", "-o", program)
	if err != nil {
		return "", fmt.Errorf("%s: %s", p.Failure, cmp.Or(firstLine(out), err.Error()))
	}
	return program, nil
}

// Test runs tests in the program's directory, and returns the go command's output.
func (p Go) Test(args ...string) ([]byte, error) {
	return p.command("test", args...)
}

// command runs the go command, after generating the program's sources.
func (p Go) command(verb string, args ...string) ([]byte, error) {
	flags := []string{verb}
	if p.Sources != nil {
		dir, err := p.Sources.Make()
		if err != nil {
			return nil, err
		}
		flags = append(flags, "-overlay="+filepath.Join(dir, overlay))
	}
	c := exec.Command("go", append(flags, args...)...)
	c.Dir, c.Env = filepath.Join(Source(), p.Dir), append(os.Environ(), p.Env...)
	return c.CombinedOutput()
}

// firstLine returns the first line of the go command's output that describes an error.
func firstLine(out []byte) string {
	for line := range strings.Lines(string(out)) {
		if line = strings.TrimSpace(line); line != "" && !strings.HasPrefix(line, "#") &&
			!strings.HasPrefix(line, "go: downloading") {
			return line
		}
	}
	return ""
}

func executable(name string) string {
	if runtime.GOOS == "windows" {
		name += ".exe"
	}
	return name
}

// cache returns the directory for everything built from these sources.
func cache() string {
	dir, err := os.UserCacheDir()
	if err != nil {
		dir = os.TempDir()
	}
	h := fnv.New64a()
	io.WriteString(h, Source())
	return filepath.Join(dir, "harena-bench", fmt.Sprintf("%x", h.Sum64()))
}

// Source returns the directory of module bench: the parent of this file's directory at compile time, or the current
// directory if the build omitted that or the sources are gone.
func Source() string {
	if _, file, _, ok := runtime.Caller(0); ok && filepath.IsAbs(file) {
		if _, err := os.Stat(file); err == nil {
			return filepath.Dir(filepath.Dir(file))
		}
	}
	return "."
}

// Run runs a program and returns its output.
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
