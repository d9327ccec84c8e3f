package audit_test

import (
	"bytes"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/harena-go/arena/arenavet/internal/audit"
)

// TestPort: each line that is marked is listed, as often as it is marked, and no other.
func TestPort(t *testing.T) {
	t.Setenv("GOWORK", "off") // testdata is a module of its own
	var out bytes.Buffer
	if _, err := audit.Run(&out, "../../testdata", "./audit"); err != nil {
		t.Fatal(err)
	}
	source, err := os.ReadFile("../../testdata/audit/port.go")
	if err != nil {
		t.Fatal(err)
	}
	listed := map[string]int{}
	for _, l := range strings.Split(strings.TrimSpace(out.String()), "\n") {
		parts := strings.SplitN(l, ":", 3)
		if len(parts) < 3 || parts[0] != "audit/port.go" {
			t.Fatalf("%q", l)
		}
		listed[parts[1]]++
	}
	for n, text := range strings.Split(string(source), "\n") {
		at := strconv.Itoa(n + 1)
		if want := strings.Count(text, "want"); listed[at] != want {
			t.Errorf("line %s: %d times, want %d: %s", at, listed[at], want, strings.TrimSpace(text))
		}
	}
	for _, want := range []string{
		"arena.NewOf(p.a, node{...})", "arena.MakeSlice[*node](p.a, k, k)", "collections.NewMap(p.a, ...)", "arena.Box(p.a, k)",
		"arena.Append(p.a, n.kids, new(node))", "arena.New[node](p.a)", "arena.Concat(p.a, n.name, \"!\")", "p.a.AllocBytesToString(text)",
	} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("%s isn't proposed", want)
		}
	}
	if t.Failed() {
		t.Log(out.String())
	}
}
