package trial

import (
	"bufio"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/harena-go/arena/scout/internal/probe"
	"github.com/harena-go/arena/scout/internal/rewrite"
	"github.com/harena-go/arena/scout/internal/testrun"
)

// This file runs copies: with checked arenas to find escapes, and in turn with the original for CPU. The environment
// selects the mode, so that one binary serves for all:
//
//	ARENASCOUT_TRIAL=pool    each unit gets an arena of a Pool without reuse
//	ARENASCOUT_TRIAL=reuse   each unit gets one of a Pool with reuse, whose results are valid until the next begins
//	ARENASCOUT_TRIAL=check   some units get checked arenas; escapes are written to ARENASCOUT_LOG
//	none                     the code runs as it was, on the Go heap

// checkFor is the number of iterations of the checked run. Some of their units are checked, each at the price of some
// collections.
const checkFor = 300

// Check runs a copy with checked arenas. It returns the number of checked units, and for each escape the lines of the
// allocating calls, the innermost first. A failing run is no error if something escaped in it: a program that uses dead
// values may do anything.
func (t *Rig) Check(binary string, iterations int) (units int, escapes [][]string, err error) {
	log := filepath.Join(t.Dir, "escapes")
	// A failing run has still written its log so far.
	_, failed := t.Do(testrun.Run{Binary: binary, Env: []string{"ARENASCOUT_TRIAL=check", "ARENASCOUT_LOG=" + log},
		Time: fmt.Sprintf("%dx", iterations)})
	f, err := os.Open(log)
	if err != nil {
		return 0, nil, err
	}
	defer f.Close()
	lines := bufio.NewScanner(f)
	for lines.Scan() {
		if n, ok := strings.CutPrefix(lines.Text(), "checked "); ok {
			units, _ = strconv.Atoi(n)
		}
		if text, ok := strings.CutPrefix(lines.Text(), "escape\t"); ok {
			escapes = append(escapes, strings.Split(text, "\t"))
		}
	}
	switch err := lines.Err(); {
	case err != nil || len(escapes) > 0:
		return units, escapes, err
	case failed != nil:
		return units, nil, fmt.Errorf("with checked arenas: %w", failed)
	case units == 0:
		return 0, nil, fmt.Errorf("no unit was checked")
	}
	return units, nil, nil
}

// RoundFor is the time of a run in a round. Tests set it lower.
var RoundFor = 250 * time.Millisecond

// An Arm is a binary to measure, its mode, and its result.
type Arm struct {
	Binary, Mode string
	Result       *Measured
}

// runs are the runs of an arm: the CPU of short ones, which start and warm up, and of whole ones.
type runs struct {
	starts, all []time.Duration
	lines       []testrun.Line
}

// Measure runs the original and some arms in turn, and measures a unit in each. CPU is that of the process on all its
// threads, since the collector works on others, without its start and warm-up. Before and After are medians; PerRound
// has the ratio within each round.
func (t *Rig) Measure(plain string, arms ...Arm) error {
	n, err := t.iterations(plain)
	if err != nil {
		return err
	}
	// The first thousand iterations take twice the CPU of later ones, which hides a part of the arena's savings.
	n = max(2, n)
	warm := max(1, n/4)
	got := make([]runs, len(arms)+1)
	for _, rounds := range Rounds {
		// All in turn in each round, so that other work of the machine affects each.
		for len(got[0].all) < rounds && (len(got[0].all) < fewest || !t.late()) {
			for _, times := range []int{warm, n} {
				for i, arm := range append([]Arm{{Binary: plain}}, arms...) {
					result, err := t.once(arm.Binary, arm.Mode, times)
					if err != nil {
						return err
					}
					if times == warm {
						got[i].starts = append(got[i].starts, result.CPU)
						continue
					}
					got[i].all = append(got[i].all, result.CPU)
					got[i].lines = append(got[i].lines, result.Lines...)
				}
			}
		}
		unsure := false
		for i, arm := range arms {
			arm.Result.compare(got[0], got[i+1], n-warm, max(t.Look.PerOp, 1e-9))
			unsure = unsure || arm.Result.unsure()
		}
		if !unsure { // only once: repeating until there is a difference would find one
			break
		}
	}
	return nil
}

// compare fills in a comparison of runs with a number of iterations.
func (m *Measured) compare(before, after runs, iterations int, perOp float64) {
	*m = Measured{Runs: [2][]testrun.Line{before.lines, after.lines}}
	for i := range before.all {
		b, a := less(before.all[i], before.starts), less(after.all[i], after.starts)
		m.PerRound = append(m.PerRound, float64(b)/float64(a))
		m.CPU[0] = append(m.CPU[0], b/time.Duration(iterations))
		m.CPU[1] = append(m.CPU[1], a/time.Duration(iterations))
	}
	units := float64(iterations) * perOp
	m.Before = time.Duration(float64(less(median(before.all), before.starts)) / units)
	m.After = time.Duration(float64(less(median(after.all), after.starts)) / units)
}

// less returns the CPU of a run without that of the least disturbed start, but a tenth of it at least.
func less(run time.Duration, starts []time.Duration) time.Duration {
	return max(run-slices.Min(starts), run/10, 1)
}

// Plain compiles the original package with the copies' calls where a unit begins and ends: they would take a third of a
// unit of 300 ns, and keep it from being inlined.
func (t *Rig) Plain(binary string) error {
	c := rewrite.New(t.Look.Program, t.Look.Package.Module.Path)
	if err := c.Unit(t.Look.Unit.File, t.Look.Unit.Line); err != nil {
		return err
	}
	overlay, err := c.Overlay(t.Look.Package.Module.Dir)
	if err != nil {
		return err
	}
	return testrun.Compile(t.Look.Package, testrun.Build{Overlay: t.Weighed(overlay), Modfile: t.Modfile,
		Output: binary})
}

// iterations returns the number of iterations in a run of a round.
func (t *Rig) iterations(binary string) (int, error) {
	result, err := t.Do(testrun.Run{Binary: binary, Time: "50ms", Env: probe.Live(t.Look.Live)})
	if err != nil || len(result.Lines) == 0 {
		return 1, err
	}
	return t.Look.Iterations(result.Lines[0].Op, RoundFor), nil
}

// Weighed adds the file that keeps the ballast alive, if there is any.
func (t *Rig) Weighed(files map[string][]byte) map[string][]byte {
	if t.Look.Live == 0 {
		return files
	}
	all := map[string][]byte{filepath.Join(t.Look.Package.Dir,
		"zz_arenascout_live_test.go"): probe.Ballast(t.Look.Package.Name)}
	maps.Copy(all, files)
	return all
}

// once runs the benchmark for a number of iterations in a process of its own.
func (t *Rig) once(binary, mode string, times int) (testrun.Result, error) {
	return t.Do(testrun.Run{Binary: binary, Time: fmt.Sprintf("%dx", times), Flags: []string{"-test.benchmem"},
		Env: append(probe.Live(t.Look.Live), "ARENASCOUT_TRIAL="+mode)})
}
