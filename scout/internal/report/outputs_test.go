package report

import (
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/harena-go/arena/scout/internal/testrun"
	"github.com/harena-go/arena/scout/internal/trial"
)

const diff = `diff --git a/p.go b/p.go
--- a/p.go
+++ b/p.go
@@ -5 +6,2 @@ func f() {
-	old()
+	x := &T{}
+	y := strings.Fields(s)
@@ -9,3 +10,0 @@ func f() {
-	gone()
diff --git a/sub/q.go b/sub/q.go
--- a/sub/q.go
+++ b/sub/q.go
@@ -0,0 +1 @@
+package q
`

// TestGitHub: actionable findings are annotations, in changed lines only.
func TestGitHub(t *testing.T) {
	changed := ReadDiff([]byte(diff), "/p")
	if want := (Changed{"/p/p.go": {{6, 7}}, "/p/sub/q.go": {{1, 1}}}); !reflect.DeepEqual(changed, want) {
		t.Fatalf("%v, want %v", changed, want)
	}
	var b strings.Builder
	GitHub(&b, made(), changed, "/p")
	if want := `::notice file=p.go,line=6,title=arenascout: move::&T{} 60/unit: dies with its unit of work, and can be in an arena
::notice file=p.go,line=7,title=arenascout: helper::strings.Fields -> strings.FieldsSeq 2/unit: dies with its unit of work
`; b.String() != want {
		t.Errorf("%s\nwant\n%s", b.String(), want)
	}
	if got := escaped("50%: a,\nb", true); got != "50%25%3A a%2C%0Ab" {
		t.Errorf("%q", got)
	}
}

// TestBenchstat: each round is a line in the format of benchmarks, with reuse, too.
func TestBenchstat(t *testing.T) {
	line := testrun.Line{Name: "BenchmarkHandle/small", N: 100, Op: 20 * time.Microsecond, Objects: 3, Bytes: 96}
	m := trial.Measured{Runs: [2][]testrun.Line{{line, line}, {line}}, CPU: [2][]time.Duration{{30000, 31000}, {15000}}}
	r := &trial.Result{Gear: trial.Gear{Measured: m}, Reuse: &trial.Gear{Measured: m}}
	dir := filepath.Join(t.TempDir(), "out")
	if err := Benchstat(dir, made(), r); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]int{"before.txt": 2, "after.txt": 1, "reuse.txt": 1} {
		text, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		got := string(text)
		if !strings.Contains(got, "\npkg: example.com/p\n") || strings.Count(got, "\t100\t20000 ns/op\t") != want || !strings.HasSuffix(got, "000 cpu-ns/op\t96 B/op\t3 allocs/op\n") {
			t.Errorf("%s: %s", name, got)
		}
	}
}
