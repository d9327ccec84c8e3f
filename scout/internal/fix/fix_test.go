package fix

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/pprof/profile"

	"github.com/harena-go/arena/scout/internal/probe"
	"github.com/harena-go/arena/scout/internal/scout"
	"github.com/harena-go/arena/scout/internal/sites"
	"github.com/harena-go/arena/scout/internal/source"
	"github.com/harena-go/arena/scout/internal/target"
	"github.com/harena-go/arena/scout/internal/testrun"
	"github.com/harena-go/arena/scout/internal/trial"
	"github.com/harena-go/arena/scout/internal/verdict"
)

// look returns a look at a package in which nothing outlives its unit: the stacks are those of its benchmark.
func look(t *testing.T, dir, unit string) *scout.Look {
	t.Setenv("GOWORK", "off")
	pkg, err := target.Find(dir)
	if err != nil {
		t.Fatal(err)
	}
	binary, file := filepath.Join(t.TempDir(), "x.test"), filepath.Join(t.TempDir(), "mem.pprof")
	if err := testrun.Compile(pkg, testrun.Build{Output: binary}); err != nil {
		t.Fatal(err)
	}
	run := testrun.Run{Binary: binary, Dir: pkg.Dir, Bench: ".", Time: "100x", Flags: []string{"-test.memprofile=" + file, "-test.memprofilerate=1"}, Env: []string{"GODEBUG=profstackdepth=512"}}
	result, err := run.Do()
	if err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	p, err := profile.ParseData(data)
	if err != nil {
		t.Fatal(err)
	}
	l := &scout.Look{Package: pkg, Benchmark: result.Lines[0].Name, PerOp: 1}
	candidate, others := sites.Lookup(p, unit, pkg.Owns)
	if candidate.Function == "" {
		t.Fatalf("%s may be %q", unit, others)
	}
	l.Unit = candidate
	if l.Program, err = source.Load(pkg.Dir, "./..."); err != nil {
		t.Fatal(err)
	}
	snapshot := &probe.Snapshot{Units: 100}
	for _, s := range p.Sample {
		for _, calls := range asked(l.Program, sites.Frames(s)) {
			snapshot.Sites = append(snapshot.Sites, probe.Site{Stack: calls, Objects: s.Value[0], Bytes: s.Value[1]})
		}
	}
	l.All = sites.Of(snapshot, candidate.Function, pkg.Owns)
	l.Findings = verdict.Of(l.All, candidate.Function, nil, l.Program)
	return l
}

// kinds are the runtime's functions for the kinds, which profiles omit.
var kinds = map[sites.Kind]string{sites.Object: "runtime.newobject", sites.Append: "runtime.growslice", sites.Make: "runtime.makeslice",
	sites.String: "runtime.slicebytetostring", sites.Bytes: "runtime.stringtoslicebyte", sites.Concat: "runtime.concatstrings"}

// asked returns the possible stacks of a call, with the runtime's functions for all allocations of its line.
func asked(p *source.Program, calls []probe.Frame) (all [][]probe.Frame) {
	if len(calls) == 0 {
		return nil
	}
	for kind, name := range kinds {
		if found := p.At(calls[0].File, calls[0].Line, kind, 0); len(found) > 0 && found[0].Form() <= source.ByHand {
			all = append(all, append([]probe.Frame{{Function: name}}, calls...))
		}
	}
	if all == nil {
		all = [][]probe.Frame{calls}
	}
	return all
}

// proven writes a patch with everything movable and proves it, without measuring.
func proven(t *testing.T, l *scout.Look) *Result {
	t.Helper()
	rig, err := trial.NewRig(l, t.Logf, t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	p, err := newPlan(l, true)
	if err != nil {
		t.Fatal(err)
	}
	r, err := (&fixer{p, rig}).run()
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// TestShapes: for each way in which functions call each other the patch is right, or gives a reason. The package's own
// tests pass with it; and the expected values are in the arena.
func TestShapes(t *testing.T) {
	t.Setenv("SHAPES_FLAKY", filepath.Join(t.TempDir(), "runs")) // the patch isn't to blame for a flaky test
	l := look(t, "../testdata/shapes", "Parse")
	r := proven(t, l)
	if r.Passed < 1 || strings.Join(r.Failed, " ") != "TestFlaky" {
		t.Errorf("%d tests pass, %v fail", r.Passed, r.Failed)
	}
	if r.Unit != "Parse" || strings.Join(r.Fields, " ") != "counter parser walker" || r.Params < 10 {
		t.Errorf("unit %s, fields of %s, %d parameters", r.Unit, r.Fields, r.Params)
	}
	for place, why := range map[string]string{
		"// left: outside":           "outside of functions",
		"// left: by interface":      "stateless.make is called by interface or function value",
		"func generated":             "generated code",
		"// left: by function value": "byTable is called by interface or function value",
		"func spread":                "spread",
		"longer := make":             "slices.SortFunc has no arena to pass on",
		"// left: a test waits":      "TestCollected fails with it",
		"// left: a later unit":      "it may run later",
	} {
		if got := left(t, r, place); !strings.Contains(got, why) {
			t.Errorf("%s is left because: %q, want %q", place, got, why)
		}
	}
	r.has(t, "shapes.go",
		"var arenas = harena.NewPool(harena.WithName(\"shapes.Parse\"))\n\n// Parse is the unit.\nfunc Parse(text string) *Node {\n\ta := arenas.Get()\n\tdefer arenas.Put(a)\n",
		`[]*Node{harena.NewOf(a, Node{Name: "b"}), `,
		"func (w *walker) make(name string) *Node { // by interface, but with a field\n",
		"p := &parser{arena: a, words:",
		"add(parameter(a, \"parameter\"))",
		"parameter(nil, \"launched\")",
		"add(spread(two()))",
		"(a *harena.Arena,",
		"unnamed(a *harena.Arena, _ string, _ int)",
		"twinPairArena[A, B](nil, a, b)",
		"harena.Join(a,")
	apply(t, l, r)
}

// TestCarried: structs bring the arena to functions that interfaces call, and are copied; and variables whose address
// is taken are in the arena.
func TestCarried(t *testing.T) {
	l := look(t, "../testdata/carried", "(*Parser).Parse")
	r := proven(t, l)
	if r.Passed < 1 || strings.Join(r.Fields, " ") != "Parser element inner printer state" {
		t.Errorf("%d tests, fields of %s", r.Passed, r.Fields)
	}
	r.has(t, "carried.go",
		"defer func(before *arena.Arena) { p.arena = before }(p.arena)\n\tp.arena = a\n",
		"defer func(before *arena.Arena) { p.inner.arena = before }(p.inner.arena)\n\tp.inner.arena = a\n",
		"cpy := arena.NewOf(s.arena, *s)\n\treturn cpy",
		"n := arena.New[Node](s.arena)\n\tn.Name = s.words[s.pos]\n\treturn n",
		"u := arena.New[table](a)\n\t*u = t\n",
		"for _, wordValue := range words {\n\t\tword := arena.NewOf(a, wordValue)",
		`a.Replace(a.Repeat(a.ToUpper(words[0]), 20), "O", words[1], -1)`,
		"a.ReadAll(strings.NewReader(text), 0)",
		"arena.CopySlice(a, words)",
		`done <- parallel("launched")`,
		"reflect.NewAt(typ.Elem(), arena.KeyOf(typ.Elem()).New(a)).Interface()")
	apply(t, l, r)
}

// TestKept: a value that outlives its unit gets no field, since allocating in the arena of an ended unit panics; nor
// does one from before the unit.
func TestKept(t *testing.T) {
	for unit, want := range map[string][2]int{"Parse": {2, 3}, "Other": {1, 2}} {
		l := look(t, "../testdata/kept", unit)
		l.Benchmark = "Benchmark" + unit
		if r := proven(t, l); len(r.Fields) > 0 || r.Params != want[0] || r.Moved != want[1] {
			t.Errorf("%s: %+v", unit, r)
		}
	}
}

// TestWorth: values that save next to nothing are left, unless all is set.
func TestWorth(t *testing.T) {
	found, left := worth([]verdict.Finding{{Objects: 1, Bytes: 16}, {Objects: 100, Bytes: 1600}, {Objects: 50, Bytes: 1600}}, nil)
	if len(found) != 2 || found[0].Objects != 100 || len(left) != 1 || left[0].Finding.Objects != 1 {
		t.Errorf("%v, left %v", found, left)
	}
}

// run runs the go command in a patched module.
func run(dir string, args ...string) (string, error) {
	cmd := exec.Command("go", args...)
	cmd.Dir, cmd.Env = dir, append(os.Environ(), "SHAPES_FLAKY=")
	out, err := cmd.CombinedOutput()
	return string(out), err
}

// left returns the reasons for leaving the expressions in the line of a text, or below it.
func left(t *testing.T, r *Result, text string) string {
	for _, l := range r.Left {
		data, err := os.ReadFile(l.Finding.Place.File)
		if err != nil {
			t.Fatal(err)
		}
		lines := strings.Split(string(data), "\n")
		at := l.Finding.Place.Line - 1
		if strings.Contains(lines[at], text) || strings.Contains(lines[at-1], text) {
			return l.Why
		}
	}
	return ""
}

// has checks a file of the patch for texts.
func (r *Result) has(t *testing.T, name string, wants ...string) {
	t.Helper()
	text := ""
	for path, after := range r.Files {
		if filepath.Base(path) == name {
			text = string(after)
		}
	}
	for _, want := range wants {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in %s of\n%s", want, name, r.Patch)
		}
	}
}

// apply makes the patched module, and runs its tests and those for the patched one.
func apply(t *testing.T, l *scout.Look, r *Result) {
	t.Helper()
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS(l.Package.Module.Dir)); err != nil {
		t.Fatal(err)
	}
	patch := exec.Command("git", "apply", "-")
	patch.Dir, patch.Stdin = dir, strings.NewReader(r.Patch)
	patch.Env = append(os.Environ(), "GIT_CEILING_DIRECTORIES="+filepath.Dir(dir))
	if out, err := patch.CombinedOutput(); err != nil {
		t.Fatalf("git apply: %v\n%s", err, out)
	}
	if err := os.Rename(filepath.Join(dir, "patched.txt"), filepath.Join(dir, "patched_test.go")); err != nil {
		t.Fatal(err)
	}
	root, err := filepath.Abs("../../..")
	if err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{{"mod", "edit", "-require=" + arenaModule + "@v0.0.0", "-replace=" + arenaModule + "=" + root}, {"test", "-vet=off", "-mod=mod", "."}} {
		if out, err := run(dir, args...); err != nil {
			t.Fatalf("go %s: %v\n%s", args, err, out)
		}
	}
	if out, err := exec.Command("gofmt", "-l", dir).CombinedOutput(); err != nil || len(out) > 0 {
		t.Errorf("gofmt: %s %v", out, err)
	}
}

// TestJSON: JSON is read and written in the arena, unless one of the package's tests checks encoding/json itself.
func TestJSON(t *testing.T) {
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS("../../cmd/arenascout/testdata/decoders")); err != nil {
		t.Fatal(err)
	}
	test := `package decoders

import (
	"encoding/json"
	"testing"
)

func TestError(t *testing.T) {
	if err := read([]byte("1"), new(string)); err == nil {
		t.Error("no error")
	} else if _, ok := err.(*json.UnmarshalTypeError); !ok {
		t.Errorf("%T", err)
	}
}
`
	if err := os.WriteFile(filepath.Join(dir, "read_test.go"), []byte(test), 0o666); err != nil {
		t.Fatal(err)
	}
	r := proven(t, look(t, dir, "Handle"))
	r.has(t, "decoders.go", "arenajson.Marshal(a, o, arenajson.DefaultOptionsV1())",
		"arenajson.NewDecoder(bytes.NewReader(answer), arenajson.DefaultOptionsV1()).Decode(a, customer)")
	if !slices.ContainsFunc(r.Left, func(l trial.Left) bool { return l.Why == "TestError fails with it" }) {
		t.Errorf("%v", r.Left)
	}
}
