package scout

import (
	"bytes"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"time"

	"github.com/google/pprof/profile"

	"github.com/harena-go/arena/scout/internal/cpu"
	"github.com/harena-go/arena/scout/internal/probe"
	"github.com/harena-go/arena/scout/internal/sites"
	"github.com/harena-go/arena/scout/internal/source"
	"github.com/harena-go/arena/scout/internal/testrun"
	"github.com/harena-go/arena/scout/internal/verdict"
)

// This file measures a unit's CPU, and estimates the rest of it in an arena.

// Costs are a unit's costs, and the estimates for an arena.
type Costs struct {
	Unit      time.Duration // CPU, the collector's included
	Allocator float64       // share of the CPU
	GC        float64       // share of the CPU
	Live      int64         // bytes of ballast
	Expect    Expectation   // in the benchmark
	Elsewhere *Production   // in the profile given with -cpu

	usage cpu.Usage
	marks float64 // share of the time in which the collector marks
}

// An example of the estimate. A unit takes 10 us: 20% are the allocator, all at lines that move, and 30% the collector.
// The lines that move have 90% of the bytes, in 100 objects of 64 bytes, for which an arena takes 0.2 us:
//
//	10 us - 2 us - 0.9 x 3 us + 0.2 us = 5.5 us, which is 1.8 times less

// An Expectation is how many times less CPU a unit takes, in arenas that are reused: with the movable values moved, and
// with helpers and clones replaced, too. Later adds the values held until the next unit, if their holder releases them;
// without such values it equals All.
type Expectation struct{ Moved, All, Later float64 }

// Held reports whether releasing the last result promises enough, and more than moving the rest does.
func (e Expectation) Held() bool { return e.Later >= Worth && e.Later > e.All+0.05 }

// Production is the share of the same lines in a profile from elsewhere.
type Production struct {
	File          string
	Allocator, GC float64 // shares of its CPU
	Matched       float64 // share of the allocator's CPU that is at lines of the findings
	Expect        Expectation
}

// RunFor is the time of the measured run: some 150 samples of the profile. Tests set it lower.
var RunFor = 1500 * time.Millisecond

// measure fills in look.Costs. It runs the benchmark three times without recording allocations: one iteration for the
// start of the process, 50 ms to learn the time of an iteration, and RunFor with a CPU profile.
func (s *session) measure(look *Look) error {
	var elsewhere *Production
	if s.CPU != "" {
		var err error
		switch elsewhere, err = s.production(look); {
		case err != nil && s.found: // the user didn't ask for it
			s.Say("%v", err)
		case err != nil:
			return err
		}
	}
	file := filepath.Join(s.dir, "cpu.pprof")
	run := testrun.Run{Binary: s.probe, Bench: testrun.Exact(look.Benchmark), Time: "1x", Env: probe.Live(s.Live)}
	if look.InTurn { // as in a trial
		run.Flags = []string{"-test.cpu=1"}
	}
	if s.PerOp > 0 {
		look.PerOp = s.PerOp
	}
	s.Say("measuring CPU")
	// The CPU of a process with one iteration isn't the benchmark's: it is subtracted below.
	start, err := s.do(run)
	if err != nil {
		return err
	}
	run.Time = "50ms"
	short, err := s.do(run)
	if err != nil {
		return err
	}
	if len(short.Lines) == 0 {
		return fmt.Errorf("%s prints into the line of its result, which can't be read", look.Benchmark)
	}
	n := look.Iterations(short.Lines[0].Op, RunFor)
	run.Flags = append(run.Flags, "-test.cpuprofile="+file)
	run.Env = append(run.Env, "GODEBUG=gctrace=1")
	var result testrun.Result
	// On a busy machine the same time has less CPU, and a profile of few samples says no to anything.
	for range tries {
		run.Time = fmt.Sprintf("%dx", n)
		if result, err = s.do(run); err != nil {
			return err
		}
		got := result.CPU - start.CPU
		if s.Live > 0 || got >= RunFor/2 {
			break
		}
		n = int(float64(n) * min(10, float64(RunFor)/float64(max(got, RunFor/10))))
	}
	p, err := parseProfile(file)
	if err != nil {
		return err
	}
	usage := cpu.Read(p, look.Unit.Function, s.pkg.Owns)
	// CPU of the process, since the collector works on other threads than the benchmark.
	op := (result.CPU - start.CPU) / time.Duration(n)
	if op <= 0 && len(result.Lines) > 0 { // lost in the start of the process
		op = result.Lines[0].Op
	}
	c := &Costs{Unit: time.Duration(float64(op) / max(look.PerOp, 1e-9)), Allocator: usage.Allocator, GC: usage.GC,
		Live: s.Live, Elsewhere: elsewhere}
	c.usage, c.marks = usage, min(1, float64(result.Marks)/float64(max(result.Wall, 1)))
	look.Costs = c
	look.expect()
	return nil
}

// expect makes all estimates.
func (l *Look) expect() {
	l.Costs.Expect = Expectation{Moved: l.Expect(moved), All: l.Expect(dies), Later: l.Expect(later)}
}

// Calls returns the share of CPU that the calls of a finding's library take in its line.
func (l *Look) Calls(f verdict.Finding) float64 { return l.Costs.usage.Calls[cpu.Call(f.Place, f.Lib)] }

// Replayed sets how many times less CPU calls took by another library on their own arguments. times returns 0 for calls
// that weren't replayed.
func (l *Look) Replayed(times func(verdict.Finding) float64) {
	for i := range l.Findings {
		if f := &l.Findings[i]; f.Times > 0 {
			if n := times(*f); n > 0 {
				f.Times, f.Replayed = n, true
			}
		}
	}
	l.expect()
}

// With ballast a run has collections garbage collections, or at most atMost times its usual iterations.
const (
	collections = 4
	atMost      = 12
)

// Iterations returns how many iterations take at least atLeast. With ballast they allocate enough for a few garbage
// collections: one begins when as much was allocated as is alive.
func (l *Look) Iterations(op, atLeast time.Duration) int {
	n := float64(atLeast) / float64(max(op, 1))
	if bytes := l.allocated() * l.PerOp; l.Live > 0 && bytes > 0 {
		n = max(n, min(collections*float64(l.Live)/bytes, atMost*n))
	}
	return int(min(1e8, max(1, n)))
}

// allocated returns the bytes that the process allocates while one unit runs.
func (l *Look) allocated() float64 { return (l.bytes() + l.tests) / max(l.All.Share, 1e-9) }

// bytes returns the bytes of the findings of a unit.
func (l *Look) bytes() (bytes float64) {
	for _, f := range l.Findings {
		bytes += f.Bytes
	}
	return bytes
}

// production estimates by a profile from elsewhere, which must match the lines of this source.
func (s *session) production(look *Look) (*Production, error) {
	p, err := parseProfile(s.CPU)
	if err != nil {
		return nil, err
	}
	usage := cpu.Read(p, "", s.pkg.Owns)
	if usage.Samples == 0 {
		return nil, fmt.Errorf("%s is no CPU profile, or an empty one", s.CPU)
	}
	// A profile of another version would have other lines, and no estimate would be right.
	matched := 0.0
	for _, f := range look.Findings {
		matched += usage.At[cpu.Line(f.Place)]
	}
	if matched == 0 {
		return nil, fmt.Errorf("%s is of another program, or of another version: nothing in it allocates at a line of "+
			"%s", s.CPU, sites.Short(look.Unit.Function))
	}
	return &Production{File: s.CPU, Allocator: usage.Allocator, GC: usage.GC,
		Matched: matched / max(usage.Allocator, 1e-9), Expect: look.expectIn(usage)}, nil
}

// Expect estimates how many times less CPU a unit takes if some findings are moved, from its present time:
//
//	T' = T - allocator at the moved lines - GC x share of bytes moved + arena's own
//
// The arena's own are its objects, bytes and reset, and write barriers while the collector still marks.
//
// For a decoder that this project can replace, and for a value that can be built once, the whole call counts.
func (l *Look) Expect(counts func(verdict.Finding) bool) float64 {
	if l.Costs == nil {
		return 0
	}
	u, unit := l.Costs.usage, float64(l.Costs.Unit.Nanoseconds())
	if unit <= 0 { // nothing was measured, so no saving is known
		return 1
	}
	all := l.allocated()
	price := cpu.Calibrate()
	after := unit
	lines := map[string]bool{}
	first := map[string]float64{} // of each type, at most one in a unit
	scanned, gone := 0.0, 0.0     // bytes that the collector scans in the arena, and bytes that no longer trigger it
	asked := counts
	counts = func(f verdict.Finding) bool { return asked(f) && !l.shared(f, asked) }
	for _, f := range l.Findings {
		if !counts(f) {
			continue
		}
		// A line may have several findings. Its CPU is subtracted once, by the fraction that counts.
		after -= unit * u.GC * f.Bytes / max(all, 1)
		gone += f.Bytes
		if part, whole := f.Saves(); whole {
			if call := cpu.Call(f.Place, f.Lib); !lines[call] {
				lines[call] = true
				after -= unit * u.Calls[call] * part
			}
			continue
		}
		if key := cpu.Line(f.Place); !lines[key] {
			lines[key] = true
			after -= unit * u.At[key] * l.part(f, counts)
		}
		after += price.Of(f.Objects, f.Bytes)
		if f.Kind == sites.Append.String() || f.Kind == sites.Moved.String() {
			after += (price.Slice - price.Object) * f.Objects
		}
		first[f.Text] = max(first[f.Text], min(1, f.Objects))
		if scans(f) {
			scanned += f.Bytes
		}
	}
	for _, share := range first {
		after += price.First * share
	}
	if len(first) > 0 {
		after += price.Unit
	}
	// Fewer cycles each take longer, so marking takes a greater part of the time than their number suggests.
	const longer = 1.5
	after += cpu.Barrier * scanned * l.Costs.marks * min(1, longer*max(0, 1-gone/max(all, 1)))
	// No estimate promises more than fiftyfold: the rest is noise of the profile.
	return unit / max(after, 0.02*unit, 1e-9)
}

// scans reports whether a finding's values have pointers, as far as its type is known.
func scans(f verdict.Finding) bool {
	switch f.Kind {
	case sites.String.String(), sites.Bytes.String(), sites.Runes.String(), sites.Concat.String():
		return false
	}
	return len(f.Exprs) == 0 || f.Exprs[0].Type == nil || source.HasPointers(f.Exprs[0].Type)
}

// shared reports whether another caller's values of the finding's line live on, other than the counted ones: an
// expression can't be in an arena for one caller and on the heap for another. Values that stay now and then stay longer
// than those that the next unit replaces, so releasing the last result isn't enough for both.
func (l *Look) shared(f verdict.Finding, counts func(verdict.Finding) bool) bool {
	seldom, lag := false, false
	for _, other := range l.Findings {
		if sites.Key(other.Place) != sites.Key(f.Place) || other.Kind != f.Kind || other.Lib != f.Lib || f.Lib != "" ||
			other.Text != f.Text && !other.Several && !f.Several {
			continue
		}
		if other.Verdict == verdict.Keep && !counts(other) {
			return true
		}
		seldom, lag = seldom || other.Verdict == verdict.Clone && !other.Lag, lag || other.Lag
	}
	return seldom && lag
}

// expectIn makes the same estimate for a profile with unknown units, in shares of all CPU instead of nanoseconds. It
// assumes that the share of bytes moved equals that of the allocator's time, and that an arena takes a tenth of that
// time.
func (l *Look) expectIn(u cpu.Usage) Expectation {
	after := func(counts func(verdict.Finding) bool) float64 {
		part := 0.0
		lines := map[string]bool{}
		for _, f := range l.Findings {
			if key := cpu.Line(f.Place); counts(f) && !lines[key] {
				lines[key] = true
				part += u.At[key] * l.part(f, counts)
			}
		}
		return 1 - 0.9*part - u.GC*part/max(u.Allocator, 1e-9)
	}
	const least = 0.02
	return Expectation{Moved: 1 / max(after(moved), least), All: 1 / max(after(dies), least),
		Later: 1 / max(after(later), least)}
}

// part returns the fraction, by objects, of a line's allocations that count: a CPU profile has one number for a line.
func (l *Look) part(f verdict.Finding, counts func(verdict.Finding) bool) float64 {
	var some, all float64
	for _, other := range l.Findings {
		if cpu.Line(other.Place) == cpu.Line(f.Place) {
			all += other.Objects
			if counts(other) {
				some += other.Objects
			}
		}
	}
	return some / max(all, 1e-9)
}

// moved reports whether a finding can be moved as an expression.
func moved(f verdict.Finding) bool { return f.Verdict == verdict.Move }

// dies reports whether a finding is moved, or has a replacement: another function or a copy.
func dies(f verdict.Finding) bool {
	copied := f.Verdict == verdict.Clone && (f.Lib == "" || verdict.Replacement(f.Lib, sites.Other) != "")
	return f.Verdict == verdict.Move || f.Verdict == verdict.Hoist || copied || f.Served()
}

// later is like dies, but also true of values that the next unit replaces, if their expression is known.
func later(f verdict.Finding) bool { return dies(f) || f.Lag && len(f.Exprs) > 0 }

// parseProfile reads a profile from a file.
func parseProfile(file string) (*profile.Profile, error) {
	data, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	p, err := profile.Parse(bytes.NewReader(data))
	if err != nil {
		return nil, fmt.Errorf("%s is no profile: %v", file, err)
	}
	return p, nil
}

// unitsPerOp returns the units in an iteration of the benchmark: the allocations of all, by the profile at the end,
// divided by those of one.
func (s *session) unitsPerOp(look *Look, file string, iterations int) float64 {
	p, err := parseProfile(file)
	if err != nil {
		return 1
	}
	var one float64
	for _, site := range look.All.Sites {
		one += float64(site.Objects)
	}
	one /= float64(max(look.All.Units, 1))
	n := float64(sites.ObjectsBeneath(p, look.Unit.Function)) / max(one, 1e-9) / float64(max(iterations, 1))
	if n == 0 { // the profile has no stacks that deep
		return 1
	}
	// Setup and warm-up blur the number. A number close to a whole one is rounded.
	if r := math.Round(n); r > 0 && math.Abs(n-r) < 0.15*r {
		return r
	}
	return n
}
