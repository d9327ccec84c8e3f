package repository

import (
	"bytes"
	"flag"
	"go/ast"
	"go/build"
	"go/build/constraint"
	"go/format"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write the listings anew")

// root is the module's folder.
const root = "../../.."

// TestAPI compares the exported names of each package with the listing in testdata/api, so that no change of the API
// goes unseen. An intended change is written down with
//
//	go test ./internal/tests/repository -run TestAPI -update
func TestAPI(t *testing.T) {
	listed := map[string]bool{}
	for _, dir := range publicPackages(t) {
		file := filepath.Join("testdata", "api", strings.ReplaceAll(name(dir), "/", "_")+".txt")
		listed[file] = true
		got := listing(t, dir)
		if *update {
			if newest := "go1.27"; laterTag(newest) {
				t.Fatalf("the listings are written with %s or later, which reads all files", newest)
			}
			if err := os.WriteFile(file, got, 0o666); err != nil {
				t.Fatal(err)
			}
			continue
		}
		want, err := os.ReadFile(file)
		if err != nil {
			t.Error(err)
		}
		for _, line := range difference(known(string(want)), known(string(got))) {
			t.Errorf("%s: %s", name(dir), line)
		}
	}
	files, _ := filepath.Glob("testdata/api/*.txt")
	for _, file := range files {
		if !listed[file] {
			t.Errorf("%s is of a package that is gone", file)
		}
	}
}

// name returns the import path of a folder's package within the module.
func name(dir string) string {
	rel, _ := filepath.Rel(root, dir)
	if rel == "." {
		return "arena"
	}
	return filepath.ToSlash(rel)
}

// publicPackages returns the folders of the module's packages that others can import.
func publicPackages(t *testing.T) (dirs []string) {
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.IsDir() {
			return err
		}
		switch base := d.Name(); {
		case path == root:
		case strings.HasPrefix(base, "."), base == "internal", base == "testdata", base == "examples":
			return fs.SkipDir
		case exists(filepath.Join(path, "go.mod")):
			return fs.SkipDir
		}
		if len(sources(path)) > 0 {
			dirs = append(dirs, path)
		}
		return nil
	})
	if err != nil || len(dirs) < 3 {
		t.Fatalf("packages %q, %v", dirs, err)
	}
	return dirs
}

func exists(file string) bool {
	_, err := os.Stat(file)
	return err == nil
}

// sources returns the Go files of a folder that aren't tests.
func sources(dir string) []string {
	files, _ := filepath.Glob(filepath.Join(dir, "*.go"))
	return slices.DeleteFunc(files, func(f string) bool { return strings.HasSuffix(f, "_test.go") })
}

// listing returns the exported declarations of a package, sorted, without comments.
func listing(t *testing.T, dir string) []byte {
	var decls []string
	for _, file := range sources(dir) {
		fset := token.NewFileSet()
		f, err := parser.ParseFile(fset, file, nil, parser.AllErrors|parser.ParseComments|parser.SkipObjectResolution)
		if f == nil || err != nil && !newerSyntax(f) {
			t.Fatal(err)
		}
		tag := tagOf(f)
		ast.FileExports(f)
		for _, d := range f.Decls {
			decls = append(decls, declarations(t, fset, d, tag)...)
		}
	}
	slices.Sort(decls)
	return []byte(strings.Join(decls, ""))
}

// known returns the lines of a listing that this toolchain can read.
func known(listing string) string {
	var lines []string
	for line := range strings.Lines(listing) {
		if _, tag, _ := strings.Cut(line, "//go:build "); tag == "" || !laterTag(strings.TrimSpace(tag)) {
			lines = append(lines, line)
		}
	}
	return strings.Join(lines, "")
}

// laterTag reports whether a tag is that of a later toolchain.
func laterTag(tag string) bool {
	return strings.HasPrefix(tag, "go1.") && !slices.Contains(build.Default.ReleaseTags, tag)
}

// newerSyntax reports whether a file is for a later toolchain than this one, which reports unknown syntax and still
// returns all declarations.
func newerSyntax(f *ast.File) bool { return strings.Contains(tagOf(f), "go1.") }

// tagOf returns the line that says in which builds a file is, or "".
func tagOf(f *ast.File) string {
	for _, group := range f.Comments {
		for _, c := range group.List {
			if constraint.IsGoBuild(c.Text) {
				return c.Text
			}
		}
	}
	return ""
}

// declarations returns the text of each thing that a declaration declares.
func declarations(t *testing.T, fset *token.FileSet, d ast.Decl, tag string) (texts []string) {
	var nodes []any
	switch d := d.(type) {
	case *ast.FuncDecl:
		d.Body, d.Doc = nil, nil
		if d.Recv == nil || exportedReceiver(d.Recv.List[0].Type) {
			nodes = append(nodes, d)
		}
	case *ast.GenDecl:
		if d.Tok != token.IMPORT && len(d.Specs) > 0 {
			d.Doc = nil
			nodes = append(nodes, d)
		}
	}
	for _, n := range nodes {
		ast.Inspect(n.(ast.Node), forgetComments)
		var b bytes.Buffer
		if err := format.Node(&b, fset, n); err != nil {
			t.Fatal(err)
		}
		text := strings.TrimSpace(b.String()) + "\n"
		if tag != "" {
			text = strings.TrimSuffix(text, "\n") + " " + tag + "\n"
		}
		texts = append(texts, text)
	}
	return texts
}

// exportedReceiver reports whether a method is one of an exported type.
func exportedReceiver(t ast.Expr) bool {
	switch t := t.(type) {
	case *ast.StarExpr:
		return exportedReceiver(t.X)
	case *ast.IndexExpr:
		return exportedReceiver(t.X)
	case *ast.IndexListExpr:
		return exportedReceiver(t.X)
	case *ast.Ident:
		return t.IsExported()
	}
	return false
}

func forgetComments(n ast.Node) bool {
	switch n := n.(type) {
	case *ast.Field:
		n.Doc, n.Comment = nil, nil
	case *ast.TypeSpec:
		n.Doc, n.Comment = nil, nil
	case *ast.ValueSpec:
		n.Doc, n.Comment = nil, nil
	}
	return true
}

// difference returns the lines that only one of two texts has.
func difference(want, got string) (lines []string) {
	w, g := strings.Split(want, "\n"), strings.Split(got, "\n")
	for _, line := range w {
		if !slices.Contains(g, line) {
			lines = append(lines, "is gone: "+line)
		}
	}
	for _, line := range g {
		if !slices.Contains(w, line) {
			lines = append(lines, "is new: "+line)
		}
	}
	return lines
}
