package program

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// A Rust is a program in Rust.
type Rust struct {
	Name string // of the executable
	Dir  string // of the crate, from that of module bench
}

// Build compiles the program in the crate's own directory target, where cargo finds most of it done the next time. The
// error says in a sentence why there is none.
func (r Rust) Build() (program string, err error) {
	cargo, err := exec.LookPath("cargo")
	if err != nil {
		return "", errors.New("cargo, which builds programs in Rust, is not installed")
	}
	crate := filepath.Join(Source(), r.Dir)
	manifest := filepath.Join(crate, "Cargo.toml")
	if _, err := os.Stat(manifest); err != nil {
		return "", errors.New("the sources of the program in Rust are not where this program was built")
	}
	target := filepath.Join(crate, "target")
	build := exec.Command(cargo, "build", "--release", "--locked", "--target-dir", target, "--manifest-path", manifest)
	if out, err := build.CombinedOutput(); err != nil {
		return "", fmt.Errorf("cargo can't build the program in Rust: %s", cmp.Or(firstError(out), err.Error()))
	}
	return executable(filepath.Join(target, "release", r.Name)), nil
}

// firstError returns the first error line of cargo's output, or its first line without one.
func firstError(out []byte) string {
	lines := strings.Split(strings.TrimSpace(string(out)), "\n")
	for _, line := range lines {
		if strings.HasPrefix(line, "error") {
			return strings.TrimPrefix(strings.TrimSpace(line), "error: ")
		}
	}
	return lines[0]
}
