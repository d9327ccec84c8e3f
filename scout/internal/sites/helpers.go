package sites

import (
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"strings"

	"github.com/harena-go/arena/scout/internal/probe"
)

// This file identifies functions that only tests call; they are no unit of work.

// OfTest reports whether the go command builds the file for tests only.
func OfTest(file string) bool { return strings.HasSuffix(file, "_test.go") }

// A helpers has the lines of test helpers, such as those of a testutil package, by file. Files are parsed on first use.
type helpers map[string]map[int]bool

// tests reports whether a call is of a function that only tests call: one of a test file, or one that takes a
// *testing.T, or a TestingT in its place.
func (h helpers) tests(call probe.Frame) bool {
	lines, known := h[call.File]
	if !known && !OfTest(call.File) {
		lines = map[int]bool{}
		h[call.File] = lines
		files := token.NewFileSet()
		if tree, err := parser.ParseFile(files, call.File, nil, parser.SkipObjectResolution); err == nil {
			for _, d := range tree.Decls {
				first, last := files.PositionFor(d.Pos(), false).Line, files.PositionFor(d.End(), false).Line
				for line := first; takesTest(d) && line <= last; line++ {
					lines[line] = true
				}
			}
		}
	}
	return OfTest(call.File) || lines[call.Line]
}

// takesTest reports whether a declaration is of a function with a parameter that can fail a test.
func takesTest(d ast.Decl) bool {
	f, ok := d.(*ast.FuncDecl)
	if !ok {
		return false
	}
	for _, p := range f.Type.Params.List {
		t := types.ExprString(p.Type)
		if strings.HasPrefix(strings.TrimPrefix(t, "*"), "testing.") || strings.HasSuffix(t, "TestingT") {
			return true
		}
	}
	return false
}
