package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
)

const self = "github.com/harena-go/arena/bench"

// buildExperiment builds this program once more, with the runtime's
// experimental arena, into dir. The error says why the toolchain can't.
func buildExperiment(dir string) (program string, err error) {
	program = filepath.Join(dir, "bench-experiment")
	if runtime.GOOS == "windows" {
		program += ".exe"
	}
	c := exec.Command("go", "build", "-o", program, self)
	c.Dir = sourceDir()
	c.Env = append(os.Environ(), "GOEXPERIMENT=arenas")
	out, err := c.CombinedOutput()
	if err == nil {
		return program, nil
	}
	for line := range strings.Lines(string(out)) {
		if line = strings.TrimSpace(line); line != "" && !strings.HasPrefix(line, "#") {
			return "", fmt.Errorf("%s", line)
		}
	}
	return "", err
}

// sourceDir is where this file was when it was compiled, or the current
// directory if the build left that out or the sources are gone.
func sourceDir() string {
	if _, file, _, ok := runtime.Caller(0); ok && filepath.IsAbs(file) {
		if _, err := os.Stat(file); err == nil {
			return filepath.Dir(file)
		}
	}
	return "."
}
