// Package fix writes the patch: what a trial has moved, in the package's own source, with an arena that travels
// from the unit of work as a parameter, or as a field of a struct that a unit has anyway. It shows no patch that
// doesn't compile, that fails the package's own tests, or that lets something outlive its unit.
//
// It must not decide what can be moved: packages verdict and trial do.
package fix

import (
	"cmp"
	_ "embed"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/harena-go/arena/scout/internal/diff"
	"github.com/harena-go/arena/scout/internal/scout"
	"github.com/harena-go/arena/scout/internal/sites"
	"github.com/harena-go/arena/scout/internal/testrun"
	"github.com/harena-go/arena/scout/internal/trial"
)

// What a patch does, by example. Handle is the unit, plan is called by it, and parser is a carrier:
//
//	func (s *Service) Handle(text string) *Order {        // as before: calls the twin with nil
//		return s.HandleArena(nil, text)
//	}
//
//	func (s *Service) HandleArena(a *arena.Arena, text string) *Order {
//		p := parser{arena: a, text: text}             // the carrier is filled where it is made
//		return p.plan(p.items())
//	}
//
//	func (p *parser) items() []Item {                     // the signature stays: its receiver has the arena
//		return arena.Append(p.arena, p.found, Item{})
//	}
//
// Callers of Handle don't notice. A caller that has an arena calls HandleArena, and resets the arena after the
// unit.

// The package of the proof, beside what the copies of trials have.
var (
	//go:embed unit.txt
	harness string
	//go:embed keeps.txt
	keeps string
)

// otherKeeps is for systems without memory that can't be used.
const otherKeeps = `//go:build !unix

package zzarenascout

import "github.com/harena-go/arena"

func hide([]any, *arena.Arena) func() { return nothing }
`

// A Result is a patch, and what is known of it. If Moved is 0 there is no patch, and only Unit, Old, Movable, Left and
// Why are set.
type Result struct {
	Unit     string  // the function that takes the arena
	Old      string  // the one that it was made of
	Moved    int     // expressions
	Movable  int     // expressions that the trial has moved
	Share    float64 // of what all would save that the arena reaches, by the estimate
	Files    []File
	Patch    string
	Fields   []string // structs that have got one
	Params   int      // functions that have got a parameter
	NoFields []string // structs of functions with a parameter that have got no field, and why
	Twins    []string // functions beside which there is one with a parameter
	Clears   []string // statements at the unit's end, for what its next call would find
	Left     []Left
	Checked  trial.Checked
	Tests    []Tests
	Measured trial.Result
	Lag      bool     // a unit's results are used until the next one has ended: it takes two arenas, in turn
	Grammars []string // sources of goyacc that are changed with what it has generated of them
	Requires bool     // go.mod doesn't require package arena yet
	Why      string   // there is no patch, "" if nothing can be moved
	Guard    string   // the test that the patch adds
	NoGuard  string   // why it adds none
}

// Changed returns how many files are changed, without the test that is added.
func (r *Result) Changed() int {
	if r.Guard != "" {
		return len(r.Files) - 1
	}
	return len(r.Files)
}

// Lines returns how many lines the patch adds or removes.
func (r *Result) Lines() (n int) {
	for line := range strings.Lines(r.Patch) {
		if strings.IndexAny(line, "+-") == 0 && !strings.HasPrefix(line, "+++ ") && !strings.HasPrefix(line, "--- ") {
			n++
		}
	}
	return n
}

// A File is one that the patch changes.
type File struct {
	Path  string
	After []byte
}

// Tests is what a package's own tests have said of the patch: without an arena, and with one for each unit.
type Tests struct {
	Package string
	Passed  int
	Failed  []string // that fail without the patch too
}

// Write changes the files, and adds the test.
func (r *Result) Write() error {
	for _, f := range r.Files {
		if err := os.WriteFile(f.Path, f.After, 0o666); err != nil {
			return err
		}
	}
	return nil
}

// The work goes in rounds: decide makes a plan of what the trial has moved, write makes the files of the plan,
// prove tries them. What either refuses is excluded from the next plan.

// A fixer makes one patch: the plan of the current round, and the rig that builds and runs copies of the package.
type fixer struct {
	*plan
	*trial.Rig
	say  func(format string, args ...any)
	done []trial.Done // what the trial has moved

	kept      int       // expressions that were left for what a receiver keeps
	keptBy    string    // the last one
	keptSince time.Time // when the first was found
}

// lagPays is how much more two arenas in turn must save than one, by the estimate, since they are more to use rightly.
const lagPays = 1.1

// Run writes the patch for what was moved, or with all also for what isn't worth its lines. say tells of progress, as
// fmt.Printf.
func Run(look *scout.Look, tried *trial.Result, all bool, say func(format string, args ...any)) (*Result, error) {
	dir, remove, err := testrun.Scratch()
	if err != nil {
		return nil, err
	}
	defer remove()
	rig, err := trial.NewRig(look, say, dir)
	if err != nil {
		return nil, err
	}
	if later := tried.Later; later != nil && later.Moved > 0 && later.Expected > lagPays*max(tried.Expected, 1) {
		tried, rig.Lag = later, true
	}
	p := newPlan(look, read(look.Program, look.Package.Owns))
	p.lag, p.all = rig.Lag, all
	switch {
	case p.unit == nil:
		return nil, fmt.Errorf("-fix: %s is no function of the package's own files that takes parameters; -unit names "+
			"another", sites.Bare(look.Unit.Function))
	case p.unit.kept:
		return nil, fmt.Errorf("-fix: the signature of %s is goyacc's; -unit names another",
			sites.Bare(look.Unit.Function))
	case p.unit.fixed != "":
		return nil, fmt.Errorf("-fix: %s can't be changed: %s; -unit names another", sites.Bare(look.Unit.Function),
			p.unit.fixed)
	}
	f := &fixer{plan: p, Rig: rig, say: say}
	r, err := f.one(tried)
	if r == nil {
		r, err = f.run(tried, attempts)
	}
	if err != nil || r.Moved == 0 {
		return r, err
	}
	say("measuring")
	err = f.Measure(f.binary("plain"), f.binary("proof"), &r.Measured)
	r.paid()
	return r, err
}

// inOne and mostInOne are when one arena is enough where two in turn were: it saves nearly as much, which soon shows.
const inOne, mostInOne = 0.9, 4

// one writes a patch with one arena for what two in turn were tried with, if the units' states can be cleared of what
// they hold until then. The result is nil, and all is as before, if that doesn't serve.
func (f *fixer) one(tried *trial.Result) (*Result, error) {
	if !f.lag {
		return nil, nil
	}
	for _, holder := range f.look.Until() {
		name := cmp.Or(f.unit.stack(holder+"[...]"), f.unit.stack(f.unit.obj.Pkg().Name()+"."+holder+"[...]"))
		if name != "" {
			f.clears = append(f.clears, name)
		}
	}
	if len(f.clears) == 0 {
		return nil, nil
	}
	f.say("trying to need one arena only")
	f.lag, f.Lag = false, false
	r, err := f.run(tried, mostInOne)
	if err == nil && r.Moved > 0 && r.Share >= inOne {
		return r, nil
	}
	all := f.all
	*f = fixer{plan: newPlan(f.look, read(f.program, f.owns)), Rig: f.Rig, say: f.say}
	f.lag, f.Lag, f.all = true, true, all
	return nil, nil
}

// binary returns the path of a test binary: plain as it was, patched, or proof with the proof's arenas.
func (f *fixer) binary(name string) string { return filepath.Join(f.Dir, name+".test") }

// attempts is how many functions may turn out not to compile, or to let something escape.
const attempts = 24

// mostKept is how many expressions may be left for what a receiver keeps, one in a round, and keptFew how long that may
// take. If it keeps more, an arena for each unit isn't how the package works: TiDB's parser writes to nodes of the
// statement before, all that are expressions.
const mostKept, keptFew = 8, time.Minute

// run makes plans until one is proved, or nothing is left to move.
func (f *fixer) run(tried *trial.Result, attempts int) (*Result, error) {
	f.done = tried.Done
	for range attempts {
		f.decide(f.done)
		r := f.result(tried)
		if len(f.moves) == 0 {
			if len(f.unpaid) > 0 {
				r.Why = f.whole
			}
			return r, nil
		}
		files, again, err := f.write("")
		switch {
		case err != nil:
			return nil, fmt.Errorf("-fix: %w", err)
		case again || f.pay(f.worth()):
			continue
		}
		f.say("compiling the patched package, with %d expressions moved", len(f.moves))
		again, err = f.prove(files, r)
		switch {
		case err != nil:
			return nil, fmt.Errorf("-fix: %w", err)
		case f.kept > mostKept, f.kept > 0 && time.Since(f.keptSince) > keptFew:
			r.Moved, r.Why = 0, f.keptBy+", and more in other places"
			return r, nil
		case again:
			continue
		}
		r.Share = f.share()
		f.guarded(files, r)
		f.fill(r, files)
		return r, nil
	}
	return nil, errors.New("-fix: too many functions can't be changed")
}

// result says what the plan is.
func (f *fixer) result(tried *trial.Result) *Result {
	r := &Result{Old: f.unit.name(), Movable: tried.Moved, Moved: len(f.moves), Left: f.left, Lag: f.lag,
		Clears: f.clears}
	w := &writer{p: f.plan, names: map[*function]string{}}
	// The receiver stays in front of the name: (*T).Handle becomes (*T).HandleArena.
	r.Unit = strings.TrimSuffix(r.Old, f.unit.obj.Name()) + w.twin(f.unit)
	for _, c := range f.fields() {
		r.Fields = append(r.Fields, c.name)
	}
	for fn := range f.needed {
		switch {
		// The unit is named in Unit. Functions whose way is a field keep their signatures.
		case fn == f.unit:
		case f.way[fn] != nil:
		case f.twin(fn):
			r.Twins = append(r.Twins, w.twin(fn))
		default:
			r.Params++
		}
	}
	slices.Sort(r.Twins)
	r.Twins = slices.Compact(r.Twins) // methods of several types
	r.NoFields = f.noFields()
	return r
}

// fill adds the patch itself.
func (f *fixer) fill(r *Result, files map[string][]byte) {
	for path, text := range f.sources {
		files[path] = text
		r.Grammars = append(r.Grammars, filepath.Base(path))
	}
	slices.Sort(r.Grammars)
	for _, path := range slices.Sorted(maps.Keys(files)) {
		name, err := filepath.Rel(f.Look.Package.Module.Dir, path)
		if err != nil {
			name = path
		}
		r.Patch += diff.Unified(filepath.ToSlash(name), f.text(path), files[path])
		r.Files = append(r.Files, File{path, files[path]})
	}
	// A require line, alone or in a block.
	mod, _ := os.ReadFile(f.Look.Package.Module.GoMod)
	r.Requires = !regexp.MustCompile(`(?m)^\s*(require\s+)?` + regexp.QuoteMeta(arenaModule) + `\s`).Match(mod)
}

// text returns a file as it is now, "" if it can't be read.
func (f *fixer) text(path string) []byte {
	text, _ := os.ReadFile(path)
	return text
}

// paid drops the patch if it doesn't pay, as measured.
func (r *Result) paid() {
	// The median of the rounds, or what the medians of both make: with much noise the two differ.
	m := &r.Measured
	low, high := m.Range()
	if times := min(m.Times(), float64(m.Before)/float64(max(m.After, 1))); times < leastOfPatch || low <= 1 {
		why := "that may be none at all"
		if times < leastOfPatch {
			why = fmt.Sprintf("below %.2fx it isn't worth it", leastOfPatch)
		}
		r.Why = fmt.Sprintf("a patch of %d lines, with %d expressions moved, gives %.2fx less CPU a unit "+
			"(%.2f-%.2fx); %s", r.Lines(), r.Moved, times, low, high, why)
		r.Moved, r.Files, r.Patch, r.Measured = 0, nil, "", trial.Result{}
	}
}
