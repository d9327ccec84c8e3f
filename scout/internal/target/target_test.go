package target

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestFind(t *testing.T) {
	t.Setenv("GOWORK", "off")
	p, err := Find("../testdata/planted")
	if err != nil {
		t.Fatal(err)
	}
	if p.ImportPath != "example.com/planted" || p.Name != "planted" || p.Module.Path != p.ImportPath || filepath.Base(p.Module.GoMod) != "go.mod" {
		t.Errorf("%+v", p)
	}
	for file, want := range map[string]bool{"world.go": true, "sub/x.go": true, "../shapes/x.go": false, "..x.go": true, "../../target.go": false} {
		if got := p.Owns(filepath.Join(p.Dir, file)); got != want {
			t.Errorf("owns %s: %v", file, got)
		}
	}
	for pattern, want := range map[string]string{"../...": "more than one package", "no/such/package": "no/such/package", "../testdata": "../testdata"} {
		if _, err := Find(pattern); err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: %v, want %q", pattern, err, want)
		}
	}
}

func TestFirstLine(t *testing.T) {
	if got := FirstLine("# example.com/x\n\n  x.go:1: no\nmore\n"); got != "x.go:1: no" {
		t.Errorf("%q", got)
	}
	if got := FirstLine("# only\n"); got != "" {
		t.Errorf("%q", got)
	}
}

// TestBenchmarks: the module's other packages with benchmarks are named, not those of other modules in it.
func TestBenchmarks(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{"go.mod": "", "x_test.go": "func BenchmarkX(b *testing.B) {", "a/b/x_test.go": "x\nfunc BenchmarkX(b *testing.B) {",
		"c/x_test.go": "// func BenchmarkX(b *testing.B)", "d/x.go": "func BenchmarkX(b *testing.B) {", "other/go.mod": "", "other/x_test.go": "func BenchmarkX(b *testing.B) {",
		"testdata/x_test.go": "func BenchmarkX(b *testing.B) {"} {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	p := Package{Dir: dir, Module: Module{Dir: dir}}
	if got := p.Benchmarks(); len(got) != 1 || got[0] != "./a/b" {
		t.Errorf("%q", got)
	}
	if got := (&Package{Dir: dir}).Benchmarks(); len(got) != 0 { // of the standard library
		t.Errorf("%q", got)
	}
}
