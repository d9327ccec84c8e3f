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

// programs build the programs of the peers that aren't part of this one. The error says in a sentence why there is
// none.
var programs = map[string]func() (path string, err error){
	suite.Runtime:     experiment.Build,
	suite.Bumpalo:     bumpalo.Program.Build,
	suite.NewerJSON:   json.Newer.Build,
	suite.NewerV2JSON: json.Newer.Build,
}

// experiment is this program, built with the runtime's experimental arena.
var experiment = program.Go{Name: "bench-experiment", Env: []string{"GOEXPERIMENT=arenas"},
	Failure: "this toolchain can't build it"}

// build makes the programs that the chosen suites and peers need. It leaves out programs that can't be built, with a
// note of the reason.
func (r *runner) build() {
	for _, peer := range slices.Sorted(maps.Keys(programs)) {
		r.buildPeer(peer)
	}
	for i := range r.plan {
		r.buildSuite(i)
	}
}

func (r *runner) buildPeer(peer string) {
	takesPart := func(s planned) bool { return slices.Contains(s.Peers, peer) }
	if !slices.ContainsFunc(r.plan, takesPart) {
		return
	}
	err := r.progress.step("build "+peer, 0, func() (err error) {
		r.programs[peer], err = programs[peer]()
		return err
	})
	if err == nil {
		return
	}
	r.note("%s isn't measured: %v", peer, err)
	for i := range r.plan {
		r.setPeers(i, slices.DeleteFunc(r.plan[i].Peers, func(p string) bool { return p == peer }))
	}
}

// buildSuite makes the program of a suite that has one. If that fails the suite has no peers.
func (r *runner) buildSuite(i int) {
	s := &r.plan[i]
	if s.Build == nil {
		return
	}
	err := r.progress.step("build "+s.Name, 0, func() (err error) {
		s.config.Program, err = s.Build()
		return err
	})
	if err != nil {
		r.note("the suite %s isn't measured: %v", s.Name, err)
		r.setPeers(i, nil)
		return
	}
	if info, err := buildinfo.ReadFile(s.config.Program); err == nil {
		addVersions(r.report.Machine.Versions, info)
	}
}

func (r *runner) setPeers(i int, peers []string) {
	r.plan[i].Peers, r.report.Suites[i].Peers = peers, peers
}
