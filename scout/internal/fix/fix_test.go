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
	"github.com/harena-go/arena/scout/internal/rewrite"
	"github.com/harena-go/arena/scout/internal/scout"
	"github.com/harena-go/arena/scout/internal/sites"
	"github.com/harena-go/arena/scout/internal/source"
	"github.com/harena-go/arena/scout/internal/target"
	"github.com/harena-go/arena/scout/internal/testrun"
	"github.com/harena-go/arena/scout/internal/trial"
	"github.com/harena-go/arena/scout/internal/verdict"
)

// look returns what a look at a package would have in which nothing outlives its unit: the stacks are those of its benchmark.
func look(t *testing.T, dir, unit string) (*scout.Look, *trial.Result) {
	t.Setenv("GOWORK", "off")
	testrun.Kept = t.TempDir()
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
	tried := &trial.Result{}
	for _, f := range l.Findings {
		if f.Verdict == verdict.Move && len(f.Exprs) > 0 || rewrite.Known(f.Lib) {
			tried.Done = append(tried.Done, trial.Done{Finding: f, Exprs: f.Exprs})
			tried.Moved += max(1, len(f.Exprs))
		}
	}
	return l, tried
}

// kinds are the runtime's functions that a profile leaves out.
var kinds = map[sites.Kind]string{sites.Object: "runtime.newobject", sites.Append: "runtime.growslice", sites.Make: "runtime.makeslice",
	sites.String: "runtime.slicebytetostring", sites.Bytes: "runtime.stringtoslicebyte", sites.Concat: "runtime.concatstrings"}

// asked returns a stack as it may have been, with what was asked of the runtime: all that its line has.
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

// proven writes a patch and proves it, without measuring.
func proven(t *testing.T, l *scout.Look, tried *trial.Result, lag bool) *Result {
	t.Helper()
	rig, err := trial.NewRig(l, t.Logf, t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	f := &fixer{plan: newPlan(l, read(l.Program, l.Package.Owns)), Rig: rig, say: t.Logf}
	f.plan.lag, f.Rig.Lag = lag, lag
	r, err := f.run(tried, attempts)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// TestShapes: of each way in which functions call each other the patch makes what is right, or says why not. The package's
// own tests pass with it, without an arena and with arenas; and in the arena there is what should be.
func TestShapes(t *testing.T) {
	t.Setenv("SHAPES_FLAKY", filepath.Join(t.TempDir(), "runs")) // a test that fails now and then isn't the patch's
	l, tried := look(t, "../testdata/shapes", "Parse")
	r := proven(t, l, tried, false)
	if r.Checked.Used == 0 || r.Checked.Units < 20 || len(r.Tests) != 1 || r.Tests[0].Passed < 1 || strings.Join(r.Tests[0].Failed, " ") != "TestFlaky" {
		t.Errorf("%+v, %+v", r.Checked, r.Tests)
	}
	if r.Unit != "ParseArena" || strings.Join(r.Fields, " ") != "counter parser walker" || strings.Join(r.Twins, " ") != "AddArena makeArena printArena testedArena twinArena twinPairArena valuedArena" {
		t.Errorf("unit %s, fields of %s, twins %s", r.Unit, r.Fields, r.Twins)
	}
	for place, why := range map[string]string{
		"// left: outside":                    "outside of functions",
		"// left: units call it by the table": "called by interface or function value: Parse calls byBoth",
		"func generated":                      "generated code",
		"// left: by function value":          "called by interface or function value: Parse calls byTable",
		"func spread":                         "Parse calls spread with the results",
		"longer := make":                      "slices.SortFunc calls byName",
		"// left: a test waits":               "TestCollected fails with it",
		"// left: a later unit":               "its function literal outlives the unit",
		"// left: it might be":                "a function literal may outlive the unit",
	} {
		if got := left(t, r, place); !strings.Contains(got, why) {
			t.Errorf("%s is left because: %q, want %q", place, got, why)
		}
	}
	r.has(t, "shapes.go",
		"return dispatchMake(a, m, name)",
		`[]*Node{harena.NewOf(a, Node{Name: "b"}), `,
		"return harena.Concat(a, dispatchPrint(a, s.left), \"+\", dispatchPrint(a, s.right))",
		"func dispatchMake(a *harena.Arena, v maker, p0 string) *Node {\n\tswitch v := v.(type) {\n\tcase stateless:\n"+
			"\t\treturn v.makeArena(a, p0)\n\t}\n\treturn v.make(p0)\n}\n",
		"func (w *walker) make(name string) *Node { // by interface, but with a field\n",
		"p := &parser{arena: a, words:",
		"add(parameter(a, \"parameter\"))",
		"parameter(nil, \"launched\")",
		"b.AddArena(a, \"word\")",
		"add(spread(two()))",
		"(a *harena.Arena,",
		"unnamed(a *harena.Arena, _ string, _ int)",
		"twinPairArena[A, B](nil, a, b)",
		"harena.Join(a,")
	if r.Guard != "TestParseArena" {
		t.Errorf("guard %q, as %q", r.Guard, r.NoGuard)
	}
	apply(t, l, r)
}

// TestCarried: structs bring the arena to functions that interfaces call, are copied, come from pools, or are behind a
// field; and variables whose address is taken lie in the arena.
func TestCarried(t *testing.T) {
	l, tried := look(t, "../testdata/carried", "Parse")
	r := proven(t, l, tried, false)
	if len(r.Left) > 0 || r.Moved < tried.Moved || len(r.Tests) != 1 || r.Tests[0].Passed < 1 {
		t.Errorf("%d of %d moved, left %+v, tests %+v", r.Moved, tried.Moved, r.Left, r.Tests)
	}
	if strings.Join(r.Fields, " ") != "branch compiler matcher printer scratch state" || strings.Join(r.Twins, " ") != "helperArena" {
		t.Errorf("fields of %s, twins %s", r.Fields, r.Twins)
	}
	r.has(t, "carried.go",
		"cpy := arena.NewOf(s.arena, *s)\n\treturn cpy",
		"n := arena.New[Node](s.arena)\n\tn.Name = s.words[s.pos]\n\treturn n",
		"other := arena.New[branch](b.arena)\n\t*other = *b\n",
		"arena.NewOf(l.c.arena, Node{",
		"spareOf(words).nodes(a)",
		"arena.NewOf(a, matcher{arena: a, text: m.text})", // not m.arena
		"t := arena.New[table](a)\n\tt.names = words\n",
		"u := arena.New[table](a)\n\t*u = t\n",
		"for _, wordValue := range words {\n\t\tword := arena.NewOf(a, wordValue)",
		"scratch)\n\ts.arena = a\n\tdefer func() {\n\t\ts.arena = nil\n\t\tpool.Put(s)\n\t}()\n",
		"s.arena = nil\n\tpool.Put(s)\n",
		`a.Replace(a.Repeat(a.ToUpper(words[0]), 20), "O", words[1], -1)`,
		"a.ReadAll(strings.NewReader(text), 0)",
		"arena.CopySlice(a, words)",
		"kid := arena.NewOf(a, element{name: name})",
		"reflect.NewAt(typ.Elem(), arena.KeyOf(typ.Elem()).New(a)).Interface()")
	r.has(t, "parse_arena_test.go", `carried "example.com/carried/v2"`, "_ = carried.ParseArena(a, words...)", "a.Reset()",
		`benchParseArena(a, t, []string{"some"`)
	dir := apply(t, l, r)
	// The test that stays finds what is kept later.
	name := filepath.Join(dir, "carried.go")
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	leak := strings.Replace(string(text), "\tn.Name = s.words[s.pos]\n", "\tn.Name = s.words[s.pos]\n\tleaked = n\n", 1)
	if err := os.WriteFile(name, []byte(leak+"\nvar leaked *Node\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	if out, err := run(dir, "test", "-mod=mod", "-run", "TestParseArena", "."); err == nil || !strings.Contains(out, "ARENA ESCAPE: carried.Node") {
		t.Errorf("a test that should fail: %v\n%s", err, out)
	}
}

// run runs the go command in a patched module.
func run(dir string, args ...string) (string, error) {
	cmd := exec.Command("go", args...)
	cmd.Dir, cmd.Env = dir, append(os.Environ(), "SHAPES_FLAKY=")
	out, err := cmd.CombinedOutput()
	return string(out), err
}

// left returns why the expressions in the line, or below the line, of a text were left.
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

// has reports what a file of the patch has not.
func (r *Result) has(t *testing.T, name string, wants ...string) {
	t.Helper()
	i := slices.IndexFunc(r.Files, func(f File) bool { return filepath.Base(f.Path) == name })
	for _, want := range wants {
		if i < 0 || !strings.Contains(string(r.Files[i].After), want) {
			t.Errorf("no %q in %s of\n%s", want, name, r.Patch)
		}
	}
}

// apply makes the patched module, and runs its tests with those that are for the patched one. It returns its folder.
func apply(t *testing.T, l *scout.Look, r *Result) string {
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
	for _, args := range [][]string{{"mod", "edit", "-require=" + arenaModule + "@v0.0.0", "-replace=" + arenaModule + "=" + root}, {"test", "-mod=mod", "."}} {
		if out, err := run(dir, args...); err != nil {
			t.Fatalf("go %s: %v\n%s", args, err, out)
		}
	}
	if out, err := exec.Command("gofmt", "-l", dir).CombinedOutput(); err != nil || len(out) > 0 {
		t.Errorf("gofmt: %s %v", out, err)
	}
	return dir
}

// TestJSON: JSON is read and written in the arena, unless one of the package's tests wants to see encoding/json itself.
func TestJSON(t *testing.T) {
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS("../../cmd/arenascout/testdata/decoders")); err != nil {
		t.Fatal(err)
	}
	jsons := func() *Result {
		l, tried := look(t, dir, "Handle")
		tried.Done = slices.DeleteFunc(tried.Done, func(d trial.Done) bool { return d.Finding.Lib == "strings.Clone" }) // it stays
		return proven(t, l, tried, false)
	}
	r := jsons()
	r.has(t, "read.go", "import (\n\t\"github.com/harena-go/arena\"\n\t\"github.com/harena-go/arena/arenajson\"\n)",
		"return arenajson.Unmarshal(a, text, v, arenajson.DefaultOptionsV1())")
	r.has(t, "decoders.go", "arenajson.Marshal(a, o, arenajson.DefaultOptionsV1())",
		"arenajson.NewDecoder(bytes.NewReader(answer), arenajson.DefaultOptionsV1()).Decode(a, customer)")
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
	r = jsons()
	r.has(t, "decoders.go", "arenajson.Marshal(a, o, arenajson.DefaultOptionsV1())")
	if !slices.ContainsFunc(r.Left, func(l Left) bool { return l.Why == "TestError fails with it" }) {
		t.Errorf("%v", r.Left)
	}
}

// TestReceiver: what a receiver keeps for its next unit is left, though the benchmark makes one for each unit. The tests
// show it, and where it is kept. What the next unit doesn't use is moved.
func TestReceiver(t *testing.T) {
	l, tried := look(t, "../testdata/stream", "(*Decoder).Decode")
	r := proven(t, l, tried, false)
	for _, path := range []string{"Decoder.buf", "State.path", "Decoder.last", "Decoder.byName[...]", "Decoder.latest[...]"} {
		if got, want := left(t, r, "// kept: "+path), "kept for the next unit, by stream."+path+" in TestDecode"; got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
	r.has(t, "stream.go", "list = arena.NewOf(a, Item{", "d.seen = arena.NewOf(a, Item{", "d.stack.slots[1].item = arena.NewOf(a, Item{",
		"defer func() { clear(d.stack.slots[:]) }()")
}

// TestOneArena: what a stack holds until the next unit needs no second arena, since it is cleared.
func TestOneArena(t *testing.T) {
	l, tried := look(t, "../testdata/stream", "(*Parser).Parse")
	l.Benchmark = "BenchmarkParse"
	rig, err := trial.NewRig(l, t.Logf, t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for holder, clears := range map[string]int{"global last": 0, "[2]slot Parser.stack": 1} {
		l.Findings[0].Lag, l.Findings[0].Holder = true, holder
		f := &fixer{plan: newPlan(l, read(l.Program, l.Package.Owns)), Rig: rig, say: t.Logf}
		f.lag, f.Lag = true, true
		r, err := f.one(tried)
		if err != nil || (r != nil) != (clears > 0) || r == nil && !(f.lag && f.Lag) {
			t.Fatalf("%s: %+v, %v", holder, r, err)
		}
		if r != nil && (r.Lag || r.Moved != 1 || !slices.Equal(r.Clears, []string{"clear(p.stack[:])"})) {
			t.Errorf("%s: %+v", holder, r)
		}
	}
}
