package variable

import (
	"go/ast"
	"go/format"
	"go/parser"
	"go/token"
	"go/types"
	"strings"
	"testing"

	"github.com/harena-go/arena/scout/internal/edit"
	"github.com/harena-go/arena/scout/internal/source"
)

const declared = `package p

type T struct {
	n    int
	next *T
	at   [4]int
}

func (t *T) set(n int) { t.n = n }
func (t T) get() int   { return t.n }

func two() (T, error) { return T{}, nil }

var a, kept, ch, all = 0, any(nil), make(chan T), []T{{}}
`

// changed returns a function with its variable x changed, formatted, or the reason why it isn't.
func changed(t *testing.T, function string, w Words) string {
	fset := token.NewFileSet()
	text := declared + function + "\n"
	tree, err := parser.ParseFile(fset, "p.go", text, 0)
	if err != nil {
		t.Fatal(err)
	}
	info := &types.Info{Defs: map[*ast.Ident]types.Object{}, Uses: map[*ast.Ident]types.Object{},
		Selections: map[*ast.SelectorExpr]*types.Selection{}, Types: map[ast.Expr]types.TypeAndValue{}}
	pkg, err := (&types.Config{}).Check("p", fset, []*ast.File{tree}, info)
	if err != nil {
		t.Fatal(err)
	}
	var x *ast.Ident
	for id, obj := range info.Defs {
		if v, ok := obj.(*types.Var); ok && !v.IsField() && id.Name == "x" && (x == nil || id.Pos() < x.Pos()) {
			x = id
		}
	}
	edits, why := Change(fset, &source.File{Path: "p.go", Tree: tree, Info: info, Pkg: pkg}, x, w)
	if why != "" {
		return why
	}
	out, err := edit.Apply([]byte(text), edits)
	if err != nil {
		t.Fatal(err)
	}
	if out, err = format.Source(out); err != nil {
		t.Fatalf("%v in\n%s", err, out)
	}
	return strings.TrimSpace(strings.TrimPrefix(string(out), declared))
}

// TestChange: each declaration and each use of a variable is rewritten for a pointer with the same meaning, or there is
// a reason.
func TestChange(t *testing.T) {
	for _, test := range []struct{ name, before, after string }{
		{"value", "func f(y *T) *T { x := *y; x.n++; return &x }",
			"func f(y *T) *T { x := arena.NewOf(a, *y); x.n++; return x }"},
		{"zero", "func f() *T { var x T; x.next = &x; return &x }",
			"func f() *T { x := arena.New[T](a); x.next = x; return x }"},
		{"zero in parentheses", "func f() *T {\n\tvar (\n\t\tx T\n\t)\n\treturn &x\n}",
			"func f() *T {\n\tvar (\n\t\tx = arena.New[T](a)\n\t)\n\treturn x\n}"},
		{"tags", "func f() any { var x struct { n int `json:\"m\"` }; return &x }",
			"func f() any { x := arena.New[struct { n int `json:\"m\"` }](a); return x }"},
		{"type and value", "func f() *any { var x any = 1; return &x }",
			"func f() *any { var x = arena.NewOf[any](a, 1); return x }"},
		{"var and value", "func f() *int { var x, y = 1, 2; x += y; return &x }",
			"func f() *int { var x, y = arena.NewOf(a, 1), 2; *x += y; return x }"},
		{"one of two", "func f() (*T, error) {\n\tx, err := two()\n\treturn &x, err\n}",
			"func f() (*T, error) {\n\txValue, err := two()\n\tx := arena.NewOf(a, xValue)\n\treturn x, err\n}"},
		{"again", "func f() (*T, error) {\n\tx := T{}\n\tx, err := two()\n\treturn &x, err\n}",
			"func f() (*T, error) {\n\tx := arena.NewOf(a, T{})\n\txValue, err := two()\n\t*x = xValue\n\treturn x, err\n}"},
		{"parameter", "func f(x T) *T { return &x }",
			"func f(xValue T) *T {\n\tx := arena.NewOf(a, xValue)\n\treturn x\n}"},
		{"receiver", "func (x T) f() *T {\n\treturn &x\n}",
			"func (xValue T) f() *T {\n\tx := arena.NewOf(a, xValue)\n\treturn x\n}"},
		{"range", "func f() {\n\tfor _, x := range all {\n\t\tkept = &x\n\t}\n}",
			"func f() {\n\tfor _, xValue := range all {\n\t\tx := arena.NewOf(a, xValue)\n\t\tkept = x\n\t}\n}"},
		{"init", "func f() {\n\tif x := 1; x > 0 {\n\t\tkept = &x\n\t}\n}",
			"func f() {\n\tif x := arena.NewOf(a, 1); *x > 0 {\n\t\tkept = x\n\t}\n}"},
		{"closure", "func f() func() int { x := 0; return func() int { x++; return x } }",
			"func f() func() int { x := arena.NewOf(a, 0); return func() int { *x++; return *x } }"},
		{"method", "func f() int { x := T{}; x.set(1); return x.get() }",
			"func f() int { x := arena.NewOf(a, T{}); x.set(1); return x.get() }"},
		{"method of a part", "func f() int { x := struct{ t T }{}; x.t.set(1); return x.t.n }",
			"func f() int { x := arena.NewOf(a, struct{ t T }{}); x.t.set(1); return x.t.n }"},
		{"pointer", "func f() **T { x := &T{}; x.n = 1; return &x }",
			"func f() **T { x := arena.NewOf(a, &T{}); (*x).n = 1; return x }"},
		{"array", "func f() []int { x := [3]int{}; x[0] = len(x); return x[:] }",
			"func f() []int { x := arena.NewOf(a, [3]int{}); x[0] = len(*x); return x[:] }"},
		{"slice", "func f() *[]int { x := all[0].at[:]; x[1] = x[2:][0] / x[1]; return &(x) }",
			"func f() *[]int {\n\tx := arena.NewOf(a, all[0].at[:])\n\t(*x)[1] = (*x)[2:][0] / (*x)[1]\n\treturn (x)\n}"},
		{"quotient", "func f(n int) *int { x := 1; n = n/x; return &x }",
			"func f(n int) *int { x := arena.NewOf(a, 1); n = n / (*x); return x }"},
		{"interface", "func f() *any { x := kept; _ = x.(int); return &x }",
			"func f() *any { x := arena.NewOf(a, kept); _ = (*x).(int); return x }"},
		{"function", "func f() *func() { x := func() {}; x(); return &x }",
			"func f() *func() { x := arena.NewOf(a, func() {}); (*x)(); return x }"},
		{"element", "func f() *int { x := 1; _ = map[int]int{x: x}; return &x }",
			"func f() *int { x := arena.NewOf(a, 1); _ = map[int]int{*x: *x}; return x }"},
		{"shadowed", "func f() *int { x := 1; { x := 2; _ = x }; return &x }",
			"func f() *int {\n\tx := arena.NewOf(a, 1)\n\t{\n\t\tx := 2\n\t\t_ = x\n\t}\n\treturn x\n}"},

		{"on the stack", "func f() int { x := 1; x++; return x }", "its address isn't taken"},
		{"loop", "func f() {\n\tfor x := 0; x < 3; x++ {\n\t\tkept = &x\n\t}\n}", "it is a variable of a loop"},
		{"result", "func f() (x T) { kept = &x; return x }", "it is a result"},
		{"select", "func f() {\n\tselect {\n\tcase x := <-ch:\n\t\tkept = &x\n\t}\n}", "it is set within a statement"},
		{"several", "func f() { var x, y int; kept = &x; _ = y }",
			"it is declared together with others: give it a line of its own"},
	} {
		t.Run(test.name, func(t *testing.T) {
			got := changed(t, test.before, Words{Package: "arena", Arena: "a", Break: "\n"})
			if clean(got) != clean(test.after) {
				t.Errorf("%s\nwant\n%s", got, test.after)
			}
		})
	}
}

// clean removes layout.
func clean(text string) string {
	return strings.NewReplacer(" ", "", "\t", "", "\n", "", ";", "").Replace(text)
}

// TestWords: code outside a patch needs no arena, no new lines, and no copy of a large value.
func TestWords(t *testing.T) {
	for _, test := range []struct{ before, after string }{
		{"func f(x T) *T { return &x }", "func f(xValue T) *T { ; x := p.New[T](a); *x = xValue; return x }"},
		{"func f(y *T) *T { x := *y; return &x }", "func f(y *T) *T { x := p.New[T](a); *x = *y; return x }"},
	} {
		got := changed(t, test.before, Words{Package: "p", Arena: "a", Type: "T", Break: "; "})
		if clean(got) != clean(test.after) {
			t.Errorf("%s\nwant\n%s", got, test.after)
		}
	}
}
