package main

import (
	"debug/buildinfo"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/harena-go/arena/bench/bumpalo"
	"github.com/harena-go/arena/bench/json"
	"github.com/harena-go/arena/bench/suite"
)

const module = "github.com/harena-go/arena/bench"

// build makes the programs that some peers need, as far as they take part. A
// peer whose program can't be built is left out with a note that says why.
func (r *runner) build(dir string) {
	r.buildPeer(suite.Runtime, &r.experiment, func() (string, error) { return buildExperiment(dir) })
	r.buildPeer(suite.Bumpalo, &r.bumpalo, func() (string, error) { return bumpalo.Build(dir) })
	for i := range r.plan.suites {
		r.buildSuite(i, dir)
	}
	for _, peer := range slices.Sorted(maps.Keys(json.Programs)) {
		var program string
		r.buildPeer(peer, &program, func() (string, error) { return json.Programs[peer](sourceDir(), dir) })
		if program != "" {
			r.programs[peer] = program
		}
	}
}

// buildSuite makes the program of a suite that has one. If that fails the suite has no peers.
func (r *runner) buildSuite(i int, dir string) {
	s := &r.plan.suites[i]
	if s.Build == nil {
		return
	}
	err := r.progress.step("build "+s.Name, 0, func() (err error) {
		s.config.Program, err = s.Build(sourceDir(), dir)
		return err
	})
	if err != nil {
		r.note("the suite %s isn't measured: %v", s.Name, err)
		s.Peers, r.report.Suites[i].Peers = nil, nil
		return
	}
	if info, err := buildinfo.ReadFile(s.config.Program); err == nil {
		addVersions(r.report.Machine.Versions, info)
	}
}

func (r *runner) buildPeer(peer string, program *string, build func() (string, error)) {
	if !r.plan.needs(peer) {
		return
	}
	err := r.progress.step("build "+peer, 0, func() (err error) {
		*program, err = build()
		return err
	})
	if err == nil {
		return
	}
	r.note("%s isn't measured: %v", peer, err)
	for i := range r.plan.suites {
		s := &r.plan.suites[i]
		s.Peers = slices.DeleteFunc(s.Peers, func(p string) bool { return p == peer })
		r.report.Suites[i].Peers = s.Peers
	}
}

// buildExperiment builds this program once more, with the runtime's
// experimental arena, into dir. The error says why the toolchain can't.
func buildExperiment(dir string) (program string, err error) {
	program = filepath.Join(dir, "bench-experiment")
	if runtime.GOOS == "windows" {
		program += ".exe"
	}
	c := exec.Command("go", "build", "-o", program, module)
	c.Dir = sourceDir()
	c.Env = append(os.Environ(), "GOEXPERIMENT=arenas")
	out, err := c.CombinedOutput()
	if err == nil {
		return program, nil
	}
	for line := range strings.Lines(string(out)) {
		if line = strings.TrimSpace(line); line != "" && !strings.HasPrefix(line, "#") {
			return "", fmt.Errorf("this toolchain can't build it: %s", line)
		}
	}
	return "", fmt.Errorf("this toolchain can't build it: %w", err)
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
