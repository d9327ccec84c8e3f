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

// This file measures what a unit takes, and estimates what would remain of that in an arena.

// Costs are what a unit takes, and what would remain of that.
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

// An example of the estimate. A unit takes 10 us: 20% are the allocator, all at lines that move, and 30% the
// collector. The lines that move have 90% of the bytes, in 100 objects of 64 bytes, for which an arena takes
// 0.2 us:
//
//	10 us - 2 us - 0.9 x 3 us + 0.2 us = 5.5 us, which is 1.8 times less

// An Expectation is how many times less CPU a unit takes, in arenas that are reused: if only what can be moved is, and
// if helpers and what is cloned are replaced too. Later is for all that, and what is held until the next unit, if its
// holder releases it; it is All if there is no such thing.
type Expectation struct{ Moved, All, Later float64 }

// Held reports whether releasing the last result promises enough, and more than moving the rest does.
func (e Expectation) Held() bool { return e.Later >= Worth && e.Later > e.All+0.05 }

// Production is what a profile from elsewhere says of the same lines.
type Production struct {
	File          string
	Allocator, GC float64 // shares of its CPU
	Matched       float64 // share of the allocator's CPU that is at lines of the findings
	Expect        Expectation
}

// RunFor is how long the benchmark is measured: some 150 samples of the profile. Tests set it lower.
var RunFor = 1500 * time.Millisecond

// measure fills in look.Costs. It runs the benchmark three times without recording allocations: one iteration for what
// the process takes to start, 50 ms to learn how long an iteration takes, and RunFor with a CPU profile.
func (s *session) measure(look *Look) error {
	var elsewhere *Production
	if s.CPU != "" {
		var err error
		switch elsewhere, err = s.production(look); {
		case err != nil && s.found: // nobody has asked for it
			s.Say("%v", err)
		case err != nil:
			return err
		}
	}
	file := filepath.Join(s.dir, "cpu.pprof")
	run := testrun.Run{Binary: s.probe, Bench: testrun.Exact(look.Benchmark), Time: "1x", Env: probe.Live(s.Live)}
	if look.InTurn { // as it is tried
		run.Flags = []string{"-test.cpu=1"}
	}
	if s.PerOp > 0 {
		look.PerOp = s.PerOp
	}
	s.Say("measuring CPU")
	// What a process of one iteration takes is not the benchmark's: it is subtracted below.
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
	// On a machine with more to do, as much time has less CPU, and a profile of few samples says no to anything.
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
	if op <= 0 && len(result.Lines) > 0 { // lost in what the process takes to start
		op = result.Lines[0].Op
	}
	c := &Costs{Unit: time.Duration(float64(op) / max(look.PerOp, 1e-9)), Allocator: usage.Allocator, GC: usage.GC,
		Live: s.Live, Elsewhere: elsewhere}
	c.usage, c.marks = usage, min(1, float64(result.Marks)/float64(max(result.Wall, 1)))
	look.Costs = c
	look.expect()
	return nil
}

// expect estimates in all ways.
func (l *Look) expect() {
	l.Costs.Expect = Expectation{Moved: l.Expect(moved), All: l.Expect(dies), Later: l.Expect(later)}
}

// Calls returns the share of CPU that the calls of a finding's library take in its line.
func (l *Look) Calls(f verdict.Finding) float64 { return l.Costs.usage.Calls[cpu.Call(f.Place, f.Lib)] }

// Replayed takes over how many times less CPU calls have taken by another library, on their own arguments: 0 for those
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

// With ballast a run has so many collections, unless it took more than so many times as long.
const (
	collections = 4
	atMost      = 12
)

// Iterations returns how many iterations take at least so long. With much alive beside they are as many as allocate
// what makes the collector run a few times: it begins when as much was allocated as is alive.
func (l *Look) Iterations(op, atLeast time.Duration) int {
	n := float64(atLeast) / float64(max(op, 1))
	if bytes := l.allocated() * l.PerOp; l.Live > 0 && bytes > 0 {
		n = max(n, min(collections*float64(l.Live)/bytes, atMost*n))
	}
	return int(min(1e8, max(1, n)))
}

// allocated returns how many bytes the process allocates while one unit runs.
func (l *Look) allocated() float64 { return (l.bytes() + l.tests) / max(l.All.Share, 1e-9) }

// bytes returns how many the findings of a unit have.
func (l *Look) bytes() (bytes float64) {
	for _, f := range l.Findings {
		bytes += f.Bytes
	}
	return bytes
}

// production estimates by a profile from elsewhere. Its lines must be those of this source.
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

// Expect estimates how many times less CPU a unit takes if some findings are moved, by what it takes now:
//
//	T' = T - allocator at what is moved - GC x share of bytes moved + arena's own
//
// The arena's own are its objects, bytes and reset, and write barriers in the time in which the collector still marks.
//
// Of a decoder in whose place this project has one, and of what can be built once, the whole call counts.
func (l *Look) Expect(counts func(verdict.Finding) bool) float64 {
	if l.Costs == nil {
		return 0
	}
	u, unit := l.Costs.usage, float64(l.Costs.Unit.Nanoseconds())
	if unit <= 0 { // nothing was measured, so nothing is known to be saved
		return 1
	}
	all := l.allocated()
	price := cpu.Calibrate()
	after := unit
	lines := map[string]bool{}
	first := map[string]float64{} // of each type, if there is one in a unit
	scanned, gone := 0.0, 0.0     // bytes that the collector scans in the arena, and that don't make it run any more
	asked := counts
	counts = func(f verdict.Finding) bool { return asked(f) && !l.shared(f, asked) }
	for _, f := range l.Findings {
		if !counts(f) {
			continue
		}
		// Several findings may be at one line. Its CPU is subtracted once, by the share of them that counts.
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
	// Cycles that are fewer take longer, so that marking takes a greater part of the time than so many cycles had.
	const longer = 1.5
	after += cpu.Barrier * scanned * l.Costs.marks * min(1, longer*max(0, 1-gone/max(all, 1)))
	// No estimate promises more than fiftyfold: what is left then is noise of the profile.
	return unit / max(after, 0.02*unit, 1e-9)
}

// scans reports whether what a finding allocates has pointers, as far as its type is known.
func scans(f verdict.Finding) bool {
	switch f.Kind {
	case sites.String.String(), sites.Bytes.String(), sites.Runes.String(), sites.Concat.String():
		return false
	}
	return len(f.Exprs) == 0 || f.Exprs[0].Type == nil || source.HasPointers(f.Exprs[0].Type)
}

// shared reports whether what some caller has the line of a finding allocate lives on, other than what counts: an
// expression can't be in an arena for one caller and on the heap for another. What stays now and then stays for longer
// than what the next unit replaces, so that releasing the last result isn't enough for both.
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

// expectIn does the same in a profile whose units aren't known, in shares of all CPU instead of nanoseconds. The share
// of the bytes moved is taken to be that of the allocator's time, and an arena to take a tenth of that time.
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

// part returns the share, by objects, of what a finding's line allocates that counts: a profile of CPU has one number
// for a line.
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

// moved are the findings that can be moved as expressions.
func moved(f verdict.Finding) bool { return f.Verdict == verdict.Move }

// dies are those, and what another function or a copy would serve for: no library in whose place there is nothing.
func dies(f verdict.Finding) bool {
	copied := f.Verdict == verdict.Clone && (f.Lib == "" || verdict.Replacement(f.Lib, sites.Other) != "")
	return f.Verdict == verdict.Move || f.Verdict == verdict.Hoist || copied || f.Served()
}

// later are those, and what the next unit replaces, if its expression is known.
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

// unitsPerOp returns how many units an iteration of the benchmark has: what all of them have allocated, by the
// profile at the end, in terms of what one allocates.
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
	if n == 0 { // the profile is without stacks that deep
		return 1
	}
	// Setup and warming up blur the number. Near a whole one it is that.
	if r := math.Round(n); r > 0 && math.Abs(n-r) < 0.15*r {
		return r
	}
	return n
}
