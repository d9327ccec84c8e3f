package target

import (
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
