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

// This file chooses the benchmark to look into, and the functions that may be its unit. A package may have a hundred
// benchmarks, most of them beside the point. So each of its functions of benchmarks runs for a moment, and those that
// promise most a second time, with a memory profile.
//
// What promises most is what saves most of the suite, as if that were the program, and each function of benchmarks an
// equal part of its work. Of a package that parses ten benchmarks call the parser, each by another function, and one
// prints an annotation. Half the CPU of that one is no match for a third of those ten:
//
//	memory takes   of                           most of it beneath   which promises
//	50%            BenchmarkAnnotation          toTerm               0.5
//	30%            each of ten BenchmarkParse   (*Parser).parse      3.0

// A Bench is a benchmark, and what is known of it before it is looked into.
type Bench struct {
	Name           string
	Unit           string  // the likeliest unit, "" if there is none, or if there was no time to look
	Objects, Bytes float64 // of an iteration
	AtMost         float64 // how many times less CPU an iteration may take, by a short profile; 0 if there is none

	line   testrun.Line
	memory float64 // share of its CPU that memory takes; before it is asked a guess, good for an order only
	units  []sites.Candidate
	asked  bool // units is known, and memory measured

	class string  // the function beneath which most of its bytes are, and most of other benchmarks' memory
	votes float64 // how many benchmarks' memory that function has, in terms of its largest
}

// A No is the answer that there is nothing for an arena. It is an error only for those that need a Look.
type No struct{ Why string }

// Error returns why.
func (n *No) Error() string { return n.Why }

// Shares of a session's time: benchmarks that are slow must not take that of all others.
const (
	runOne     = 0.015 // of a function of benchmarks, once, if there are many
	runAll     = 0.35  // until the last of them has begun
	askOne     = 0.10  // of a benchmark with every allocation in its profile, which may take a hundred times as long
	profileFor = 0.45  // until those that promise most are profiled
	profileAll = 0.60  // the same if none of them has a unit
)

// benchmarks runs each function of benchmarks briefly, in a process of its own, so that one that fails or takes long
// doesn't stand in the way of the others. Where none can be run, and the user has named none, tests are.
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
	if failed && none != nil { // why benchmarks have failed says more
		return nil, err
	}
	return all, none
}

// run runs functions of benchmarks, for as long as there is time for them. The error is why there is no result.
func (s *session) run(parts []string) (all []Bench, err error) {
	var beneath []map[string]float64 // of each function of benchmarks
	var lines [][]Bench
	const apart = 3 // if there isn't time for all, some of each part of a file are run
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

// tests makes a benchmark of each test, and runs them like benchmarks, as if what is left of the session's time were
// all of it.
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

// brief runs a function of benchmarks briefly, for a share of the session's time at most, and returns what its
// benchmarks allocate beneath each function.
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
	if p == nil { // it was killed, and the benchmarks before are known
		return all, nil, err
	}
	return all, sites.Beneath(p, s.pkg.Owns), err
}

// vote finds the class of each benchmark. The lines of a function of benchmarks are the same work in other sizes, so
// they are one vote, for each function beneath which their bytes are.
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

// A look needs so many iterations for a second snapshot, and records so many objects: each takes a microsecond or two.
const (
	fewest   = 64
	recorded = 1_000_000
)

// promise returns what there is to gain, in benchmarks that take nothing any more: nothing without a unit, and little
// where a unit has few objects, for which nobody needs an arena. What has more objects than are recorded comes behind:
// the unit often has smaller work, too.
func (b *Bench) promise() float64 { return b.own() * b.votes }

// own returns the same of the benchmark alone.
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

// sort puts what promises more first, of those that promise about as much what more benchmarks do, and of those the
// quicker one: it is run some thousand times. About is a factor, since guesses are too low by one on a busy machine.
// One of each class comes before all others: the one that shows most, if it promises no less than a third. Which of
// them promises most is chance. Of three that call TiDB's parser each came first in some runs, with 21, 69 and 708
// objects, and 1.3-1.9x at most.
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

// shows reports whether a benchmark has more objects an iteration, as far as they show more of the code.
func (b *Bench) shows(other Bench) bool {
	const enough = 2000
	return min(b.Objects, enough) > min(other.Objects, enough)
}

// rank puts the benchmarks with the most to gain first, and asks for their units for as long as there is time. One that
// can't be asked is in the way of the others only if the user has named it.
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

// level corrects the guesses by what was measured, so that both can be compared: the slower the machine, or the more it
// has to do, the less the guesses say that memory takes.
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

// guess returns what share of its CPU memory may take, by prices as on common machines.
func (b *Bench) guess() float64 {
	return min(1, sites.Cost(b.Objects, b.Bytes)/float64(max(b.line.Op, 1)))
}

// ask finds the functions that may be a benchmark's unit. Two profiles of different numbers of iterations tell what is
// allocated in each from what prepares them.
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

// weigh measures what memory takes of a benchmark's CPU. It takes some 20 samples, which is enough for a table.
func (s *session) weigh(b *Bench) error {
	file := filepath.Join(s.dir, "brief.pprof")
	run := testrun.Run{Bench: testrun.Exact(b.Name), Flags: []string{"-test.cpuprofile=" + file}}
	for _, run.Time = range []string{"150ms", "600ms"} { // the longer one for a machine with more to do
		if _, err := s.do(run); err != nil {
			return err
		}
		p, err := parseProfile(file)
		if err != nil {
			return err
		}
		const dearest = 8 // times the usual price; the rest is preparation: 3 objects in 221 us had 37% of that
		const fewest, most = 10, 0.9
		if u := cpu.Read(p, "", s.pkg.Owns); u.Samples >= fewest {
			b.memory = min(most, u.Allocator+u.GC, dearest*b.guess())
			b.AtMost = 1 / (1 - b.memory)
			break
		}
	}
	return nil
}

// profile runs the test binary with whole stacks in the memory profile, and with every allocation if no flags say else.
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

// suggest returns the functions that may be the unit, or the one that the user has named.
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

// no says that there is no unit in any of the benchmarks.
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

// names lists benchmarks, the first few.
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
