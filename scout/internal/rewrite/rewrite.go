// Package rewrite copies source files so that expressions allocate in an arena: that of the current unit of work, which
// a package of the copy holds. It knows Go, and must not depend on the choice of expressions, nor on the result.
package rewrite

import (
	_ "embed"
	"errors"
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/harena-go/arena/scout/internal/edit"
	"github.com/harena-go/arena/scout/internal/forms"
	"github.com/harena-go/arena/scout/internal/source"
)

//go:embed arena.txt
var arenaPackage string

// jsonFile is the part of the package for copies that read or write JSON.
//
//go:embed json.txt
var jsonFile string

// The package with the arena, within the module, and the copies' name for package arena.
const (
	name  = "zzarenascout"
	lib   = "zzarena"
	units = name + ".A" // the unit's arena
)

// A copy is for measuring, not for reading: everything goes through one package with one current arena, so no signature
// changes and each expression can be moved by itself. Package fix writes the form for people, in which the arena
// travels.

// A Copy collects the changes.
type Copy struct {
	program   *source.Program
	module    string
	edits     map[string][]edit.Edit
	texts     map[string][]byte      // the original files
	uses      map[string][]string    // uses that keep a file's imports valid
	variables map[string][]edit.Edit // edits of variables that have become pointers
	done      map[ast.Node]bool
	json      bool // some calls read or write JSON
}

// New returns a copy without changes of the files of a module.
func New(p *source.Program, module string) *Copy {
	return &Copy{program: p, module: module, edits: map[string][]edit.Edit{}, uses: map[string][]string{},
		done: map[ast.Node]bool{}, texts: map[string][]byte{}, variables: map[string][]edit.Edit{}}
}

// Move makes an expression of a file allocate in the arena. A second call has no effect. Variables must be moved first:
// the uses of their names change with them.
func (c *Copy) Move(path string, e source.Expr) error {
	f := c.program.File(path)
	if f == nil {
		return fmt.Errorf("%s was not read", filepath.Base(path))
	}
	// Two findings may share an expression, with different callers.
	if c.done[e.Node] {
		return nil
	}
	former, err := c.former(f)
	if err != nil {
		return err
	}
	if why := former.Expr(e); why != "" {
		return errors.New(why)
	}
	c.done[e.Node] = true
	c.edits[path] = append(c.edits[path], former.Edits...)
	return nil
}

// former returns the rewriter of a file's expressions. Line numbers don't change, so that reports match the original.
func (c *Copy) former(f *source.File) (w *forms.Former, err error) {
	if c.texts[f.Path] == nil {
		if c.texts[f.Path], err = os.ReadFile(f.Path); err != nil {
			return nil, err
		}
	}
	return &forms.Former{Program: c.program, File: f, Text: c.texts[f.Path], Arena: units,
		Package: func() string { return lib }, Break: "; ", Done: c.done, Uses: c.variables}, nil
}

// Library makes the calls of a library's function in a line allocate in the arena, if the function is known. It returns
// their number.
func (c *Copy) Library(path string, line int, function string) int {
	f := c.program.File(path)
	if f == nil || !Known(function) {
		return 0
	}
	n := 0
	for _, call := range forms.Calls(c.program, f, line, function) {
		fun := call.Fun.(*ast.SelectorExpr)
		callee := f.Func(call)
		if made := forms.Maker(call); callee.Signature().Recv() != nil {
			fun, callee = made.Fun.(*ast.SelectorExpr), f.Func(made)
		}
		if c.done[call] || !c.call(f, call, fun, callee.FullName()) {
			continue
		}
		// The call may have been the last use of its import, which the compiler would refuse.
		if pkg, ok := fun.X.(*ast.Ident); ok {
			c.uses[path] = append(c.uses[path], pkg.Name+"."+use[callee.Pkg().Path()])
		}
		c.done[call] = true
		n++
	}
	return n
}

// call rewrites a call of a library's function.
func (c *Copy) call(f *source.File, call *ast.CallExpr, fun *ast.SelectorExpr, function string) bool {
	if own, json := ours[function]; json {
		c.json = true
		c.edits[f.Path] = append(c.edits[f.Path],
			edit.Edit{From: c.offset(fun.Pos()), To: c.offset(fun.End()), Text: name + "." + own})
		return true
	}
	former, err := c.former(f)
	if err != nil || former.Library(call, function) != "" {
		return false
	}
	c.edits[f.Path] = append(c.edits[f.Path], former.Edits...)
	return true
}

// ours are the functions of libraries that the copy's package replaces.
var ours = map[string]string{
	"encoding/json.Unmarshal": "Unmarshal", "encoding/json.NewDecoder": "NewDecoder",
	"encoding/json.Marshal": "Marshal", "encoding/json.NewEncoder": "NewEncoder",
}

// use has a non-generic use of each package with a function in ours.
var use = map[string]string{"strings": "Clone", "fmt": "Sprintf", "slices": "Sort[[]int]", "bytes": "Clone",
	"io": "ReadAll", "reflect": "New", "encoding/json": "Valid"}

// Unit makes the calls of a function units, each with an arena.
func (c *Copy) Unit(path string, line int) error {
	f := c.program.File(path)
	if f == nil {
		return fmt.Errorf("%s was not read", filepath.Base(path))
	}
	for _, d := range f.Tree.Decls {
		fn, ok := d.(*ast.FuncDecl)
		if !ok || fn.Body == nil || c.line(fn.Pos()) > line || c.line(fn.End()) < line {
			continue
		}
		// Deferred first, so it ends last: other deferred calls still have the arena.
		at := c.offset(fn.Body.Lbrace) + 1
		c.edits[path] = append(c.edits[path],
			edit.Edit{From: at, To: at, Text: " defer " + name + ".Unit()();", Order: -1})
		return nil
	}
	return fmt.Errorf("no function is declared at %s:%d", filepath.Base(path), line)
}

// Overlay returns all changed files by their paths. dir is the module's folder.
func (c *Copy) Overlay(dir string) (map[string][]byte, error) {
	overlay := c.pools(dir)
	overlay[filepath.Join(dir, name, name+".go")] = []byte(arenaPackage)
	if c.json {
		overlay[filepath.Join(dir, name, "json.go")] = []byte(jsonFile)
	}
	for path, edits := range c.edits {
		text, err := os.ReadFile(path)
		if err != nil {
			return nil, err
		}
		at := c.offset(c.program.File(path).Tree.Name.End())
		// In the line of the package clause: line numbers don't change.
		edits = append(slices.Clone(edits), edit.Edit{From: at, To: at,
			Text: "; import " + name + " \"" + c.module + "/" + name + "\"; import " + lib +
				" \"github.com/harena-go/arena\"", Order: -2})
		out, err := edit.Apply(text, edits)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", filepath.Base(path), err)
		}
		for _, use := range c.uses[path] {
			out = append(out, "\nvar _ = "+use...)
		}
		overlay[path] = append(out, "\nvar _ *"+lib+".Arena\n"...)
	}
	return overlay, nil
}

// pools returns files in which packages list their sync.Pool variables. The collector considers a pool's values dead,
// and the next unit takes them out: evanphx/json-patch keeps a scanner there to whose stack it appends.
func (c *Copy) pools(dir string) map[string][]byte {
	files := map[string][]byte{}
	for _, f := range c.program.Files() {
		path := filepath.Join(filepath.Dir(f.Path), name+"_pools.go")
		if f.Pkg == nil || files[path] != nil || !strings.HasPrefix(path, dir+string(filepath.Separator)) {
			continue
		}
		text := ""
		for _, v := range f.Pkg.Scope().Names() {
			of := f.Pkg.Scope().Lookup(v)
			if _, variable := of.(*types.Var); !variable ||
				strings.HasSuffix(c.program.Fset.PositionFor(of.Pos(), false).Filename, "_test.go") {
				continue
			}
			switch types.TypeString(of.Type(), nil) {
			case "sync.Pool":
				v = "&" + v
				fallthrough
			case "*sync.Pool":
				text += fmt.Sprintf("\t%s.Pools = append(%[1]s.Pools, %s)\n", name, v)
			}
		}
		if text != "" {
			files[path] = fmt.Appendf(nil, "package %s\n\nimport %q\n\nfunc init() {\n%s}\n", f.Pkg.Name(),
				c.module+"/"+name, text)
		}
	}
	return files
}

// line returns the line of a position in the file itself.
func (c *Copy) line(pos token.Pos) int { return c.program.Fset.PositionFor(pos, false).Line }

// offset returns the byte offset of a position in its file.
func (c *Copy) offset(pos token.Pos) int { return c.program.Fset.PositionFor(pos, false).Offset }

// Known reports whether a library's function has a replacement.
func Known(function string) bool {
	return forms.Known(function) || function == "encoding/json.(*Encoder).Encode"
}
