// Package trial moves values in a copy, and measures both gears: in the arenas of a Pool without reuse, where no
// lifetime matters, and with reuse. For the latter it finds the values that are still referenced when the next unit has
// begun. It must not decide which values can move: package verdict does.
package trial

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/harena-go/arena/scout/internal/rewrite"
	"github.com/harena-go/arena/scout/internal/scout"
	"github.com/harena-go/arena/scout/internal/sites"
	"github.com/harena-go/arena/scout/internal/source"
	"github.com/harena-go/arena/scout/internal/testrun"
	"github.com/harena-go/arena/scout/internal/verdict"
)

// A Result is the result of a trial.
type Result struct {
	Gear           // without reuse
	Movable int    // expressions with the verdict move, or that the next unit replaces
	Left    []Left // expressions that weren't moved
	Reuse   *Gear  // with reuse, nil if nothing is moved, or there was no time
	Late    bool   // there was no time for it

	Checked  int     // units whose arenas were checked
	Kept     []Left  // values that reuse would be wrong for
	Expected float64 // estimate of how many times less CPU reuse takes
}

// A Gear is the moved expressions, and their savings.
type Gear struct {
	Moved int // expressions
	Files int // files with moved expressions
	Measured
}

// Measured is a comparison of two binaries.
type Measured struct {
	Before   time.Duration // CPU of a unit
	After    time.Duration
	PerRound []float64 // how many times less, of each round

	Runs [2][]testrun.Line  // before and after: the benchmark's output in each round
	CPU  [2][]time.Duration // before and after: of an iteration in each round
}

// Times returns how many times less CPU a unit takes: the median of the rounds.
func (r *Measured) Times() float64 { return median(r.PerRound) }

// Range returns a range for the median of infinitely many rounds: 95 of 100 such ranges contain it, from six rounds on.
// Each round is as likely above that median as below, which gives the number that may be on one side by chance.
func (r *Measured) Range() (low, high float64) {
	sorted := slices.Sorted(slices.Values(r.PerRound))
	n, out := len(sorted), 0
	if n == 0 {
		return 0, 0
	}
	const wrong = 0.05
	exactly := math.Pow(0.5, float64(n)) // probability that out rounds are below
	for below := exactly; 2*below <= wrong; below += exactly {
		out++
		exactly *= float64(n-out+1) / float64(out)
	}
	out = max(out-1, 0)
	return sorted[out], sorted[n-1-out]
}

// unsure reports whether more rounds may show a relevant difference: none is shown yet.
func (r *Measured) unsure() bool {
	const enough = 1.02 // times: less is as good as none
	low, high := r.Range()
	return low <= 1 && high >= 1 && max(r.Times(), 1/r.Times()) > enough
}

// median returns the median of values, 0 of none.
func median[T ~int64 | ~float64](values []T) T {
	if len(values) == 0 {
		return 0
	}
	sorted := slices.Sorted(slices.Values(values))
	return (sorted[(len(sorted)-1)/2] + sorted[len(sorted)/2]) / 2
}

// Left is an expression that wasn't moved, with the reason.
type Left struct {
	Finding verdict.Finding
	Why     string
	Escaped bool // values moved there outlived their unit
}

// fewest is the least number of rounds when it is late; medians count.
const fewest = 3

// Rounds is the number of rounds, and the larger number for a clearer result. Tests set it lower.
var Rounds = [2]int{9, 27}

// A trial is a trial in progress. Each round copies everything that isn't left out; left only grows, so rounds end.
type trial struct {
	Rig
	left    map[string]Left // expressions left out, by key
	movable int             // expressions
}

// A Rig has the settings to build and run copies of a package.
type Rig struct {
	Look    *scout.Look
	Say     func(format string, args ...any)
	Dir     string    // for its files
	Modfile string    // a go.mod that also requires package arena
	Until   time.Time // nothing begins after it; the zero time is never
}

// late reports whether the rig's time is over.
func (t *Rig) late() bool { return !t.Until.IsZero() && time.Now().After(t.Until) }

// Do runs the look's benchmark.
func (t *Rig) Do(run testrun.Run) (testrun.Result, error) {
	run.Dir, run.Bench = t.Look.Package.Dir, testrun.Exact(t.Look.Benchmark)
	if t.Look.InTurn {
		run.Flags = append(run.Flags, "-test.cpu=1")
	}
	if !t.Until.IsZero() {
		run.Limit = max(time.Until(t.Until), 10*time.Second)
	}
	return run.Do()
}

// NewRig returns a rig whose files are in a folder. The module's own go.mod isn't touched.
func NewRig(look *scout.Look, say func(format string, args ...any), dir string) (*Rig, error) {
	switch {
	case look.Program == nil:
		return nil, errors.New("the source can't be read")
	case look.Package.Module.GoMod == "":
		return nil, fmt.Errorf("%s is in no module", look.Package.ImportPath)
	}
	r := &Rig{Look: look, Say: say, Dir: dir, Modfile: filepath.Join(dir, "try.mod")}
	return r, r.writeModfile()
}

// Run makes a trial. say reports progress, like fmt.Printf.
func Run(look *scout.Look, say func(format string, args ...any)) (*Result, error) {
	// The copy has one current arena. Units that overlap would share it.
	if look.AtOnce && !look.InTurn {
		return nil, errors.New("-try: units run at the same time; it can give an arena to one after the other only")
	}
	dir, remove, err := testrun.Scratch()
	if err != nil {
		return nil, err
	}
	defer remove()
	rig, err := NewRig(look, say, dir)
	var r *Result
	if err == nil {
		rig.Until = time.Now().Add(look.Within)
		r, err = (&trial{Rig: *rig, left: map[string]Left{}}).run()
	}
	if err != nil {
		return nil, fmt.Errorf("-try: %w", err)
	}
	return r, nil
}

// attempts limits the rounds in which expressions don't compile, or escape.
const attempts = 12

// run tries both gears.
func (t *trial) run() (*Result, error) {
	plain, lasting, reusing := t.Binary("plain"), t.Binary("lasting"), t.Binary("reusing")
	if err := t.Plain(plain); err != nil {
		return nil, err
	}
	r := &Result{}
	var err error
	if r.Gear, err = t.build(lasting); err != nil {
		return nil, err
	}
	r.Movable = t.movable
	r.Left = slices.SortedFunc(maps.Values(t.left), byPlace)
	if r.Moved == 0 {
		return r, nil
	}
	arms := []Arm{{lasting, "pool", &r.Measured}}
	reuse := new(Gear)
	switch err := t.reuse(reusing, r, reuse); {
	case err == nil && reuse.Moved > 0:
		r.Reuse, r.Expected = reuse, t.expected()
		arms = append(arms, Arm{reusing, "reuse", &reuse.Measured})
	case err != nil && t.late():
		r.Late = true
	case err != nil:
		t.Say("with reuse: %v", err)
	}
	t.Say("measuring, %d times in turn", Rounds[0])
	return r, t.Measure(plain, arms...)
}

// Binary returns the path of a test binary.
func (t *Rig) Binary(name string) string { return filepath.Join(t.Dir, name+".test") }

// build makes copies until one compiles.
func (t *trial) build(binary string) (g Gear, err error) {
	for range attempts {
		c, g, err := t.copy()
		if err != nil || g.Moved == 0 {
			return g, err
		}
		overlay, err := c.Overlay(t.Look.Package.Module.Dir)
		if err != nil {
			return g, err
		}
		t.Say("compiling a copy with %d expressions moved", g.Moved)
		err = testrun.Compile(t.Look.Package, testrun.Build{Overlay: t.Weighed(overlay), Modfile: t.Modfile,
			Output: binary})
		if err == nil {
			return g, nil
		}
		if !t.leaveUncompiled(err) {
			return g, fmt.Errorf("the copy of %w", err)
		}
	}
	return g, errors.New("too many expressions can't be moved")
}

// reuse makes copies until nothing escapes from one, and records the escapes.
func (t *trial) reuse(binary string, r *Result, g *Gear) (err error) {
	for _, f := range t.Look.Findings {
		if _, left := t.left[key(f)]; f.Lag && !left && wanted(f) {
			t.left[key(f)] = Left{Finding: f, Why: "the last one stays until the next unit", Escaped: true}
		}
	}
	for range attempts {
		if t.late() {
			return errors.New("no time")
		}
		if *g, err = t.build(binary); err != nil || g.Moved == 0 {
			break
		}
		t.Say("checking what outlives its unit")
		var escapes [][]string
		if r.Checked, escapes, err = t.Check(binary, checkFor); err != nil {
			return err
		}
		if len(escapes) == 0 {
			break
		}
		if !t.leaveEscaped(escapes) {
			return fmt.Errorf("something has outlived its unit that no moved line has allocated: %s", escapes[0])
		}
	}
	for _, l := range t.left {
		if l.Escaped {
			r.Kept = append(r.Kept, l)
		}
	}
	slices.SortFunc(r.Kept, byPlace)
	return err
}

// byPlace orders by file and line.
func byPlace(a, b Left) int {
	at, other := a.Finding.Place, b.Finding.Place
	return cmp.Or(strings.Compare(at.File, other.File), at.Line-other.Line)
}

// expected estimates the saving of the moved findings.
func (t *trial) expected() float64 {
	return t.Look.Expect(func(f verdict.Finding) bool {
		_, left := t.left[key(f)]
		return wanted(f) && !left
	})
}

// key is the same for a finding and its part that was left.
func key(f verdict.Finding) string {
	return sites.Key(f.Place) + " " + f.Kind + " " + f.Lib + " " + f.Text
}

// wanted reports whether a finding is to be moved where no lifetime matters: by its verdict, as a library's call with a
// replacement, or since the next unit replaces its values. Values that are kept for longer would keep everything that
// shares their memory.
func wanted(f verdict.Finding) bool {
	return f.Verdict == verdict.Move || f.Verdict == verdict.Helper && rewrite.Known(f.Lib) || f.Lag && len(f.Exprs) > 0
}

// Movable returns the findings that can be moved, with only the movable expressions, and the others with the reason.
func Movable(l *scout.Look) (found []verdict.Finding, left []Left) {
	for _, f := range l.Findings {
		if !wanted(f) {
			continue
		}
		exprs := slices.DeleteFunc(slices.Clone(f.Exprs), func(e source.Expr) bool {
			return e.Form() != source.Movable && e.Form() != source.ByHand
		})
		switch {
		case slices.ContainsFunc(l.Findings, func(o verdict.Finding) bool { return shares(f, o) && !wanted(o) }):
			left = append(left, Left{f, "what another caller has it allocate lives on", false})
		case f.Lib == "" && len(exprs) == 0:
			left = append(left, Left{f, "no expression of a form that arenas have is seen in the line", false})
		default:
			f.Exprs = exprs
			found = append(found, f)
		}
	}
	return found, left
}

// shares reports whether values that stay come from a finding's expression: it can't be moved for one caller only.
func shares(f, other verdict.Finding) bool {
	return sites.Key(other.Place) == sites.Key(f.Place) && other.Kind == f.Kind && other.Lib == f.Lib &&
		(other.Text == f.Text || other.Several || f.Several) &&
		(other.Verdict == verdict.Clone || other.Verdict == verdict.Keep)
}

// copy makes a copy with everything moved that isn't left out. The unit's function gets the calls that begin and end
// its arena.
func (t *trial) copy() (*rewrite.Copy, Gear, error) {
	c, g := rewrite.New(t.Look.Program, t.Look.Package.Module.Path), Gear{}
	files, calls := map[string]bool{}, map[string]bool{}
	findings, left := Movable(t.Look)
	for _, l := range left {
		t.left[key(l.Finding)] = l
	}
	// Variables first: the uses of their names change with them.
	slices.SortStableFunc(findings, func(a, b verdict.Finding) int { return rank(a) - rank(b) })
	t.movable = len(left)
	for _, f := range findings {
		call := sites.Key(f.Place) + f.Lib
		if f.Lib != "" && calls[call] {
			continue
		}
		calls[call] = true
		t.movable += max(1, len(f.Exprs))
		if _, ok := t.left[key(f)]; ok { // in an earlier round
			continue
		}
		n, why := t.move(c, f)
		if g.Moved += n; n > 0 {
			files[f.Place.File] = true
		}
		if why != "" {
			t.left[key(f)] = Left{Finding: f, Why: why}
		}
	}
	g.Files = len(files)
	return c, g, c.Unit(t.Look.Unit.File, t.Look.Unit.Line)
}

// rank orders findings for moving.
func rank(f verdict.Finding) int {
	if f.ByHand {
		return 0
	}
	return 1
}

// move moves the expressions of a finding, for all callers of a line, as they share the source. n counts expressions,
// or calls of a library's function. why is the reason for those that weren't moved, "" if all were.
func (t *trial) move(c *rewrite.Copy, f verdict.Finding) (n int, why string) {
	switch {
	case t.Look.All.Elsewhere[sites.Key(f.Place)]:
		return 0, "other goroutines allocate there too"
	case f.Lib != "":
		if n = c.Library(f.Place.File, f.Place.Line, f.Lib); n == 0 {
			why = "no call of " + sites.Short(f.Lib) + " by this name"
		}
		return n, why
	}
	for _, e := range f.Exprs {
		if err := c.Move(f.Place.File, e); err != nil {
			why = err.Error()
		} else {
			n++
		}
	}
	// Among several variables in a line, those that can be on the heap count.
	if f.ByHand && n > 0 {
		why = ""
	}
	return n, why
}

// leaveUncompiled leaves out the findings at the line of a compiler error, and reports whether there were any.
func (t *trial) leaveUncompiled(err error) bool {
	file, line := testrun.ErrorAt(err)
	return t.leave(func(f verdict.Finding) bool {
		return filepath.Base(f.Place.File) == filepath.Base(file) && t.isAt(f, line)
	}, "it doesn't compile: "+err.Error(), false)
}

// isAt reports whether a finding or one of its expressions is at a line of its file.
func (t *trial) isAt(f verdict.Finding, line int) bool {
	return f.Place.Line == line ||
		slices.ContainsFunc(f.Exprs, func(e source.Expr) bool { return t.Look.Program.IsAt(e.Node, line) })
}

// leave leaves out findings, and reports whether one was new.
func (t *trial) leave(is func(verdict.Finding) bool, why string, escaped bool) (any bool) {
	for _, f := range t.Look.Findings {
		if _, known := t.left[key(f)]; !known && wanted(f) && is(f) {
			t.left[key(f)] = Left{Finding: f, Why: why, Escaped: escaped}
			any = true
		}
	}
	return any
}

// leaveEscaped leaves out the findings that allocated the escaped values: for each escape the innermost call with a
// finding. It returns false if no escape has one.
func (t *trial) leaveEscaped(escapes [][]string) (any bool) {
	for _, lines := range escapes {
		for _, place := range lines {
			file, line := sites.Place(place)
			left := t.leave(func(f verdict.Finding) bool { return f.Place.File == file && t.isAt(f, line) },
				"it outlives its unit, as checked arenas have found", true)
			if any = any || left; left {
				break
			}
		}
	}
	return any
}
