//go:build !race && !asan && !msan

package repository

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// block is a program in a page, and its output.
var block = regexp.MustCompile("(?s)```go\n(package main\n.*?)```\n(?:\n```text\n(.*?)```\n)?")

// copied is a file of this repository in a page: servers, which don't end by themselves, and tests.
var copied = regexp.MustCompile("(?s)```go\n// ([a-z_/]+\\.go)\n(.*?)```\n")

// TestPrograms: each program in docs and the README compiles and prints what stands below it, and links lead somewhere.
func TestPrograms(t *testing.T) {
	pages, err := filepath.Glob(filepath.Join(root, "docs", "*.md"))
	if err != nil || len(pages) < 5 {
		t.Fatalf("%d pages (%v)", len(pages), err)
	}
	pages = append(pages, filepath.Join(root, "README.md"))
	for _, page := range []string{"ARCHITECTURE.md", "CHANGELOG.md", ".github/CONTRIBUTING.md", ".github/SECURITY.md"} {
		checkLinks(t, filepath.Join(root, page), read(t, page))
	}
	dir := t.TempDir()
	want := map[string]string{}
	for _, page := range pages {
		text, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		checkLinks(t, page, block.ReplaceAllString(string(text), ""))
		for _, m := range copied.FindAllSubmatch(text, -1) {
			if source, err := os.ReadFile(filepath.Join(root, string(m[1]))); err != nil || !bytes.Equal(source, m[2]) {
				t.Errorf("%s: the block %s isn't the file of that name (%v)", page, m[1], err)
			}
		}
		if open := strings.Count(string(text), "```go\n"); open != len(block.FindAll(text, -1))+len(copied.FindAll(text, -1)) {
			t.Errorf("%s: a Go block isn't a whole program", page)
		}
		for i, m := range block.FindAllSubmatch(text, -1) {
			name := fmt.Sprintf("%s%d", strings.TrimSuffix(filepath.Base(page), ".md"), i)
			write(t, filepath.Join(dir, name, "main.go"), string(m[1]))
			want[name] = string(m[2])
		}
	}
	if testing.Short() {
		t.Skip("links alone: to link the programs takes some seconds")
	}
	here, err := filepath.Abs(root)
	if err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(dir, "go.mod"), "module docs\n\ngo 1.26\n\nrequire github.com/harena-go/arena v0.0.0\n\nreplace github.com/harena-go/arena => "+here+"\n")
	bin := filepath.Join(dir, "bin") + string(filepath.Separator)
	build := exec.Command("go", "build", "-o", bin, "./...")
	build.Dir = dir
	build.Env = append(os.Environ(), "GOWORK=off", "GOFLAGS=-mod=mod")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for name, want := range want {
		if source, _ := os.ReadFile(filepath.Join(dir, name, "main.go")); bytes.Contains(source, []byte("import \"C\"")) && !cgo() {
			t.Logf("%s needs cgo", name)
			continue
		}
		got, err := exec.Command(bin + name).CombinedOutput()
		if err != nil || !bytes.Equal(bytes.TrimSpace(got), []byte(strings.TrimSpace(want))) {
			t.Errorf("%s: %v\n%s\nwant\n%s", name, err, got, want)
		}
	}
}

// cgo reports whether the go command can build programs with C in them: by default it can if there is a compiler.
func cgo() bool {
	out, err := exec.Command("go", "env", "CGO_ENABLED").Output()
	return err == nil && string(bytes.TrimSpace(out)) == "1"
}

func write(t *testing.T, file, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
}

// link is a link of Markdown to a file.
var link = regexp.MustCompile(`\]\(([^):# ]+\.[a-z]+)[)#]`)

func checkLinks(t *testing.T, page, text string) {
	t.Helper()
	for _, m := range link.FindAllStringSubmatch(text, -1) {
		if !exists(filepath.Join(filepath.Dir(page), m[1])) {
			t.Errorf("%s leads to %s, which isn't there", page, m[1])
		}
	}
}
