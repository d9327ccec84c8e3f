// Package ignore lets comments silence findings.
//
//	//arenavet:ignore the arena lives as long as the program
//
// on the line of a finding, or alone on the line above it, silences the findings of all analyzers on that line. There
// must be a reason: a directive without one silences nothing and is a finding itself.
package ignore

import (
	"go/ast"
	"go/token"
	"reflect"
	"strings"

	"golang.org/x/tools/go/analysis"
)

const directive = "//arenavet:ignore"

// Analyzer finds the directives. The others require it, and report through it.
var Analyzer = &analysis.Analyzer{
	Name: "ignore",
	Doc: "report //arenavet:ignore directives without a reason\n\nSay why the finding is none: " +
		"//arenavet:ignore reason.",
	RunDespiteErrors: true, // see package program
	Run:              run,
	ResultType:       reflect.TypeFor[Lines](),
}

// Lines are the lines on which findings are silenced.
type Lines map[line]bool

type line struct {
	file   string
	number int
}

func run(pass *analysis.Pass) (any, error) {
	lines := Lines{}
	for _, file := range pass.Files {
		for _, group := range file.Comments {
			for _, c := range group.List {
				rest, ok := strings.CutPrefix(c.Text, directive)
				if !ok || rest != "" && !strings.HasPrefix(rest, " ") && !strings.HasPrefix(rest, "\t") {
					continue
				}
				reason, _, _ := strings.Cut(rest, "// want ") // of a test of this package
				if strings.TrimSpace(reason) == "" {
					pass.Report(inCategory(pass, analysis.Diagnostic{Pos: c.Pos(), End: c.End(),
						Message: "arenavet:ignore without a reason: say why this is correct"}))
					continue
				}
				lines.add(pass.Fset, file, c)
			}
		}
	}
	return lines, nil
}

// add adds the line of a directive, and the next one too if the directive stands alone.
func (l Lines) add(fset *token.FileSet, file *ast.File, c *ast.Comment) {
	at := fset.Position(c.Pos())
	l[line{at.Filename, at.Line}] = true
	if !codeBefore(fset, file, c) {
		l[line{at.Filename, at.Line + 1}] = true
	}
}

// codeBefore reports whether there is code on the line of a comment.
func codeBefore(fset *token.FileSet, file *ast.File, c *ast.Comment) bool {
	want, found := fset.Position(c.Pos()).Line, false
	ast.Inspect(file, func(n ast.Node) bool {
		switch n.(type) {
		case nil, *ast.Comment, *ast.CommentGroup:
			return false
		case *ast.File:
			return true
		}
		if fset.Position(n.Pos()).Line == want || fset.Position(n.End()-1).Line == want {
			found = true
		}
		return !found
	})
	return found
}

// Page has a section for each category of findings, which is the name of the analyzer.
const Page = "https://github.com/harena-go/arena/blob/main/arenavet/README.md"

// inCategory returns a finding of pass with its category, and a link to its explanation.
func inCategory(pass *analysis.Pass, d analysis.Diagnostic) analysis.Diagnostic {
	d.Category = pass.Analyzer.Name
	d.URL = Page + "#" + d.Category
	return d
}

// Report reports a finding of pass, unless a directive silences it. The
// analyzer must require Analyzer.
func Report(pass *analysis.Pass, d analysis.Diagnostic) {
	lines := pass.ResultOf[Analyzer].(Lines)
	at := pass.Fset.Position(d.Pos)
	if !lines[line{at.Filename, at.Line}] {
		pass.Report(inCategory(pass, d))
	}
}
