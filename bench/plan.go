package main

import (
	"fmt"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/harena-go/arena/bench/micro"
	"github.com/harena-go/arena/bench/server"
	"github.com/harena-go/arena/bench/trees"
)

// A plan is the jobs of a run in the order of their first round.
type plan struct {
	jobs   []job
	rounds int
	root   string
	dirs   []string
	quick  bool
}

// In a quick run: a part of the standard library that is big enough to need a
// few collections, and small sizes.
var quickDirs = []string{"net", "go", "encoding"}

const (
	bigNodes      = 10_000_000
	quickBigNodes = 1_000_000
	defaultDepth  = 18
	quickDepth    = 14
	defaultRounds = 3
	microRounds   = 5 // for each round of the workloads

	defaultRequests = 100_000 // for each allocator and round
	quickRequests   = 3_000
	maxWarmup       = 20_000
	connections     = 100
	backgroundSize  = 5_000_000 // objects
	quickBackground = 100_000
)

// load is how much the servers have to do.
func (f flags) load() server.Config {
	c := server.Config{Requests: f.requests, Warmup: min(f.requests/5, maxWarmup), Connections: connections, Objects: backgroundSize}
	if f.quick {
		c.Objects = quickBackground
	}
	return c
}

// makePlan picks the jobs that -run asks for.
func makePlan(f flags) (plan, error) {
	match, err := regexp.Compile(f.run)
	if err != nil {
		return plan{}, fmt.Errorf("-run %q is no regular expression: %w", f.run, err)
	}
	p := plan{rounds: f.rounds, quick: f.quick}
	nodes, turn := bigNodes, 5*time.Millisecond
	if f.quick {
		p.dirs, nodes, turn = quickDirs, quickBigNodes, 4*time.Millisecond
	}
	add := func(j job) {
		if match.MatchString(j.String()) {
			p.jobs = append(p.jobs, j)
		}
	}
	for _, a := range []string{"heap", "default", "self-contained", "scan-only"} {
		add(job{Workload: "index", Allocator: a, Dirs: p.dirs})
	}
	for _, a := range trees.Allocators {
		add(job{Workload: "trees", Allocator: a, Depth: f.depth})
	}
	for _, a := range []string{"heap", "default", "self-contained", "experimental", "empty"} {
		if f.quick && a == "experimental" {
			continue
		}
		add(job{Workload: "gc10m", Allocator: a, Nodes: nodes, Experiment: a == "experimental"})
	}
	for _, a := range server.OverHTTP {
		add(job{Workload: "server", Allocator: a, Load: f.load()})
	}
	for _, a := range server.InProcess {
		add(job{Workload: "server-in-process", Allocator: a, Load: f.load()})
	}
	for _, r := range micro.Rows() {
		add(job{Workload: "micro", Allocator: r.Name, Rounds: microRounds * f.rounds, Turn: turn})
	}
	if len(p.jobs) == 0 {
		return p, fmt.Errorf("-run %q matches nothing; names are index/heap, trees/typed, gc10m/default, server/heap, micro/new-64 and the like", f.run)
	}
	return p, p.findSources()
}

// findSources fills in where the index finds the standard library.
func (p *plan) findSources() error {
	if !p.has("index") {
		return nil
	}
	out, err := exec.Command("go", "env", "GOROOT").Output()
	root := strings.TrimSpace(string(out))
	if err != nil || root == "" {
		root = runtime.GOROOT() // empty in a build with -trimpath
	}
	if root == "" {
		return fmt.Errorf("the workload index needs the sources of the Go standard library, and the go command that knows where they are was not found; leave it out with -run 'trees|gc10m|server|micro'")
	}
	p.root = filepath.Join(root, "src")
	for i := range p.jobs {
		p.jobs[i].Root = p.root
	}
	return nil
}

func (p *plan) has(workload string) bool {
	for _, j := range p.jobs {
		if j.Workload == workload {
			return true
		}
	}
	return false
}

// times is how many rounds a job takes part in. A micro row has its rounds
// inside one process, and what is there only to explain the others' numbers
// needs no more than one.
func (p *plan) times(j job) int {
	if j.Workload == "micro" || slices.Contains(explaining, j.String()) {
		return 1
	}
	return p.rounds
}

var explaining = []string{
	"index/scan-only", "server/null",
	"server-in-process/heap-table", "server-in-process/self-contained", "server-in-process/parse-only",
}

// weight is roughly how many seconds a job takes on a 2-core machine, for the
// progress bar.
func (j job) weight() int {
	switch j.Workload {
	case "index":
		return 5
	case "trees":
		return 3
	case "gc10m":
		return 2
	case "server", "server-in-process":
		return 2 + j.Load.Requests/8000
	}
	return 1
}
