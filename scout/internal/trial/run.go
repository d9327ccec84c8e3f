package trial

import (
	"bufio"
	"fmt"
	"maps"
	"math"
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

// This file runs copies: with checked arenas for what escapes, and in turn with the original for CPU.

// An Escape is something that has outlived its unit.
type Escape struct {
	Lines []string // of the calls that have allocated it, the innermost first
}

// A run learns by its environment what to do, so that one binary serves for all:
//
//	ARENASCOUT_TRIAL=check   some units get checked arenas; escapes are written to ARENASCOUT_LOG
//	ARENASCOUT_TRIAL=arena   each unit gets an arena that is reset after it, to be measured
//	ARENASCOUT_LAG=1         with one of these two: the arena is reset after the next unit, so there are two in turn
//	ARENASCOUT_FIRST_RUN=N, ARENASCOUT_LAST=N, ARENASCOUT_SETTLED=N
//	                         with the first and lag: units whose results the benchmark itself holds for longer
//	ARENASCOUT_TRIAL=fresh   each unit gets an arena of its own that is never reset, for tests
//	none                     the code runs as it was, on the Go heap

// CheckFor is how many iterations the checked run has. Some of their units are checked, each at the price of some
// collections.
const CheckFor = 300

// Checked is what units with checked arenas have shown.
type Checked struct {
	Units   int // that were checked
	Used    int // bytes of the arena in one of them, the mean, if the copy says so
	Escapes []Escape
	Kept    bool // something still has an arena after its unit, if the copy says so

	Panicked []probe.Frame // the calls of a panic that has ended the run, the innermost first
}

// Check runs a copy with checked arenas and reads the log that it writes: the number of units checked, the bytes of the
// arena, and one line for each escape. With lag half of the iterations are a second run. A run that fails is no error
// if something has escaped in it, since a program that uses dead values may do anything.
func (t *Rig) Check(binary string, iterations int) (c Checked, err error) {
	log := filepath.Join(t.Dir, "escapes")
	run := testrun.Run{Binary: binary, Env: append(t.Turns(), "ARENASCOUT_TRIAL=check", "ARENASCOUT_LOG="+log)}
	if t.Lag {
		iterations /= 2
		run.Flags = append(run.Flags, "-test.count=2")
		run.Env = append(run.Env, sink(iterations, t.Look.PerOp)...)
	}
	run.Time = fmt.Sprintf("%dx", iterations)
	// A run that fails has still written its log up to there.
	result, failed := t.do(run)
	c.Panicked = result.Panicked
	f, err := os.Open(log)
	if err != nil {
		return c, err
	}
	defer f.Close()
	used, times := 0, 0
	lines := bufio.NewScanner(f)
	for lines.Scan() {
		if n, ok := strings.CutPrefix(lines.Text(), "checked "); ok {
			c.Units, _ = strconv.Atoi(n)
		}
		if n, ok := strings.CutPrefix(lines.Text(), "used "); ok {
			bytes, _ := strconv.Atoi(n)
			used, times = used+bytes, times+1
			c.Used = used / times
		}
		c.Kept = c.Kept || lines.Text() == "kept"
		if text, ok := strings.CutPrefix(lines.Text(), "escape\t"); ok {
			c.Escapes = append(c.Escapes, Escape{strings.Split(text, "\t")})
		}
	}
	if err := lines.Err(); err != nil {
		return c, err
	}
	if failed != nil && len(c.Escapes) == 0 { // else it is likely that a dead value was used
		return c, fmt.Errorf("with checked arenas: %w", failed)
	}
	if c.Units == 0 && len(c.Escapes) == 0 {
		return c, fmt.Errorf("no unit was checked")
	}
	return c, nil
}

// sink returns the environment of a benchmark that runs twice, each time with one iteration of perOp units first.
func sink(iterations int, perOp float64) []string {
	units := func(iterations int) float64 { return float64(iterations) * perOp }
	return []string{fmt.Sprintf("ARENASCOUT_FIRST_RUN=%.0f", math.Ceil(perOp)),
		fmt.Sprintf("ARENASCOUT_LAST=%.0f", math.Floor(units(iterations-1))),
		fmt.Sprintf("ARENASCOUT_SETTLED=%.0f", math.Ceil(units(iterations+2))+1)}
}

// RoundFor is how long a run of a round takes. Tests set it lower.
var RoundFor = 250 * time.Millisecond

// Measure runs original and copy in turn, and notes in r what a unit takes in each. CPU is that of the process on all
// its threads, since the collector works on others, less what a process takes to start and to warm up. Before and After
// are medians; PerRound has the ratio within each round.
func (t *Rig) Measure(plain, moved string, r *Result) error {
	n, err := t.iterations(plain)
	if err != nil {
		return err
	}
	// The first thousand iterations take twice the CPU of later ones, which hides a part of what an arena saves.
	n = max(2, n)
	warm := max(1, n/4)
	// Both in turn in each round, so that whatever else the machine does hits both.
	var before, after, startBefore, startAfter []time.Duration
	r.Runs = [2][]testrun.Line{}
	for _, all := range []int{rounds, most} {
		for len(before) < all && (len(before) < fewest || !t.late()) {
			for _, one := range []struct {
				binary, mode string
				times        int
				to           *[]time.Duration
				runs         *[]testrun.Line
			}{{plain, "", warm, &startBefore, nil}, {moved, "arena", warm, &startAfter, nil},
				{plain, "", n, &before, &r.Runs[0]}, {moved, "arena", n, &after, &r.Runs[1]}} {
				result, err := t.once(one.binary, one.mode, one.times)
				if err != nil {
					return err
				}
				*one.to = append(*one.to, result.CPU)
				if one.runs != nil && len(result.Lines) > 0 {
					*one.runs = append(*one.runs, result.Lines[0])
				}
			}
		}
		r.PerRound, r.CPU = nil, [2][]time.Duration{}
		for i := range before {
			b, a := less(before[i], startBefore), less(after[i], startAfter)
			r.PerRound = append(r.PerRound, float64(b)/float64(a))
			r.CPU[0], r.CPU[1] = append(r.CPU[0], b/time.Duration(n-warm)), append(r.CPU[1], a/time.Duration(n-warm))
		}
		if !r.unsure() { // asked once: who asks until the answer is yes gets one
			break
		}
	}
	units := float64(n-warm) * max(t.Look.PerOp, 1e-9)
	r.Before = time.Duration(float64(less(median(before), startBefore)) / units)
	r.After = time.Duration(float64(less(median(after), startAfter)) / units)
	return nil
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
	result, err := t.do(testrun.Run{Binary: binary, Time: "50ms", Env: probe.Live(t.Look.Live)})
	if err != nil || len(result.Lines) == 0 {
		return 1, err
	}
	return t.Look.Iterations(result.Lines[0].Op, RoundFor), nil
}

// Turns returns what a copy needs in its environment for two arenas in turn.
func (t *Rig) Turns() []string {
	if t.Lag {
		return []string{"ARENASCOUT_LAG=1"}
	}
	return nil
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
	return t.do(testrun.Run{Binary: binary, Time: fmt.Sprintf("%dx", times), Flags: []string{"-test.benchmem"},
		Env: slices.Concat(probe.Live(t.Look.Live), t.Turns(), []string{"ARENASCOUT_TRIAL=" + mode})})
}
