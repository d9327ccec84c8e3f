package main

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/harena-go/arena/scout/internal/fix"
)

// keep leaves a patched module in a folder, with the patch, and with functions that call each entry point of it
// with an arena that they take from a pool, so that another tool sees where lives end. The module uses package
// arena as it is here.
func keep(p *fix.Result, module, folder string) error {
	if err := os.CopyFS(folder, os.DirFS(module)); err != nil {
		return err
	}
	// The patch's files replace those of the copy; all others stay as they were fetched.
	for _, f := range p.Files {
		name, err := filepath.Rel(module, f.Path)
		if err != nil {
			return err
		}
		text, err := withCallers(f.After)
		if err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(folder, name), text, 0o666); err != nil {
			return err
		}
	}
	if err := os.WriteFile(filepath.Join(folder, "arena.patch"), []byte(p.Patch), 0o666); err != nil {
		return err
	}
	// The module as it is in this clone, since a patch may use what no release has yet.
	const path = "github.com/harena-go/arena"
	// With GOWORK= the go command finds the workspace of this clone again.
	here := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", path)
	here.Env = append(os.Environ(), "GOWORK=")
	dir, err := here.Output()
	if err != nil {
		return err
	}
	edit := exec.Command("go", "mod", "edit", "-go=1.26", "-require="+path+"@v0.0.0",
		"-replace="+path+"="+strings.TrimSpace(string(dir)))
	edit.Dir = folder
	return edit.Run()
}

// This is for arenavet: it judges lives by where an arena is made and reset, which a patch alone doesn't show.

// withCallers returns a file with callers of the functions that a patch has made in it: their names end in Arena, which
// is their first parameter.
func withCallers(text []byte) ([]byte, error) {
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, "", text, 0)
	if err != nil {
		return nil, err
	}
	source := func(n ast.Node) string {
		return string(text[fset.Position(n.Pos()).Offset:fset.Position(n.End()).Offset])
	}
	out := bytes.NewBuffer(bytes.Clone(text))
	for _, d := range file.Decls {
		if fn, ok := d.(*ast.FuncDecl); ok && strings.HasSuffix(fn.Name.Name, "Arena") && fn.Type.TypeParams == nil &&
			len(fn.Type.Params.List) > 0 && source(fn.Type.Params.List[0].Type) == "*arena.Arena" {
			out.WriteString(caller(fn, source))
		}
	}
	return out.Bytes(), nil
}

// caller returns a function that calls fn.
func caller(fn *ast.FuncDecl, source func(ast.Node) string) string {
	params, args, callee := []string{"pool *arena.Pool"}, []string{"a"}, fn.Name.Name
	name := callee
	if fn.Recv != nil {
		of := source(fn.Recv.List[0].Type)
		params = append(params, "receiver "+of)
		name, callee = strings.TrimPrefix(of, "*")+"_"+callee, "receiver."+callee
	}
	for _, p := range fn.Type.Params.List[1:] {
		for range max(len(p.Names), 1) {
			arg := "p" + strconv.Itoa(len(args))
			params = append(params, arg+" "+source(p.Type))
			if _, ok := p.Type.(*ast.Ellipsis); ok {
				arg += "..."
			}
			args = append(args, arg)
		}
	}
	return fmt.Sprintf("\nfunc arenaCallerOf_%s(%s) {\n\ta := pool.Get()\n\tdefer pool.Put(a)\n\t%s(%s)\n}\n",
		name, strings.Join(params, ", "), callee, strings.Join(args, ", "))
}
