package trial

import (
	"bufio"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/harena-go/arena/scout/internal/testrun"
)

// An escape is something that has outlived its unit.
type escape struct {
	Lines []string // of the calls that have allocated it, the innermost first
}

// checkFor is how many iterations the checked run has. Some of their units are checked, each at the price of some
// collections.
const checkFor = "300x"

// check runs the copy with checked arenas, for some time.
func (t *trial) check(binary string, r *Result, time string) ([]escape, error) {
	log := filepath.Join(t.dir, "escapes")
	run := testrun.Run{Binary: binary, Dir: t.look.Package.Dir, Bench: testrun.Exact(t.look.Benchmark), Time: time,
		Env: []string{"ARENASCOUT_TRIAL=check", "ARENASCOUT_LOG=" + log}}
	_, failed := run.Do()
	f, err := os.Open(log)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	var escapes []escape
	lines := bufio.NewScanner(f)
	for lines.Scan() {
		if n, ok := strings.CutPrefix(lines.Text(), "checked "); ok {
			r.Checked, _ = strconv.Atoi(n)
		}
		if text, ok := strings.CutPrefix(lines.Text(), "escape\t"); ok {
			escapes = append(escapes, escape{strings.Split(text, "\t")})
		}
	}
	if err := lines.Err(); err != nil {
		return nil, err
	}
	if failed != nil && len(escapes) == 0 { // else it is likely that a dead value was used
		return nil, fmt.Errorf("-try: with checked arenas: %w", failed)
	}
	if r.Checked == 0 && len(escapes) == 0 {
		return nil, fmt.Errorf("-try: no unit was checked")
	}
	return escapes, nil
}

// roundFor is how long a run of a round takes.
const roundFor = 400 * time.Millisecond

// measure runs original and copy in turn. CPU is that of the process, without what a run of one iteration takes.
func (t *trial) measure(plain, moved string, r *Result) error {
	n, err := t.iterations(plain)
	if err != nil {
		return err
	}
	var before, after, startBefore, startAfter []time.Duration
	for range rounds {
		for _, one := range []struct {
			binary string
			times  int
			to     *[]time.Duration
		}{{plain, 1, &startBefore}, {moved, 1, &startAfter}, {plain, n, &before}, {moved, n, &after}} {
			cpu, err := t.cpu(one.binary, one.times)
			if err != nil {
				return err
			}
			*one.to = append(*one.to, cpu)
		}
	}
	for i := range before {
		b, a := before[i]-least(startBefore), after[i]-least(startAfter)
		r.PerRound = append(r.PerRound, float64(b)/float64(max(a, 1)))
	}
	units := float64(n) * max(t.look.PerOp, 1e-9)
	r.Rounds = rounds
	r.Before = time.Duration(float64(max(least(before)-least(startBefore), 0)) / units)
	r.After = time.Duration(float64(max(least(after)-least(startAfter), 0)) / units)
	return nil
}

func (t *trial) iterations(binary string) (int, error) {
	run := testrun.Run{Binary: binary, Dir: t.look.Package.Dir, Bench: testrun.Exact(t.look.Benchmark), Time: "50ms"}
	result, err := run.Do()
	if err != nil || len(result.Lines) == 0 {
		return 1, err
	}
	return int(min(1e8, max(1, roundFor/max(result.Lines[0].Op, 1)))), nil
}

func (t *trial) cpu(binary string, times int) (time.Duration, error) {
	run := testrun.Run{Binary: binary, Dir: t.look.Package.Dir, Bench: testrun.Exact(t.look.Benchmark), Time: fmt.Sprintf("%dx", times),
		Env: []string{"ARENASCOUT_TRIAL=arena"}}
	result, err := run.Do()
	return result.CPU, err
}

func least(all []time.Duration) time.Duration {
	m := all[0]
	for _, d := range all {
		m = min(m, d)
	}
	return m
}
