package main

import (
	"errors"
	"fmt"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/harena-go/arena/bench/collections"
	"github.com/harena-go/arena/bench/gc"
	"github.com/harena-go/arena/bench/index"
	"github.com/harena-go/arena/bench/json"
	"github.com/harena-go/arena/bench/memory"
	"github.com/harena-go/arena/bench/micro"
	"github.com/harena-go/arena/bench/peers"
	"github.com/harena-go/arena/bench/ports"
	"github.com/harena-go/arena/bench/rows"
	"github.com/harena-go/arena/bench/scale"
	"github.com/harena-go/arena/bench/server"
	"github.com/harena-go/arena/bench/service"
	"github.com/harena-go/arena/bench/small"
	"github.com/harena-go/arena/bench/suite"
	"github.com/harena-go/arena/bench/trees"
	"github.com/harena-go/arena/bench/wire"
)

// suites are all suites, in the order of the report.
func suites() []suite.Suite {
	return []suite.Suite{
		peers.Suite(),
		micro.Suite(),
		micro.Stressed(),
		micro.Mixed(),
		gc.Suite(),
		trees.Suite(),
		index.Suite(),
		server.OverHTTP(loadCommand),
		server.InProcess(),
		server.Observed(),
		service.Suite(serviceCommand),
		scale.Suite(),
		small.Suite(),
		collections.Suite(),
		json.Suite(),
		wire.Suite(),
		rows.Suite(),
		ports.Suite(),
		memory.Suite(),
	}
}

// A plan is what a run measures.
type plan struct {
	suites []planned
}

// planned is a suite with what is left of its peers, and its setting.
type planned struct {
	suite.Suite
	config suite.Config
}

// In a quick run: a part of the standard library that is big enough to need a
// few collections.
var quickDirs = []string{"net", "go", "encoding"}

// makePlan picks what the flags ask for.
func makePlan(f flags) (plan, error) {
	var p plan
	if f.brief {
		return briefPlan(f), nil
	}
	names, wanted := suites(), list(f.suites)
	for _, s := range names {
		rows, ok := pick(wanted, s.Name)
		if !ok || f.quick && s.Build != nil && len(wanted) == 0 {
			continue
		}
		c := suite.Config{Quick: f.quick, Rows: rows, Depth: f.depth, Requests: f.requests}
		if f.quick {
			s.Rounds, c.Dirs = 1, quickDirs
		}
		if f.rounds > 0 && s.Rounds > 1 || f.quick && f.rounds > 0 {
			s.Rounds = f.rounds
		}
		p.suites = append(p.suites, planned{s, c})
	}
	if err := known("suite", wanted, suiteNames(names)); err != nil {
		return p, err
	}
	if err := p.keepPeers(f); err != nil {
		return p, err
	}
	return p, p.findSources()
}

// list splits a flag's value.
func list(value string) []string {
	return strings.FieldsFunc(value, func(r rune) bool { return r == ',' || r == ' ' })
}

// pick reports whether a suite is wanted, and which of its rows. An empty list
// wants everything.
func pick(wanted []string, name string) (rows string, ok bool) {
	for _, w := range wanted {
		if s, rows, _ := strings.Cut(w, "/"); s == name {
			return rows, true
		}
	}
	return "", len(wanted) == 0
}

func suiteNames(all []suite.Suite) (names []string) {
	for _, s := range all {
		names = append(names, s.Name)
	}
	return names
}

// known complains about names that nothing has.
func known(what string, wanted, names []string) error {
	for _, w := range wanted {
		name, _, _ := strings.Cut(w, "/")
		if !slices.Contains(names, name) {
			return fmt.Errorf("there is no %s %q; there are %s", what, name, strings.Join(names, ", "))
		}
	}
	return nil
}

// keepPeers leaves out the peers that were not asked for. A suite's first peer
// stays: the others are compared with it. Peers that need a build of their own
// are part of a quick run only if they are asked for.
func (p *plan) keepPeers(f flags) error {
	wanted := list(f.peers)
	var names []string
	for i := range p.suites {
		s := &p.suites[i]
		for _, peer := range s.Peers {
			if !slices.Contains(names, peer) {
				names = append(names, peer)
			}
		}
		base := s.Peers[0]
		s.Peers = slices.DeleteFunc(slices.Clone(s.Peers), func(peer string) bool {
			if len(wanted) == 0 {
				return f.quick && needsBuild(peer)
			}
			return peer != base && !slices.Contains(wanted, peer)
		})
	}
	return known("peer", wanted, names)
}

// needsBuild reports whether a peer is measured by a program other than this one.
func needsBuild(peer string) bool {
	_, built := builds[peer]
	return built || peer == suite.Bumpalo || json.Programs[peer] != nil
}

// needs reports whether a peer takes part.
func (p *plan) needs(peer string) bool {
	return slices.ContainsFunc(p.suites, func(s planned) bool { return slices.Contains(s.Peers, peer) })
}

// findSources fills in where the index finds the standard library.
func (p *plan) findSources() error {
	i := slices.IndexFunc(p.suites, func(s planned) bool { return s.Name == index.Suite().Name })
	if i < 0 {
		return nil
	}
	out, err := exec.Command("go", "env", "GOROOT").Output()
	root := strings.TrimSpace(string(out))
	if err != nil || root == "" {
		root = runtime.GOROOT() // empty in a build with -trimpath
	}
	if root == "" {
		return errors.New("the suite index needs the sources of the Go standard library, and the go command that " +
			"knows where they are was not found; name the other suites with -suites to go without")
	}
	p.suites[i].config.Sources = filepath.Join(root, "src")
	return nil
}

// times is how many rounds a peer takes part in.
func (s *planned) times(peer string) int {
	if slices.Contains(s.Once, peer) {
		return 1
	}
	return s.Rounds
}

// seconds is about how long the plan takes.
func (p *plan) seconds() (total float64) {
	for _, s := range p.suites {
		for _, peer := range s.Peers {
			total += s.Seconds(s.config) * float64(s.times(peer))
		}
	}
	return total
}
