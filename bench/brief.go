package main

import (
	"slices"

	"github.com/harena-go/arena/bench/suite"
)

// This file holds what a run without flags measures: enough to answer what arenas would gain, in 90 seconds
// on two cores with the build. All else takes -full.

// A glance is a part of a suite.
type glance struct {
	name     string // of the suite
	rows     string // that begin so
	peers    []string
	rounds   int
	requests int
	seconds  float64 // about, for each peer and round
}

// glances are in the order in which they are measured: the quickest first.
var glances = []glance{
	{name: "micro", peers: []string{suite.Heap, suite.Nuke, suite.Harena,
		suite.SelfContained}, rounds: 2, seconds: 1.5},
	{name: "json", rows: "typed-", peers: []string{suite.StandardJSON, suite.GoccyJSON, suite.SonicJSON,
		suite.Harena}, rounds: 2, seconds: 1.5},
	{name: "gc", peers: []string{suite.Heap, suite.Harena, suite.SelfContained}, rounds: 2, seconds: 3},
	{name: "server-in-process", peers: []string{suite.Heap, suite.SyncPool, suite.Harena}, rounds: 3,
		requests: 20_000, seconds: 3},
}

// briefPlan is the plan of a run without flags.
func briefPlan(f flags) (p plan) {
	all := suites()
	for _, g := range glances {
		s := all[slices.IndexFunc(all, func(s suite.Suite) bool { return s.Name == g.name })]
		s.Peers, s.Rounds, s.Once = g.peers, g.rounds, nil
		s.Seconds = func(suite.Config) float64 { return g.seconds }
		p.suites = append(p.suites, planned{s, suite.Config{Rows: g.rows, Depth: f.depth, Requests: g.requests}})
	}
	return p
}
