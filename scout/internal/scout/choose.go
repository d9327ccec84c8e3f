package scout

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/google/pprof/profile"

	"github.com/harena-go/arena/scout/internal/cpu"
	"github.com/harena-go/arena/scout/internal/sites"
	"github.com/harena-go/arena/scout/internal/testrun"
)

// This file chooses the benchmark to look into, and the candidates for its unit. A package may have a hundred
// benchmarks, most of them beside the point. So each of its benchmark functions runs for a moment, and the most
// promising ones a second time, with a memory profile.
//
// The promise of a benchmark is its saving in the whole suite, if each benchmark function were an equal part of the
// program's work. In a package that parses, ten benchmarks call the parser, each through another function, and one
// prints an annotation. Half the CPU of that one is less than a third of those ten:
//
//	memory takes   of                           most of it beneath   which promises
//	50%            BenchmarkAnnotation          toTerm               0.5
//	30%            each of ten BenchmarkParse   (*Parser).parse      3.0

// A Bench is a benchmark, as known before a look into it.
type Bench struct {
	Name           string
	Unit           string  // the likeliest unit, "" if there is none, or if there was no time to look
	Objects, Bytes float64 // of an iteration
	AtMost         float64 // how many times less CPU an iteration may take, by a short profile; 0 without one

	line   testrun.Line
	memory float64 // memory's share of its CPU; before ask it is a guess, good for an order only
	units  []sites.Candidate
	asked  bool // units is known, and memory measured

	class string  // the function beneath which most of its bytes are, and most of other benchmarks' memory
	votes float64 // number of benchmarks' memory in that function, in terms of its largest
}

// A No is the answer that an arena gains nothing. It is an error only for callers that need a Look.
type No struct{ Why string }

// Error returns the reason.
func (n *No) Error() string { return n.Why }

// Shares of a session's time: slow benchmarks must not take that of the others.
const (
	runOne     = 0.015 // of a benchmark function, once, if there are many
	runAll     = 0.35  // until the last of them has begun
	askOne     = 0.10  // of a benchmark with every allocation in its profile, which may take a hundred times as long
	profileFor = 0.45  // until the most promising ones are profiled
	profileAll = 0.60  // the same if none of them has a unit
)

// benchmarks runs each benchmark function briefly, in a process of its own, so that a failing or slow one doesn't stop
// the others. If none can run, and the user has named none, it runs tests.
func (s *session) benchmarks() (all []Bench, err error) {
	if s.Test == "" {
		s.Say("running -bench %s once, to find the unit of work", cmp.Or(s.Bench, "."))
		parts := []string{s.Bench}
		if s.Bench == "" {
			if parts, err = testrun.List(s.plain, s.pkg.Dir); err != nil {
				return nil, err
			}
		}
		if all, err = s.run(parts); err == nil || s.Bench != "" {
			return all, err
		}
		if others := s.elsewhere(); len(s.left) == 0 && others != "" {
			s.Say("there is no benchmark; %s", others)
		}
	}
	failed := len(s.left) > 0
	all, none := s.tests()
	if failed && none != nil { // the benchmarks' error says more
		return nil, err
	}
	return all, none
}

// run runs benchmark functions while there is time for them. The error says why there is no result.
func (s *session) run(parts []string) (all []Bench, err error) {
	var beneath []map[string]float64 // for each benchmark function
	var lines [][]Bench
	const apart = 3 // without time for all, some of each part of a file run
	for first := range apart {
		for i := first; i < len(parts); i += apart {
			if s.spent() > runAll {
				s.left = append(s.left, parts[i])
				continue
			}
			some, shares, failed := s.brief(parts[i], max(runOne, runAll/float64(len(parts))))
			if failed != nil {
				err = cmp.Or(err, failed)
				s.left = append(s.left, parts[i])
				s.Say("%v", failed)
			}
			beneath, lines = append(beneath, shares), append(lines, some)
		}
	}
	vote(lines, beneath)
	if all = slices.Concat(lines...); len(all) > 0 {
		return all, nil
	}
	none := fmt.Errorf("no benchmark found in %s for -bench %s; -run names a test that runs the work", s.pkg.ImportPath,
		cmp.Or(s.Bench, "."))
	if len(s.left) > 0 {
		none = fmt.Errorf("no answer within %v, see -within", s.within())
	}
	return nil, cmp.Or(err, none)
}

// tests makes a benchmark of each test, and runs them like benchmarks, within the rest of the session's time.
func (s *session) tests() ([]Bench, error) {
	s.Within, s.began = s.within()-time.Since(s.began), time.Now()
	names, err := testrun.Loop(s.pkg, s.Test)
	if err != nil || len(names) == 0 {
		return nil, cmp.Or(err, fmt.Errorf("no test found in %s for -run %s", s.pkg.ImportPath, cmp.Or(s.Test, ".")))
	}
	s.Say("compiling with a benchmark for each of %d tests", len(names))
	s.plain = filepath.Join(s.dir, "loops.test")
	if err := testrun.Compile(s.pkg, testrun.Build{Output: s.plain}); err != nil {
		return nil, err
	}
	return s.run(names)
}

// brief runs a benchmark function briefly, for a share of the session's time at most. It returns the function's
// benchmarks, and the bytes beneath each function.
func (s *session) brief(bench string, most float64) (all []Bench, beneath map[string]float64, err error) {
	run := testrun.Run{Bench: bench, Time: "10ms", Flags: []string{"-test.benchmem", "-test.memprofilerate=16384"}}
	if s.Bench == "" {
		run.Bench, run.Limit = testrun.Exact(bench), time.Duration(most*float64(s.within()))
	}
	p, result, err := s.profile(run)
	for _, l := range result.Lines {
		class, _, _ := strings.Cut(l.Name, "/")
		b := Bench{Name: l.Name, Objects: float64(l.Objects), Bytes: float64(l.Bytes), line: l, class: class, votes: 1}
		b.memory = b.guess()
		all = append(all, b)
	}
	if p == nil { // it was killed, and the earlier benchmarks are known
		return all, nil, err
	}
	return all, sites.Beneath(p, s.pkg.Owns), err
}

// vote finds the class of each benchmark. The benchmarks of one function are the same work in other sizes, so they
// share one vote, for each function beneath which their bytes are.
func vote(lines [][]Bench, beneath []map[string]float64) {
	const most = 0.8 // of a benchmark's bytes
	own, promised := make([]float64, len(lines)), map[string]float64{}
	for i, some := range lines {
		for _, b := range some {
			own[i] += b.own() / float64(len(some))
		}
		for f, share := range beneath[i] {
			promised[f] += share * own[i]
		}
	}
	classes, largest := make([]string, len(lines)), map[string]float64{}
	for i := range lines {
		class, all := "", 0.0
		for _, share := range beneath[i] {
			all = max(all, share)
		}
		for _, f := range slices.Sorted(maps.Keys(beneath[i])) {
			if beneath[i][f] >= most*all && promised[f] > promised[class] {
				class = f
			}
		}
		classes[i], largest[class] = class, max(largest[class], own[i])
	}
	for i, some := range lines {
		for k := range some {
			if class := classes[i]; largest[class] > 0 && class != "" {
				some[k].class, some[k].votes = class, promised[class]/largest[class]
			}
		}
	}
}

// A look needs the fewest iterations for a second snapshot, and records about as many objects: each takes a microsecond
// or two.
const (
	fewest   = 64
	recorded = 1_000_000
)

// promise returns the possible gain, in units of a benchmark that becomes free: nothing without a unit, and little for
// a unit of few objects, which needs no arena. A benchmark with more objects than are recorded is ranked lower: the
// unit often has smaller work, too.
func (b *Bench) promise() float64 { return b.own() * b.votes }

// own returns the promise of the benchmark alone.
func (b *Bench) own() float64 {
	const few = 20
	p := b.memory * b.Objects / (b.Objects + few)
	p *= min(1, recorded/(fewest*max(b.Objects, 1)))
	if b.asked {
		if len(b.units) == 0 {
			return 0
		}
		p *= b.units[0].Share
	}
	return p
}

// sort sorts by promise, then, with promises about equal, by votes, by own promise, and by time, quicker first: a look
// takes some thousand runs. "About equal" is a factor, since guesses are too low by a factor on a busy machine. The
// first of each class comes before all others: the one that shows most, if it promises at least a third. Which of them
// promises most is chance. Of three that call TiDB's parser each came first in some runs, with 21, 69 and 708 objects,
// and 1.3-1.9x at most.
func sort(all []Bench) {
	const about = 1.5
	step := func(p float64) float64 { return math.Round(math.Log(max(p, 1e-9)) / math.Log(about)) }
	slices.SortStableFunc(all, func(a, b Bench) int {
		return cmp.Or(cmp.Compare(step(b.promise()), step(a.promise())), cmp.Compare(b.votes, a.votes),
			cmp.Compare(step(b.own()), step(a.own())), cmp.Compare(a.line.Op, b.line.Op))
	})
	var first, again []Bench
	var best []float64
	for _, b := range all {
		i := slices.IndexFunc(first, func(f Bench) bool { return f.class == b.class })
		if i < 0 {
			first, best = append(first, b), append(best, b.own())
			continue
		}
		if b.shows(first[i]) && b.own() > best[i]/3 {
			b, first[i] = first[i], b
		}
		again = append(again, b)
	}
	copy(all, append(first, again...))
}

// shows reports whether a benchmark has more objects in an iteration, as far as more objects show more of the code.
func (b *Bench) shows(other Bench) bool {
	const enough = 2000
	return min(b.Objects, enough) > min(other.Objects, enough)
}

// rank sorts the benchmarks by possible gain, and finds their units while there is time. The error of a single
// benchmark stops the others only if the user has named it.
func (s *session) rank(all []Bench) error {
	sort(all)
	found, failed := false, error(nil)
	for i := range all {
		if past := s.spent(); found && past > profileFor || past > profileAll {
			break
		}
		if err := s.ask(&all[i]); err != nil {
			failed = cmp.Or(failed, err)
			s.left = append(s.left, all[i].Name)
			s.Say("%v", err)
		}
		found = found || len(all[i].units) > 0
	}
	if failed != nil && s.Bench != "" {
		return failed
	} else if failed != nil && !found {
		return fmt.Errorf("%w; -within allows more than %v for the answer", failed, s.within())
	}
	level(all)
	sort(all)
	return nil
}

// level scales the guesses by the measured values, so that both can be compared: the slower or busier the machine, the
// lower the guessed share of memory.
func level(all []Bench) {
	guessed, measured := 0.0, 0.0
	for _, b := range all {
		if b.AtMost > 0 {
			guessed, measured = guessed+b.guess(), measured+b.memory
		}
	}
	if guessed == 0 {
		return
	}
	for i := range all {
		if b := &all[i]; b.AtMost == 0 {
			b.memory = min(1, b.guess()*max(1, measured/guessed))
		}
	}
}

// guess returns memory's estimated share of its CPU, by prices on common machines.
func (b *Bench) guess() float64 {
	return min(1, sites.Cost(b.Objects, b.Bytes)/float64(max(b.line.Op, 1)))
}

// ask finds the candidates for a benchmark's unit. Two profiles with different numbers of iterations separate the
// iterations' allocations from their preparation.
func (s *session) ask(b *Bench) error {
	if b.asked = true; b.Objects == 0 && b.line.Op > 0 { // without any time it has no loop
		return nil
	}
	const enough = 30 * time.Millisecond
	n := int(max(2, min(32, enough/max(b.line.Op, 1))))
	limit := s.within()
	if s.Bench == "" {
		limit = time.Duration(askOne * float64(limit))
	}
	before, _, err := s.profile(testrun.Run{Bench: testrun.Exact(b.Name), Time: "2x", Limit: limit})
	if err != nil {
		return err
	}
	after, _, err := s.profile(testrun.Run{Bench: testrun.Exact(b.Name), Time: fmt.Sprintf("%dx", n+2), Limit: limit})
	if err != nil {
		return err
	}
	if b.units, err = s.suggest(after, before); err == nil && len(b.units) == 0 {
		b.units, err = s.suggest(after, nil) // its work doesn't grow with the iterations
	}
	if err != nil || len(b.units) == 0 {
		return err
	}
	b.Unit = b.units[0].Function
	return s.weigh(b)
}

// weigh measures memory's share of a benchmark's CPU. It takes some 20 samples, which is enough for a table.
func (s *session) weigh(b *Bench) error {
	file := filepath.Join(s.dir, "brief.pprof")
	run := testrun.Run{Bench: testrun.Exact(b.Name), Flags: []string{"-test.cpuprofile=" + file}}
	for _, run.Time = range []string{"150ms", "600ms"} { // the longer one for a busy machine
		if _, err := s.do(run); err != nil {
			return err
		}
		p, err := parseProfile(file)
		if err != nil {
			return err
		}
		const dearest = 8 // times the usual price; more is preparation: 3 objects in 221 us had 37% of that
		const fewest, most = 10, 0.9
		if u := cpu.Read(p, "", s.pkg.Owns); u.Samples >= fewest {
			b.memory = min(most, u.Allocator+u.GC, dearest*b.guess())
			b.AtMost = 1 / (1 - b.memory)
			break
		}
	}
	return nil
}

// profile runs the test binary with whole stacks in the memory profile, and every allocation unless flags differ.
func (s *session) profile(run testrun.Run) (*profile.Profile, testrun.Result, error) {
	file := filepath.Join(s.dir, "mem.pprof")
	run.Env = []string{"GODEBUG=profstackdepth=512"}
	if run.Flags == nil {
		run.Flags = []string{"-test.memprofilerate=1"}
	}
	run.Flags = append(run.Flags, "-test.memprofile="+file)
	result, err := s.do(run)
	if err != nil {
		return nil, result, err
	}
	p, err := parseProfile(file)
	return p, result, err
}

// suggest returns the candidates for the unit, or the one that the user has named.
func (s *session) suggest(after, before *profile.Profile) ([]sites.Candidate, error) {
	found := sites.Suggest(after, before, s.pkg.Owns)
	if s.Unit == "" {
		return found, nil
	}
	unit, others := sites.Lookup(after, s.Unit, s.pkg.Owns)
	switch {
	// Methods of two types may have the name: the user must say which.
	case len(others) > 1:
		return nil, fmt.Errorf("-unit %s may be %s", s.Unit, strings.Join(others, " or "))
	case unit.Function == "":
		return nil, nil
	}
	return []sites.Candidate{unit}, nil
}

// no returns the error that none of the benchmarks has a unit.
func (s *session) no(all []Bench) error {
	for _, b := range all {
		if !b.asked {
			return fmt.Errorf("no unit of work found in %s; -bench and -unit name one", s.pkg.ImportPath)
		}
	}
	if s.Unit != "" {
		return fmt.Errorf("-unit %s: no function of that name, in %s, allocates in these benchmarks", s.Unit,
			cmp.Or(s.pkg.Module.Path, s.pkg.ImportPath))
	}
	where := fmt.Sprintf("%d benchmarks", len(all))
	if len(all) == 1 {
		where = all[0].Name
	}
	return &No{fmt.Sprintf("the functions of %s allocate nothing in %s", s.pkg.ImportPath, where)}
}

// elsewhere names folders of the module with benchmarks, if there are any.
func (s *session) elsewhere() string {
	const few = 5
	found := s.pkg.Benchmarks()
	if len(found) == 0 {
		return ""
	}
	return "its module has some in " + strings.Join(found[:min(few, len(found))], ", ")
}

// names lists the first few benchmarks.
func names(all []Bench) string {
	const few = 8
	var some []string
	for _, b := range all[:min(few, len(all))] {
		some = append(some, b.Name)
	}
	if len(all) > few {
		some = append(some, "...")
	}
	return strings.Join(some, ", ")
}
