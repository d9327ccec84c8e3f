package peers

import (
	"os"
	"os/exec"
	"regexp"
	"strings"
	"testing"

	"github.com/harena-go/arena/bench/suite"
	"github.com/harena-go/arena/internal/engine/race"
)

// testable returns the peers that this build can run. Other projects' libraries run only in plain builds: they take
// long in builds that watch memory.
func testable() (names []string) {
	for name, build := range makers {
		if build() != nil && (!race.Instrumented || !suite.Foreign(name)) {
			names = append(names, name)
		}
	}
	return names
}

func TestEveryPeerHasAnAdapter(t *testing.T) {
	for _, p := range suite.Peers {
		if makers[p.Name] == nil && p.Name != suite.Bumpalo && p.Name != suite.FirstGear {
			t.Errorf("no adapter for %s", p.Name)
		}
	}
	for _, name := range Suite().Peers {
		if makers[name] == nil {
			t.Errorf("the suite has a peer %s that has no adapter", name)
		}
	}
	if _, err := New("nobody"); err == nil {
		t.Error("no error for a peer that doesn't exist")
	}
}

func TestRemarksOfRows(t *testing.T) {
	o := Ops{Remarks: map[string]string{"fixed": "all of them", "new-8": "this one"}}
	for row, want := range map[string]string{"new-8": "this one", "new-64": "all of them"} {
		if got := o.Remark(row, "fixed"); got != want {
			t.Errorf("remark of %s: %q, want %q", row, got, want)
		}
	}
	if got := o.Remark("string-8", "string"); got != "" {
		t.Errorf("remark of another group: %q", got)
	}
}

// TestOursAreInlined: the loops are there to show the fast path, and calls in them would not.
func TestOursAreInlined(t *testing.T) {
	if _, err := exec.LookPath("go"); err != nil {
		t.Skip("no go command: ", err)
	}
	cmd := exec.Command("go", "build", "-gcflags=-m", ".")
	cmd.Env = append(os.Environ(), "GOFLAGS=")
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("go build: %v\n%s", err, out)
	}
	for file, function := range map[string]string{"harena.go": "arena.New", "harena_typed.go": "t.New"} {
		source, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		allocations := strings.Count(string(source), "arena.New[")
		pattern := `(?m)^\S*\b` + regexp.QuoteMeta(file) + `:\d+:\d+: inlining call to arena\.New\[`
		if function == "t.New" {
			allocations = len(regexp.MustCompile(`\w\.New\(\)`).FindAll(source, -1))
			pattern = `(?m)^\S*\b` + regexp.QuoteMeta(file) + `:\d+:\d+: inlining call to arena\.\(\*Typed\[.*\]\)\.New`
		}
		if inlined := len(regexp.MustCompile(pattern).FindAll(out, -1)); inlined != allocations || inlined == 0 {
			t.Errorf("%s: %d of %d calls of New are inlined", file, inlined, allocations)
		}
	}
}
