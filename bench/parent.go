package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"

	"github.com/harena-go/arena/bench/index"
	"github.com/harena-go/arena/bench/measure"
	"github.com/harena-go/arena/bench/micro"
	"github.com/harena-go/arena/bench/report"
)

// A runner starts a process for each job and collects what they say.
type runner struct {
	plan       plan
	progress   *progress
	self       string // this program
	experiment string // the build with the runtime's arena, "" if there is none
	report     *report.Report
}

// run is the whole measurement: the allocators of a workload take turns, round
// by round, so that whatever else the machine does hits all of them.
func (r *runner) run() error {
	if r.plan.has("index") {
		if err := index.Warm(r.plan.root, r.plan.dirs); err != nil {
			return err
		}
	}
	for _, workload := range []string{"index", "trees", "gc10m", "server", "server-in-process", "micro"} {
		for round := range r.plan.rounds {
			for _, j := range r.plan.jobs {
				if j.Workload != workload || round >= r.plan.times(j) {
					continue
				}
				if err := r.progress.step(stepName(j, round, r.plan.times(j)), j.weight(), func() error { return r.do(j) }); err != nil {
					return err
				}
			}
		}
		if err := agree(r.report, workload); err != nil {
			return err
		}
	}
	return nil
}

func stepName(j job, round, rounds int) string {
	if rounds == 1 {
		return j.String()
	}
	return fmt.Sprintf("%s %d/%d", j, round+1, rounds)
}

// steps is the weight of everything that run does.
func (p *plan) steps() (total int) {
	for _, j := range p.jobs {
		total += j.weight() * p.times(j)
	}
	return total
}

// do runs one job and files its outcome.
func (r *runner) do(j job) error {
	if j.Experiment && r.experiment == "" {
		return nil
	}
	out, err := r.spawn(j)
	if err != nil {
		return err
	}
	if j.Workload != "micro" {
		r.fileSample(j, *out.Sample)
		return nil
	}
	if r.experiment != "" && slices.Contains(micro.InExperiment, j.Allocator) {
		j.Experiment = true
		more, err := r.spawn(j)
		if err != nil {
			return err
		}
		out.Series = append(out.Series, more.Series...)
	}
	for _, row := range micro.Rows() {
		if row.Name == j.Allocator {
			r.report.Micro = append(r.report.Micro, report.MicroRow{Name: row.Name, Title: row.Title, Unit: row.Unit, Series: out.Series})
		}
	}
	return nil
}

// spawn measures one job in a process of its own.
func (r *runner) spawn(j job) (outcome, error) {
	program := r.self
	if j.Experiment {
		program = r.experiment
	}
	arg, err := json.Marshal(j)
	if err != nil {
		return outcome{}, err
	}
	c := exec.Command(program, "-child", string(arg))
	var stdout, stderr bytes.Buffer
	c.Stdout, c.Stderr = &stdout, &stderr
	c.Env = os.Environ()
	if err := c.Run(); err != nil {
		why := strings.TrimSpace(stderr.String())
		if len(why) > 2000 {
			why = why[:2000] + " ..."
		}
		return outcome{}, fmt.Errorf("%s failed (%w): %s", j, err, why)
	}
	var out outcome
	if err := json.Unmarshal(stdout.Bytes(), &out); err != nil {
		return outcome{}, fmt.Errorf("%s answered something that is no measurement: %w", j, err)
	}
	if j.Workload != "micro" && out.Sample == nil {
		return outcome{}, fmt.Errorf("%s answered without a measurement", j)
	}
	return out, nil
}

var titles = map[string]string{
	"index": "index: a searchable index of Go's standard library",
	"trees": "trees: binary-trees of the Computer Language Benchmarks Game",
	"gc10m": "gc10m: a tree of 24-byte nodes stays live while the collector runs",

	"server":            "server: log batches over HTTP, 100 connections, from another process",
	"server-in-process": "server-in-process: the same log batches without HTTP, in 100 goroutines",
}

// fileSample adds a run to the report, the workload and the allocator too if
// this is their first.
func (r *runner) fileSample(j job, s measure.Sample) {
	var w *report.Workload
	for i := range r.report.Workloads {
		if r.report.Workloads[i].Name == j.Workload {
			w = &r.report.Workloads[i]
		}
	}
	if w == nil {
		r.report.Workloads = append(r.report.Workloads, report.Workload{Name: j.Workload, Title: titles[j.Workload]})
		w = &r.report.Workloads[len(r.report.Workloads)-1]
	}
	if w.Note == "" {
		w.Note = s.Note
	}
	for i := range w.Allocators {
		if w.Allocators[i].Name == j.Allocator {
			w.Allocators[i].Runs = append(w.Allocators[i].Runs, s)
			return
		}
	}
	w.Allocators = append(w.Allocators, report.Allocator{Name: j.Allocator, Runs: []measure.Sample{s}})
}

// agree checks that a workload's answers are the same whichever allocator held
// the data, in every round. Runs without answers don't count.
func agree(rep *report.Report, workload string) error {
	var want, whose string
	for _, w := range rep.Workloads {
		if w.Name != workload {
			continue
		}
		for _, a := range w.Allocators {
			for _, s := range a.Runs {
				switch {
				case s.Checksum == "":
				case want == "":
					want, whose = s.Checksum, a.Name
				case s.Checksum != want:
					return fmt.Errorf("WRONG ANSWERS: %s/%s answers %q, %s/%s answers %q; no timing of this run means anything",
						workload, whose, want, workload, a.Name, s.Checksum)
				}
			}
		}
	}
	return nil
}
