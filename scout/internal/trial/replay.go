package trial

import (
	"bufio"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/harena-go/arena/scout/internal/rewrite"
	"github.com/harena-go/arena/scout/internal/scout"
	"github.com/harena-go/arena/scout/internal/sites"
	"github.com/harena-go/arena/scout/internal/testrun"
	"github.com/harena-go/arena/scout/internal/verdict"
)

// This file measures decoders on the program's own calls: it records the texts that a line reads, and the values that
// it writes, and repeats the calls with encoding/json and with arenajson. The published ratios are for other texts.
// Decoders in modules of their own, such as arenaproto, can't be built into any module, and keep their published
// ratios.

// matters is the least share of a unit's CPU in all calls for a replay: it takes a build.
const matters = 0.03

// replayFor is the least time of the benchmark, without the replays.
const replayFor = 100 * time.Millisecond

// Replay measures a look's JSON calls on the program's own data, and corrects the look. Calls that can't be replayed
// keep their published ratios.
func Replay(look *scout.Look, say func(format string, args ...any)) {
	m := look.Package.Module
	if look.Program == nil || m.GoMod == "" || m.Path == arenaModule {
		return
	}
	c := rewrite.New(look.Program, m.Path)
	n, share := 0, 0.0
	for _, f := range look.Findings {
		if f.Verdict == verdict.Helper && f.Times > 0 && rewrite.Known(f.Lib) {
			n += c.Library(f.Place.File, f.Place.Line, f.Lib)
			share += look.Calls(f)
		}
	}
	if n == 0 || share < matters {
		return
	}
	say("reading and writing the JSON of %d calls both ways", n)
	if err := replay(look, c, say); err != nil {
		say("not replayed: %v", err)
	}
}

// replay builds a copy, runs it, and sets the look's ratios from its measurements.
func replay(look *scout.Look, c *rewrite.Copy, say func(format string, args ...any)) error {
	dir, remove, err := testrun.Scratch()
	if err != nil {
		return err
	}
	defer remove()
	rig, err := NewRig(look, say, dir)
	if err != nil {
		return err
	}
	overlay, err := c.Overlay(look.Package.Module.Dir)
	if err != nil {
		return err
	}
	binary, file := filepath.Join(dir, "replay.test"), filepath.Join(dir, "replayed")
	if err := testrun.Compile(look.Package, testrun.Build{Overlay: overlay, Modfile: rig.Modfile,
		Output: binary}); err != nil {
		return err
	}
	op := time.Duration(float64(look.Costs.Unit) * look.PerOp)
	env := []string{"ARENASCOUT_REPLAY=" + file}
	if !look.AtOnce || look.InTurn {
		env = append(env, "ARENASCOUT_ALONE=1")
	}
	if _, err := rig.Do(testrun.Run{Binary: binary, Env: env,
		Time: fmt.Sprintf("%dx", max(16, look.Iterations(op, replayFor)))}); err != nil {
		return err
	}
	times, err := measurements(file)
	if err != nil {
		return err
	}
	look.Replayed(func(f verdict.Finding) float64 {
		if !rewrite.Known(f.Lib) {
			return 0
		}
		return times[sites.Key(f.Place)]
	})
	return nil
}

// measurements reads how many times less each line took in an arena.
func measurements(file string) (map[string]float64, error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	times := map[string]float64{}
	lines := bufio.NewScanner(f)
	for lines.Scan() {
		rest, line := lines.Text(), ""
		var before, after float64
		if i := strings.LastIndexByte(rest, ':'); i >= 0 { // a path may have spaces
			n, figures, _ := strings.Cut(rest[i:], " ")
			line, rest = rest[:i]+n, figures
		}
		if _, err := fmt.Sscan(rest, &before, &after); err != nil {
			return nil, fmt.Errorf("%.60q: %w", lines.Text(), err)
		}
		times[line] = before / max(after, 1)
	}
	return times, lines.Err()
}
