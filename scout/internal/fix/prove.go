package fix

import (
	_ "embed"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/harena-go/arena/scout/internal/probe"
	"github.com/harena-go/arena/scout/internal/testrun"
)

// This file tests whether a patch works, and finds the part to blame if it doesn't. It must not depend on the patch's
// contents. A patch is proved in three steps:
//
//	1. the patched package compiles
//	2. nothing keeps the arena of an ended unit while the benchmark runs
//	3. the tests of the package pass
//
// The blamed part is left unchanged, and the plan is made anew: again is true.

//go:embed unit.txt
var harness string

const harnessName = "zzarenascout"

// prove tests whether a patch works. If a smaller one might, again is true.
func (f *fixer) prove(files map[string][]byte, r *Result) (again bool, err error) {
	m := f.Look.Package.Module
	if err := testrun.Compile(f.Look.Package, testrun.Build{Overlay: f.Weighed(files), Modfile: f.Modfile,
		Output: f.Binary("patched")}); err != nil {
		return f.blame(err, files)
	}
	f.Say("checking that nothing keeps the arena of a unit")
	copied, _, err := f.write(m.Path + "/" + harnessName)
	if err != nil {
		return false, err
	}
	copied[filepath.Join(m.Dir, harnessName, "unit.go")] = []byte(harness)
	if err := testrun.Compile(f.Look.Package, testrun.Build{Overlay: copied, Modfile: f.Modfile,
		Output: f.Binary("checked")}); err != nil {
		return false, err
	}
	log := filepath.Join(f.Dir, "empty")
	result, err := f.Do(testrun.Run{Binary: f.Binary("checked"), Time: "300x", Env: []string{"ARENASCOUT_LOG=" + log}})
	switch {
	case err == nil && f.blameField(log):
		return true, nil
	case err == nil:
	case strings.Contains(err.Error(), "something keeps the arena") && !f.strict:
		f.strict = true
		return true, nil
	default:
		return f.blamePanic(err, result.Panicked, copied)
	}
	return f.test(files, r)
}

// blameField replaces fields that units have mostly found empty, by a log, with parameters: most such structs are made
// before the unit.
func (f *fixer) blameField(log string) (any bool) {
	text, _ := os.ReadFile(log)
	for key := range strings.Lines(string(text)) {
		c := f.carriers[strings.TrimSpace(key)]
		any = any || c.unfit == ""
		c.unfit = "most are made before the unit"
	}
	return any
}

// testLimit limits the time of a package's tests.
const testLimit = 10 * time.Minute

// test runs the tests of the package. A test that also fails without the patch, even now and then, doesn't count.
func (f *fixer) test(files map[string][]byte, r *Result) (again bool, err error) {
	f.Say("running the tests of %s", f.Look.Package.ImportPath)
	result, err := f.runs(files, ".")
	if r.Passed = len(result.Passed); err == nil {
		return false, nil
	}
	if again, _ := f.blamePanic(err, result.Panicked, files); again || len(result.Failed) == 0 {
		return again, err
	}
	r.Failed = result.Failed
	if broken := f.passing(r.Failed); len(broken) > 0 {
		return true, f.blameTest(broken[0])
	}
	return false, nil
}

// runs builds and runs tests with some files.
func (f *fixer) runs(files map[string][]byte, tests string, flags ...string) (testrun.Result, error) {
	build := testrun.Build{Overlay: files, Modfile: f.Modfile, Output: f.Binary("tests")}
	if err := testrun.Compile(f.Look.Package, build); err != nil {
		return testrun.Result{}, err
	}
	return testrun.Run{Binary: build.Output, Dir: f.Look.Package.Dir, Test: tests, Flags: append(flags, "-test.v"),
		Limit: testLimit}.Do()
}

// flaky is the number of runs without the patch for a test that failed with it. A test that fails in 1 of 4 runs is
// recognized as flaky in 97 of 100 cases.
const flaky = 12

// passing returns the tests that don't fail without the patch: neither in a run of all tests, nor in some runs alone.
func (f *fixer) passing(tests []string) []string {
	only, flags := ".", []string(nil)
	for range 2 {
		f.Say("running without the patch what failed with it: %s", strings.Join(tests, ", "))
		result, _ := f.runs(nil, only, flags...)
		if tests = slices.DeleteFunc(slices.Clone(tests), func(name string) bool {
			return slices.Contains(result.Failed, name)
		}); len(tests) == 0 {
			break
		}
		only, flags = "^("+strings.Join(tests, "|")+")$", []string{fmt.Sprintf("-test.count=%d", flaky)}
	}
	return tests
}

// blameTest finds an expression that makes a test fail, by halves, and excludes it: goja tests that the collector takes
// a value out of a WeakMap, and orb that an error is a *json.UnmarshalTypeError.
func (f *fixer) blameTest(test string) error {
	f.Say("looking for the expression with which %s fails", test)
	var suspects []ast.Node
	for _, m := range f.moves {
		suspects = append(suspects, m.node())
	}
	for len(suspects) > 1 {
		half := suspects[:len(suspects)/2]
		for _, n := range half {
			f.excluded[n] = "for a moment"
		}
		f.decide()
		files, _, err := f.write("")
		if err == nil {
			_, err = f.runs(files, testrun.Exact(test))
		}
		for _, n := range half {
			delete(f.excluded, n)
		}
		if err != nil { // fails without the half, too
			half = suspects[len(half):]
		}
		suspects = half
	}
	f.excluded[suspects[0]] = test + " fails with it"
	return nil
}

// blame leaves the function in the compiler's message unchanged. If the message names no changed function it returns
// the error.
func (f *fixer) blame(err error, files map[string][]byte) (again bool, _ error) {
	file, line := testrun.ErrorAt(err)
	for path := range files {
		if filepath.Base(path) == filepath.Base(file) &&
			f.leave(path, files[path], line, "it doesn't compile: "+strings.Join(strings.Fields(err.Error()), " ")) {
			return true, nil
		}
	}
	return false, err
}

// blamePanic leaves the function of a call that panicked unchanged.
func (f *fixer) blamePanic(err error, calls []probe.Frame, files map[string][]byte) (again bool, _ error) {
	for _, c := range calls {
		if files[c.File] != nil && f.leave(c.File, files[c.File], c.Line, "it panics: "+err.Error()) {
			return true, nil
		}
	}
	return false, err
}

// leave leaves the function at a line of a patched file unchanged, unless it already is.
func (f *fixer) leave(path string, text []byte, line int, why string) bool {
	fset := token.NewFileSet()
	tree, err := parser.ParseFile(fset, path, text, parser.SkipObjectResolution)
	if err != nil {
		return false
	}
	decl, w := probe.FuncAt(fset, tree, line), &writer{plan: f.plan}
	receiver := func(d *ast.FuncDecl) string {
		if d.Recv == nil || len(d.Recv.List) == 0 {
			return ""
		}
		return types.ExprString(d.Recv.List[0].Type)
	}
	for _, fn := range f.inFile[path] {
		if decl != nil && (fn.obj.Name() == decl.Name.Name || w.twinName(fn) == decl.Name.Name) &&
			receiver(fn.decl) == receiver(decl) && f.without[fn] == "" {
			f.without[fn] = why
			return true
		}
	}
	return false
}
