package scout

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/harena-go/arena/scout/internal/probe"
	"github.com/harena-go/arena/scout/internal/sites"
	"github.com/harena-go/arena/scout/internal/source"
	"github.com/harena-go/arena/scout/internal/target"
	"github.com/harena-go/arena/scout/internal/testrun"
	"github.com/harena-go/arena/scout/internal/verdict"
)

// sample returns a session whose probe is in the function of testdata/planted that calls the programs.
func sample(t *testing.T) (*session, sites.Candidate, *source.Program) {
	t.Setenv("GOWORK", "off")
	pkg, err := target.Find("../testdata/planted")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	s := &session{pkg: pkg, dir: dir, probe: filepath.Join(dir, "probe.test")}
	file := filepath.Join(pkg.Dir, "world.go")
	unit := sites.Candidate{Function: "example.com/planted.Unit", File: file, Line: lineOf(t, file, "func Unit")}
	overlay, err := probe.Overlay(probe.Unit{Function: unit.Function, File: file, Line: unit.Line})
	if err != nil {
		t.Fatal(err)
	}
	if err := testrun.Compile(pkg, testrun.Build{Overlay: overlay, Output: s.probe}); err != nil {
		t.Fatal(err)
	}
	program, err := source.Load(pkg.Dir, ".")
	if err != nil {
		t.Fatal(err)
	}
	return s, unit, program
}

// TestPlanted: the finding of each line of testdata/planted is that of the comment on the line. One binary has all the
// programs; each runs in a process of its own.
func TestPlanted(t *testing.T) {
	s, unit, program := sample(t)
	pkg := s.pkg
	wants := planted(t, pkg.Dir)
	var survivors, named atomic.Int64
	if len(wants) < 60 {
		t.Errorf("only %d programs", len(wants))
	}
	t.Run("programs", func(t *testing.T) {
		for name := range wants {
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				s := *s
				s.dir = t.TempDir()
				run := testrun.Run{Binary: s.probe, Dir: pkg.Dir, Env: append(probe.Env(s.dir), probe.First(256)),
					Bench: testrun.Exact("BenchmarkPlanted/" + name), Time: "256x"}
				if _, err := run.Do(); err != nil {
					t.Fatal(err)
				}
				snapshot, err := probe.Read(s.dir)
				if err != nil {
					t.Fatal(err)
				}
				if snapshot.Heap == nil {
					t.Fatal("no heap dump")
				}
				look := &Look{Package: pkg, Unit: unit}
				look.describe(s.count(look, snapshot), program)
				for _, f := range look.Findings {
					if f.Verdict == verdict.Keep || f.Verdict == verdict.Clone {
						survivors.Add(1)
						if f.Holder != "" {
							named.Add(1)
						}
					}
				}
				compare(t, look.Findings, wants[name])
			})
		}
	})
	if n, all := named.Load(), survivors.Load(); n*100 < all*95 {
		t.Errorf("%d of %d survivors have a holder's name, want 95%%", n, all)
	} else {
		t.Logf("%d of %d survivors have a holder's name", n, all)
	}
}

// seldom limits the objects of a unit at a line that needs no finding: a map's growth, say.
const seldom = 0.05

// compare checks findings against the wanted one of each line: at least one must match, and none may be the opposite.
func compare(t *testing.T, findings []verdict.Finding, wants map[int]want) {
	met := map[int]bool{}
	for _, f := range findings {
		w, ok := wants[f.Place.Line]
		switch {
		case !ok && f.Objects < seldom, w.verdict == "any":
		case !ok:
			t.Errorf("unexpected: %s", show(f))
		case f.Verdict == w.verdict && strings.Contains(f.Text+" "+f.Holder+" "+f.Way+" "+f.Advice, w.text):
			met[f.Place.Line] = true
		case f.Objects < seldom || f.Lib != "":
		case w.verdict == verdict.Keep && f.Verdict == verdict.Clone, w.verdict == "both":
		case f.Verdict == verdict.Move || f.Verdict == verdict.Keep || f.Verdict == verdict.Clone:
			t.Errorf("%s; want %s %s", show(f), w.verdict, w.text)
		}
		if w.verdict == "both" && f.Verdict == verdict.Keep && strings.Contains(f.Holder, w.text) {
			met[f.Place.Line] = true
		}
	}
	for line, w := range wants {
		if w.verdict != "any" && !met[line] {
			t.Errorf("line %d is not said to be: %s %s", line, w.verdict, w.text)
			for _, f := range findings {
				if f.Place.Line == line {
					t.Logf("but: %s", show(f))
				}
			}
		}
	}
}

func show(f verdict.Finding) string {
	return fmt.Sprintf("%d: %s %s %q, lib %q, advice %q, holder %q, way %.200q, %.1f a unit, alive %.3f", f.Place.Line, f.Verdict, f.Kind, f.Text, f.Lib, f.Advice, f.Holder, f.Way, f.Objects, f.Alive)
}

type want struct {
	verdict verdict.Verdict // or any, or both: it depends on the caller
	text    string          // in the expression, the advice or the holder
}

var (
	declared = regexp.MustCompile(`^func (\w+)\(w \*World\) ?\{`)
	comment  = regexp.MustCompile(`// (move|keep|clone|helper|leave|any|both)\b ?(.*)$`)
)

// planted reads the comments. Lines of a function that isn't a program belong to the program before it.
func planted(t *testing.T, dir string) map[string]map[int]want {
	wants := map[string]map[int]want{}
	for _, file := range []string{"dies.go", "lives.go"} {
		text, err := os.ReadFile(filepath.Join(dir, file))
		if err != nil {
			t.Fatal(err)
		}
		name := ""
		for i, line := range strings.Split(string(text), "\n") {
			if m := declared.FindStringSubmatch(line); m != nil {
				name = m[1]
				wants[name] = map[int]want{}
			}
			if m := comment.FindStringSubmatch(line); m != nil && name != "" {
				wants[name][i+1] = want{verdict.Verdict(m[1]), m[2]}
			}
		}
	}
	return wants
}

func lineOf(t *testing.T, file, text string) int {
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	for i, line := range strings.Split(string(data), "\n") {
		if strings.HasPrefix(line, text) {
			return i + 1
		}
	}
	t.Fatalf("%s has no line %q", file, text)
	return 0
}
