//go:build !race && !asan && !msan

package repository

import (
	"go/ast"
	"go/build"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// This file holds docs/migration.md to its word: a program for the runtime's experiment
// needs another import, and nothing else.

// experiment is the folder of the runtime's experimental package arena in the toolchain.
func experiment(t *testing.T) string {
	dir := filepath.Join(build.Default.GOROOT, "src", "arena")
	if !exists(filepath.Join(dir, "arena.go")) {
		t.Skip("this toolchain has no sources of the experiment")
	}
	return dir
}

// TestExperimentSignatures: the exported names of the experiment are here, with the same signatures. NewArena takes
// options as well, which makes no difference to callers.
func TestExperimentSignatures(t *testing.T) {
	theirs, ours := scopeOf(t, experiment(t)), scopeOf(t, root)
	names := 0
	for _, name := range theirs.Names() {
		if !ast.IsExported(name) {
			continue
		}
		names++
		there, here := theirs.Lookup(name), ours.Lookup(name)
		if here == nil {
			t.Errorf("the experiment has %s", name)
			continue
		}
		if _, ok := there.(*types.TypeName); !ok {
			if want, got := signature(there), signature(here); want != got {
				t.Errorf("%s is %s there and %s here", name, want, got)
			}
			continue
		}
		methods := types.NewMethodSet(types.NewPointer(there.Type()))
		for i := range methods.Len() {
			m := methods.At(i).Obj()
			if !m.Exported() {
				continue
			}
			names++
			got, _, _ := types.LookupFieldOrMethod(here.Type(), true, here.Pkg(), m.Name())
			if got == nil || signature(m) != signature(got) {
				t.Errorf("%s.%s is %s there and %v here", name, m.Name(), signature(m), got)
			}
		}
	}
	if names < 6 {
		t.Errorf("the experiment has %d names only", names)
	}
}

// signature returns the type of a function as text, without the names of parameters and packages, and without
// options.
func signature(o types.Object) string {
	sig, ok := o.Type().(*types.Signature)
	if !ok {
		return o.String()
	}
	without := func(t *types.Tuple) *types.Tuple {
		var vars []*types.Var
		for v := range t.Variables() {
			if s, ok := v.Type().(*types.Slice); ok && sig.Variadic() && strings.HasSuffix(s.Elem().String(), ".Option") {
				continue
			}
			vars = append(vars, types.NewParam(token.NoPos, nil, "", v.Type()))
		}
		return types.NewTuple(vars...)
	}
	none := func(*types.Package) string { return "" }
	plain := types.NewSignatureType(nil, nil, nil, without(sig.Params()), without(sig.Results()), false)
	text := types.TypeString(plain, none)
	for p := range sig.TypeParams().TypeParams() {
		text += ", " + p.String() + " " + types.TypeString(p.Constraint(), none)
	}
	return text
}

// scopeOf returns the declarations of a package. Its imports aren't looked at.
func scopeOf(t *testing.T, dir string) *types.Scope {
	fset := token.NewFileSet()
	var files []*ast.File
	for _, file := range sources(dir) {
		f, err := parser.ParseFile(fset, file, nil, parser.AllErrors|parser.ParseComments)
		if f == nil || err != nil && !newerSyntax(f) {
			t.Fatal(err)
		}
		if err == nil {
			files = append(files, f)
		}
	}
	config := types.Config{Importer: noImports{importer.Default()}, Error: func(error) {}, IgnoreFuncBodies: true}
	pkg, _ := config.Check("arena", fset, files, nil)
	return pkg.Scope()
}

// TestExperimentPrograms compiles and runs the experiment's own tests, and a program for it, with
// the import changed.
func TestExperimentPrograms(t *testing.T) {
	if testing.Short() {
		t.Skip("compiles two programs")
	}
	here, err := filepath.Abs(root)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	write(t, filepath.Join(dir, "go.mod"), "module experiment\n\ngo 1.26\n\nrequire github.com/harena-go/arena v0.0.0\n\nreplace github.com/harena-go/arena => "+here+"\n")
	migrate(t, "testdata/experiment/main.go.txt", filepath.Join(dir, "main.go"))
	run := func(args ...string) string {
		cmd := exec.Command("go", args...)
		cmd.Dir = dir
		cmd.Env = append(os.Environ(), "GOWORK=off", "GOFLAGS=-mod=mod", "GOEXPERIMENT=")
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("go %q: %v\n%s", args, err, out)
		}
		return string(out)
	}
	const want = "1 99 100 42 0\n1 42 2 xxx\ntrue\n2036\nnode 0\n"
	if got := run("run", "."); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	tests, _ := filepath.Glob(filepath.Join(experiment(t), "*_test.go"))
	for _, file := range tests {
		migrate(t, file, filepath.Join(dir, "theirs", filepath.Base(file)))
	}
	if len(tests) > 0 {
		if out := run("test", "-v", "./theirs"); !strings.Contains(out, "--- PASS: TestSmoke") {
			t.Errorf("their tests say\n%s", out)
		}
	}
}

// migrate copies a file with the import changed, and for all builds.
func migrate(t *testing.T, from, to string) {
	text, err := os.ReadFile(from)
	if err != nil {
		t.Fatal(err)
	}
	changed := strings.Replace(string(text), "\t\"arena\"\n", "\t\"github.com/harena-go/arena\"\n", 1)
	if changed == string(text) {
		t.Fatalf("%s doesn't import the experiment", from)
	}
	write(t, to, strings.Replace(changed, "//go:build goexperiment.arenas\n", "", 1))
}
