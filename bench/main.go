// Bench measures the gain of the arenas of github.com/harena-go/arena against the Go heap, sync.Pool, the runtime's
// experimental arena, the other arenas for Go, and Rust's bumpalo.
//
//	go run ./bench [flags]
//
// Without flags it shows in 90 seconds what arenas gain, on one screen and a page with charts. With -full it runs all
// suites, each with each peer in a process of its own, and prints tables. README.md explains each number.
//
// It goes from plan.go, which lists the suites and makes the plan, to build.go and run.go, which start a process for
// each suite, peer and round (child.go), and to package report, which shows the numbers.
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

	"github.com/harena-go/arena/bench/program"
	"github.com/harena-go/arena/bench/report"
)

type flags struct {
	suites   string
	peers    string
	json     string
	html     string
	publish  bool
	quick    bool
	full     bool
	brief    bool // no flag selects anything
	rounds   int
	depth    int
	requests int
	child    string
	load     string
	words    string // the command line, for the report
}

const (
	defaultDepth    = 18
	quickDepth      = 12
	defaultRequests = 200_000 // for each peer and round: a million in five
	quickRequests   = 2_000
)

func parse(args []string, stderr io.Writer) (flags, error) {
	var f flags
	set := flag.NewFlagSet("bench", flag.ContinueOnError)
	set.SetOutput(stderr)
	set.StringVar(&f.suites, "suites", "", "run only these suites, a `list` with commas; micro/new-64 is a suite's row")
	set.StringVar(&f.peers, "peers", "", "run only these peers, a `list` with commas; each suite's base takes part "+
		"in any case")
	set.StringVar(&f.json, "json", "", "write all measurements to this `file`")
	set.StringVar(&f.html, "html", filepath.Join(program.Source(), "report.html"),
		"write the page to this `file`; none if empty")
	set.BoolVar(&f.publish, "publish", false, "write RESULTS.md and the README's charts too")
	set.BoolVar(&f.quick, "quick", false, "small inputs, one round, without the peers that need a build of their "+
		"own: seconds instead of minutes")
	set.BoolVar(&f.full, "full", false, "all suites and peers, in half an hour; the default is a part that "+
		"takes 90 seconds")
	set.IntVar(&f.rounds, "rounds", 0, "how often everything is measured (by default each suite's own number, quick 1)")
	set.IntVar(&f.depth, "depth", 0, fmt.Sprintf("depth of the binary trees (default %d, quick %d)", defaultDepth,
		quickDepth))
	set.IntVar(&f.requests, "requests", 0, fmt.Sprintf("how many requests a server answers in each round (default "+
		"%d, quick %d)", defaultRequests, quickRequests))
	set.StringVar(&f.child, "child", "", "used by the program itself")
	set.StringVar(&f.load, "load", "", "used by the program itself")
	set.Usage = func() { usage(set) }
	if err := set.Parse(args); err != nil {
		return f, err
	}
	f.words = strings.Join(args, " ")
	return f, f.check(set)
}

func usage(set *flag.FlagSet) {
	w := set.Output()
	fmt.Fprintln(w, "usage: go run ./bench [flags]")
	set.VisitAll(func(g *flag.Flag) {
		if g.Name != "child" && g.Name != "load" {
			kind, use := flag.UnquoteUsage(g)
			fmt.Fprintf(w, "  -%s %s\n\t%s\n", g.Name, kind, use)
		}
	})
	fmt.Fprintln(w, "suites and their peers:")
	for _, s := range suites() {
		fmt.Fprintf(w, "  %s: %s\n", s.Name, strings.Join(s.Peers, ", "))
	}
}

// check rejects contradictory flags, and fills in defaults.
func (f *flags) check(set *flag.FlagSet) error {
	switch {
	case set.NArg() > 0:
		return fmt.Errorf("what to do with %q? Only flags are understood; -suites picks suites", set.Arg(0))
	case f.requests < 0:
		return fmt.Errorf("-requests %d: must be positive", f.requests)
	case f.rounds < 0 || f.depth < 0 || f.depth > 24:
		return fmt.Errorf("-rounds %d -depth %d: rounds must be positive, depth between 6 and 24", f.rounds, f.depth)
	}
	f.brief = !f.full && !f.quick && !f.publish && f.suites == "" && f.peers == "" && f.rounds == 0 &&
		f.depth == 0 && f.requests == 0
	depth, requests := defaultDepth, defaultRequests
	if f.quick {
		depth, requests = quickDepth, quickRequests
	}
	if f.depth == 0 {
		f.depth = depth
	}
	if f.requests == 0 {
		f.requests = requests
	}
	return nil
}

func main() {
	f, err := parse(os.Args[1:], os.Stderr)
	if errors.Is(err, flag.ErrHelp) {
		return
	}
	if err == nil {
		switch {
		case f.load != "":
			err = load(f.child, f.load)
		case f.child != "":
			err = child(f.child, os.Stdout)
		default:
			err = bench(f)
		}
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

// bench is the parent: plan, measure, show.
func bench(f flags) error {
	began := time.Now()
	p, err := makePlan(f)
	if err != nil {
		return err
	}
	r, err := newRunner(p, f)
	if err != nil {
		return err
	}
	r.build()
	if err := r.run(); err != nil {
		return err
	}
	r.progress.finish()
	rep := r.report
	if len(rep.Results) == 0 {
		return fmt.Errorf("-suites %s: there are no such rows", f.suites)
	}
	rep.Machine.Seconds = time.Since(began).Seconds()
	if f.brief {
		rep.PrintBrief(os.Stdout)
	} else {
		rep.Print(os.Stdout)
	}
	return save(rep, f)
}

// save writes the requested files.
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
		if err := write(f.html, rep.WriteHTML); err != nil {
			return fmt.Errorf("can't write the page: %w", err)
		}
		fmt.Println("\npage:", f.html)
	}
	if f.publish {
		results, charts := filepath.Join(program.Source(), "RESULTS.md"), filepath.Join(program.Source(), "charts")
		if err := errors.Join(write(results, rep.WriteMarkdown), rep.WriteCharts(charts)); err != nil {
			return fmt.Errorf("can't publish the results: %w", err)
		}
		fmt.Println("\nresults:", results, "and", charts)
	}
	return nil
}

// write creates a file with the output of show.
func write(name string, show func(io.Writer) error) error {
	file, err := os.Create(name)
	if err != nil {
		return err
	}
	return errors.Join(show(file), file.Close())
}
