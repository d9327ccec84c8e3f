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

// This file runs copies: with checked arenas for what escapes, and in turn with the original for CPU. A run learns by
// its environment what to do, so that one binary serves for all:
//
//	ARENASCOUT_TRIAL=pool    each unit gets an arena of a Pool without reuse
//	ARENASCOUT_TRIAL=reuse   each unit gets one of a Pool with reuse, whose results are valid until the next begins
//	ARENASCOUT_TRIAL=check   some units get checked arenas; escapes are written to ARENASCOUT_LOG
//	none                     the code runs as it was, on the Go heap

// checkFor is how many iterations the checked run has. Some of their units are checked, each at the price of some
// collections.
const checkFor = 300

// Check runs a copy with checked arenas and returns how many units were checked, and of what has escaped the lines of
// the calls that have allocated it, the innermost first. A run that fails is no error if something has escaped in it: a
// program that uses dead values may do anything.
func (t *Rig) Check(binary string, iterations int) (units int, escapes [][]string, err error) {
	log := filepath.Join(t.Dir, "escapes")
	// A run that fails has still written its log up to there.
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

// RoundFor is how long a run of a round takes. Tests set it lower.
var RoundFor = 250 * time.Millisecond

// An Arm is a binary that is measured, how it runs, and what that has shown.
type Arm struct {
	Binary, Mode string
	Result       *Measured
}

// runs are an arm's: the CPU of those that start and warm up, and of whole ones.
type runs struct {
	starts, all []time.Duration
	lines       []testrun.Line
}

// Measure runs the original and some arms in turn, and notes what a unit takes in each. CPU is that of the process on
// all its threads, since the collector works on others, less what a process takes to start and to warm up. Before and
// After are medians; PerRound has the ratio within each round.
func (t *Rig) Measure(plain string, arms ...Arm) error {
	n, err := t.iterations(plain)
	if err != nil {
		return err
	}
	// The first thousand iterations take twice the CPU of later ones, which hides a part of what an arena saves.
	n = max(2, n)
	warm := max(1, n/4)
	got := make([]runs, len(arms)+1)
	for _, rounds := range Rounds {
		// All in turn in each round, so that whatever else the machine does hits each.
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
		if !unsure { // asked once: who asks until the answer is yes gets one
			break
		}
	}
	return nil
}

// compare fills in a comparison of runs of so many iterations.
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

// less returns the CPU of a run without that of the cheapest start, which was disturbed least, but a tenth at least.
func less(run time.Duration, starts []time.Duration) time.Duration {
	return max(run-slices.Min(starts), run/10, 1)
}

// Plain compiles the package as it is, but for calls where a unit begins and ends, as copies have them: they would take
// a third of a unit of 300 ns, and keep it from being inlined.
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

// iterations returns how many iterations a run of a round has.
func (t *Rig) iterations(binary string) (int, error) {
	result, err := t.Do(testrun.Run{Binary: binary, Time: "50ms", Env: probe.Live(t.Look.Live)})
	if err != nil || len(result.Lines) == 0 {
		return 1, err
	}
	return t.Look.Iterations(result.Lines[0].Op, RoundFor), nil
}

// Weighed returns files and one with what is to be alive beside, while it is measured.
func (t *Rig) Weighed(files map[string][]byte) map[string][]byte {
	if t.Look.Live == 0 {
		return files
	}
	all := map[string][]byte{filepath.Join(t.Look.Package.Dir,
		"zz_arenascout_live_test.go"): probe.Ballast(t.Look.Package.Name)}
	maps.Copy(all, files)
	return all
}

// once runs the benchmark so many times in a process of its own.
func (t *Rig) once(binary, mode string, times int) (testrun.Result, error) {
	return t.Do(testrun.Run{Binary: binary, Time: fmt.Sprintf("%dx", times), Flags: []string{"-test.benchmem"},
		Env: append(probe.Live(t.Look.Live), "ARENASCOUT_TRIAL="+mode)})
}
