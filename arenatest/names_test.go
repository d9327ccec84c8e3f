//go:build !race && !asan && !msan

package arenatest_test

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/harena-go/arena/internal/tests/testkit"
)

// plainTest copies a module from testdata, which uses this one, runs go test for it without flags that keep symbols,
// and returns the output. The tests must fail.
func plainTest(t *testing.T, module string, workspace bool) string {
	t.Helper()
	testkit.NeedsGo(t)
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS(filepath.Join("testdata", module))); err != nil {
		t.Fatal(err)
	}
	root, err := filepath.Abs("..")
	if err != nil {
		t.Fatal(err)
	}
	const path = "github.com/harena-go/arena"
	work := "off"
	mod := "module example/" + module + "\n\ngo 1.26\n\nrequire " + path + " v0.0.0\n"
	if workspace {
		work = filepath.Join(dir, "go.work")
		write(t, work, "go 1.26\n\nuse (\n\t.\n\t"+strconv.Quote(root)+"\n)\n")
	} else {
		mod += "\nreplace " + path + " => " + strconv.Quote(root) + "\n"
	}
	write(t, filepath.Join(dir, "go.mod"), mod)
	ctx, cancel := context.WithTimeout(context.Background(), 5*timeLimit)
	defer cancel()
	c := exec.CommandContext(ctx, "go", "test", "-vet=off", "./...")
	c.Dir = dir
	c.Env = append(os.Environ(), "GOFLAGS=", "GOWORK="+work)
	out, err := c.CombinedOutput()
	if _, failed := err.(*exec.ExitError); !failed || !strings.Contains(string(out), "--- FAIL") {
		t.Fatalf("go test: %v\n%s", err, out)
	}
	return string(out)
}

func write(t *testing.T, file, text string) {
	t.Helper()
	if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
}

// TestNames: under plain go test, which links programs without symbols, reports name the variables that hold the
// escaped value, and their types, where the source has them. In case of doubt they give the address.
func TestNames(t *testing.T) {
	out := plainTest(t, "names", false)
	for test, want := range wantedHolders(t) {
		if got := holderOf(out, test); !strings.HasPrefix(got, want) {
			t.Errorf("%s: held by\n%s\nwant\n%s", test, got, want)
		}
	}
}

// holderOf returns the first line about the holder in the report of a test.
func holderOf(out, test string) string {
	_, report, _ := strings.Cut(out, "--- FAIL: "+test+" ")
	_, holder, _ := strings.Cut(report, "Held by:\n")
	holder, _, _ = strings.Cut(strings.TrimLeft(holder, " "), "\n")
	return holder
}

// TestReadme: the report in the README is the output of plain go test for the program in testdata/web, except for the
// directories of files, and numbers.
func TestReadme(t *testing.T) {
	if strconv.IntSize == 32 {
		t.Skip("the README is of a 64-bit machine, on which a Session has 64 bytes")
	}
	readme, err := os.ReadFile("../README.md")
	if err != nil {
		t.Fatal(err)
	}
	_, shown, _ := strings.Cut(string(readme), "\n```\n--- FAIL: TestLogin")
	shown, _, _ = strings.Cut(shown, "\n```\n")
	out := withoutNumbers(plainTest(t, "web", true))
	if !strings.Contains(out, withoutNumbers(shown)+"\n\nFAIL\n") {
		t.Errorf("the README shows\n%s\nwant\n%s", withoutNumbers(shown), out)
	}
}

// withoutNumbers removes directories, line numbers, addresses, times and spaces at the ends of lines from a report.
func withoutNumbers(report string) string {
	report = regexp.MustCompile(`(?m)^( *)\S*/(\w+\.go):`).ReplaceAllString(report, "$1$2:")
	report = regexp.MustCompile(`\.go:\d+|0x[0-9a-f]+|\d+\.\d+s`).ReplaceAllString(report, "#")
	return regexp.MustCompile(`(?m)^ +| +$`).ReplaceAllString(report, "")
}

// wantedHolders returns the holders in the comments before the tests.
func wantedHolders(t *testing.T) map[string]string {
	holders := map[string]string{}
	comment := regexp.MustCompile(`(?m)^// (global .*)\nfunc (Test\w+)\(`)
	files, _ := filepath.Glob("testdata/names/*/*_test.go")
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range comment.FindAllSubmatch(text, -1) {
			holders[string(m[2])] = string(m[1])
		}
	}
	if len(holders) < 18 {
		t.Errorf("%d tests", len(holders))
	}
	return holders
}
