// Bench measures what the arenas of github.com/harena-go/arena gain, against
// the Go heap and against the runtime's experimental arena.
//
//	go run ./bench [flags]
//
// It runs five workloads, each with each allocator in a process of its own:
//
//   - index: builds a searchable index of Go's standard library and asks it
//   - trees: binary-trees of the Computer Language Benchmarks Game
//   - gc10m: one full garbage collection while a tree of 10 million nodes is live
//   - server: batches of log records are parsed, aggregated and answered, over
//     HTTP and without it, while 5 million other objects are live
//   - micro: single operations in a loop
//
// and prints tables, the verdict on the project's goals, and a page with charts.
// README.md says what each number means.
package main

import (
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/harena-go/arena/bench/report"
)

type flags struct {
	run      string
	json     string
	html     string
	quick    bool
	rounds   int
	depth    int
	requests int
	child    string
	words    string // the command line, for the report
}

func parse(args []string, stderr io.Writer) (flags, error) {
	var f flags
	set := flag.NewFlagSet("bench", flag.ContinueOnError)
	set.SetOutput(stderr)
	set.StringVar(&f.run, "run", "", "run only what matches this `regexp`: index/heap, trees, micro/new, ...")
	set.StringVar(&f.json, "json", "", "write all measurements to this `file`")
	set.StringVar(&f.html, "html", filepath.Join(sourceDir(), "report.html"), "write the page to this `file`; none if empty")
	set.BoolVar(&f.quick, "quick", false, "a smaller input, one round, without the runtime's experimental arena: seconds instead of minutes")
	set.IntVar(&f.rounds, "rounds", 0, fmt.Sprintf("how often everything is measured (default %d, quick 1)", defaultRounds))
	set.IntVar(&f.depth, "depth", 0, fmt.Sprintf("depth of the binary trees (default %d, quick %d)", defaultDepth, quickDepth))
	set.IntVar(&f.requests, "requests", 0, fmt.Sprintf("how many requests a server answers in each round (default %d, quick %d)", defaultRequests, quickRequests))
	set.StringVar(&f.child, "child", "", "used by the program itself")
	set.Usage = func() {
		fmt.Fprintln(stderr, "usage: go run ./bench [flags]")
		set.VisitAll(func(g *flag.Flag) {
			if g.Name != "child" {
				kind, use := flag.UnquoteUsage(g)
				fmt.Fprintf(stderr, "  -%s %s\n\t%s\n", g.Name, kind, use)
			}
		})
	}
	if err := set.Parse(args); err != nil {
		return f, err
	}
	if set.NArg() > 0 {
		return f, fmt.Errorf("what to do with %q? Only flags are understood; -run picks workloads", set.Arg(0))
	}
	if f.requests < 0 {
		return f, fmt.Errorf("-requests %d: must be positive", f.requests)
	}
	if f.rounds < 0 || f.depth < 0 || f.depth > 24 {
		return f, fmt.Errorf("-rounds %d -depth %d: rounds must be positive, depth between 6 and 24", f.rounds, f.depth)
	}
	if f.rounds == 0 {
		f.rounds = defaultRounds
		if f.quick {
			f.rounds = 1
		}
	}
	if f.depth == 0 {
		f.depth = defaultDepth
		if f.quick {
			f.depth = quickDepth
		}
	}
	if f.requests == 0 {
		f.requests = defaultRequests
		if f.quick {
			f.requests = quickRequests
		}
	}
	f.words = strings.Join(args, " ")
	return f, nil
}

func main() {
	f, err := parse(os.Args[1:], os.Stderr)
	if errors.Is(err, flag.ErrHelp) {
		return
	}
	if err == nil {
		if f.child != "" {
			err = child(f.child, os.Stdout)
		} else {
			err = bench(f)
		}
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

// bench is the parent: plan, measure, judge, show.
func bench(f flags) error {
	began := time.Now()
	p, err := makePlan(f)
	if err != nil {
		return err
	}
	me, err := os.Executable()
	if err != nil {
		return fmt.Errorf("can't find my own program to start it again: %w", err)
	}
	rep := &report.Report{Machine: describeMachine(f), Notes: tuning()}
	r := &runner{plan: p, self: me, report: rep, progress: newProgress(p.steps() + buildWeight)}

	tmp, err := os.MkdirTemp("", "harena-bench")
	if err != nil {
		return err
	}
	defer os.RemoveAll(tmp)
	r.buildExperiment(tmp)
	if err := r.run(); err != nil {
		return err
	}
	r.progress.finish()

	rep.Judge()
	rep.Machine.Seconds = time.Since(began).Seconds()
	rep.Print(os.Stdout)
	return save(rep, f)
}

const buildWeight = 5

// buildExperiment makes the build with the runtime's arena if the plan has use
// for it, or notes why there is none.
func (r *runner) buildExperiment(dir string) {
	why := ""
	if r.plan.quick {
		why = "not part of a quick run"
	} else if r.plan.has("micro") || r.plan.has("gc10m") {
		r.progress.step("build the experiment", buildWeight, func() error {
			program, err := buildExperiment(dir)
			if err != nil {
				why = "this toolchain can't build it: " + err.Error()
			}
			r.experiment = program
			return nil
		})
	}
	if why != "" {
		r.report.Notes = append(r.report.Notes, "the runtime's experimental arena (GOEXPERIMENT=arenas): "+why)
	}
}

// save writes the files that were asked for.
func save(rep *report.Report, f flags) error {
	if f.json != "" {
		text, err := json.MarshalIndent(rep, "", "  ")
		if err != nil {
			return err
		}
		if err := os.WriteFile(f.json, append(text, '\n'), 0o666); err != nil {
			return fmt.Errorf("can't write the measurements: %w", err)
		}
		fmt.Println("\nmeasurements:", f.json)
	}
	if f.html != "" {
		file, err := os.Create(f.html)
		if err != nil {
			return fmt.Errorf("can't write the page: %w", err)
		}
		if err := errors.Join(rep.WriteHTML(file), file.Close()); err != nil {
			return fmt.Errorf("can't write the page: %w", err)
		}
		fmt.Println("\npage:", f.html)
	}
	return nil
}
