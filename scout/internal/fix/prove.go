package fix

import (
	"cmp"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/harena-go/arena/scout/internal/probe"
	"github.com/harena-go/arena/scout/internal/rewrite"
	"github.com/harena-go/arena/scout/internal/sites"
	"github.com/harena-go/arena/scout/internal/target"
	"github.com/harena-go/arena/scout/internal/testrun"
	"github.com/harena-go/arena/scout/internal/trial"
)

// This file finds out whether a patch serves, and what of it is to blame if it doesn't. It must not depend on what
// is in it.

// A patch is proved in four steps, and the first that fails decides what becomes of it:
//
//	1. the patched package compiles
//	2. a copy of it, in which each unit has a checked arena, runs the benchmark, and nothing outlives its unit
//	3. the tests of each changed package pass, without an arena and with one for each unit
//	4. the module builds
//
// Where a step names a function as the culprit, that one is left as it was, and the plan is made anew: again
// is true. Each round leaves out at least one function more, so the rounds end.

// prove finds out whether a patch serves. If not, but with less in it might, again is true.
func (f *fixer) prove(files map[string][]byte, r *Result) (again bool, err error) {
	if err := f.Plain(f.binary("plain")); err != nil {
		return false, err
	}
	if err := testrun.Compile(f.Look.Package, testrun.Build{Overlay: files, Modfile: f.Modfile,
		Output: f.binary("patched")}); err != nil {
		return f.blame(err, files)
	}
	copied, err := f.harnessed()
	if err != nil {
		return false, err
	}
	if err := testrun.Compile(f.Look.Package, testrun.Build{Overlay: f.Weighed(copied), Modfile: f.Modfile,
		Output: f.binary("proof")}); err != nil {
		return false, err
	}
	f.say("checking that nothing outlives its unit")
	if r.Checked, err = f.Check(f.binary("proof"), trial.CheckFor); err != nil {
		return f.blamePanic(err, r.Checked.Panicked, copied)
	}
	if len(r.Checked.Escapes) > 0 {
		return f.blameEscape(r.Checked.Escapes[0], copied)
	}
	if r.Checked.Kept {
		return f.blameLiterals()
	}
	if f.blameField(r.Checked.Used) {
		return true, nil
	}
	// An arena that stays empty would prove nothing.
	if r.Checked.Used == 0 {
		return false, fmt.Errorf("nothing is allocated in the arena that %s gets", r.Unit)
	}
	return f.test(files, copied, r)
}

// harnessed returns the files of the copy: it differs from the patch in the body of the unit's old function only.
func (f *fixer) harnessed() (map[string][]byte, error) {
	m := f.Look.Package.Module
	copied, _, err := f.write(m.Path + "/" + harnessName)
	if err == nil {
		maps.Copy(copied, rewrite.Turns(f.program, m.Path, m.Dir))
		copied[filepath.Join(m.Dir, harnessName, harnessName+".go")] = []byte(harness)
		copied[filepath.Join(m.Dir, harnessName, "keeps.go")] = []byte(keeps)
		copied[filepath.Join(m.Dir, harnessName, "other.go")] = []byte(otherKeeps)
	}
	return copied, err
}

// testLimit is how long the tests of a package may take.
const testLimit = 10 * time.Minute

// test runs the own tests of all packages that the patch changes, without an arena and with one for each unit. A test
// that fails without the patch as well, be it now and then, is noted, and doesn't count against it.
func (f *fixer) test(files, copied map[string][]byte, r *Result) (again bool, err error) {
	for _, pkg := range f.packages(files) {
		t := Tests{Package: pkg.ImportPath}
		// Without an arena the old signatures are tested, with one the new ones.
		for i, overlay := range []map[string][]byte{files, copied} {
			binary := f.binary("tests")
			err := testrun.Compile(pkg, testrun.Build{Overlay: overlay, Modfile: f.Modfile, Output: binary})
			if errors.Is(err, testrun.ErrNoTests) {
				break
			} else if err != nil {
				return f.blame(err, overlay)
			}
			f.say("running the tests of %s, %s", pkg.ImportPath,
				[]string{"without an arena", "with an arena for each unit"}[i])
			result, err := f.fresh(pkg, binary, ".").Do()
			if t.Passed = len(result.Passed); err == nil {
				continue
			}
			if keptFor(err) == "" {
				if i == 1 && (len(result.Failed) == 0 || len(f.passing(pkg, result.Failed)) > 0) && f.refuse() {
					return true, nil
				}
				if again, _ := f.blamePanic(err, result.Panicked, overlay); again {
					return true, nil
				}
			}
			// Tests that fail without the patch too say nothing about it.
			if broken := f.passing(pkg, result.Failed); len(broken) > 0 {
				if f.clear(keptFor(err), pkg, broken[0], nil) {
					return true, nil
				}
				return f.blameTest(pkg, broken[0], i == 1, keptFor(err) != "")
			} else if len(result.Failed) == 0 {
				return false, fmt.Errorf("the tests of %s fail with the patch: %w", pkg.ImportPath, err)
			}
			t.Failed = result.Failed
		}
		if t.Passed+len(t.Failed) > 0 {
			r.Tests = append(r.Tests, t)
		}
	}
	return f.builds(files)
}

// keptFor returns what the harness says of a unit with a state that leads into the arena of an earlier one, "" for
// other failures of a test.
func keptFor(failed error) string { return inKeeps.FindString(failed.Error()) }

var inKeeps = regexp.MustCompile(`kept for the next unit, by \S+`)

// clear adds the statement for what is kept, if there is one, and the test without some expressions doesn't fail for
// another reason then.
func (f *fixer) clear(kept string, pkg *target.Package, test string, without []ast.Node) bool {
	s := f.unit.stack(kept)
	if s == "" || slices.Contains(f.clears, s) || slices.Contains(f.refused, s) {
		return false
	}
	f.say("clearing what is %s", kept)
	f.clears = append(f.clears, s)
	if failed, err := f.fails(without, pkg, test, true); err != nil || failed != nil && keptFor(failed) == "" {
		f.refuse()
		return false
	}
	return true
}

// refuse drops the last statement, since tests fail with it.
func (f *fixer) refuse() bool {
	last := len(f.clears) - 1
	if last < 0 {
		return false
	}
	f.clears, f.refused = f.clears[:last], append(f.refused, f.clears[last])
	return true
}

// fresh returns a run of some tests in which each unit of a copy has an arena of its own.
func (f *fixer) fresh(pkg *target.Package, binary, tests string) testrun.Run {
	return testrun.Run{Binary: binary, Dir: pkg.Dir, Test: tests, Flags: []string{"-test.v"}, Limit: testLimit,
		Env: append(f.Turns(), "ARENASCOUT_TRIAL=fresh")}
}

// blameTest finds an expression with which a test fails that passes without the patch, by halves, and leaves it. What
// is in an arena lives as long as the arena: goja tests that the collector takes a value out of a WeakMap. Without one
// it may be another library's: orb tests that an error is a *json.UnmarshalTypeError.
func (f *fixer) blameTest(pkg *target.Package, test string, inArena, kept bool) (again bool, err error) {
	f.say("looking for the expression with which %s fails", test)
	why, began := test+" fails with it", time.Now()
	// What a receiver keeps, many may keep, each by itself: what the test fails without stays out.
	suspects, out := f.nodes(), []ast.Node(nil)
	for len(suspects) > 1 {
		half := suspects[:len(suspects)/2]
		without := slices.Concat(out, half)
		failed, err := f.fails(without, pkg, test, inArena)
		if err != nil {
			return false, err
		}
		if failed != nil {
			half = suspects[len(half):]
			if keptFor(failed) != "" {
				out = without
			}
		}
		suspects = half
	}
	if kept { // by whom is said by a run in which no other expression fails the test
		if failed, err := f.fails(out, pkg, test, inArena); err == nil && failed != nil && keptFor(failed) != "" {
			if f.clear(keptFor(failed), pkg, test, out) {
				return true, nil
			}
			why = keptFor(failed) + " in " + test
			if f.kept, f.keptBy = f.kept+1, why; f.kept == 1 {
				f.keptSince = began
			}
		}
	}
	f.excluded[suspects[0]] = why
	return true, nil
}

// fails runs a test of a patch without some expressions, and returns how it failed.
func (f *fixer) fails(some []ast.Node, pkg *target.Package, test string, inArena bool) (failed, err error) {
	for _, n := range some {
		f.excluded[n] = "for a moment"
	}
	defer func() {
		for _, n := range some {
			delete(f.excluded, n)
		}
	}()
	f.decide(f.done)
	var files map[string][]byte
	if inArena {
		files, err = f.harnessed()
	} else {
		files, _, err = f.write("")
	}
	if err == nil {
		err = testrun.Compile(pkg, testrun.Build{Overlay: files, Modfile: f.Modfile, Output: f.binary("tests")})
	}
	if err == nil {
		_, failed = f.fresh(pkg, f.binary("tests"), testrun.Exact(test)).Do()
	}
	return failed, err
}

// flaky is how many times a test runs without the patch that has failed with it. One that fails in 1 of 4 runs is
// found to be flaky in 97 of 100 cases.
const flaky = 12

// passing returns those of a package's tests that don't fail without the patch: in one run of all tests, nor in some
// runs of their own. One that fails now and then says nothing about the patch.
func (f *fixer) passing(pkg *target.Package, tests []string) []string {
	binary := f.binary("before")
	if err := testrun.Compile(pkg, testrun.Build{Modfile: f.Modfile, Output: binary}); err != nil {
		return tests
	}
	run := testrun.Run{Binary: binary, Dir: pkg.Dir, Test: ".", Flags: []string{"-test.v"}, Limit: testLimit}
	for range 2 {
		result, _ := run.Do()
		tests = slices.DeleteFunc(slices.Clone(tests), func(name string) bool {
			return slices.Contains(result.Failed, name)
		})
		if len(tests) == 0 {
			break
		}
		f.say("running without the patch what failed with it: %s", strings.Join(tests, ", "))
		run.Test = "^(" + strings.Join(tests, "|") + ")$"
		run.Flags = append(run.Flags, fmt.Sprintf("-test.count=%d", flaky))
	}
	return tests
}

// packages returns the unit's package and all others that the patch changes.
func (f *fixer) packages(files map[string][]byte) []*target.Package {
	all := []*target.Package{f.Look.Package}
	for _, path := range slices.Sorted(maps.Keys(files)) {
		dir := filepath.Dir(path)
		if !slices.ContainsFunc(all, func(p *target.Package) bool { return p.Dir == dir }) {
			all = append(all, &target.Package{Dir: dir, ImportPath: f.program.File(path).Pkg.Path(),
				Module: f.Look.Package.Module, Plain: f.Look.Package.Plain})
		}
	}
	return all
}

// builds finds out whether all packages of the module that import changed ones still build that did.
func (f *fixer) builds(files map[string][]byte) (again bool, err error) {
	f.say("building what imports the changed packages")
	overlay, err := testrun.Overlay(files, filepath.Join(f.Dir, "module"))
	if err != nil {
		return false, err
	}
	// -mod=mod: the module doesn't require package arena yet, and its go.mod must not be touched.
	command := func(args ...string) (string, error) {
		cmd := exec.Command("go", append([]string{args[0], "-modfile=" + f.Modfile, "-mod=mod"}, args[1:]...)...)
		cmd.Dir = f.Look.Package.Module.Dir
		cmd.Env = append(os.Environ(), "GOWORK=off", "GOFLAGS=")
		out, err := cmd.CombinedOutput()
		if err != nil {
			said := testrun.Original(string(out), files, filepath.Join(f.Dir, "module"))
			return "", errors.New(target.FirstLine(said))
		}
		return string(out), nil
	}
	// What can't be listed is built as a whole.
	importers := []string{"./..."}
	if list, err := command("list", "-f", `{{.ImportPath}}{{range .Imports}} {{.}}{{end}}`, "./..."); err == nil {
		if importers = f.importers(list, files); len(importers) == 0 {
			return false, nil
		}
	}
	build := append([]string{"build", "-o", os.DevNull}, importers...)
	// A module that didn't build before is no reason to refuse the patch.
	if _, err := command(slices.Insert(slices.Clone(build), 3, "-overlay="+overlay)...); err != nil {
		if _, before := command(build...); before == nil {
			return f.blame(err, files)
		}
	}
	return false, nil
}

// importers returns which of the listed packages, each in a line before what it imports, import one that is changed. No
// other can name its structs, and exported functions keep their signatures.
func (f *fixer) importers(list string, files map[string][]byte) (found []string) {
	changed := f.packages(files)
	for line := range strings.Lines(list) {
		words := strings.Fields(line)
		if len(words) > 0 && slices.ContainsFunc(words[1:], func(path string) bool {
			return slices.ContainsFunc(changed, func(p *target.Package) bool { return p.ImportPath == path })
		}) {
			found = append(found, words[0])
		}
	}
	return found
}

// blame finds the function in which the compiler complains, and leaves it as it was in the next round. If the message
// names no function that was changed it returns the error.
func (f *fixer) blame(err error, files map[string][]byte) (again bool, _ error) {
	file, line := testrun.ErrorAt(err)
	for path, text := range files {
		if filepath.Base(path) != filepath.Base(file) || filepath.IsAbs(file) && path != file {
			continue
		}
		if f.leave(path, text, line, "it doesn't compile: "+clean(err.Error())) {
			return true, nil
		}
	}
	return false, err
}

// blameEscape leaves the function as it was that has allocated what outlived its unit.
func (f *fixer) blameEscape(e trial.Escape, files map[string][]byte) (again bool, _ error) {
	for _, place := range e.Lines {
		path, line := sites.Place(place)
		if text, ok := files[path]; ok && f.leave(path, text, line,
			"it outlives its unit, as checked arenas have found") {
			return true, nil
		}
	}
	return false, fmt.Errorf("something has outlived its unit: %s", e.Lines)
}

// blamePanic leaves the function as it was in which a call has panicked. If the arena was freed a function literal has
// outlived its unit: then the literals of that function are left.
func (f *fixer) blamePanic(err error, calls []probe.Frame, files map[string][]byte) (again bool, _ error) {
	freed := strings.Contains(err.Error(), "the arena was freed")
	for _, c := range calls {
		if !freed || !inLiteral.MatchString(c.Function) {
			continue
		}
		if fn := f.changed(c.File, declared(c.File, files[c.File], c.Line)); fn != nil && f.late[fn] == "" {
			f.late[fn] = "its function literal outlives the unit, and would have its arena"
			return true, nil
		}
	}
	for _, c := range calls {
		if f.leave(c.File, files[c.File], c.Line, "it panics: "+clean(err.Error())) {
			return true, nil
		}
	}
	return false, err
}

// inLiteral finds the names of function literals.
var inLiteral = regexp.MustCompile(`\.func\d+(\.\d+)*$`)

// blameLiterals leaves all function literals as they were, since something has the arena of a unit that has ended.
func (f *fixer) blameLiterals() (again bool, _ error) {
	for _, fn := range f.functions {
		if f.late[fn] == "" {
			f.late[fn], again = "a function literal may outlive the unit, and would have its arena", true
		}
	}
	if !again {
		return false, errors.New("something has the arena of a unit that has ended")
	}
	return true, nil
}

// blameField has parameters instead of a struct's field if the arena has less than half of what was moved: of the
// struct that brings it to most of that, since some are made before the unit, and have none. In patches of ten packages
// an arena had 0.8 to 1.3 times the bytes that were moved.
func (f *fixer) blameField(used int) bool {
	moved, all := map[*carrier]float64{}, 0.0
	counted := map[string]bool{}
	for _, m := range f.moves {
		name := finding(m.finding)
		if counted[name] {
			continue
		}
		counted[name] = true
		all += m.finding.Bytes
		if b := f.way[m.in]; b != nil {
			moved[b.carrier] += m.finding.Bytes
		}
	}
	if float64(used) >= all/2 || len(moved) == 0 {
		return false
	}
	most := slices.MaxFunc(slices.Collect(maps.Keys(moved)), func(a, b *carrier) int {
		return cmp.Or(cmp.Compare(moved[a], moved[b]), strings.Compare(a.name, b.name))
	})
	f.notFields[most] = true
	return true
}

// leave leaves the function at a line of a patched file as it was, unless it was left before.
func (f *fixer) leave(path string, text []byte, line int, why string) bool {
	decl := declared(path, text, line)
	if decl == nil {
		return false
	}
	if fn := f.changed(path, decl); fn != nil && f.without[fn] == "" {
		f.without[fn] = why
		return true
	}
	return f.leaveDispatched(decl.Name.Name, why)
}

// declared returns the function at a line of a patched file, nil if there is none.
func declared(path string, text []byte, line int) *ast.FuncDecl {
	fset := token.NewFileSet()
	tree, err := parser.ParseFile(fset, path, text, parser.SkipObjectResolution)
	if err != nil || text == nil { // nil would have the file itself read
		return nil
	}
	return probe.FuncAt(fset, tree, line)
}

// changed returns the function that a patched file declares, where it may have the name of its twin.
func (f *fixer) changed(path string, decl *ast.FuncDecl) *function {
	w := &writer{p: f.plan, names: map[*function]string{}}
	for _, fn := range f.inFile[path] {
		if decl != nil && (fn.obj.Name() == decl.Name.Name || w.twin(fn) == decl.Name.Name) &&
			receiver(fn.decl) == receiver(decl) {
			return fn
		}
	}
	return nil
}

// receiver returns the name of a method's type, "" of a function.
func receiver(d *ast.FuncDecl) string {
	if d.Recv == nil || len(d.Recv.List) == 0 {
		return ""
	}
	name, _, _ := strings.Cut(strings.TrimLeft(types.ExprString(d.Recv.List[0].Type), "(*"), "[")
	return strings.TrimRight(name, ")")
}
