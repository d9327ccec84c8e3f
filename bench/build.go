package main

import (
	"debug/buildinfo"
	"maps"
	"slices"

	"github.com/harena-go/arena/bench/bumpalo"
	"github.com/harena-go/arena/bench/json"
	"github.com/harena-go/arena/bench/program"
	"github.com/harena-go/arena/bench/suite"
)

// builds are the peers that are measured by this program, built in another way: with the runtime's experimental
// arena, and with generated code.
var builds = map[string]program.Go{
	suite.Runtime: {Name: "bench-experiment", Env: []string{"GOEXPERIMENT=arenas"},
		Failure: "this toolchain can't build it"},
	suite.EasyJSON: json.Easy,
}

// build makes the programs that some peers need, as far as they take part. A
// peer whose program can't be built is left out with a note that says why.
func (r *runner) build() {
	for _, peer := range slices.Sorted(maps.Keys(builds)) {
		r.buildPeer(peer, builds[peer].Build, func(path string) { r.selves[peer] = path })
	}
	r.buildPeer(suite.Bumpalo, bumpalo.Program.Build, func(path string) { r.bumpalo = path })
	for i := range r.plan.suites {
		r.buildSuite(i)
	}
	for _, peer := range slices.Sorted(maps.Keys(json.Programs)) {
		r.buildPeer(peer, json.Programs[peer].Build, func(path string) { r.programs[peer] = path })
	}
}

// buildSuite makes the program of a suite that has one. If that fails the suite has no peers.
func (r *runner) buildSuite(i int) {
	s := &r.plan.suites[i]
	if s.Build == nil {
		return
	}
	err := r.progress.step("build "+s.Name, 0, func() (err error) {
		s.config.Program, err = s.Build()
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

func (r *runner) buildPeer(peer string, build func() (string, error), done func(path string)) {
	if !r.plan.needs(peer) {
		return
	}
	err := r.progress.step("build "+peer, 0, func() error {
		path, err := build()
		if err == nil {
			done(path)
		}
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
