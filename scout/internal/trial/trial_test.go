package trial

import (
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/harena-go/arena/scout/internal/rewrite"
	"github.com/harena-go/arena/scout/internal/scout"
	"github.com/harena-go/arena/scout/internal/sites"
	"github.com/harena-go/arena/scout/internal/source"
	"github.com/harena-go/arena/scout/internal/target"
	"github.com/harena-go/arena/scout/internal/testrun"
)

// kinds are the kinds of movable expressions.
var kinds = []sites.Kind{sites.Object, sites.Make, sites.Append, sites.String, sites.Bytes, sites.Concat, sites.Box}

// planted returns the expressions of the lines in testdata/planted that have a comment.
func planted(t *testing.T, p *source.Program, dir, comment string) map[string][]source.Expr {
	found := map[string][]source.Expr{}
	marked := regexp.MustCompile(`// ` + comment + `\b`)
	for _, file := range []string{"dies.go", "lives.go"} {
		path := filepath.Join(dir, file)
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		for i, line := range strings.Split(string(text), "\n") {
			if !marked.MatchString(line) || strings.Contains(line, "fmt.Errorf") { // its arguments die
				continue
			}
			for _, kind := range kinds {
				for _, e := range p.At(path, i+1, kind, 0) {
					if e.Form() == source.Movable {
						found[path+":"+strconv.Itoa(i+1)] = append(found[path+":"+strconv.Itoa(i+1)], e)
					}
				}
			}
		}
	}
	return found
}

// checked moves expressions, runs all programs a few times with checked arenas, and returns the lines of the escapes.
func checked(t *testing.T, comment string) (moved map[string][]source.Expr, escaped map[string]bool) {
	t.Setenv("GOWORK", "off")
	t.Setenv("ARENASCOUT_EVERY", "1")
	t.Setenv("ARENASCOUT_MOST", "1000000")
	pkg, program := read(t, "../testdata/planted")
	rig, err := NewRig(&scout.Look{Package: pkg, Program: program, Benchmark: "BenchmarkPlanted"}, nil, t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	c := rewrite.New(program, pkg.Module.Path)
	moved = planted(t, program, pkg.Dir, comment)
	for line, exprs := range moved {
		for _, e := range exprs {
			path, _, _ := strings.Cut(line, ".go:")
			if err := c.Move(path+".go", e); err != nil {
				t.Errorf("%s: %s: %v", line, e.Text, err)
			}
		}
	}
	world := filepath.Join(pkg.Dir, "world.go")
	if err := c.Unit(world, lineOf(t, world, "func Unit")); err != nil {
		t.Fatal(err)
	}
	overlay, err := c.Overlay(pkg.Module.Dir)
	if err != nil {
		t.Fatal(err)
	}
	binary := filepath.Join(rig.Dir, "moved.test")
	if err := testrun.Compile(pkg, testrun.Build{Overlay: overlay, Modfile: rig.Modfile, Output: binary}); err != nil {
		t.Fatal(err)
	}
	units, escapes, err := rig.Check(binary, 3)
	if err != nil || units < 150 {
		t.Fatalf("%d units were checked: %v", units, err)
	}
	escaped = map[string]bool{}
	for _, lines := range escapes {
		for _, line := range lines {
			if moved[line] != nil {
				escaped[line] = true
				break
			}
		}
	}
	return moved, escaped
}

// read finds and reads a package, once for all tests.
func read(t *testing.T, dir string) (*target.Package, *source.Program) {
	pkg, err := target.Find(dir)
	if err != nil {
		t.Fatal(err)
	}
	if programs[dir] == nil {
		if programs[dir], err = source.Load(pkg.Dir, "."); err != nil {
			t.Fatal(err)
		}
	}
	return pkg, programs[dir]
}

var programs = map[string]*source.Program{}

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

// TestMovesAreProven: values that die with their unit can be moved, and checked arenas find no escape.
func TestMovesAreProven(t *testing.T) {
	moved, escaped := checked(t, "move")
	if len(moved) < 23 {
		t.Errorf("only %d lines moved", len(moved))
	}
	for line := range escaped {
		t.Errorf("%s has outlived its unit", filepath.Base(line))
	}
}

// TestWrongMovesAreFound: checked arenas find all kept values that were moved.
func TestWrongMovesAreFound(t *testing.T) {
	moved, escaped := checked(t, "keep")
	if len(moved) < 20 {
		t.Errorf("only %d lines moved", len(moved))
	}
	allFound(t, moved, escaped)
}

// allFound checks that everything moved has escaped.
func allFound(t *testing.T, moved map[string][]source.Expr, escaped map[string]bool) {
	t.Helper()
	for line, exprs := range moved {
		if !escaped[line] {
			t.Errorf("%s: %s was moved, lives on, and wasn't found", filepath.Base(line), exprs[0].Text)
		}
	}
}

// TestWrongMovesIntoPools: a value that a pool keeps for the next unit is found, though the collector would empty the
// pool.
func TestWrongMovesIntoPools(t *testing.T) {
	moved, escaped := checked(t, "any pooled")
	if len(moved) != 1 {
		t.Errorf("%d lines moved", len(moved))
	}
	allFound(t, moved, escaped)
}

// TestEverywhere: everything movable in packages that weren't written for it compiles, with any nesting.
func TestEverywhere(t *testing.T) {
	t.Setenv("GOWORK", "off")
	for _, dir := range []string{"../fix", "../report"} {
		pkg, program := read(t, dir)
		rig, err := NewRig(&scout.Look{Package: pkg, Program: program}, nil, t.TempDir())
		if err != nil {
			t.Fatal(err)
		}
		c, moved := rewrite.New(program, pkg.Module.Path), map[sites.Kind]int{}
		for _, f := range program.Files() {
			if filepath.Dir(f.Path) != pkg.Dir || strings.HasSuffix(f.Path, "_test.go") {
				continue
			}
			for line := range program.Fset.File(f.Tree.Pos()).LineCount() {
				for _, kind := range kinds {
					for _, e := range program.At(f.Path, line+1, kind, 0) {
						if e.Form() == source.Movable && c.Move(f.Path, e) == nil {
							moved[kind]++
						}
					}
				}
			}
		}
		overlay, err := c.Overlay(pkg.Module.Dir)
		if err != nil {
			t.Fatal(err)
		}
		if err := testrun.Compile(pkg, testrun.Build{Overlay: overlay, Modfile: rig.Modfile,
			Output: filepath.Join(rig.Dir, "moved.test")}); err != nil {
			t.Errorf("%s, %v: %v", dir, moved, err)
		}
		if moved[sites.Object] < 10 || moved[sites.Box] == 0 {
			t.Errorf("%s: moved %v", dir, moved)
		}
	}
}

// TestRange: in 95 of 100 measurements the range contains the true median, and more rounds make it narrower.
func TestRange(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	width := map[int]float64{}
	for _, n := range []int{3, 6, 9, 27} {
		const times = 4000
		right := 0
		for range times {
			r := Measured{}
			for range n {
				r.PerRound = append(r.PerRound, math.Exp(0.1*random.NormFloat64()))
			}
			low, high := r.Range()
			width[n] += (high - low) / times
			if low <= 1 && 1 <= high {
				right++
			}
		}
		if share := float64(right) / times; n >= 6 && share < 0.94 || share > 0.985 || share < 0.7 {
			t.Errorf("of %d rounds, %.3f of the ranges have the median", n, share)
		}
	}
	if width[27] > 0.7*width[9] {
		t.Errorf("wide of: %v", width)
	}
}

// TestLess: a run that took less CPU than any start, such as one of few milliseconds on a busy machine, still has a
// positive time.
func TestLess(t *testing.T) {
	for run, want := range map[time.Duration]time.Duration{100: 80, 20: 2, 0: 1} {
		if got := less(run, []time.Duration{30, 20, 50}); got != want {
			t.Errorf("%d: %d, want %d", run, got, want)
		}
	}
}

// TestClone: package arena is found where this program was built, if that was in a clone, even with -trimpath.
func TestClone(t *testing.T) {
	const trimmed = arenaModule + "/scout/internal/trial/module.go"
	file, err := filepath.Abs("module.go")
	if err != nil {
		t.Fatal(err)
	}
	root := filepath.Join(filepath.Dir(file), "..", "..", "..")
	for _, c := range []struct{ file, version, want string }{
		{file, "", root}, {trimmed, "", root}, {trimmed, "v0.1.0", ""}, {filepath.Join(t.TempDir(), "a/b/c/d.go"), "", ""},
	} {
		if got := clone(c.file, c.version); got != c.want {
			t.Errorf("%s %s: %q, want %q", c.file, c.version, got, c.want)
		}
	}
}
