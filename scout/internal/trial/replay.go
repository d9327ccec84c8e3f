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

// This file measures decoders on the program's own calls: texts that a line reads, and values that it writes, are
// recorded and done again, by encoding/json and by arenajson. What was published is for other texts. Decoders in
// modules of their own, such as arenaproto, can't be built into any module, and go by what was published.

// matters is the share of a unit's CPU that all calls must have to be replayed: it takes a build.
const matters = 0.03

// replayFor is how long the benchmark runs, at least, other than the replays.
const replayFor = 100 * time.Millisecond

// Replay measures the JSON that a look has found on the program's own calls, and corrects the look. What can't be
// replayed is as it was published.
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

// replay builds a copy, runs it, and takes over what it has measured.
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
