package main

import (
	"encoding/json"
	"fmt"
	"io"
	"math"
	"os"
	"os/exec"
	"runtime"
	"time"

	"github.com/harena-go/arena"
	"github.com/harena-go/arena/bench/index"
	"github.com/harena-go/arena/bench/measure"
	"github.com/harena-go/arena/bench/micro"
	"github.com/harena-go/arena/bench/server"
	"github.com/harena-go/arena/bench/trees"
)

// A job is what one child process measures. It travels as JSON in an argument.
type job struct {
	Workload   string
	Allocator  string // of micro: the row
	Experiment bool   // needs the build with the runtime's experimental arena

	Root string   // index: where the sources are
	Dirs []string // index: parts of it, all if empty

	Depth  int           // trees
	Nodes  int           // gc10m
	Rounds int           // micro
	Turn   time.Duration // micro

	Load    server.Config // server, server-in-process
	Address string        // load: of the server
}

// String is what -run matches.
func (j job) String() string { return j.Workload + "/" + j.Allocator }

// An outcome is the child's answer: one of the two.
type outcome struct {
	Sample *measure.Sample `json:",omitempty"`
	Series []micro.Series  `json:",omitempty"`
}

// child runs one job and writes its outcome.
func child(encoded string, w io.Writer) error {
	var j job
	if err := json.Unmarshal([]byte(encoded), &j); err != nil {
		return fmt.Errorf("the hidden flag -child is for the program itself: %w", err)
	}
	if j.Workload == "load" {
		return server.Load(j.Address, j.Load, os.Stdin, w)
	}
	out, err := j.run()
	if err != nil {
		return err
	}
	return json.NewEncoder(w).Encode(out)
}

func (j job) run() (out outcome, err error) {
	switch j.Workload {
	case "index":
		out.Sample, err = j.index()
	case "trees":
		out.Sample, err = j.trees()
	case "gc10m":
		out.Sample, err = j.bigTree()
	case "server":
		out.Sample, err = j.overHTTP()
	case "server-in-process":
		out.Sample, err = server.RunInProcess(j.Allocator, j.Load)
	case "micro":
		out.Series, err = j.micro()
	default:
		err = fmt.Errorf("there is no workload %q", j.Workload)
	}
	return out, err
}

// index builds the index and asks it. Both are the job: an index that can't be
// read is of no use.
func (j job) index() (*measure.Sample, error) {
	var (
		a   *arena.Arena
		x   *index.Index
		err error
	)
	run := measure.Start()
	switch j.Allocator {
	case "scan-only":
		x, err = index.Scan(j.Root, j.Dirs)
	case "heap":
		x, err = index.OnHeap(j.Root, j.Dirs)
	case "default", "self-contained":
		a = j.newArena()
		x, err = index.InArena(j.Root, j.Dirs, a)
	default:
		err = fmt.Errorf("the index knows no allocator %q", j.Allocator)
	}
	if err != nil {
		return nil, err
	}
	var answers index.Answers
	if j.Allocator != "scan-only" {
		answers = index.Ask(x)
	}
	s := finish(run, x, a)
	s.Checksum, s.Note = answers.Checksum, answers.Summary
	return s, nil
}

// newArena makes the arena that an allocator's name stands for.
func (j job) newArena() *arena.Arena {
	if j.Allocator == "self-contained" {
		return arena.NewArena(arena.WithNoScan())
	}
	return arena.NewArena()
}

// finish ends a measurement and times full collections while result is live.
func finish(run *measure.Run, result any, a *arena.Arena) *measure.Sample {
	s := run.Stop()
	s.FullGC = measure.FullGC()
	s.LiveHeap = measure.HeapBytes()
	if a != nil {
		s.Reserved = uint64(a.Stats().Reserved)
	}
	runtime.KeepAlive(result)
	runtime.KeepAlive(a)
	return &s
}

func (j job) trees() (*measure.Sample, error) {
	run := measure.Start()
	r, err := trees.Run(j.Allocator, j.Depth)
	if err != nil {
		return nil, err
	}
	s := finish(run, r, nil)
	s.Checksum = r.String()
	s.Note = fmt.Sprintf("depth %d, %d nodes", j.Depth, r.Nodes)
	return s, nil
}

// bigTree times the collector with a tree of j.Nodes nodes live. What it
// reserves is the arena's own figure; of the others it is the growth of the
// heap.
func (j job) bigTree() (*measure.Sample, error) {
	var (
		a    *arena.Arena
		root *trees.BigNode
		keep any
	)
	nodes := j.Nodes
	run := measure.Start()
	before := measure.HeapBytes()
	switch j.Allocator {
	case "empty":
		nodes = 0
	case "heap":
		root = trees.BigOnHeap(nodes)
	case "default", "self-contained":
		a = j.newArena()
		root = trees.BigInArena(nodes, a)
	case "experimental":
		root, keep = micro.BigInExperiment(nodes)
	default:
		return nil, fmt.Errorf("the big tree knows no allocator %q", j.Allocator)
	}
	s := finish(run, root, a)
	s.Payload = uint64(nodes * trees.BigNodeBytes)
	if a == nil && nodes > 0 {
		s.Reserved = uint64(math.Max(0, float64(s.LiveHeap)-float64(before)))
	}
	if n := root.Count(); n != nodes {
		return nil, fmt.Errorf("only %d of %d nodes are as they were built", n, nodes)
	}
	runtime.KeepAlive(keep)
	s.Note = fmt.Sprintf("%d nodes", j.Nodes)
	return s, nil
}

// overHTTP is the server, which starts the process that makes the requests.
func (j job) overHTTP() (*measure.Sample, error) {
	me, err := os.Executable()
	if err != nil {
		return nil, err
	}
	return server.RunOverHTTP(j.Allocator, j.Load, func(address string) *exec.Cmd {
		j.Workload, j.Address = "load", address
		arg, _ := json.Marshal(j) // a struct of texts and numbers can't fail
		return exec.Command(me, "-child", string(arg))
	})
}

func (j job) micro() ([]micro.Series, error) {
	rows := micro.Rows()
	if j.Experiment {
		rows = micro.ExperimentRows()
	}
	for _, r := range rows {
		if r.Name == j.Allocator {
			return r.Run(micro.Config{Rounds: j.Rounds, Turn: j.Turn}), nil
		}
	}
	return nil, fmt.Errorf("there is no micro benchmark %q in this build", j.Allocator)
}
