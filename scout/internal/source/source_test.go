package source

import (
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/harena-go/arena/scout/internal/sites"
)

// lines has lines of a function's body, each with the text of its allocation of a kind: "" for none.
var lines = []struct {
	text string
	kind sites.Kind
	want string
	form Form
}{
	{"use(&T{a: 1})", sites.Object, "&T{}", Movable},
	{"use(new(T))", sites.Object, "new(T)", Movable},
	{"use(make([]int, n))", sites.Make, "make([]int)", Movable},
	{"use(make(map[string]int))", sites.Map, "make(map[string]int)", Library},
	{"use(make(chan int))", sites.Channel, "make(chan int)", NoForm},
	{"ints = append(ints, n)", sites.Append, "append([]int)", Movable},
	{"s = string(b)", sites.String, "string(b)", Movable},
	{"b = []byte(s)", sites.Bytes, "[]byte(s)", Movable},
	{"s = s + \"x\"", sites.Concat, "s + \"x\"", Movable},
	{"s += \"x\"", sites.Concat, "s += \"x\"", Movable},
	{"use(func() int { return n })", sites.Object, "func literal", NoForm},
	{"use(T{}.method)", sites.Object, "method value method", NoForm},
	{"x := T{a: n}; use(&x)", sites.Object, "variable x T", ByHand},
	{"y := &T{}; use(y)", sites.Object, "&T{}", Movable},
	{"xs := append(ints, n)", sites.Append, "append([]int)", Movable},
	{"use(xs)", sites.Moved, "append([]int)", Movable},
	{"all(n, s)", sites.Object, "arguments of all", Movable},
	{"all(n, s)", sites.Box, "n as any", Movable},
	{"var v any = s", sites.Box, "s as any", Movable},
	{"_ = []any{1, v, n}", sites.Box, "n as any", Movable},
	{"byKey[n] = 1", sites.Box, "n as any", Movable},
	{"var i I = T{a: n}; i.method()", sites.Box, "T{…} as I", Movable},
	{"out <- *t", sites.Box, "*t as I", Movable},
	{"all(&T{a: 1}, n)", sites.Object, "&T{}", Movable},
	{"n = len(s)", sites.Object, "", Movable},
	{"const c = \"a\" + \"b\"; s = c", sites.Concat, "", Movable},
}

func program(t *testing.T) (*Program, string) {
	dir := t.TempDir()
	var text strings.Builder
	text.WriteString("package x\n\ntype T struct{ a int; list [2]struct{ s string } }\n\nfunc (T) method() {}\n\nvar global []*T\n\ntype I interface{ method() }\n\nvar byKey map[any]int; var out chan I\n\nfunc use(any) {}\n\nfunc all(...any) {}\n\nfunc f(t *T, n int, s string, b []byte, ints []int) {\n")
	for _, line := range lines {
		text.WriteString("\t" + line.text + "\n")
	}
	text.WriteString("\tt.a = n\n\tglobal[0] = t\n}\n")
	for name, contents := range map[string]string{"x.go": text.String(), "go.mod": "module example.com/x\n\ngo 1.26\n", "x_plan9.go": "package x\n"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(contents), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	t.Setenv("GOWORK", "off")
	p, err := Load(dir, ".")
	if err != nil {
		t.Fatal(err)
	}
	return p, filepath.Join(dir, "x.go")
}

// first is the line of the first of lines.
const first = 18

// TestAt: an expression is found by its line and its kind.
func TestAt(t *testing.T) {
	p, path := program(t)
	for i, line := range lines {
		found := p.At(path, first+i, line.kind, 0)
		switch {
		case line.want == "" && len(found) > 0:
			t.Errorf("%s: %s", line.text, found[0].Text)
		case line.want == "":
		case len(found) == 0:
			t.Errorf("%s: nothing is found", line.text)
		case found[0].Text != line.want || found[0].Form() != line.form:
			t.Errorf("%s: %s, form %d, want %s, form %d", line.text, found[0].Text, found[0].Form(), line.want, line.form)
		}
	}
	if found := p.At("missing.go", 1, sites.Object, 0); found != nil {
		t.Errorf("in a file that isn't there: %v", found)
	}
	if len(p.Files()) != 1 || len(p.Ignored) != 1 || filepath.Base(p.Ignored[0]) != "x_plan9.go" {
		t.Errorf("%d files, ignored %v", len(p.Files()), p.Ignored)
	}
}

// TestTarget: the target of a line's assignment has a name.
func TestTarget(t *testing.T) {
	p, path := program(t)
	for i, want := range []string{"T.a", "global global"} {
		if got := p.Target(path, first+len(lines)+i, "example.com/x"); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
	if got := p.Target(path, first, "example.com/x"); got != "" {
		t.Errorf("%q of a line that assigns nothing", got)
	}
}

// TestField: an offset is that of a field, through structs and arrays.
func TestField(t *testing.T) {
	p, path := program(t)
	typ := p.File(path).Pkg.Scope().Lookup("T").Type()
	sizes := types.SizesFor("gc", runtime.GOARCH)
	second := sizes.Sizeof(types.Typ[types.Int]) + sizes.Sizeof(types.Typ[types.String])
	if Field(typ, 0) != ".a" || Field(typ, second) != ".list[1].s" || Field(types.Typ[types.Int], 0) != "" {
		t.Errorf("%q %q", Field(typ, 0), Field(typ, second))
	}
	unnamed := typ.Underlying()
	got := []string{TypeName(types.NewPointer(typ), "example.com/x"), TypeName(typ, "elsewhere"), TypeName(unnamed, "")}
	if want := []string{"T", "x.T", "struct"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

// TestHasPointers: recursive types are handled, too.
func TestHasPointers(t *testing.T) {
	const text = `package p
type Param struct { n int; sub []Param }
type Pair struct { n [2]struct { sub [][]Pair } }
type Flat struct { n [3]int; none [0]string }
type Map map[string]Map
`
	files := token.NewFileSet()
	tree, err := parser.ParseFile(files, "p.go", text, 0)
	if err != nil {
		t.Fatal(err)
	}
	pkg, err := new(types.Config).Check("p", files, []*ast.File{tree}, nil)
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]bool{"Param": true, "Pair": true, "Flat": false, "Map": true} {
		of := pkg.Scope().Lookup(name).Type()
		if got := HasPointers(of); got != want || HasPointers(types.NewSlice(of)) != want || !HasPointers(types.NewSlice(types.NewSlice(of))) {
			t.Errorf("%s: %v", name, got)
		}
	}
}
