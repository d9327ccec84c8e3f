package repository

import (
	"maps"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

var (
	stepLine   = regexp.MustCompile(`(?m)^\t"([a-z0-9]+):\d+:`)
	matrixLine = regexp.MustCompile(`(?m)^          - ([a-z0-9 ]+)$`)
	usesLine   = regexp.MustCompile(`(?m)^ +-? ?uses: (.+)$`)
	moduleDir  = regexp.MustCompile(`(?m)^      - (/\S*)$`)
	lintPath   = regexp.MustCompile(`(?m)^ +- path: (\S+)$`)
)

func readAt(t *testing.T, name ...string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(append([]string{root}, name...)...))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// TestWorkflowsRunAllSteps: the jobs of a workflow together run each step of its script once.
func TestWorkflowsRunAllSteps(t *testing.T) {
	for script, workflow := range map[string]string{"run": "ci.yml", "nightly": "nightly.yml"} {
		jobs := readAt(t, ".github", "workflows", workflow)
		for _, line := range []string{" .ci/" + script + " install\n", " .ci/" + script + " ${{ matrix.steps }}\n"} {
			if !strings.Contains(jobs, line) {
				t.Errorf("%s doesn't run %q", workflow, line)
			}
		}
		want := []string{}
		for _, m := range stepLine.FindAllStringSubmatch(readAt(t, ".ci", script), -1) {
			want = append(want, m[1])
		}
		got := []string{"install"} // in each job
		for _, m := range matrixLine.FindAllStringSubmatch(jobs, -1) {
			got = append(got, strings.Fields(m[1])...)
		}
		slices.Sort(want)
		slices.Sort(got)
		if len(want) < 10 || !slices.Equal(got, want) {
			t.Errorf("%s runs %q, the steps of .ci/%s are %q", workflow, got, script, want)
		}
	}
}

// TestSystems: the workflow tests on other systems what .ci/run vets for them, with the same Go.
func TestSystems(t *testing.T) {
	job := readAt(t, ".github", "workflows", "ci.yml")
	for file, line := range map[string]*regexp.Regexp{
		"run": regexp.MustCompile(`(?m)^export portable="(.*)"$`), "steps.bash": regexp.MustCompile(`(?m)^export (GOTOOLCHAIN=go.*)$`),
	} {
		want := line.FindStringSubmatch(readAt(t, ".ci", file))[1]
		if !strings.Contains(job, " "+strings.ReplaceAll(want, "=", ": ")+"\n") {
			t.Errorf("ci.yml hasn't %q of .ci/%s", want, file)
		}
	}
}

// TestWorkflowsHaveLeastRights: a workflow may read; one job may write, and runs nothing of the repository. Actions
// are those of GitHub itself, and code that runs gets no token.
func TestWorkflowsHaveLeastRights(t *testing.T) {
	files, _ := filepath.Glob(filepath.Join(root, ".github", "workflows", "*"))
	if len(files) != 3 {
		t.Errorf("workflows %q", files)
	}
	for _, file := range files {
		text := readAt(t, ".github", "workflows", filepath.Base(file))
		if !strings.Contains(text, "\n\npermissions:\n  contents: read\n\n") {
			t.Errorf("%s: its rights aren't contents: read", file)
		}
		if n := strings.Count(text, "actions/checkout@"); n == 0 || n != strings.Count(text, "persist-credentials: false") {
			t.Errorf("%s: %d checkouts, and not all drop their credentials", file, n)
		}
		for _, m := range usesLine.FindAllStringSubmatch(text, -1) {
			if !regexp.MustCompile(`^actions/[a-z-]+@v\d+$`).MatchString(m[1]) {
				t.Errorf("%s uses %s", file, m[1])
			}
		}
		if strings.Contains(text, "pull_request_target") || strings.Contains(text, "secrets.") || strings.Contains(text, "write-all") {
			t.Errorf("%s has rights that it doesn't need", file)
		}
		want := 0
		if _, publish, ok := strings.Cut(text, "\n  publish:\n"); ok {
			want = 1
			if !strings.Contains(publish, "contents: write") || strings.Contains(publish, "uses:") {
				t.Errorf("%s: the job publish has other rights, or runs other code", file)
			}
		}
		if n := strings.Count(text, ": write"); n != want {
			t.Errorf("%s may write %d things, want %d", file, n, want)
		}
	}
}

// TestLintRulesNameFiles: each path that golangci-lint excludes something from is that of a file.
func TestLintRulesNameFiles(t *testing.T) {
	rules := lintPath.FindAllStringSubmatch(readAt(t, ".ci", "golangci.yml"), -1)
	if len(rules) < 3 {
		t.Fatalf("only %d rules", len(rules))
	}
	files := tracked(t)
	for _, rule := range rules {
		if !slices.ContainsFunc(files, regexp.MustCompile(rule[1]).MatchString) {
			t.Errorf("no file matches %s", rule[1])
		}
	}
}

// TestFewEntries: the README is on the first screens of the repository's page, below the list of files.
func TestFewEntries(t *testing.T) {
	const most = 55
	entries := map[string]bool{}
	for _, file := range tracked(t) {
		first, _, _ := strings.Cut(file, "/")
		entries[first] = true
	}
	if len(entries) > most {
		t.Errorf("%d files and folders at the root, at most %d", len(entries), most)
	}
}

// TestDependabotKnowsAllModules compares its list with the go.mod files.
func TestDependabotKnowsAllModules(t *testing.T) {
	want := map[string]bool{}
	tools, _ := filepath.Glob(filepath.Join(root, ".ci", "*", "go.mod"))
	for _, file := range append(modules(t), tools...) {
		dir, _ := filepath.Rel(root, filepath.Dir(file))
		want[path.Join("/", filepath.ToSlash(dir))] = true
	}
	text, _, _ := strings.Cut(readAt(t, ".github", "dependabot.yml"), "package-ecosystem: github-actions")
	got := []string{}
	for _, m := range moduleDir.FindAllStringSubmatch(text, -1) {
		got = append(got, m[1])
	}
	slices.Sort(got)
	if all := slices.Sorted(maps.Keys(want)); !slices.Equal(got, all) {
		t.Errorf("dependabot.yml lists %q, the modules are %q", got, all)
	}
}
