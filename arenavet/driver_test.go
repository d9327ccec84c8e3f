package arenavet_test

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"os"
	"reflect"
	"sync"
	"testing"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/packages"
)

// A subject is a package that is analyzed by itself: only the types of its imports are known.
type subject struct {
	fset  *token.FileSet
	files []*ast.File
	pkg   *types.Package
	info  *types.Info
}

// A library has packages whose types are known, by their paths.
type library map[string]*packages.Package

// load returns the types of packages, and of all their dependencies, as the go command finds them in a directory.
func load(dir string, env []string, patterns ...string) (roots []*packages.Package, all library, err error) {
	mode := packages.NeedName | packages.NeedFiles | packages.NeedCompiledGoFiles | packages.NeedImports | packages.NeedDeps |
		packages.NeedTypes | packages.NeedExportFile | packages.NeedTypesSizes
	roots, err = packages.Load(&packages.Config{Mode: mode, Dir: dir, Env: env}, patterns...)
	all = library{}
	packages.Visit(roots, func(p *packages.Package) bool { all[p.PkgPath] = p; return true }, nil)
	return roots, all, err
}

// imports returns the types of package arena, of some packages of the standard library, and of all their dependencies.
var imports = sync.OnceValues(func() (library, error) {
	_, all, err := load("testdata", append(os.Environ(), "GOWORK=off"), "github.com/harena-go/arena", "github.com/harena-go/arena/arenajson",
		"github.com/harena-go/arena/contrib/arenapgx", "go/parser", "go/types", "net/http")
	return all, err
})

type importer func(path string) (*types.Package, error)

func (i importer) Import(path string) (*types.Package, error) { return i(path) }

// parse returns the package of some files.
func parse(t testing.TB, path string, files map[string]string) *subject {
	t.Helper()
	known, err := imports()
	if err != nil {
		t.Fatal(err)
	}
	s, err := known.parse(path, files)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// parse returns the package of some files. Packages in vendor directories are also found by their names in the source.
func (known library) parse(path string, files map[string]string) (*subject, error) {
	s := &subject{fset: token.NewFileSet()}
	for name, text := range files {
		f, err := parser.ParseFile(s.fset, name, text, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			return nil, err
		}
		s.files = append(s.files, f)
	}
	s.info = &types.Info{
		Types: map[ast.Expr]types.TypeAndValue{}, Defs: map[*ast.Ident]types.Object{}, Uses: map[*ast.Ident]types.Object{},
		Implicits: map[ast.Node]types.Object{}, Instances: map[*ast.Ident]types.Instance{}, Scopes: map[ast.Node]*types.Scope{},
		Selections: map[*ast.SelectorExpr]*types.Selection{}, FileVersions: map[*ast.File]string{},
	}
	config := types.Config{Sizes: types.SizesFor("gc", "amd64"), Importer: importer(func(path string) (*types.Package, error) {
		if path == "unsafe" {
			return types.Unsafe, nil
		}
		if p := known[path]; p != nil {
			return p.Types, nil
		}
		if p := known["vendor/"+path]; p != nil {
			return p.Types, nil
		}
		return nil, fmt.Errorf("%s isn't loaded", path)
	})}
	var err error
	s.pkg, err = config.Check(path, s.fset, s.files, s.info)
	return s, err
}

// analyze runs analyzers and their requirements, and returns the findings.
func (s *subject) analyze(t testing.TB, analyzers []*analysis.Analyzer) (found []analysis.Diagnostic) {
	t.Helper()
	results := map[*analysis.Analyzer]any{}
	var run func(a *analysis.Analyzer)
	run = func(a *analysis.Analyzer) {
		if _, done := results[a]; done {
			return
		}
		for _, r := range a.Requires {
			run(r)
		}
		result, err := a.Run(s.pass(a, results, func(d analysis.Diagnostic) { found = append(found, d) }))
		if err != nil {
			t.Fatal(err)
		}
		results[a] = result
	}
	for _, a := range analyzers {
		run(a)
	}
	return found
}

// pass returns a pass without facts of other packages.
func (s *subject) pass(a *analysis.Analyzer, results map[*analysis.Analyzer]any, report func(analysis.Diagnostic)) *analysis.Pass {
	facts := map[types.Object]analysis.Fact{}
	return &analysis.Pass{
		Analyzer: a, Fset: s.fset, Files: s.files, Pkg: s.pkg, TypesInfo: s.info, TypesSizes: types.SizesFor("gc", "amd64"),
		Module: &analysis.Module{GoVersion: "go1.26"}, ResultOf: results, Report: report,
		ImportObjectFact: func(obj types.Object, fact analysis.Fact) bool {
			f, ok := facts[obj]
			if ok {
				reflect.ValueOf(fact).Elem().Set(reflect.ValueOf(f).Elem())
			}
			return ok
		},
		ExportObjectFact:  func(obj types.Object, fact analysis.Fact) { facts[obj] = fact },
		ImportPackageFact: func(*types.Package, analysis.Fact) bool { return false },
		ExportPackageFact: func(analysis.Fact) {},
		AllObjectFacts:    func() []analysis.ObjectFact { return nil },
		AllPackageFacts:   func() []analysis.PackageFact { return nil },
	}
}
