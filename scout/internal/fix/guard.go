package fix

import (
	"go/ast"
	"maps"
	"strings"
	"time"

	"github.com/harena-go/arena/scout/internal/guard"
	"github.com/harena-go/arena/scout/internal/testrun"
)

// This file adds the test that stays.

// guardLimit is how long the test that stays may take.
const guardLimit = 2 * time.Minute

// guarded adds the test to the patch if it passes.
func (f *fixer) guarded(files map[string][]byte, r *Result) {
	name := f.guardName()
	u := guard.Unit{Name: f.unit.name(), Func: f.unit.obj.Name(), Twin: (&writer{p: f.plan}).twin(f.unit), Test: name,
		Lag: f.lag, Benchmark: f.Look.Benchmark, Dir: f.Look.Package.Dir, Files: f.files, Used: f.names,
		Offset: f.offset, Calls: map[*ast.Ident]bool{}}
	for _, c := range f.tests {
		u.Calls[c.name] = u.Calls[c.name] || c.to == f.unit
	}
	path, text, why := guard.Write(u)
	if why == "" {
		all := maps.Clone(files)
		all[path] = text
		f.say("running the test that stays")
		build := testrun.Build{Overlay: all, Modfile: f.Modfile, Output: f.binary("guard")}
		err := testrun.Compile(f.Look.Package, build)
		if err == nil {
			run := testrun.Run{Binary: f.binary("guard"), Dir: f.Look.Package.Dir, Test: "^" + name + "$",
				Flags: []string{"-test.v"}, Limit: guardLimit}
			_, err = run.Do()
		}
		if err == nil {
			files[path], r.Guard = text, name
			return
		}
		why = err.Error()
	}
	r.NoGuard = clean(why)
}

// guardName returns the name of the test.
func (f *fixer) guardName() string {
	twin := (&writer{p: f.plan}).twin(f.unit)
	name := "Test" + strings.ToUpper(twin[:1]) + twin[1:]
	// In its folder there may be two packages of tests.
	for path := f.Look.Package.ImportPath; f.names[path][name] || f.names[path+"_test"][name]; {
		name += "2"
	}
	return name
}
