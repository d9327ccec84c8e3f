package scout

import (
	"cmp"
	"fmt"
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
// benchmarks, most of them beside the point, so each is run for 30 ms, and those that promise most a second time, with
// a memory profile.

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
}

// A No is the answer that there is nothing for an arena. It is an error only for those that need a Look.
type No struct{ Why string }

// Error returns why.
func (n *No) Error() string { return n.Why }

// Time for the choice: benchmarks that are slow must not take that of all others.
const (
	runAll     = 40 * time.Second // all benchmarks, once
	profileFor = 15 * time.Second // in which those that promise most are profiled
	profileAll = 40 * time.Second // if none of them has a unit
)

// What the runtime's memory costs, with the collector.
const (
	nsObject = 30.0
	nsByte   = 0.35
)

// benchmarks runs all benchmarks briefly. One that fails doesn't stand in the way of the others.
func (s *session) benchmarks() (all []Bench, err error) {
	run := testrun.Run{Binary: s.plain, Dir: s.pkg.Dir, Bench: cmp.Or(s.Bench, "."), Time: "30ms", Limit: runAll,
		Flags: []string{"-test.benchmem"}}
	s.Say("running -bench %s once, to find the unit of work", run.Bench)
	result, err := run.Do()
	switch {
	case err != nil && len(result.Lines) == 0:
		return nil, err
	case err != nil:
		s.Say("%v; not looked at: %s", err, cmp.Or(strings.Join(result.Failed, ", "), "what comes after"))
	case len(result.Lines) == 0:
		return nil, fmt.Errorf("no benchmark found in %s for -bench %s; %s-run names a test that runs the work "+
			"many times", s.pkg.ImportPath, run.Bench, s.elsewhere())
	}
	for _, l := range result.Lines {
		b := Bench{Name: l.Name, Objects: float64(l.Objects), Bytes: float64(l.Bytes), line: l}
		b.memory = b.guess()
		all = append(all, b)
	}
	return all, nil
}

// A look needs so many iterations for a second snapshot, and records so many objects: each takes a microsecond or two.
const (
	fewest   = 64
	recorded = 1_000_000
)

// promise returns what there is to gain: nothing without a unit, and little where a unit has few objects, for which
// nobody needs an arena. What has more objects than are recorded comes behind: the unit often has smaller work, too.
func (b *Bench) promise() float64 {
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

// order puts what promises more first, and of those that promise about as much the quicker one: it is run some thousand
// times. About is a factor, since guesses are too low by one on a machine with more to do.
func order(a, b Bench) int {
	const about = 1.5
	step := func(b Bench) float64 { return math.Round(math.Log(max(b.promise(), 1e-9)) / math.Log(about)) }
	return cmp.Or(cmp.Compare(step(b), step(a)), cmp.Compare(a.line.Op, b.line.Op))
}

// rank puts the benchmarks with the most to gain first, and asks for their units for as long as there is time.
func (s *session) rank(all []Bench) error {
	slices.SortStableFunc(all, order)
	found := false
	began := time.Now()
	for i := range all {
		if past := time.Since(began); found && past > profileFor || past > profileAll {
			break
		}
		if err := s.ask(&all[i]); err != nil {
			return err
		}
		found = found || len(all[i].units) > 0
	}
	level(all)
	slices.SortStableFunc(all, order)
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
	return min(1, (nsObject*b.Objects+nsByte*b.Bytes)/float64(max(b.line.Op, 1)))
}

// ask finds the functions that may be a benchmark's unit. Two profiles of different numbers of iterations tell what is
// allocated in each from what prepares them.
func (s *session) ask(b *Bench) error {
	if b.asked = true; b.Objects == 0 && b.line.Op > 0 { // without any time it has no loop
		return nil
	}
	const enough = 30 * time.Millisecond
	n := int(max(2, min(32, enough/max(b.line.Op, 1))))
	before, err := s.profile(testrun.Run{Bench: testrun.Exact(b.Name), Time: "2x"})
	if err != nil {
		return err
	}
	after, err := s.profile(testrun.Run{Bench: testrun.Exact(b.Name), Time: fmt.Sprintf("%dx", n+2)})
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
	run := testrun.Run{Binary: s.plain, Dir: s.pkg.Dir, Bench: testrun.Exact(b.Name),
		Flags: []string{"-test.cpuprofile=" + file}}
	for _, run.Time = range []string{"150ms", "600ms"} { // the longer one for a machine with more to do
		if _, err := run.Do(); err != nil {
			return err
		}
		p, err := parseProfile(file)
		if err != nil {
			return err
		}
		const fewest, most = 10, 0.9
		if u := cpu.Read(p, "", s.pkg.Owns); u.Samples >= fewest {
			b.memory = min(most, u.Allocator+u.GC)
			b.AtMost = 1 / (1 - b.memory)
			break
		}
	}
	return nil
}

// profile runs the test binary with every allocation in the memory profile, and whole stacks.
func (s *session) profile(run testrun.Run) (*profile.Profile, error) {
	file := filepath.Join(s.dir, "mem.pprof")
	run.Binary, run.Dir, run.Env = s.plain, s.pkg.Dir, []string{"GODEBUG=profstackdepth=512"}
	run.Flags = []string{"-test.memprofile=" + file, "-test.memprofilerate=1"}
	if _, err := run.Do(); err != nil {
		return nil, err
	}
	return parseProfile(file)
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
	where := "-run " + s.Test
	switch {
	case s.Test != "":
	case len(all) == 1:
		where = all[0].Name
	default:
		where = fmt.Sprintf("%d benchmarks", len(all))
	}
	return &No{fmt.Sprintf("the functions of %s allocate nothing in %s", s.pkg.ImportPath, where)}
}

// elsewhere names folders of the module with benchmarks, if there are any.
func (s *session) elsewhere() string {
	const few = 5
	found := s.pkg.Benchmarks()
	if len(found) == 0 || s.Bench != "" {
		return ""
	}
	return "its module has some in " + strings.Join(found[:min(few, len(found))], ", ") + "; "
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
