package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/harena-go/arena/bench/collections"
	"github.com/harena-go/arena/bench/gc"
	"github.com/harena-go/arena/bench/json"
	"github.com/harena-go/arena/bench/micro"
	"github.com/harena-go/arena/bench/peers"
	"github.com/harena-go/arena/bench/ports"
	"github.com/harena-go/arena/bench/rows"
	"github.com/harena-go/arena/bench/safe"
	"github.com/harena-go/arena/bench/server"
	"github.com/harena-go/arena/bench/service"
	"github.com/harena-go/arena/bench/slots"
	"github.com/harena-go/arena/bench/small"
	"github.com/harena-go/arena/bench/suite"
	"github.com/harena-go/arena/bench/trees"
	"github.com/harena-go/arena/bench/wire"
)

// suites are all suites, in the order of the report.
func suites() []suite.Suite {
	return []suite.Suite{
		peers.Suite(),
		safe.Suite(),
		micro.Suite(),
		gc.Suite(),
		trees.Suite(),
		slots.Suite(),
		server.OverHTTP(loadCommand),
		server.InProcess(),
		service.Suite(serviceCommand),
		small.Suite(),
		collections.Suite(),
		json.Suite(),
		wire.Suite(),
		rows.Suite(),
		ports.Suite(),
	}
}

// A glance is the part of a suite in a run without flags: enough to show the gain of arenas, in 90 seconds on two cores
// with the build.
type glance struct {
	name     string // of the suite
	rows     string // a prefix of their names
	peers    []string
	rounds   int
	requests int
	seconds  float64 // approximate, for each peer and round
}

// glances are in the order of measurement: the quickest first.
var glances = []glance{
	{name: "safe", rows: "request", peers: []string{suite.Heap, suite.FirstGear, suite.Harena}, rounds: 2,
		seconds: 0.8},
	{name: "slots", rows: "small-oldest", peers: []string{suite.Heap, suite.SelfContained}, rounds: 1, seconds: 0.6},
	{name: "micro", peers: []string{suite.Heap, suite.Nuke, suite.Harena,
		suite.SelfContained}, rounds: 2, seconds: 1.5},
	{name: "json", rows: "typed-", peers: []string{suite.StandardJSON, suite.GoccyJSON, suite.SonicJSON,
		suite.HarenaBatch, suite.Harena}, rounds: 2, seconds: 1.5},
	{name: "gc", peers: []string{suite.Heap, suite.Harena, suite.SelfContained}, rounds: 2, seconds: 3},
	{name: "server-in-process", peers: []string{suite.Heap, suite.SyncPool, suite.FirstGear, suite.Harena}, rounds: 2,
		requests: 20_000, seconds: 3},
}

// A plan lists the suites to measure.
type plan []planned

// planned is a suite with its remaining peers, and its setting.
type planned struct {
	suite.Suite
	config suite.Config
}

// makePlan selects suites, peers and rows by the flags.
func makePlan(f flags) (p plan, err error) {
	if f.brief {
		return briefPlan(f), nil
	}
	all, wanted := suites(), list(f.suites)
	var names []string
	for _, s := range all {
		names = append(names, s.Name)
		rows, ok := pick(wanted, s.Name)
		if !ok || f.quick && s.Build != nil && len(wanted) == 0 {
			continue
		}
		if f.quick {
			s.Rounds = 1
		}
		if f.rounds > 0 && (s.Rounds > 1 || f.quick) {
			s.Rounds = f.rounds
		}
		p = append(p, planned{s, suite.Config{Quick: f.quick, Rows: rows, Depth: f.depth, Requests: f.requests}})
	}
	if err := known("suite", wanted, names); err != nil {
		return nil, err
	}
	return p, p.keepPeers(f)
}

// briefPlan is the plan of a run without flags.
func briefPlan(f flags) (p plan) {
	all := suites()
	for _, g := range glances {
		s := all[slices.IndexFunc(all, func(s suite.Suite) bool { return s.Name == g.name })]
		s.Peers, s.Rounds = g.peers, g.rounds
		s.Seconds = func(suite.Config) float64 { return g.seconds }
		p = append(p, planned{s, suite.Config{Rows: g.rows, Depth: f.depth, Requests: g.requests}})
	}
	return p
}

// list splits a flag's value.
func list(value string) []string {
	return strings.FieldsFunc(value, func(r rune) bool { return r == ',' || r == ' ' })
}

// pick reports whether a suite is wanted, and which of its rows. An empty list wants everything.
func pick(wanted []string, name string) (rows string, ok bool) {
	for _, w := range wanted {
		if s, rows, _ := strings.Cut(w, "/"); s == name {
			return rows, true
		}
	}
	return "", len(wanted) == 0
}

// known returns an error for unknown names.
func known(what string, wanted, names []string) error {
	for _, w := range wanted {
		name, _, _ := strings.Cut(w, "/")
		if !slices.Contains(names, name) {
			return fmt.Errorf("there is no %s %q; there are %s", what, name, strings.Join(names, ", "))
		}
	}
	return nil
}

// keepPeers leaves out unwanted peers. A suite's first peer stays: the others are compared with it. A quick run has
// peers with a build of their own only if the flags name them.
func (p plan) keepPeers(f flags) error {
	wanted := list(f.peers)
	var names []string
	for i := range p {
		s := &p[i]
		for _, peer := range s.Peers {
			if !slices.Contains(names, peer) {
				names = append(names, peer)
			}
		}
		base := s.Peers[0]
		s.Peers = slices.DeleteFunc(slices.Clone(s.Peers), func(peer string) bool {
			if len(wanted) == 0 {
				return f.quick && programs[peer] != nil
			}
			return peer != base && !slices.Contains(wanted, peer)
		})
	}
	return known("peer", wanted, names)
}

// seconds estimates the time of the plan.
func (p plan) seconds() (total float64) {
	for _, s := range p {
		total += s.Seconds(s.config) * float64(len(s.Peers)*s.Rounds)
	}
	return total
}
