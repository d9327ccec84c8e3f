package arenajson_test

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// exempted are the standard library's tests that fail with arenajson, and why.
var exempted = map[string]string{
	"TestExperimentalFormatSupport": "a variable of the environment turns on the tag option format, which isn't supported",
}

// TestStandardTests runs the tests of encoding/json and of its version 2, as they are in the module
// from which those went to the standard library, with arenajson in the place of Unmarshal.
func TestStandardTests(t *testing.T) {
	if testing.Short() {
		t.Skip("takes a minute")
	}
	out, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", "github.com/go-json-experiment/json").Output()
	if err != nil {
		t.Skipf("the module is not to be had: %v", err)
	}
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS(strings.TrimSpace(string(out)))); err != nil {
		t.Fatal(err)
	}
	chmodAll(t, dir)
	patch(t, dir, root)
	cmd := exec.Command("go", "test", "-tags", "jsonv1on2", ".", "./v1")
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GOWORK=off", "GOEXPERIMENT=nojsonv2", "GOFLAGS=-mod=mod")
	result, err := cmd.CombinedOutput()
	counts := regexp.MustCompile(`ran (\d+) skipped \d+ differ (\d+)`).FindSubmatch(result)
	if counts == nil || len(counts[1]) < 3 {
		t.Fatalf("%v\n%s", err, result)
	}
	for _, line := range bytes.Split(result, []byte("\n")) {
		name, failed := bytes.CutPrefix(line, []byte("--- FAIL: "))
		if failed && exempted[string(bytes.Fields(name)[0])] == "" {
			t.Errorf("%s", line)
		}
		if bytes.HasPrefix(line, []byte("DIFF ")) && !bytes.Contains(line, []byte("format:iso8601")) {
			t.Errorf("%s", line)
		}
	}
	t.Logf("%s", counts[0])
}

func chmodAll(t *testing.T, dir string) {
	filepath.Walk(dir, func(path string, info os.FileInfo, err error) error {
		if err != nil {
			t.Fatal(err)
		}
		return os.Chmod(path, info.Mode()|0o200)
	})
}

// patch makes Unmarshal of the copy in dir call arenajson first.
func patch(t *testing.T, dir, root string) {
	write := func(name string, b []byte) {
		if err := os.WriteFile(filepath.Join(dir, name), b, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	read := func(name string) []byte {
		b, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		return b
	}
	write("go.mod", []byte("module github.com/go-json-experiment/json\n\ngo 1.26\n\nrequire github.com/harena-go/arena v0.0.0\n\n"+
		"replace github.com/harena-go/arena => "+root+"\n"))
	const head = "func Unmarshal(in []byte, out any, opts ...Options) (err error) {\n"
	source := read(filepath.Join(dir, "arshal.go"))
	if !bytes.Contains(source, []byte(head)) {
		t.Fatal("Unmarshal isn't what it was")
	}
	write("arshal.go", bytes.Replace(source, []byte(head), []byte(head+"\tif ok, err := ours(in, out, opts); ok {\n\t\treturn err\n\t}\n"+
		"\treturn unmarshalStd(in, out, opts...)\n}\n\nfunc unmarshalStd(in []byte, out any, opts ...Options) (err error) {\n"), 1))
	write("ours.go", read("testdata/ours.go.txt"))
	write("ours_test.go", read("testdata/ours_test.go.txt"))
}
