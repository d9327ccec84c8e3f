package rewrite

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/harena-go/arena/scout/internal/sites"
	"github.com/harena-go/arena/scout/internal/source"
)

// cases has each movable form with its rewriting, and forms that must not change.
var cases = []struct{ before, after string }{
	{"use(&T{a: 1})", "use(zzarena.NewOf(zzarenascout.A, T{a: 1}))"},
	{"use(new(T))", "use(zzarena.New[T](zzarenascout.A))"},
	{"use(make([]int, n))", "use(zzarena.Box(zzarenascout.A, zzarena.MakeSlice[int](zzarenascout.A, n, n)))"},
	{"use(make([]int, 0, n))", "use(zzarena.Box(zzarenascout.A, zzarena.MakeSlice[int](zzarenascout.A, 0, n)))"},
	{"use([]int{1, n})", "use(zzarena.Box(zzarenascout.A, zzarena.CopySlice(zzarenascout.A, []int{1, n})))"},
	{"ints = append(ints, n, 2)", "ints = zzarena.Append(zzarenascout.A, ints, n, 2)"},
	{"ints = append(ints, ints...)", "ints = zzarena.Append(zzarenascout.A, ints, ints...)"},
	{"b = append(b, s...)", "b = append(zzarena.Grow(zzarenascout.A, b, len(s)), s...)"},
	{"s = string(b)", "s = zzarenascout.A.AllocBytesToString(b)"},
	{"b = []byte(s)", "b = append(zzarenascout.A.AllocBytesUninit(len(s))[:0], s...)"},
	{"s = s + \"x\" + s", "s = zzarena.Concat(zzarenascout.A, s, \"x\", s)"},
	{"s += s", "s = zzarena.Concat(zzarenascout.A, s, s)"},
	{"v, w := n, n; use(&v); use(w)", "v, w := zzarena.NewOf(zzarenascout.A, n), n; use(v); use(zzarena.Box(zzarenascout.A, w))"},
	{"use([]*T{{a: 1}}[0])", "use(zzarena.CopySlice(zzarenascout.A, []*T{zzarena.NewOf(zzarenascout.A, T{a: 1})})[0])"},
	{"use(map[string][]*T{s: {{}}})", "use(map[string][]*T{s: zzarena.CopySlice(zzarenascout.A, []*T{zzarena.NewOf(zzarenascout.A, T{})})})"},
	{"use(List{{a: 1}})", "use(zzarena.Box(zzarenascout.A, List(zzarena.CopySlice(zzarenascout.A, List{{a: 1}}))))"}, // T isn't written there
	{"use(&T{})", "use(zzarena.New[T](zzarenascout.A))"},
	{"use(&List{})", "use(zzarena.NewOf(zzarenascout.A, List(zzarena.CopySlice(zzarenascout.A, List{}))))"}, // not nil
	{"all(n, ts[0], nil)", "all(n, zzarena.CopySlice(zzarenascout.A, []any{ts[0], nil})...)"},
	{"list[0] = any(n)", "list[0] = any(zzarena.Box(zzarenascout.A, n))"},
	{"list = append(list, 1, n)", "list = zzarena.Append[any](zzarenascout.A, list, 1, zzarena.Box(zzarenascout.A, n))"},
	{"use(map[any]any{n: 1, s: ts})", "use(map[any]any{zzarena.Box(zzarenascout.A, n): 1, zzarena.Box(zzarenascout.A, s): zzarena.Box(zzarenascout.A, ts)})"},
	{"use(struct{ a, b any }{b: n})", "use(zzarena.Box(zzarenascout.A, struct{ a, b any }{b: zzarena.Box(zzarenascout.A, n)}))"},
	{"use(func() (any, int) { return n, n })", "use(func() (any, int) { return zzarena.Box(zzarenascout.A, n), n })"},
	{"var i I = T{a: n}; take(i)", "var i I = zzarena.Box(zzarenascout.A, T{a: n}).(I); take(i)"},
	// one within the other
	{"all(n, s + s)", "all(n, zzarena.CopySlice(zzarenascout.A, []any{zzarena.Box(zzarenascout.A, zzarena.Concat(zzarenascout.A, s, s))})...)"},
	{"ts = append(ts, &T{s: s + s})", "ts = zzarena.Append(zzarenascout.A, ts, zzarena.NewOf(zzarenascout.A, T{s: zzarena.Concat(zzarenascout.A, s, s)}))"},
	{"ints = append(append(ints, 1), 2)", "ints = zzarena.Append(zzarenascout.A, zzarena.Append(zzarenascout.A, ints, 1), 2)"},
	{"s = string(b) + s", "s = zzarena.Concat(zzarenascout.A, zzarenascout.A.AllocBytesToString(b), s)"},
	{"s = string(append(b, s...))", "s = zzarenascout.A.AllocBytesToString(append(zzarena.Grow(zzarenascout.A, b, len(s)), s...))"},
	// not
	{"use(map[string]int{})", ""},
	{"use(make(chan int, n))", ""},
	{"use(func() int { return n })", ""},
	{"name += name", ""},
	{"if I := n; I > 0 { take(T{a: I}) }", ""}, // a variable has the type's name
	{"all(n)", ""},
	{"all(n, list...)", ""},
	{"all(two())", ""},
}

// TestForms: a form is rewritten with the same meaning, in the same lines, and nothing else changes.
func TestForms(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "x.go")
	var text strings.Builder
	text.WriteString("package x\n\ntype T struct{ a int; s string }\n\nfunc (T) method() {}\n\ntype I interface{ method() }\n\nfunc take(I) {}\n\ntype Name string\n\ntype List []*T\n\nfunc use(any) {}\n\nfunc all(int, ...any) {}\n\nfunc two() (int, any) { return 1, 2 }\n\nfunc f(n int, s string, name Name, b []byte, ints []int, ts []*T, list []any) {\n")
	const first = 22
	for _, form := range cases {
		text.WriteString("\t" + form.before + "\n")
	}
	text.WriteString("}\n")
	for file, contents := range map[string]string{path: text.String(), filepath.Join(dir, "go.mod"): "module example.com/x\n\ngo 1.26\n"} {
		if err := os.WriteFile(file, []byte(contents), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	t.Setenv("GOWORK", "off")
	program, err := source.Load(dir, ".")
	if err != nil {
		t.Fatal(err)
	}
	c := New(program, "example.com/x")
	for i, form := range cases {
		for kind := sites.Object; kind <= sites.Other; kind++ {
			for _, e := range program.At(path, first+i, kind, 0) {
				if err := c.Move(path, e); err != nil && form.after != "" && e.Text != "variable w int" && e.Form() == source.Movable && !strings.Contains(form.before, "{{") {
					t.Errorf("%s: %s: %v", form.before, e.Text, err)
				}
			}
		}
	}
	overlay, err := c.Overlay(dir)
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(string(overlay[path]), "\n")
	if want := `package x; import zzarenascout "example.com/x/zzarenascout"; import zzarena "github.com/harena-go/arena"`; lines[0] != want {
		t.Errorf("got %s, want %s", lines[0], want)
	}
	for i, form := range cases {
		want := form.after
		if want == "" {
			want = form.before
		}
		if got := strings.TrimSpace(lines[first+i-1]); got != want {
			t.Errorf("%s\nbecomes %s\nwant    %s", form.before, got, want)
		}
	}
}
