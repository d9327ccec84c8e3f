package main

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"

	"github.com/harena-go/arena/bench/report"
	"github.com/harena-go/arena/bench/suite"
)

// A runner starts a process for each suite, peer and round and collects their outputs.
type runner struct {
	plan      plan
	progress  *progress
	self      string            // this program
	programs  map[string]string // of peers that aren't part of it
	start     func(s planned, peer string) (suite.Output, error)
	report    *report.Report
	checksums map[string]answers // by suite
}

// answers are a checksum and the first peer that had it.
type answers struct{ checksum, peer string }

func newRunner(p plan, f flags) (*runner, error) {
	me, err := os.Executable()
	if err != nil {
		return nil, fmt.Errorf("can't find my own program to start it again: %w", err)
	}
	rep := &report.Report{Machine: describeMachine(f), Notes: tuning()}
	for _, s := range p {
		rep.Suites = append(rep.Suites, s.Suite)
	}
	r := &runner{plan: p, self: me, report: rep, progress: newProgress(p.seconds()),
		programs: map[string]string{}, checksums: map[string]answers{}}
	r.start = r.spawn
	return r, nil
}

// run makes the whole measurement: the peers of a suite take turns, round by round, so that other work of the machine
// affects all of them. If one of ours fails, or the base of the comparison, the run ends; others are dropped from the
// tables.
func (r *runner) run() error {
	for i, s := range r.plan {
		gone := map[string]bool{}
		for round := range s.Rounds {
			for _, peer := range s.Peers {
				if gone[peer] {
					continue
				}
				step := fmt.Sprintf("%s/%s %d/%d", s.Name, peer, round+1, s.Rounds)
				err := r.progress.step(step, s.Seconds(s.config), func() error { return r.do(i, peer) })
				if err != nil && (suite.Ours(peer) || peer == s.Peers[0]) {
					return err
				}
				if err != nil {
					r.leaveOut(s.Name, peer, err)
					gone[peer] = true
				}
			}
		}
	}
	return nil
}

// leaveOut drops a peer's results from a suite, with a note.
func (r *runner) leaveOut(name, peer string, why error) {
	r.report.Results = slices.DeleteFunc(r.report.Results, func(res suite.Result) bool {
		return res.Suite == name && res.Peer == peer
	})
	r.note("%s has no results in the suite %s: %v", peer, name, why)
}

// note adds a note to the report, once.
func (r *runner) note(format string, args ...any) {
	if text := fmt.Sprintf(format, args...); !slices.Contains(r.report.Notes, text) {
		r.report.Notes = append(r.report.Notes, text)
	}
}

// do runs one job of the suite i and adds its output to the report.
func (r *runner) do(i int, peer string) error {
	s := r.plan[i]
	out, err := r.start(s, peer)
	if err != nil {
		return err
	}
	if err := r.agree(s.Name, peer, out.Checksum); err != nil {
		return err
	}
	r.report.Suites[i].Note = cmp.Or(r.report.Suites[i].Note, out.Note)
	r.report.Merge(out)
	return nil
}

// agree checks that a suite's answers are the same with all peers, in every round. Runs without answers don't count.
func (r *runner) agree(name, peer, checksum string) error {
	first, ok := r.checksums[name]
	switch {
	case checksum == "":
	case !ok:
		r.checksums[name] = answers{checksum, peer}
	case checksum != first.checksum:
		return fmt.Errorf("WRONG ANSWERS: %s/%s answers %q, %s/%s answers %q", name, first.peer, first.checksum, name,
			peer, checksum)
	}
	return nil
}

// spawn measures one peer in a process of its own.
func (r *runner) spawn(s planned, peer string) (out suite.Output, err error) {
	self := r.self
	if peer == suite.Runtime {
		self = r.programs[peer] // this program, built in another way
	} else {
		s.config.Program = cmp.Or(r.programs[peer], s.config.Program)
	}
	arg, err := json.Marshal(job{s.Name, peer, s.config})
	if err != nil {
		return out, err
	}
	c := exec.Command(self, "-child", string(arg))
	var stdout, stderr bytes.Buffer
	c.Stdout, c.Stderr = &stdout, &stderr
	if err := c.Run(); err != nil {
		return out, fmt.Errorf("%s/%s failed (%w): %s", s.Name, peer, err, shorten(stderr.String()))
	}
	if err := json.Unmarshal(stdout.Bytes(), &out); err != nil {
		return out, fmt.Errorf("%s/%s answered something that is no measurement: %w", s.Name, peer, err)
	}
	if len(out.Results) == 0 && s.config.Rows == "" { // not all peers have the selected rows
		return out, fmt.Errorf("%s/%s answered without a measurement", s.Name, peer)
	}
	return out, nil
}

// shorten returns the beginning of a failed process's output.
func shorten(text string) string {
	const most = 2000
	if text = strings.TrimSpace(text); len(text) > most {
		return text[:most] + " ..."
	}
	return text
}
