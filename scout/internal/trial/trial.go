// Package trial moves what can be moved, in a copy, and finds out what comes of it: whether anything that was
// moved is still referenced when the next unit has begun, and how much less CPU a unit takes. It must not decide
// what can be moved: package verdict does.
package trial

import (
	"errors"
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"time"

	"github.com/harena-go/arena/scout/internal/rewrite"
	"github.com/harena-go/arena/scout/internal/scout"
	"github.com/harena-go/arena/scout/internal/sites"
	"github.com/harena-go/arena/scout/internal/source"
	"github.com/harena-go/arena/scout/internal/testrun"
	"github.com/harena-go/arena/scout/internal/verdict"
)

// A trial goes in rounds. Each makes a copy with all that isn't left out, compiles it, and runs it with
// checked arenas. What the compiler complains about, and what outlives its unit, is left out of the next
// round. The first copy in which nothing escapes is measured against the original.

// A Result is what the trial has shown.
type Result struct {
	Moved    int // expressions
	Files    int // in which they are
	Movable  int // expressions that the verdict was move of
	Left     []Left
	Done     []Done        // what was moved
	Checked  int           // units whose arenas were checked
	Before   time.Duration // CPU of a unit
	After    time.Duration
	PerRound []float64 // how many times less, of each round

	Runs [2][]testrun.Line  // before and after: what the benchmark has said in each round
	CPU  [2][]time.Duration // before and after: of an iteration in each round

	Expected float64 // how many times less it was estimated to be, of what was moved
	Late     bool    // there was no time for what else would be tried, with lag
	Lag      bool    // the results of a unit were valid until the next one had ended
	Later    *Result // the same with lag, if more can be moved then; nil if it was not tried
}

// Times returns how many times less CPU a unit takes: the median of the rounds.
func (r *Result) Times() float64 { return median(r.PerRound) }

// Range returns between what the median of ever so many rounds would lie: 95 of 100 such ranges are right, from six
// rounds on. Each round is as likely above that median as below, which tells how many may be on one side by chance.
func (r *Result) Range() (low, high float64) {
	sorted := slices.Sorted(slices.Values(r.PerRound))
	n, out := len(sorted), 0
	if n == 0 {
		return 0, 0
	}
	const wrong = 0.05
	exactly := math.Pow(0.5, float64(n)) // that out rounds are below
	for below := exactly; 2*below <= wrong; below += exactly {
		out++
		exactly *= float64(n-out+1) / float64(out)
	}
	out = max(out-1, 0)
	return sorted[out], sorted[n-1-out]
}

// unsure reports whether more rounds may show a difference that is worth it: none is shown yet.
func (r *Result) unsure() bool {
	const enough = 1.02 // times: what is less may as well be none
	low, high := r.Range()
	return low <= 1 && high >= 1 && max(r.Times(), 1/r.Times()) > enough
}

// median returns that of values, 0 of none.
func median[T ~int64 | ~float64](values []T) T {
	if len(values) == 0 {
		return 0
	}
	sorted := slices.Sorted(slices.Values(values))
	return (sorted[(len(sorted)-1)/2] + sorted[len(sorted)/2]) / 2
}

// Left is an expression that wasn't moved, and why.
type Left struct {
	Finding verdict.Finding
	Why     string
	Escaped bool // what was moved there outlived its unit
}

// Done is what was moved of a finding: expressions, or the calls of a library's function in its line.
type Done struct {
	Finding verdict.Finding
	Exprs   []source.Expr
}

// Original and copy are measured so many times in turn, fewest if it is late, most if rounds don't tell; medians count.
const fewest, rounds, most = 3, 9, 27

// A trial is one under way. left only grows from round to round, so that the rounds end.
type trial struct {
	Rig
	left map[string]Left // what is left out, by key
}

// A Rig has what copies of a package are built and run with.
type Rig struct {
	Look    *scout.Look
	Say     func(format string, args ...any)
	Dir     string    // for its files
	Modfile string    // a go.mod that also requires package arena
	Lag     bool      // with two arenas in turn
	Until   time.Time // what hasn't begun by then isn't tried; the zero time is never
}

// late reports whether the rig's time is over.
func (t *Rig) late() bool { return !t.Until.IsZero() && time.Now().After(t.Until) }

// do runs the look's benchmark.
func (t *Rig) do(run testrun.Run) (testrun.Result, error) {
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
	r := &Rig{Look: look, Say: say, Dir: dir, Modfile: filepath.Join(dir, "try.mod")}
	return r, r.writeModfile()
}

// Run tries. say tells of progress, as fmt.Printf.
func Run(look *scout.Look, say func(format string, args ...any)) (*Result, error) {
	switch {
	// The copy has one current arena. Units that overlap would share it.
	case look.AtOnce && !look.InTurn:
		return nil, errors.New("-try: units run at the same time; it can give an arena to one after the other only")
	case look.Program == nil:
		return nil, errors.New("-try: the source can't be read")
	case look.Package.Module.GoMod == "":
		return nil, fmt.Errorf("-try: %s is in no module", look.Package.ImportPath)
	}
	dir, remove, err := testrun.Scratch()
	if err != nil {
		return nil, err
	}
	defer remove()
	rig, err := NewRig(look, say, dir)
	if err != nil {
		return nil, err
	}
	rig.Until = time.Now().Add(look.Within)
	run := func(lag bool) (*Result, error) {
		rig.Lag = lag
		return (&trial{Rig: *rig, left: map[string]Left{}}).run()
	}
	inTurn := func() *Result {
		say("trying with two arenas in turn")
		r, err := run(true)
		if err != nil {
			say("with two arenas in turn: %v", err)
		}
		return r
	}
	// What promises more must have the time that it takes.
	promised := look.Costs.Expect.InTurn()
	var later *Result
	if promised {
		later = inTurn()
	}
	r := new(Result)
	if later == nil || !rig.late() {
		one, err := run(false)
		switch {
		case err == nil:
			r = one
		case later == nil:
			return nil, err
		default:
			say("with one arena: %v", err)
		}
	}
	switch {
	case promised:
		r.Later = later
	// What outlived its unit may be replaced by the next one, which so few units don't always show.
	case !lagging(look) && !slices.ContainsFunc(r.Left, func(l Left) bool { return l.Why == escaped }):
	// What can't be tried with lag must not cost what was tried without.
	case rig.late():
		r.Late = true
	default:
		r.Later = inTurn()
	}
	return r, nil
}

// lagging reports whether enough is replaced by the next unit for a trial of its own.
func lagging(look *scout.Look) bool {
	const enough = 0.05
	var some, all float64
	for _, f := range look.Findings {
		all += f.Bytes
		if f.Lag && len(f.Exprs) > 0 {
			some += f.Bytes
		}
	}
	return some > enough*all
}

// escaped is why an expression is left that checked arenas have found to outlive its unit.
const escaped = "it outlives its unit, as checked arenas have found"

// attempts is how many times expressions may turn out not to compile, or to escape.
const attempts = 12

// run makes copies until one compiles and lets nothing escape, and measures that.
func (t *trial) run() (*Result, error) {
	plain, moved := filepath.Join(t.Dir, "plain.test"), filepath.Join(t.Dir, "moved.test")
	if err := t.Plain(plain); err != nil {
		return nil, err
	}
	for i := range attempts {
		if i > 0 && t.late() {
			return nil, fmt.Errorf("-try: each of %d copies had something to leave out; -within allows more than %v", i,
				t.Look.Within)
		}
		c, r, err := t.copy()
		if err != nil {
			return nil, err
		}
		if r.Moved == 0 {
			return r, nil
		}
		overlay, err := c.Overlay(t.Look.Package.Module.Dir)
		if err != nil {
			return nil, err
		}
		t.Say("compiling a copy with %d expressions moved", r.Moved)
		if err := testrun.Compile(t.Look.Package, testrun.Build{Overlay: t.Weighed(overlay), Modfile: t.Modfile,
			Output: moved}); err != nil {
			if !t.leaveUncompiled(err) {
				return nil, fmt.Errorf("-try: the copy of %w", err)
			}
			continue
		}
		t.Say("checking that nothing outlives its unit")
		checked, err := t.Check(moved, CheckFor)
		if err != nil {
			return nil, fmt.Errorf("-try: %w", err)
		}
		r.Checked = checked.Units
		escapes := checked.Escapes
		if t.leaveEscaped(escapes) {
			continue
		}
		if len(escapes) > 0 {
			return nil, fmt.Errorf("-try: something has outlived its unit that no moved line has allocated: %s",
				escapes[0].Lines)
		}
		t.Say("measuring, %d times in turn", rounds)
		r.Expected = t.expected(r)
		return r, t.Measure(plain, moved, r)
	}
	return nil, errors.New("-try: too many expressions can't be moved")
}

// expected estimates for what was moved.
func (t *trial) expected(r *Result) float64 {
	left := map[string]bool{}
	for _, l := range r.Left {
		left[key(l.Finding)] = true
	}
	return t.Look.Expect(func(f verdict.Finding) bool { return t.wanted(f) && !left[key(f)] })
}

// key names what a finding and what was left of it have in common.
func key(f verdict.Finding) string {
	return sites.Key(f.Place) + " " + f.Kind + " " + f.Lib + " " + f.Text
}

// copy makes a copy with all moved that isn't left out. The Result has what was moved and what wasn't, so far without
// any measurement. The unit's function gets the calls that begin and end its arena.
func (t *trial) copy() (*rewrite.Copy, *Result, error) {
	c := rewrite.New(t.Look.Program, t.Look.Package.Module.Path)
	r := &Result{Lag: t.Lag}
	files, calls := map[string]bool{}, map[string]bool{}
	// Variables first: what has their names changes with them.
	findings := slices.Clone(t.Look.Findings)
	slices.SortStableFunc(findings, func(a, b verdict.Finding) int { return rank(a) - rank(b) })
	for _, f := range findings {
		if !t.wanted(f) || f.Lib != "" && calls[sites.Key(f.Place)+f.Lib] {
			continue
		}
		calls[sites.Key(f.Place)+f.Lib] = f.Lib != ""
		r.Movable += max(1, len(f.Exprs))
		// Left out in an earlier round, with the reason that was found then.
		if left, ok := t.left[key(f)]; ok {
			r.Left = append(r.Left, left)
			continue
		}
		exprs, n, why := t.move(c, f)
		if r.Moved += n; n > 0 {
			files[f.Place.File] = true
			r.Done = append(r.Done, Done{Finding: f, Exprs: exprs})
		}
		if why != "" {
			r.Left = append(r.Left, Left{Finding: f, Why: why})
		}
	}
	r.Files = len(files)
	return c, r, c.Unit(t.Look.Unit.File, t.Look.Unit.Line)
}

// rank is the order in which findings are moved.
func rank(f verdict.Finding) int {
	if f.ByHand {
		return 0
	}
	return 1
}

// wanted reports whether a finding is to be moved: by its verdict, or as the call of a library's function for which
// there is another.
func (t *trial) wanted(f verdict.Finding) bool {
	return f.Verdict == verdict.Move || f.Verdict == verdict.Helper && rewrite.Known(f.Lib) ||
		t.Lag && f.Lag && len(f.Exprs) > 0
}

// move moves the expressions of a finding in a copy, for all callers of a line or for none, as they share the source.
// n counts expressions, or calls of a library's function. why is the reason for what wasn't moved, "" if everything
// was.
func (t *trial) move(c *rewrite.Copy, f verdict.Finding) (exprs []source.Expr, n int, why string) {
	for _, other := range t.Look.Findings {
		// An expression can't be moved for one caller and stay for another.
		same := sites.Key(other.Place) == sites.Key(f.Place) && other.Kind == f.Kind && other.Lib == f.Lib &&
			(other.Text == f.Text || other.Several || f.Several)
		if same && (other.Verdict == verdict.Clone || other.Verdict == verdict.Keep) && !t.wanted(other) {
			return nil, 0, "what another caller has it allocate lives on"
		}
	}
	switch {
	case t.Look.All.Elsewhere[sites.Key(f.Place)]:
		return nil, 0, "other goroutines allocate there too"
	case f.Lib != "":
		if n = c.Library(f.Place.File, f.Place.Line, f.Lib); n == 0 {
			return nil, 0, "no call of " + sites.Short(f.Lib) + " by this name"
		}
		return nil, n, ""
	case len(f.Exprs) == 0:
		return nil, 0, "no expression of this kind is seen in the line"
	}
	for _, e := range f.Exprs {
		if form := e.Form(); form != source.Movable && form != source.ByHand {
			why = "a " + e.Text
		} else if err := c.Move(f.Place.File, e); err != nil {
			why = err.Error()
		} else {
			n++
			exprs = append(exprs, e)
		}
	}
	// Of several variables in a line those are meant that can be on the heap.
	if f.ByHand && n > 0 {
		why = ""
	}
	return exprs, n, why
}

// leaveUncompiled leaves out what is in the line that the compiler complains about, and returns false if nothing is.
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

// leave leaves out findings, and reports whether there was one that wasn't.
func (t *trial) leave(is func(verdict.Finding) bool, why string, escaped bool) (any bool) {
	for _, f := range t.Look.Findings {
		if _, known := t.left[key(f)]; !known && t.wanted(f) && is(f) {
			t.left[key(f)] = Left{Finding: f, Why: why, Escaped: escaped}
			any = true
		}
	}
	return any
}

// leaveEscaped leaves out the findings that allocated what escaped. Of each escape's calls the innermost that has a
// finding counts. It returns false if there is none for any of them.
func (t *trial) leaveEscaped(escapes []Escape) (any bool) {
	for _, e := range escapes {
		for _, place := range e.Lines {
			file, line := sites.Place(place)
			left := t.leave(func(f verdict.Finding) bool { return f.Place.File == file && t.isAt(f, line) },
				escaped, true)
			if any = any || left; left {
				break
			}
		}
	}
	return any
}
