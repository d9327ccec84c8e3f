package forms

import (
	"go/ast"
	"go/types"
	"strings"

	"github.com/harena-go/arena/scout/internal/edit"
	"github.com/harena-go/arena/scout/internal/source"
)

// This file rewrites calls of library functions that arenas have, too.

// Library rewrites a call of a library function that arenas have, too. It returns the reason if it can't, "" otherwise.
func (w *Former) Library(n *ast.CallExpr, name string) string {
	fun := n.Fun.(*ast.SelectorExpr)
	name = general(name)
	if function, ok := jsons[name]; ok {
		w.json(n, function)
		return ""
	}
	if method, ok := methods[name]; ok {
		w.replace(fun.Pos(), fun.End(), w.Arena+"."+method)
	} else if function, ok := functions[name]; ok {
		t := w.File.Info.TypeOf(n)
		if _, named := types.Unalias(t).(*types.Named); named {
			return "it has a type of its own"
		}
		w.replace(fun.Pos(), n.Lparen+1, w.lib(function)+"("+w.Arena+", ")
	} else if name == "reflect.New" {
		arg := n.Args[0]
		if !pure(w.File.Info, arg) {
			return "its type would be evaluated twice: give it a name"
		}
		w.replace(fun.Sel.Pos(), fun.Sel.End(), "NewAt")
		w.insert(arg.End(), ", "+w.lib("KeyOf")+"("+w.source(arg)+").New("+w.Arena+")", edit.Last)
	} else {
		return "an arena has no such function"
	}
	if more := alsoPassed[name]; more != "" {
		w.insert(n.Args[len(n.Args)-1].End(), more, edit.Last)
	}
	return ""
}

// Replacements of functions of the standard library: methods of arenas, functions that take one, and additional last
// arguments.
var (
	methods = map[string]string{
		"strings.Clone": "AllocString", "strings.Repeat": "Repeat", "strings.Replace": "Replace",
		"strings.ReplaceAll": "Replace", "strings.ToLower": "ToLower", "strings.ToUpper": "ToUpper",
		"strings.Map": "Map", "fmt.Sprintf": "Sprintf", "io.ReadAll": "ReadAll",
	}
	functions  = map[string]string{"strings.Join": "Join", "slices.Clone": "CopySlice", "bytes.Clone": "CopySlice"}
	alsoPassed = map[string]string{"strings.ReplaceAll": ", -1", "io.ReadAll": ", 0"}
)

// jsons are the functions of encoding/json that arenajson replaces; for a method, the replaced constructor.
var jsons = map[string]string{"encoding/json.Unmarshal": "Unmarshal", "encoding/json.Marshal": "Marshal",
	"encoding/json.(*Decoder).Decode": "NewDecoder"}

// json rewrites a call of encoding/json, with the options of version 1: values, errors and bytes don't change.
func (w *Former) json(n *ast.CallExpr, function string) {
	made := n
	if Maker(n) != nil {
		made = Maker(n)
		w.replace(made.Fun.Pos(), made.Fun.End(), w.JSON()+"."+function)
		w.replace(n.Lparen, n.Lparen+1, "("+w.Arena+", ")
	} else {
		w.replace(n.Fun.Pos(), n.Lparen+1, w.JSON()+"."+function+"("+w.Arena+", ")
	}
	w.insert(made.Args[len(made.Args)-1].End(), ", "+w.JSON()+".DefaultOptionsV1()", edit.Last)
}

// Known reports whether Library knows a function.
func Known(function string) bool {
	name := general(function)
	return methods[name] != "" || functions[name] != "" || jsons[name] != "" || name == "reflect.New"
}

// makers are the constructors of methods' receivers.
var makers = map[string]string{"encoding/json.(*Decoder).Decode": "encoding/json.NewDecoder",
	"encoding/json.(*Encoder).Encode": "encoding/json.NewEncoder"}

// Maker returns the call that makes a method's receiver in the same expression, json.NewDecoder(r) in
// json.NewDecoder(r).Decode(v), nil if there is none.
func Maker(n *ast.CallExpr) *ast.CallExpr {
	if fun, ok := n.Fun.(*ast.SelectorExpr); ok {
		if made, ok := ast.Unparen(fun.X).(*ast.CallExpr); ok {
			return made
		}
	}
	return nil
}

// Calls returns the calls of a library's function in a line. They are found by type: a package may be imported under
// another name. For a method it finds only calls whose receiver is made in the same expression.
func Calls(p *source.Program, f *source.File, line int, function string) (found []*ast.CallExpr) {
	for n := range ast.Preorder(f.Tree) {
		call, ok := n.(*ast.CallExpr)
		if !ok || p.Fset.PositionFor(call.Pos(), false).Line != line {
			continue
		}
		made, wanted := call, general(function)
		if maker := makers[function]; maker != "" {
			method := f.Func(call)
			made, wanted = Maker(call), maker
			if made == nil || method == nil || !strings.HasSuffix(function, ")."+method.Name()) {
				continue
			}
		}
		callee := f.Func(made)
		if _, ok := made.Fun.(*ast.SelectorExpr); ok && callee != nil && callee.FullName() == wanted {
			found = append(found, call)
		}
	}
	return found
}

// general returns the name of a generic function without its type arguments.
func general(function string) string {
	name, _, _ := strings.Cut(function, "[")
	return name
}
