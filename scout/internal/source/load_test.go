package source

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/harena-go/arena/scout/internal/sites"
)

// TestLoad: packages that import each other through their tests have types in all files, and none of the module's own
// is built for that.
func TestLoad(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the go command's tools are run by a shell script")
	}
	dir := t.TempDir()
	for name, text := range map[string]string{
		"go.mod":           "module example.com/x\n\ngo 1.26\n",
		"p/p.go":           "package p\n\ntype T struct{ A int }\n\nfunc F() *T { return &T{} }\n",
		"p/inner_test.go":  "package p\n\nimport \"example.com/x/q\"\n\nvar inner = []any{&q.U{}, F()}\n",
		"p/outer_test.go":  "package p_test\n\nimport (\n\t\"example.com/x/p\"\n\t\"example.com/x/q\"\n)\n\nvar outer = []any{&p.T{}, &q.U{}}\n",
		"q/q.go":           "package q\n\nimport \"example.com/x/p\"\n\ntype U struct{ T p.T }\n\nfunc G() *p.T { return &p.T{} }\n",
		"q/wrong_test.go":  "package q\n\nimport \"example.com/nowhere/r\"\n\nvar wrong = []any{r.X, &U{}}\n",
		"q/other_plan9.go": "package q\n",
		"tool.sh":          "#!/bin/sh\necho \"$@\" >>" + filepath.Join(dir, "tools") + "\nexec \"$@\"\n",
	} {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o777); err != nil {
			t.Fatal(err)
		}
	}
	t.Setenv("GOWORK", "off")
	t.Setenv("GOFLAGS", "-toolexec="+filepath.Join(dir, "tool.sh"))
	program, err := Load(filepath.Join(dir, "p"), ".", "../q")
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []struct {
		file string
		line int
		text string
	}{{"p/p.go", 5, "&T{}"}, {"p/inner_test.go", 5, "&q.U{}"}, {"p/outer_test.go", 8, "&p.T{}"}, {"q/q.go", 7, "&p.T{}"}, {"q/wrong_test.go", 5, "&U{}"}} {
		found := program.At(filepath.Join(dir, want.file), want.line, sites.Object, 0)
		said := ""
		for _, e := range found {
			said += e.Text + " "
			if strings.HasPrefix(e.Text, "&") && e.Size != 8 {
				t.Errorf("%s: %s has %d bytes", want.file, e.Text, e.Size)
			}
		}
		if !strings.Contains(said, want.text) {
			t.Errorf("%s:%d: %q, want %s", want.file, want.line, said, want.text)
		}
	}
	if len(program.Ignored) != 1 || filepath.Base(program.Ignored[0]) != "other_plan9.go" {
		t.Errorf("ignored: %v", program.Ignored)
	}
	if tools, err := os.ReadFile(filepath.Join(dir, "tools")); err == nil && strings.Contains(string(tools), "example.com/x") {
		t.Errorf("built: %s", tools)
	}
}

// TestSame: values built only from constants and functions are equal each time, even if others have other arguments.
func TestSame(t *testing.T) {
	lines := []struct {
		text string
		lib  string
		want bool
	}{
		{"use(regexp.MustCompile(`a+`))", "regexp.MustCompile", true},
		{"use(regexp.MustCompile(s))", "regexp.MustCompile", false},
		{"use(regexp.MustCompile(prefix + `+`))", "regexp.MustCompile", true},
		{"use(map[string]any{\"use\": use, \"n\": func(n int) int { return n }, \"p\": &T{A: 1}})", "", false},
		{"use(map[string]any{\"use\": use, \"n\": func(n int) int { return n }, \"p\": T{A: 1}})", "", true},
		{"use(map[string]any{\"n\": func() int { return n }})", "", false},
		{"use(map[string]any{s: 1})", "", false},
		{"use(map[string]any{})", "", false},
	}
	dir := t.TempDir()
	var text strings.Builder
	text.WriteString("package x\n\nimport \"regexp\"\n\nconst prefix = \"a\"\n\ntype T struct{ A int }\n\nfunc use(any) {}\n\nfunc f(n int, s string) {\n")
	for _, line := range lines {
		text.WriteString("\t" + line.text + "\n")
	}
	text.WriteString("}\n")
	for name, contents := range map[string]string{"x.go": text.String(), "go.mod": "module example.com/x\n\ngo 1.26\n"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(contents), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	t.Setenv("GOWORK", "off")
	program, err := Load(dir, ".")
	if err != nil {
		t.Fatal(err)
	}
	const first = 12
	for i, line := range lines {
		if got := program.Same(filepath.Join(dir, "x.go"), first+i, line.lib); got != line.want {
			t.Errorf("%s: %v, want %v", line.text, got, line.want)
		}
	}
}
