package source

import (
	"bytes"
	"encoding/json"
	"errors"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"

	"golang.org/x/tools/go/gcexportdata"
)

// This file reads packages with their types. The compiler's export data of other modules was written when the test
// binary was built. The module's own packages aren't built again: other tests see them as different packages, and
// compiling a generated parser takes longer than everything else. So they are read from source, without function bodies
// where nobody looks at them.

// A listed is a package in the output of go list.
type listed struct {
	Dir, ImportPath, Export                            string
	GoFiles, CgoFiles, TestGoFiles, XTestGoFiles       []string
	IgnoredGoFiles, Imports, TestImports, XTestImports []string
	ImportMap                                          map[string]string
	Module                                             *struct{ Path, GoVersion string }
}

// A loader has the packages and files read so far.
type loader struct {
	*Program
	dir    string
	module string                    // its packages are read from source
	known  map[string]*listed        // by import path
	roots  map[string]bool           // the packages whose bodies are read
	trees  map[string]*ast.File      // by path of the file
	plain  map[string]*types.Package // by import path, without tests; nil while being read
	tested map[string]*types.Package // the same with the tests in the package
	others map[string]*types.Package // read from export data
}

// Load reads packages and their tests, seen from a folder. It leaves unreadable packages out; their lines are then
// described less well.
func Load(dir string, paths ...string) (*Program, error) {
	l := &loader{Program: &Program{Fset: token.NewFileSet(), files: map[string]*File{}}, dir: dir,
		known: map[string]*listed{}, roots: map[string]bool{}, trees: map[string]*ast.File{},
		plain: map[string]*types.Package{}, tested: map[string]*types.Package{}, others: map[string]*types.Package{}}
	roots, err := l.list(nil, paths...)
	if err != nil {
		return nil, err
	}
	needed := slices.Clone(paths)
	for _, p := range roots {
		l.roots[p.ImportPath] = true
		if p.Module != nil {
			l.module = p.Module.Path
		}
		for _, path := range p.IgnoredGoFiles {
			l.Ignored = append(l.Ignored, filepath.Join(p.Dir, path))
		}
		needed = append(needed, p.TestImports...)
		needed = append(needed, p.XTestImports...)
	}
	slices.Sort(needed)
	if _, err := l.list([]string{"-deps"}, slices.Compact(needed)...); err != nil {
		return nil, err
	}
	if err := l.exports(); err != nil {
		return nil, err
	}
	for _, p := range roots {
		l.root(l.known[p.ImportPath])
	}
	return l.Program, nil
}

// list runs go list on packages, and adds them to known.
func (l *loader) list(flags []string, paths ...string) (all []*listed, err error) {
	cmd := exec.Command("go", slices.Concat([]string{"list", "-e", "-trimpath=false", // like testrun
		"-json=Dir,ImportPath,Export,GoFiles,CgoFiles,TestGoFiles,XTestGoFiles,IgnoredGoFiles,Imports," +
			"TestImports,XTestImports,ImportMap,Module"}, flags, []string{"--"}, paths)...)
	cmd.Dir = l.dir
	out, err := cmd.Output()
	if err != nil {
		return nil, err
	}
	for d := json.NewDecoder(bytes.NewReader(out)); ; {
		p := &listed{}
		switch err := d.Decode(p); {
		case errors.Is(err, io.EOF):
			return all, nil
		case err != nil:
			return nil, err
		}
		if old := l.known[p.ImportPath]; old != nil {
			old.Export = p.Export
		} else {
			l.known[p.ImportPath] = p
		}
		all = append(all, p)
	}
}

// local reports whether a package is read from source.
func (l *loader) local(p *listed) bool {
	return l.roots[p.ImportPath] || p.Module != nil && p.Module.Path == l.module
}

// exports has the go command find the export data of the packages that the local ones import. It skips the tests of
// other folders: their imports were never built.
func (l *loader) exports() error {
	var foreign []string
	for _, p := range l.known {
		if !l.local(p) {
			continue
		}
		imports := p.Imports
		if same, err := filepath.Abs(l.dir); err == nil && same == p.Dir {
			imports = slices.Concat(imports, p.TestImports, p.XTestImports)
		}
		for _, path := range imports {
			if q := l.known[path]; q != nil && !l.local(q) && path != "unsafe" && path != "C" {
				foreign = append(foreign, path)
			}
		}
	}
	if len(foreign) == 0 {
		return nil
	}
	slices.Sort(foreign)
	_, err := l.list([]string{"-export"}, slices.Compact(foreign)...)
	return err
}

// root reads a package with all its tests, and adds their files.
func (l *loader) root(p *listed) {
	if p == nil {
		return
	}
	l.withTests(p)
	if len(p.XTestGoFiles) > 0 {
		l.check(p, p.ImportPath+"_test", p.XTestGoFiles, true, func(path string) (*types.Package, error) {
			if path == p.ImportPath {
				return l.withTests(p), nil
			}
			return l.find(p, path)
		})
	}
}

// withTests reads a package with its internal tests, and adds its files.
func (l *loader) withTests(p *listed) *types.Package {
	if l.tested[p.ImportPath] == nil {
		l.tested[p.ImportPath] = l.check(p, p.ImportPath, slices.Concat(p.GoFiles, p.CgoFiles, p.TestGoFiles), true,
			func(path string) (*types.Package, error) { return l.find(p, path) })
	}
	return l.tested[p.ImportPath]
}

// find returns the package that another one imports by a path.
func (l *loader) find(by *listed, path string) (*types.Package, error) {
	if mapped := by.ImportMap[path]; mapped != "" { // a vendored package
		path = mapped
	}
	p := l.known[path]
	switch {
	case path == "unsafe":
		return types.Unsafe, nil
	case p == nil:
		return nil, errors.New("not listed")
	case !l.local(p):
		return l.compiled(p)
	}
	pkg, begun := l.plain[path]
	if !begun {
		l.plain[path] = nil
		pkg = l.check(p, path, slices.Concat(p.GoFiles, p.CgoFiles), false, func(path string) (*types.Package, error) {
			return l.find(p, path)
		})
		l.plain[path] = pkg
	}
	if pkg == nil {
		return nil, errors.New("imports itself")
	}
	return pkg, nil
}

// compiled reads the export data of a package.
func (l *loader) compiled(p *listed) (*types.Package, error) {
	if pkg := l.others[p.ImportPath]; pkg != nil && pkg.Complete() {
		return pkg, nil
	}
	f, err := os.Open(p.Export)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	//lint:ignore SA1019 Go 1.26 and 1.27 write archives
	r, err := gcexportdata.NewReader(f)
	if err != nil {
		return nil, err
	}
	return gcexportdata.Read(r, l.Fset, l.others, p.ImportPath)
}

// check reads files as a package. With bodies they become files of the program. Errors are ignored: expressions that
// depend on them have no type.
func (l *loader) check(p *listed, path string, names []string, bodies bool,
	find func(path string) (*types.Package, error)) *types.Package {
	var trees []*ast.File
	for _, name := range names {
		file := filepath.Join(p.Dir, name)
		if _, read := l.trees[file]; !read {
			l.trees[file], _ = parser.ParseFile(l.Fset, file, nil, parser.ParseComments|parser.SkipObjectResolution)
		}
		if tree := l.trees[file]; tree != nil {
			trees = append(trees, tree)
		}
	}
	info := &types.Info{Types: map[ast.Expr]types.TypeAndValue{}, Defs: map[*ast.Ident]types.Object{},
		Uses: map[*ast.Ident]types.Object{}, Selections: map[*ast.SelectorExpr]*types.Selection{},
		Implicits: map[ast.Node]types.Object{}, Instances: map[*ast.Ident]types.Instance{},
		Scopes: map[ast.Node]*types.Scope{}}
	config := types.Config{Importer: importer(find), IgnoreFuncBodies: !bodies, FakeImportC: true,
		Error: func(error) {}, Sizes: types.SizesFor("gc", arch())}
	if p.Module != nil && p.Module.GoVersion != "" {
		config.GoVersion = "go" + p.Module.GoVersion
	}
	if !bodies {
		info = nil
	}
	pkg, _ := config.Check(path, l.Fset, trees, info)
	if bodies {
		for _, tree := range trees {
			name := l.Fset.Position(tree.FileStart).Filename
			l.files[name] = &File{Path: name, Tree: tree, Info: info, Pkg: pkg,
				boxed: map[ast.Expr]*ast.ParenExpr{}}
		}
	}
	return pkg
}

// arch returns the target architecture.
func arch() string {
	if a := os.Getenv("GOARCH"); a != "" {
		return a
	}
	return runtime.GOARCH
}

// An importer finds packages by a function.
type importer func(path string) (*types.Package, error)

// Import calls the function.
func (f importer) Import(path string) (*types.Package, error) { return f(path) }
