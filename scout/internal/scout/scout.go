// Package scout runs the whole look at a package: it finds the unit of work, its allocations, those that outlive it,
// and their cost. It uses all other packages of this module except those that show its answer.
package scout

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"time"

	"github.com/harena-go/arena/scout/internal/holders"
	"github.com/harena-go/arena/scout/internal/probe"
	"github.com/harena-go/arena/scout/internal/sites"
	"github.com/harena-go/arena/scout/internal/source"
	"github.com/harena-go/arena/scout/internal/target"
	"github.com/harena-go/arena/scout/internal/testrun"
	"github.com/harena-go/arena/scout/internal/verdict"
)

// A look takes four runs of the package's test binary:
//
//	1. all benchmarks briefly, some with a profile     the benchmark, and the function that is the unit
//	2. with a probe in the unit                        its allocations, those that outlive it, their holders
//	3. for a moment, without recording                 the number of iterations that take long enough
//	4. for that long, with a CPU profile               the CPU of the allocator and the collector
//
// The probe slows its run many times, so that run isn't timed.

// Options select the work of a look.
type Options struct {
	Pattern  string        // of the package
	Bench    string        // as go test -bench has it, "" for all
	Test     string        // tests that run in a loop instead of benchmarks, as go test -run has it
	Unit     string        // the unit's function, "" to have one suggested
	Times    int           // iterations of the benchmark, 0 for a few seconds, 3000 at most
	CPU      string        // the file of a CPU profile of production, "" for none
	Live     int64         // bytes of ballast beside the program's own heap in measurements
	PerOp    float64       // units in an iteration, 0 to count them
	Within   time.Duration // after which the best answer so far counts; a trial has as much again; 0 means two minutes
	One      string        // the flag that allows one benchmark only, "" for none
	Progress io.Writer     // nil for none
	Table    func([]Bench) // called with the benchmarks before a look at one of several, nil for none
}

// A Look is the answer.
type Look struct {
	Package   *target.Package
	Unit      sites.Candidate
	Benchmark string // the one that was run
	Others    int    // benchmarks that were not
	All       sites.All
	AtOnce    bool // units run at the same time
	InTurn    bool // with one processor they don't, like those of RunParallel
	Dump      bool // there was a dump of the heap
	Findings  []verdict.Finding
	Program   *source.Program
	PerOp     float64 // units in an iteration of the benchmark
	Messages  Messages
	Live      int64         // bytes of ballast beside the program's own heap in measurements
	Within    time.Duration // from Options, for a trial
	Costs     *Costs
	Less      []string // units with a look and less to gain
	Late      []string // more promising units, without time for a look
	Left      []string // benchmarks without a look, as they failed or took too long

	tests float64 // bytes of a unit that lines of test files allocate; they have no finding
}

// A session has the files of a look, and the binaries. Looks at several benchmarks share the plain binary, and each has
// a folder and a probe of its own: the probe is in the benchmark's unit.
type session struct {
	Options
	pkg   *target.Package
	dir   string    // for profiles and snapshots
	plain string    // the test binary
	probe string    // the test binary with the probe
	found bool      // the production profile was found, not given
	began time.Time // of the answer: excludes the go command's first build
	left  []string  // benchmarks without a look, as they failed or took too long
}

// within returns the time limit of an answer.
func (s *session) within() time.Duration { return cmp.Or(s.Within, 2*time.Minute) }

// spent returns the spent share of the session's time.
func (s *session) spent() float64 { return float64(time.Since(s.began)) / float64(s.within()) }

// do runs the plain test binary, or another one, in the package's folder, within the session's time.
func (s *session) do(run testrun.Run) (testrun.Result, error) {
	left := max(s.within()-time.Since(s.began), time.Second)
	run.Binary, run.Dir = cmp.Or(run.Binary, s.plain), s.pkg.Dir
	run.Limit = min(cmp.Or(run.Limit, left), left).Round(time.Millisecond)
	return run.Do()
}

// Say reports progress.
func (o *Options) Say(format string, args ...any) {
	if o.Progress != nil {
		fmt.Fprintf(o.Progress, format+"\n", args...)
	}
}

// Run looks at the benchmark of a package with the most to gain. All errors have one line, and a "no" is a *No.
func Run(o Options) (*Look, error) {
	s, remove, err := open(o)
	if err != nil {
		return nil, err
	}
	defer remove()
	all, err := s.benchmarks()
	if err != nil {
		return nil, err
	}
	return s.best(all)
}

// Each looks at each benchmark that Options.Bench matches, in their order, each with a unit of its own. Without Bench
// it is like Run. A failure at one of several is reported as progress, and the others go on.
func Each(o Options, found func(*Look) error) error {
	s, remove, err := open(o)
	if err != nil {
		return err
	}
	defer remove()
	all, err := s.benchmarks()
	if err != nil {
		return err
	}
	if o.Bench == "" || len(all) == 1 {
		look, err := s.best(all)
		if err != nil {
			return err
		}
		return found(look)
	}
	if o.One != "" {
		return fmt.Errorf("%s is for one benchmark, and -bench %s matches %d: %s", o.One, o.Bench, len(all), names(all))
	}
	// A failing benchmark must not cost the answers for the others.
	var failed error
	looks := 0
	for i := range all {
		s.Say("%s, %d of %d", all[i].Name, i+1, len(all))
		look, err := s.alone(all[i])
		if err != nil {
			failed = fmt.Errorf("%s: %w", all[i].Name, err)
			s.Say("%v", failed)
			continue
		}
		looks++
		if err := found(look); err != nil {
			return err
		}
	}
	if looks == 0 {
		return failed
	}
	return nil
}

// best looks at the benchmark with the most to gain. Benchmarks without gain say nothing of code that they don't call,
// so tests are tried, too, in the rest of the time: gopher-lua's call a stack, and hujson's walk a tree.
func (s *session) best(all []Bench) (*Look, error) {
	look, err := s.chosen(all)
	no, named := (*No)(nil), s.Unit != ""
	nothing := errors.As(err, &no) || err != nil && named || err == nil && look.gain() < Worth
	if !nothing || s.Bench != "" || s.pkg.Loops != nil || s.spent() > 1 {
		return look, err
	}
	later := *s
	tests, failed := later.tests()
	if failed == nil {
		var other *Look
		switch other, failed = later.chosen(tests); {
		case failed != nil:
		case look == nil && (named || other.gain() >= Worth), other.gain() >= Sure:
			other.Within = s.within()
			return other, nil
		case look == nil:
			no.Why += "; of tests " + other.said()
		default:
			look.Less = append(look.Less, other.said())
		}
	}
	if failed != nil {
		s.Say("of tests: %v", failed)
	}
	s.pkg.Loops = nil
	return look, err
}

// chosen looks at the benchmark with the most to gain.
func (s *session) chosen(all []Bench) (*Look, error) {
	if err := s.rank(all); err != nil {
		return nil, err
	}
	if s.Table != nil && len(all) > 1 {
		s.Table(all)
	}
	return s.first(all)
}

// open compiles the test binary of a package.
func open(o Options) (*session, func(), error) {
	if o.CPU != "" { // say at once if it can't be read
		if _, err := parseProfile(o.CPU); err != nil {
			return nil, nil, err
		}
	}
	pkg, err := target.Find(o.Pattern)
	if err != nil {
		return nil, nil, err
	}
	dir, remove, err := testrun.Scratch()
	if err != nil {
		return nil, nil, err
	}
	s := &session{Options: o, pkg: pkg, dir: dir, plain: filepath.Join(dir, "plain.test"),
		probe: filepath.Join(dir, "probe.test")}
	s.pgo()
	s.Say("compiling the tests of %s", pkg.ImportPath)
	if err := testrun.Compile(pkg, testrun.Build{Output: s.plain}); err != nil {
		remove()
		if others := s.elsewhere(); errors.Is(err, testrun.ErrNoTests) && others != "" {
			err = fmt.Errorf("%w; %s", err, others)
		}
		return nil, nil, err
	}
	s.began = time.Now()
	return s, remove, nil
}

// pgo uses the go command's profile for optimization if none was given: it is one of production. It lies beside package
// main, mostly in the module's folder.
func (s *session) pgo() {
	for _, dir := range []string{s.pkg.Dir, s.pkg.Module.Dir} {
		file := filepath.Join(dir, "default.pgo")
		if _, err := parseProfile(file); s.CPU == "" && dir != "" && err == nil {
			s.CPU, s.found = file, true
		}
	}
}

// alone looks at one benchmark, in files of its own.
func (s *session) alone(b Bench) (*Look, error) {
	one, remove, err := s.apart()
	if err != nil {
		return nil, err
	}
	defer remove()
	one.Table, one.began = nil, time.Now()
	return one.best([]Bench{b})
}

// apart returns the session with a folder and a probe of its own: the compiled binary is shared, snapshots are not.
func (s *session) apart() (*session, func(), error) {
	dir, remove, err := testrun.Scratch()
	if err != nil {
		return nil, nil, err
	}
	one := *s
	one.dir, one.probe = dir, filepath.Join(dir, "probe.test")
	return &one, remove, nil
}

// objects returns the number of objects that a unit allocates.
func (l *Look) objects() (n float64) {
	for _, f := range l.Findings {
		n += f.Objects
	}
	return n
}

// look takes a snapshot of a benchmark that runs a unit, judges, and measures. line is the benchmark's result so far:
// its time decides the number of the snapshot's iterations. If the unit runs too few times the error is probe.ErrNone.
func (s *session) look(unit sites.Candidate, line testrun.Line, others int) (*Look, error) {
	look := &Look{Package: s.pkg, Unit: unit, Live: s.Live, Within: s.within()}
	overlay, err := probe.Overlay(probe.Unit{Function: unit.Function, File: unit.File, Line: unit.Line})
	if err != nil {
		return nil, err
	}
	s.Say("compiling with a probe in %s", sites.Bare(unit.Function))
	if err := testrun.Compile(s.pkg, testrun.Build{Overlay: overlay, Output: s.probe}); err != nil {
		return nil, err
	}
	look.Benchmark, look.Others = line.Name, others
	times := s.Times
	if times == 0 {
		// In about a second, without the probe.
		few := min(int64(time.Second/max(line.Op, 1)), recorded/max(line.Objects, 1))
		times = int(min(3000, max(fewest, few)))
	}
	run := testrun.Run{Binary: s.probe, Bench: testrun.Exact(line.Name), Time: fmt.Sprintf("%dx", times),
		Env: probe.Env(s.dir)}
	s.Say("running %s %d times with all allocations recorded", look.Benchmark, times)
	all := filepath.Join(s.dir, "all.pprof")
	run.Flags = []string{"-test.memprofile=" + all, "-test.memprofilerate=1"}
	if _, err := s.do(run); err != nil {
		return nil, err
	}
	snapshot, err := probe.Read(s.dir)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", sites.Bare(unit.Function), err)
	}
	s.judge(look, snapshot)
	look.Messages = messagesOf(look.Findings, snapshot.Sites, look.All.Units)
	if look.AtOnce {
		run.Flags = []string{"-test.cpu=1"}
		look.InTurn = s.inTurn(run)
	}
	if len(look.Findings) == 0 {
		return nil, &No{fmt.Sprintf("%s allocates nothing in lines of %s", sites.Bare(unit.Function),
			cmp.Or(s.pkg.Module.Path, s.pkg.ImportPath))}
	}
	look.PerOp = s.unitsPerOp(look, all, times)
	return look, s.measure(look)
}

// inTurn reports whether one unit begins after the other when the probe runs once more.
func (s *session) inTurn(run testrun.Run) bool {
	if _, err := s.do(run); err != nil {
		return false
	}
	snapshot, err := probe.Read(s.dir)
	return err == nil && snapshot.AtOnce == 0
}

// judge fills in the snapshot's findings.
func (s *session) judge(look *Look, snapshot *probe.Snapshot) {
	census := s.count(look, snapshot)
	s.Say("reading the source")
	// Without the source lines have no expressions; everything else still holds.
	program, _ := source.Load(s.pkg.Dir, s.sources(look, census)...)
	look.describe(census, program)
}

// count sums up the allocations, and reads the dump, if there is one.
func (s *session) count(look *Look, snapshot *probe.Snapshot) *holders.Census {
	look.All = sites.Of(snapshot, look.Unit.Function, s.pkg.Owns)
	look.AtOnce = snapshot.AtOnce > 0
	if snapshot.Heap == nil {
		return nil
	}
	s.Say("reading the heap, %d MB", len(snapshot.Heap)>>20)
	census, err := holders.Read(snapshot.Heap, s.probe)
	if err != nil {
		s.Say("no holders are known: %v", err)
		return nil
	}
	look.Dump = true
	return census
}

// sources returns the packages to read: those that allocate, and those of the holders.
func (s *session) sources(look *Look, census *holders.Census) []string {
	paths := packagesOf(look.All.Sites, s.pkg.Owns)
	if census != nil {
		var alive []sites.Site
		for _, site := range look.All.Sites {
			if site.AliveObjects > 0 {
				alive = append(alive, site)
			}
		}
		paths = append(paths, census.Packages(alive, look.Unit.Function)...)
	}
	return paths
}

// describe makes the findings, and names expressions and holders. Either argument may be nil.
func (l *Look) describe(census *holders.Census, program *source.Program) {
	l.Program = program
	if census != nil {
		census.Source, census.Home = program, l.Package.ImportPath
	}
	l.Findings = verdict.Of(l.All, l.Unit.Function, census, program)
	// Nobody can move the allocations of tests themselves, in a function that the unit calls.
	all := l.bytes()
	l.Findings = slices.DeleteFunc(l.Findings, func(f verdict.Finding) bool { return sites.OfTest(f.Place.File) })
	l.tests = all - l.bytes()
}

// packagesOf returns the packages of the lines that allocate, and of the module's own calls that lead there.
func packagesOf(all []sites.Site, owns func(file string) bool) (paths []string) {
	seen := map[string]bool{}
	for _, s := range all {
		for _, call := range append([]probe.Frame{s.Place}, s.Path...) {
			if dir := filepath.Dir(call.File); !seen[dir] && owns(call.File) {
				seen[dir] = true
				paths = append(paths, dir)
			}
		}
	}
	return paths
}
