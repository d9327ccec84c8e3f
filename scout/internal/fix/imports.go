package fix

import (
	"bytes"
	"go/ast"
	"go/parser"
	"go/token"
	"slices"
	"strings"

	"golang.org/x/tools/go/ast/astutil"

	"github.com/harena-go/arena/scout/internal/edit"
)

// This file removes imports that a patch has made unused: the compiler would refuse them.

// replaced are packages whose last use may be gone.
var replaced = []string{"strings", "fmt", "slices", "bytes", "io"}

// Only what a patch replaces can lose its last use: strings.Join and others become functions of package arena. All
// other imports are left alone, so that no import with side effects is lost.

// dropImports leaves out imports that a file doesn't use any more.
func dropImports(text, before []byte) ([]byte, error) {
	fset := token.NewFileSet()
	tree, err := parser.ParseFile(fset, "", text, parser.ParseComments)
	if err != nil {
		return nil, err
	}
	var edits []edit.Edit
	for _, d := range tree.Decls {
		g, ok := d.(*ast.GenDecl)
		if !ok || g.Tok != token.IMPORT {
			continue
		}
		for _, s := range g.Specs {
			spec := s.(*ast.ImportSpec)
			name := strings.Trim(spec.Path.Value, `"`)
			// An import with a name of its own is kept: whether it is used can't be told by its path.
			if spec.Name != nil || !slices.Contains(replaced, name) || astutil.UsesImport(tree, name) ||
				!bytes.Contains(before, []byte(name+".")) {
				continue
			}
			from, to := fset.Position(spec.Pos()).Offset, fset.Position(spec.End()).Offset
			if !g.Lparen.IsValid() {
				from = fset.Position(g.Pos()).Offset
			}
			// The whole line goes, with its indentation and its newline.
			for from > 0 && (text[from-1] == '\t' || text[from-1] == ' ') {
				from--
			}
			if to < len(text) && text[to] == '\n' {
				to++
			}
			edits = append(edits, edit.Edit{From: from, To: to})
		}
	}
	return edit.Apply(text, edits)
}
