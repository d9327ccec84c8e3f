package compiled_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// TestThroughPackages calls the arena's functions through two and three packages. They are inlined
// into one that doesn't import the arena, and nothing goes to the Go heap.
func TestThroughPackages(t *testing.T) {
	const dir = "testdata/through/user/"
	program := filepath.Join(t.TempDir(), "user")
	messages := goTool(t, "build", "-gcflags=-m=2", "-o", program, "./"+dir)
	out, err := exec.Command(program).CombinedOutput()
	lines := strings.Split(strings.TrimSpace(string(out)), "\n")
	if err != nil || len(lines) < 31 {
		t.Fatalf("%v\n%s", err, out)
	}
	for _, line := range lines {
		if !strings.HasSuffix(line, ": 0") {
			t.Errorf("heap allocations in 100 calls of %s", line)
		}
	}
	wanted := regexp.MustCompile(`\}, +// (\w+)$`)
	for _, source := range []string{"main.go", "methods_go127.go"} {
		text, err := os.ReadFile(dir + source)
		if err != nil {
			t.Fatal(err)
		}
		for i, line := range strings.Split(string(text), "\n") {
			at := dir + source + ":" + strconv.Itoa(i+1) + ":"
			m := wanted.FindStringSubmatch(line)
			if m == nil || !strings.Contains(messages, at) { // some files are for other versions
				continue
			}
			if !regexp.MustCompile(regexp.QuoteMeta(at) + `\d+: inlining call to (arena|collections)\..*\b` + m[1] + `\b`).MatchString(messages) {
				t.Errorf("%s isn't inlined: %s", m[1], strings.TrimSpace(line))
			}
		}
	}
}
