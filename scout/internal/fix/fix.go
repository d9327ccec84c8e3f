// Package fix writes the patch: it moves values, in the package's own source, to arenas of a Pool without reuse. No
// lifetime needs a proof there: values stay valid for as long as something points to them. It shows no patch that
// doesn't compile, fails the package's own tests, or saves nothing.
//
// It must not decide which values can move: packages verdict and trial do.
package fix

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/aymanbagabas/go-udiff"

	"github.com/harena-go/arena/scout/internal/scout"
	"github.com/harena-go/arena/scout/internal/testrun"
	"github.com/harena-go/arena/scout/internal/trial"
)

// An example of a patch. Handle is the unit, plan and items are called by it, and parser is a carrier:
//
//	var arenas = arena.NewPool(arena.WithName("service.Handle"))
//
//	func (s *Service) Handle(text string) *Order {        // callers don't notice
//		a := arenas.Get()
//		defer arenas.Put(a)
//		p := parser{arena: a, text: text}             // the carrier is filled where it is made
//		return plan(a, p.items())
//	}
//
//	func plan(a *arena.Arena, items []Item) *Order {      // a parameter
//
//	func (p *parser) items() []Item {                     // the signature stays: its receiver has the arena
//		return arena.Append(p.arena, p.found, Item{})
//	}

// A Result is a patch with its figures. If Moved is 0 there is no patch.
type Result struct {
	Unit     string // the function that lends the arena
	Moved    int    // expressions
	Movable  int
	Files    map[string][]byte // changed files
	Patch    string
	Fields   []string // structs that get a field
	Params   int      // functions that get a parameter, or a twin with one
	Left     []trial.Left
	Passed   int      // tests of the package
	Failed   []string // those that also fail without the patch
	Measured trial.Measured
}

// Lines returns the number of lines that the patch adds or removes.
func (r *Result) Lines() (n int) {
	for line := range strings.Lines(r.Patch) {
		if strings.IndexAny(line, "+-") == 0 && !strings.HasPrefix(line, "+++ ") && !strings.HasPrefix(line, "--- ") {
			n++
		}
	}
	return n
}

// Write changes the files.
func (r *Result) Write() error {
	for path, text := range r.Files {
		if err := os.WriteFile(path, text, 0o666); err != nil {
			return err
		}
	}
	return nil
}

// A fixer makes one patch, in rounds: decide makes a plan, write makes its files, prove tries them on the rig. The next
// plan leaves out the refused expressions.
type fixer struct {
	*plan
	*trial.Rig
}

// attempts limits the refused functions and expressions.
const attempts = 24

// Run writes the patch, with all also for values that save next to nothing. say reports progress, like fmt.Printf.
func Run(look *scout.Look, all bool, say func(format string, args ...any)) (*Result, error) {
	dir, remove, err := testrun.Scratch()
	if err != nil {
		return nil, err
	}
	defer remove()
	rig, err := trial.NewRig(look, say, dir)
	if err != nil {
		return nil, fmt.Errorf("-fix: %w", err)
	}
	p, err := newPlan(look, all)
	if err != nil {
		return nil, err
	}
	f := &fixer{p, rig}
	r, err := f.run()
	if err != nil || r.Moved == 0 {
		return r, err
	}
	say("measuring")
	if err := testrun.Compile(look.Package, testrun.Build{Overlay: f.Weighed(nil), Modfile: f.Modfile,
		Output: f.Binary("plain")}); err != nil {
		return nil, err
	}
	err = f.Measure(f.Binary("plain"), trial.Arm{Binary: f.Binary("patched"), Result: &r.Measured})
	return r, err
}

// run makes plans until one is proved, or nothing is left to move.
func (f *fixer) run() (*Result, error) {
	for range attempts {
		f.decide()
		r := f.result()
		if len(f.moves) == 0 {
			return r, nil
		}
		files, again, err := f.write("")
		if err == nil && !again {
			f.Say("compiling the patched package, with %d expressions moved", len(f.moves))
			again, err = f.prove(files, r)
		}
		if err != nil {
			return nil, fmt.Errorf("-fix: %w", err)
		}
		if !again {
			f.fill(r, files)
			return r, nil
		}
	}
	return nil, errors.New("-fix: too many functions can't be changed")
}

// result describes the plan.
func (f *fixer) result() *Result {
	r := &Result{Unit: f.unit.name(), Moved: len(f.moves), Left: f.left}
	r.Movable = r.Moved + len(r.Left)
	for _, c := range f.fields() {
		r.Fields = append(r.Fields, c.name)
	}
	for fn := range f.needed {
		if f.takes(fn) {
			r.Params++
		}
	}
	return r
}

// fill adds the patch itself.
func (f *fixer) fill(r *Result, files map[string][]byte) {
	r.Files = files
	for _, path := range slices.Sorted(maps.Keys(files)) {
		name := filepath.ToSlash(strings.TrimPrefix(path, f.Look.Package.Module.Dir+string(filepath.Separator)))
		r.Patch += udiff.Unified("a/"+name, "b/"+name, string(f.texts[path]), string(files[path]))
	}
}
