package arenavet_test

import (
	"bytes"
	"fmt"
	"maps"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/analysis/suite/vet"
	"golang.org/x/tools/go/ssa"

	"github.com/harena-go/arena/arenavet"
	"github.com/harena-go/arena/arenavet/escape"
	"github.com/harena-go/arena/arenavet/internal/engine/guard"
)

// generators make programs of a given number of types or functions.
var generators = map[string]func(n int) string{
	"tree":       func(n int) string { return tree(n, 5) },
	"dense tree": func(n int) string { return tree(n/4, n/4) },
	"calls":      calls,
	"parsers":    parsers,
	"containers": func(n int) string { return containers(n / 4) },
}

func generate(t testing.TB, source string) *subject {
	return parse(t, "p", map[string]string{"p.go": source})
}

// TestGrowth looks for steps that grow faster than the program. Four times as many types or functions that lead to each
// other take 4 times as many. If each type has a field for each other, there is 16 times as much source.
func TestGrowth(t *testing.T) {
	for name, source := range generators {
		t.Run(name, func(t *testing.T) {
			most := 10
			if name == "dense tree" {
				most = 40
			}
			if once, four := stepsOf(t, source(8)), stepsOf(t, source(32)); four > most*once {
				t.Errorf("%d steps for 8, %d for 32", once, four)
			}
		})
	}
}

// fastest returns the shortest time that analyzers take.
func (s *subject) fastest(t testing.TB, analyzers []*analysis.Analyzer, times int) time.Duration {
	fastest := time.Hour
	for range times {
		fastest = min(fastest, timed(func() { s.analyze(t, analyzers) }))
	}
	return fastest
}

// statistics returns the output of -stats during f.
func statistics(f func()) string {
	var out bytes.Buffer
	guard.Stats = &out
	defer func() { guard.Stats = nil }()
	f()
	return out.String()
}

// TestNoneGivenUp: the parts of parsers and syntax trees are small, however many there are, and each is analyzed to the
// end.
func TestNoneGivenUp(t *testing.T) {
	for _, name := range []string{"tree", "calls", "parsers"} {
		s := generate(t, generators[name](64))
		stats := statistics(func() { s.analyze(t, arenavet.All) })
		if strings.Count(stats, " 0 given up") != 6 {
			t.Errorf("%s: %s", name, stats)
		}
	}
}

// TestStandardLibrary: packages without arenas aren't analyzed, and in those moved to arenas, with hundreds of
// functions that call each other, most functions are.
func TestStandardLibrary(t *testing.T) {
	for _, path := range []string{"go/parser", "go/types", "net/http"} {
		s := parse(t, path, source(t, path))
		if stats := statistics(func() { s.analyze(t, arenavet.All) }); stats != "" {
			t.Errorf("without arenas: %s", stats)
		}
		if testing.Short() && path != "go/parser" {
			continue
		}
		s = parse(t, path, withArenas(t, path))
		stats := statistics(func() { s.analyze(t, arenavet.All) })
		if strings.Count(stats, "\t") > strings.Count(stats, "analyzed")*60 {
			t.Error(stats)
		}
	}
}

// stepsOf returns package engine's steps for a program.
func stepsOf(t *testing.T, source string) (steps int) {
	s := generate(t, source)
	for line := range strings.Lines(statistics(func() { s.analyze(t, []*analysis.Analyzer{escape.Analyzer}) })) {
		if _, numbers, ok := strings.Cut(line, "arenaflow: "); ok {
			var analyzed, lost int
			if _, err := fmt.Sscanf(numbers, "%d functions analyzed, %d given up, %d steps", &analyzed, &lost, &steps); err != nil || lost > 0 {
				t.Error(line, err)
			}
		}
	}
	return steps
}

// TestGrowthOfFunction: a function twice as large takes two to three times as many steps if its loops and maps are
// mostly independent. If all its values are put into each other, twice as many tags in twice as many cells, it takes
// four times as many.
func TestGrowthOfFunction(t *testing.T) {
	for name, c := range map[string]struct {
		source func(n int) string
		most   float64
	}{
		"sections":     {sections, 3},
		"cases":        {func(n int) string { return cases(4 * n) }, 4.1},
		"linked loops": {func(n int) string { return linked(n, 3) }, 4.1},
		"linked maps":  {func(n int) string { return linked(1, 3*n) }, 4.1},
		"visited":      {func(n int) string { return visited(2 * n) }, 4.1},
	} {
		last := stepsOf(t, c.source(4))
		for n := 8; n <= 16; n *= 2 {
			steps := stepsOf(t, c.source(n))
			t.Logf("%s: %d take %d steps", name, n, steps)
			if float64(steps) > c.most*float64(last) {
				t.Errorf("%s: %d take %d steps, half of them %d", name, n, steps, last)
			}
			last = steps
		}
	}
}

// TestGivenUpIsAssumed: the result of a function that was given up is assumed to be in its arena argument, if it can be
// nothing else.
func TestGivenUpIsAssumed(t *testing.T) {
	const text = header + `
type T struct{ Name string }

var kept struct {
	made, list, same any
}

func Failing(a *arena.Arena, n int) (*T, []string, string) { return nil, nil, "" }
func FailingSame(a *arena.Arena, x *T) *T                 { return x }
func FailingTwo(a, b *arena.Arena) *T                     { return nil }

func Made(pool *arena.Pool) {
	a := pool.Get()
	made, list, n := Failing(a, 1)
	kept.made = made
	kept.list = list
	kept.same = n
	pool.Put(a)
}

func Same(pool *arena.Pool, x *T) {
	a := pool.Get()
	kept.same = FailingSame(a, x)
	pool.Put(a)
}

func Two(pool *arena.Pool) {
	a, b := pool.Get(), arena.NewArena()
	kept.same = FailingTwo(a, b)
	pool.Put(a)
}
`
	s := generate(t, text)
	defer func() { guard.Strict, guard.Trip = true, nil }()
	guard.Strict, guard.Trip = false, func(fn *ssa.Function) {
		if strings.HasPrefix(fn.Name(), "Failing") {
			panic("planted")
		}
	}
	var lines []int
	for _, d := range s.analyze(t, []*analysis.Analyzer{escape.Analyzer}) {
		lines = append(lines, s.fset.Position(d.Pos).Line)
	}
	if want := []int{19, 20}; !slices.Equal(lines, want) {
		t.Errorf("findings in lines %v, want %v", lines, want)
	}
}

// mistaken has the declarations for mistakes.
const mistaken = header + "type T struct {\n\tName string\n\tKids []*T\n}\n\nvar kept string\n\n" +
	"func G(a *arena.Arena) { a.AllocString(\"x\") }\n"

// mistakes is a function with one mistake of most kinds.
const mistakes = `
func F(pool *arena.Pool, name []byte) (x *T) {
	a := pool.Get()
	x = arena.New[T](a)
	x.Kids = append(arena.MakeSlice[*T](a, 2, 2), x)
	go G(a)
	a.AllocString("x")
	a.Reset()
	x.Name = "y"
	b := arena.NewArena(arena.WithNoScan())
	arena.New[T](b).Name = string(name)
	kept = b.AllocString("x")
	b.Reset()
	return x
}

`

// TestPanic plants a panic in the analysis of one function by all analyzers: the findings in other functions stay.
func TestPanic(t *testing.T) {
	text := mistaken + mistakes
	one := len(generate(t, text).analyze(t, arenavet.All))
	if one < 5 {
		t.Fatalf("%d mistakes found", one)
	}
	s := generate(t, text+strings.ReplaceAll(mistakes, "func F", "func Failing"))
	defer func() { guard.Strict, guard.Trip = true, nil }()
	guard.Strict, guard.Trip = false, func(fn *ssa.Function) {
		if fn.Name() == "Failing" {
			panic("planted")
		}
	}
	var found []analysis.Diagnostic
	stats := statistics(func() { found = s.analyze(t, arenavet.All) })
	if len(found) != one {
		t.Errorf("%d mistakes found, want %d", len(found), one)
	}
	if strings.Count(stats, "Failing: panic: planted") != 6 {
		t.Errorf("the panics aren't told: %s", stats)
	}
}

// BenchmarkAgainstVet compares the time of arenavet's analyzers to that of go vet's, each with parsing and type
// checking: x/vet. All three times are the best of several runs: otherwise the first to run would warm up the others.
// The garbage collector has the settings of arenavet's command. Starting the commands and loading the dependencies
// isn't counted; BenchmarkCommand counts it.
func BenchmarkAgainstVet(b *testing.B) {
	programs := map[string]map[string]string{}
	for name, source := range generators {
		for _, n := range []int{125, 500, 2000} {
			if name != "dense tree" || n == 125 {
				programs[name+"/"+strconv.Itoa(n)] = map[string]string{"p.go": source(n)}
			}
		}
	}
	for _, path := range []string{"go/parser", "go/types", "net/http"} {
		programs[path+"/without"] = source(b, path)
		programs[path+"/with"] = withArenas(b, path)
	}
	for _, name := range slices.Sorted(maps.Keys(programs)) {
		b.Run(name, func(b *testing.B) {
			path, _, _ := strings.Cut(name, "/with")
			var s *subject
			parsing := timed(func() { s = parse(b, path, programs[name]) })
			vetting := s.fastest(b, vet.Suite, 5)
			for range 4 {
				parsing = min(parsing, timed(func() { s = parse(b, path, programs[name]) }))
			}
			ours := time.Hour
			before := debug.SetGCPercent(400)
			for b.Loop() {
				ours = min(ours, s.fastest(b, arenavet.All, 1))
			}
			debug.SetGCPercent(before)
			b.ReportMetric(float64(parsing+ours)/float64(parsing+vetting), "x/vet")
			b.ReportMetric(float64(vetting.Microseconds())/1000, "vet-ms")
			b.ReportMetric(float64(parsing.Microseconds())/1000, "parse-ms")
			b.ReportMetric(float64(ours.Microseconds())/1000, "ours-ms")
		})
	}
}

// timed returns the time that f takes.
func timed(f func()) time.Duration {
	start := time.Now()
	f()
	return time.Since(start)
}
