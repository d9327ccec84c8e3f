// Package source reads from Go source what a program without symbols and debugging
// information doesn't say: which package-level variables a line mentions, their types,
// and where they have pointers.
//
// It is for the reports of tests that have failed. It reads only the files that the
// program was built from, no file of the go command's cache, and starts no command. It
// says nothing about what it can't find or understand.
//
// Types come from go/types, but not from whole packages: to check all that net/http
// imports takes seconds. Only the declarations that a variable's type consists of are
// checked, see closure, in a millisecond or two.
package source

import (
	"go/ast"
	"go/build"
	"go/parser"
	"go/token"
	"os"
	"path"
	"path/filepath"
	"runtime/debug"
	"strings"
	"time"
)

// A Reader reads the source of this program. It may be used by one goroutine at a time.
type Reader struct {
	goroot string                   // where the standard library's packages are
	dir    func(path string) string // where the files of any other are, "" if that isn't known

	files    *token.FileSet
	context  build.Context
	built    time.Time              // when the program was; newer files tell nothing about it
	packages map[string]*pkg        // by path; nil if there is no source
	sources  map[string][]*ast.File // by directory
	vars     map[Name]*Variable     // nil for what is no variable
	lines    map[*pkg]map[Line][]Mention
}

// A Name is that of a package-level declaration.
type Name struct{ Package, Name string }

func (n Name) String() string { return n.Package + "." + n.Name }

// A pkg has the files of a package in the build, including its own tests, or those of its
// external tests.
type pkg struct {
	path   string
	files  []*file
	decls  map[string]decl
	bodies map[string]*body // by the names of functions and methods
}

type file struct {
	*ast.File
	pkg *pkg
}

// A decl is a declaration of a package-level name.
type decl struct {
	file  *file
	group *ast.GenDecl  // nil for a function
	spec  ast.Spec      // likewise
	fn    *ast.FuncDecl // nil for all else
}

// start is where the program was started: go test does so in the directory of the
// package under test.
var start, _ = os.Getwd()

// NewReader returns a reader of the source of this program. goroot is where the packages
// of the standard library are, or "" if that isn't known, and dir returns the directory
// of any other package.
func NewReader(goroot string, dir func(path string) string) *Reader {
	r := &Reader{
		goroot:   goroot,
		dir:      dir,
		files:    token.NewFileSet(),
		context:  build.Default,
		packages: map[string]*pkg{},
		sources:  map[string][]*ast.File{},
		vars:     map[Name]*Variable{},
		lines:    map[*pkg]map[Line][]Mention{},
	}
	if goroot == "" {
		r.goroot = filepath.Join(r.context.GOROOT, "src")
	}
	if program, err := os.Executable(); err == nil {
		if info, err := os.Stat(program); err == nil {
			r.built = info.ModTime()
		}
	}
	r.useSettings()
	return r
}

// useSettings makes the reader choose files as the build did.
func (r *Reader) useSettings() {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return
	}
	for _, s := range info.Settings {
		switch s.Key {
		case "-tags":
			r.context.BuildTags = append(r.context.BuildTags, strings.Split(s.Value, ",")...)
		case "-race", "-asan", "-msan":
			r.context.BuildTags = append(r.context.BuildTags, s.Key[1:])
		case "CGO_ENABLED":
			r.context.CgoEnabled = s.Value == "1"
		}
	}
}

// open returns the package with a path, whose files are in a directory, or if that is "",
// in the expected one. It returns nil if there are none.
func (r *Reader) open(path, dir string) *pkg {
	if p, ok := r.packages[path]; ok {
		return p
	}
	if dir == "" {
		dir = r.find(path)
	}
	p := &pkg{path: path, decls: map[string]decl{}, bodies: map[string]*body{}}
	for _, parsed := range r.parse(dir) {
		if external(parsed.Name.Name) == external(path) {
			f := &file{parsed, p}
			p.files = append(p.files, f)
			p.declare(f)
		}
	}
	if len(p.files) == 0 {
		p = nil
	}
	r.packages[path] = p
	return p
}

// external reports whether a package is that of the external tests of another.
func external(name string) bool { return strings.HasSuffix(name, "_test") }

// find returns the directory of a package without a known file.
func (r *Reader) find(path string) string {
	if first, _, _ := strings.Cut(path, "/"); !strings.Contains(first, ".") {
		dir := filepath.Join(r.goroot, filepath.FromSlash(path))
		if _, err := os.Stat(dir); err == nil {
			return dir
		}
	}
	return r.dir(path)
}

// parse returns the files of a directory that are for this machine and this build, including
// tests only if the package is under test. If one is newer than the program, all may be of
// another version.
func (r *Reader) parse(dir string) []*ast.File {
	if files, ok := r.sources[dir]; ok || dir == "" {
		return files
	}
	r.sources[dir] = nil
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil
	}
	tested := sameDir(dir, start)
	var files []*ast.File
	for _, e := range entries {
		if !strings.HasSuffix(e.Name(), ".go") || strings.HasSuffix(e.Name(), "_test.go") && !tested {
			continue
		}
		if match, err := r.context.MatchFile(dir, e.Name()); !match || err != nil {
			continue
		}
		if info, err := e.Info(); err != nil || info.ModTime().After(r.built) {
			return nil
		}
		f, err := parser.ParseFile(r.files, filepath.Join(dir, e.Name()), nil, parser.AllErrors)
		if err != nil {
			return nil
		}
		files = append(files, f)
	}
	r.sources[dir] = files
	return files
}

func sameDir(a, b string) bool {
	infoA, errA := os.Stat(a)
	infoB, errB := os.Stat(b)
	return errA == nil && errB == nil && os.SameFile(infoA, infoB)
}

// declare takes note of the names that a file declares.
func (p *pkg) declare(f *file) {
	for _, d := range f.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			if d.Recv == nil {
				p.decls[d.Name.Name] = decl{file: f, fn: d}
			}
		case *ast.GenDecl:
			for _, s := range d.Specs {
				for _, name := range declared(s) {
					p.decls[name.Name] = decl{file: f, group: d, spec: s}
				}
			}
		}
	}
}

// declared returns the names in a declaration other than of a function.
func declared(s ast.Spec) []*ast.Ident {
	switch s := s.(type) {
	case *ast.TypeSpec:
		return []*ast.Ident{s.Name}
	case *ast.ValueSpec:
		return s.Names
	}
	return nil
}

// isVar reports whether a declaration is that of variables.
func (d decl) isVar() bool { return d.group != nil && d.group.Tok == token.VAR }

// imported returns the path of the package that a file imports by a name, or "".
func (r *Reader) imported(f *file, name string) string {
	var others []string
	for _, s := range f.Imports {
		path := strings.Trim(s.Path.Value, "`\"")
		switch {
		case s.Name != nil && s.Name.Name == name, s.Name == nil && usualName(path) == name:
			return path
		case s.Name == nil:
			others = append(others, path)
		}
	}
	for _, path := range others {
		if p := r.open(path, ""); p != nil && p.files[0].Name.Name == name {
			return path
		}
	}
	return ""
}

// usualName returns the name that a package with a path usually has.
func usualName(p string) string {
	name := path.Base(p)
	if version := strings.TrimLeft(name, "0123456789v"); version == "" && name[0] == 'v' && strings.Contains(p, "/") {
		name = path.Base(path.Dir(p))
	}
	return name
}
