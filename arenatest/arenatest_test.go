package arenatest_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"regexp"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/harena-go/arena"
	"github.com/harena-go/arena/arenatest"
	"github.com/harena-go/arena/internal/engine/asan"
	"github.com/harena-go/arena/internal/engine/race"
	"github.com/harena-go/arena/internal/tests/testkit"
)

// A double stands in for the testing.TB of a test that may fail.
type double struct {
	testing.TB
	name     string
	dir      string
	cleanups []func()
	errors   []string
	logs     []string
}

// run runs a test and its cleanups, and returns its results.
func run(t *testing.T, test func(tb testing.TB)) *double {
	d := &double{name: "TestDouble", dir: t.TempDir()}
	test(d)
	d.end()
	return d
}

func (d *double) end() {
	for len(d.cleanups) > 0 {
		last := len(d.cleanups) - 1
		f := d.cleanups[last]
		d.cleanups = d.cleanups[:last]
		f()
	}
}

func (d *double) Helper()                      {}
func (d *double) Name() string                 { return d.name }
func (d *double) ArtifactDir() string          { return d.dir }
func (d *double) Cleanup(f func())             { d.cleanups = append(d.cleanups, f) }
func (d *double) Error(args ...any)            { d.errors = append(d.errors, fmt.Sprint(args...)) }
func (d *double) Errorf(f string, args ...any) { d.Error(fmt.Sprintf(f, args...)) }
func (d *double) Log(args ...any)              { d.logs = append(d.logs, fmt.Sprint(args...)) }
func (d *double) Logf(f string, args ...any)   { d.Log(fmt.Sprintf(f, args...)) }

type node struct {
	left, right *node
	name        string
}

var global struct {
	node  *node
	arena *arena.Arena
}

// want fails t unless the double's test reported one error with all the parts, or none if there are no parts.
func (d *double) want(t *testing.T, parts ...string) {
	t.Helper()
	global.node, global.arena = nil, nil
	if len(parts) == 0 {
		if len(d.errors) > 0 {
			t.Errorf("errors of a correct test: %s", d.errors)
		}
		return
	}
	if len(d.errors) != 1 {
		t.Errorf("%d errors: %q", len(d.errors), d.errors)
		return
	}
	for _, part := range parts {
		if !strings.Contains(d.errors[0], part) {
			t.Errorf("the error doesn't contain %q: %s", part, d.errors[0])
		}
	}
}

func build(a *arena.Arena) *node {
	n := arena.New[node](a)
	n.left = arena.NewOf(a, node{name: a.AllocString("left")})
	n.right = arena.NewOf(a, node{name: a.Sprintf("right")})
	return n
}

func TestNew(t *testing.T) {
	run(t, func(tb testing.TB) { arenatest.New(tb).Reset() }).want(t)
	run(t, func(tb testing.TB) { build(arenatest.New(tb)) }).want(t)
	run(t, func(tb testing.TB) {
		a := arenatest.New(tb, arena.WithNoScan())
		build(a)
		a.Reset()
		build(a)
	}).want(t)
	run(t, func(tb testing.TB) { global.node = build(arenatest.New(tb)).left }).want(t,
		`arenatest_test.node (`, `"TestDouble"`, "Allocated by:", "arenatest_test.build()", "Reclaimed when the test ended")
	run(t, func(tb testing.TB) {
		a := arenatest.New(tb, arena.WithName("trees"))
		global.node = build(a)
		a.Reset() // this line reclaimed it
	}).want(t, `"trees"`, here(t, "this line reclaimed it"))
	run(t, func(tb testing.TB) {
		a := arenatest.New(tb)
		m := a.Mark()
		global.node = build(a)
		a.Rewind(m)
	}).want(t, "arenatest_test.node", "(*Arena).Rewind")
}

// here returns the file and line that contain a text, in the calling test file.
func here(t *testing.T, text string) string {
	t.Helper()
	_, file, _, _ := runtime.Caller(1)
	source, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	for i, line := range strings.Split(string(source), "\n") {
		if strings.Contains(line, text) {
			return fmt.Sprintf("%s:%d", filepath.Base(file), i+1)
		}
	}
	t.Fatalf("no line with %q", text)
	return ""
}

// TestFreed: values of an arena that was freed may live on, and so may the arena.
func TestFreed(t *testing.T) {
	run(t, func(tb testing.TB) {
		global.arena = arenatest.New(tb)
		global.node = build(global.arena)
		global.arena.Free()
	}).want(t)
}

// TestNeverFreed: an arena that outlives the test is a leak.
func TestNeverFreed(t *testing.T) {
	run(t, func(tb testing.TB) { global.arena = arenatest.New(tb) }).want(t, `"TestDouble"`, "never freed")
}

func TestNewPool(t *testing.T) {
	run(t, func(tb testing.TB) {
		pool := arenatest.NewPool(tb, arena.WithLimit(1<<20), arena.WithPoolLimit(1<<20))
		for range 10 {
			pool.Do(func(a *arena.Arena) error {
				build(a)
				return nil
			})
		}
		pool.Get().Free()
	}).want(t)
	run(t, func(tb testing.TB) {
		pool := arenatest.NewPool(tb)
		a := pool.Get()
		global.node = build(a).right
		pool.Put(a)
	}).want(t, "arenatest_test.node", `"TestDouble"`, "(*Pool).Put")
	run(t, func(tb testing.TB) {
		pool := arenatest.NewPool(tb)
		pool.Put(pool.Get())
		build(pool.GetKeyed("key")) // this line lends it
	}).want(t, "neither put back nor freed", "Lent by:", "(*Pool).GetKeyed", here(t, "this line lends it"))
}

// TestNewPoolOfSomeKeys: kept values of a key are an error if memory of that key is to be reused, and the report names
// the holder. Otherwise they stay unchanged.
func TestNewPoolOfSomeKeys(t *testing.T) {
	serve := func(pool *arena.Pool) {
		for i := range 3 {
			for _, key := range []string{"GET /kept", "GET /gone", ""} {
				a := pool.GetKeyed(key)
				if n := build(a); key == "GET /kept" {
					n.name = a.Sprintf("name %d", i)
					remember(n)
				}
				pool.Put(a)
			}
		}
	}
	defer delete(remembered, "x")
	for _, opts := range [][]arena.PoolOption{
		{arena.WithReuse("GET /gone")}, {arena.WithReuse("GET /gone", "")}, {arena.WithReuse("GET /gone"), arenatest.Strict()},
	} {
		run(t, func(tb testing.TB) { serve(arenatest.NewPool(tb, opts...)) }).want(t)
		if n := remembered["x"].last; n.name != "name 2" || n.left == nil {
			t.Errorf("%+v", n)
		}
	}
	for _, opts := range [][]arena.PoolOption{
		{arena.WithReuse("GET /gone", "GET /kept")}, {arena.WithReuse("GET /gone"), arena.WithReuse()}, nil,
	} {
		run(t, func(tb testing.TB) { serve(arenatest.NewPool(tb, opts...)) }).
			want(t, "arenatest_test.node", "Held by:", "global github.com/harena-go/arena/arenatest_test.remembered")
	}
}

func TestNewShared(t *testing.T) {
	run(t, func(tb testing.TB) {
		s := arenatest.NewShared(tb)
		build(s.Local())
	}).want(t)
	run(t, func(tb testing.TB) {
		s := arenatest.NewShared(tb)
		global.node = build(s.Local())
		s.Reset() // this line ends the locals
	}).want(t, "arenatest_test.node", "(*Shared).Reset", here(t, "this line ends the locals"))
	run(t, func(tb testing.TB) {
		s := arenatest.NewShared(tb, arena.WithNoScan())
		global.node = build(s.Local())
		s.Free()
	}).want(t)
}

// TestVerify: it reports at once, only once, and only for tb.
func TestVerify(t *testing.T) {
	other := &double{name: "TestOther", dir: t.TempDir()}
	d := run(t, func(tb testing.TB) {
		a := arenatest.New(tb)
		global.node = build(a)
		a.Reset()
		arenatest.Verify(other)
		if d := tb.(*double); len(d.errors) > 0 {
			t.Errorf("reported to another test: %s", other.errors)
		}
		arenatest.Verify(tb)
		if d := tb.(*double); len(d.errors) != 1 {
			t.Errorf("%d errors after Verify", len(d.errors))
		}
	})
	d.want(t, "arenatest_test.node")
	if other.end(); len(other.errors) > 0 {
		t.Errorf("another test got %s", other.errors)
	}
}

// TestArtifact: the report is saved.
func TestArtifact(t *testing.T) {
	d := run(t, func(tb testing.TB) { global.node = build(arenatest.New(tb)) })
	d.want(t, "arenatest_test.node")
	saved, err := os.ReadFile(filepath.Join(d.dir, "arena-escapes.txt"))
	if err != nil || !strings.Contains(string(saved), strings.TrimSpace(d.errors[0])) {
		t.Errorf("saved: %q, %v", saved, err)
	}
	clean := run(t, func(tb testing.TB) { build(arenatest.New(tb)) })
	if files, _ := os.ReadDir(clean.dir); len(files) > 0 {
		t.Errorf("a test without errors has saved %v", files)
	}
}

// TestManyEscapes: the report is bounded, and escapes that differ only in the value are one.
func TestManyEscapes(t *testing.T) {
	var kept []any
	for more, wanted := range map[int]string{1: "... and 40 further reports", 0: "49 more of the same type, allocated at the same line\n"} {
		d := run(t, func(tb testing.TB) {
			a := arenatest.New(tb)
			for n := range 50 {
				kept = append(kept, arena.KeyOf(reflect.ArrayOf(n*more+1, reflect.TypeFor[node]())).New(a))
			}
		})
		d.want(t, wanted)
		if n := strings.Count(d.errors[0], "ARENA ESCAPE"); n != 1+9*more {
			t.Errorf("%d reports", n)
		}
	}
	runtime.KeepAlive(kept)
}

// child runs a test in a process of its own, in which the variable is env, and returns its output.
func child(test, env string) string {
	c := exec.Command(os.Args[0], "-test.run", "^"+test+"$", "-test.v", "-test.gocoverdir="+os.Getenv("GOCOVERDIR"))
	c.Env = append(os.Environ(), variable+"="+env)
	out, _ := c.CombinedOutput()
	return string(out)
}

const variable = "HARENA_TEST_CHILD"

// TestFault: a test that follows a dead pointer fails with its own stack, and with the name of the pointer's arena,
// even if the followed pointer can't be found out.
func TestFault(t *testing.T) {
	if how := os.Getenv(variable); how != "" {
		if how == "blocked" {
			r, w, _ := os.Pipe()
			t.Cleanup(func() { w.Close() })
			r.Fd()                     // from now on a read blocks a thread,
			go r.Read(make([]byte, 1)) // during which the heap can't be dumped
		}
		a := arenatest.New(t, arena.WithName("trees"))
		for range 20 {
			build(a)
			a.Reset()
		}
		n := build(a)
		a.Reset() // when it died
		n.left.name = "dead"
		return
	}
	for _, how := range []string{"x", "blocked"} {
		out := child("TestFault", how)
		if race.Enabled || asan.On {
			if !strings.Contains(out, "DATA RACE") && !strings.Contains(out, "use-after-poison") {
				t.Errorf("no report:\n%s", out)
			}
			continue
		}
		m := regexp.MustCompile(`addr=(0x[0-9a-f]+)([0-9a-f]{3}) `).FindStringSubmatch(out)
		if m == nil {
			t.Fatalf("no address in\n%s", out)
		}
		died := here(t, "when it died")
		place := regexp.MustCompile(`dead value of arena "trees" \(fault address ` + m[1] + m[2] + `\)(.*\n)+ +Reclaimed by:(.*\n){1,4} +.*` + died)
		if how == "blocked" {
			place = regexp.MustCompile(`it was memory of arena "trees"(.*\n)+ +` + m[1] + "000 to " + m[1] + "fff: reclaimed at .*" + died)
		}
		if !place.MatchString(out) {
			t.Errorf("%s: no explanation of %s%s in\n%s", how, m[1], m[2], out)
		}
		if runtime.GOOS+"/"+runtime.GOARCH == "linux/amd64" && !race.Instrumented && !strings.HasPrefix(m[1], "0xdead") {
			t.Errorf("the address %s... isn't conspicuous", m[1])
		}
	}
}

// TestMain also runs TestMainChecksAll's child.
func TestMain(m *testing.M) {
	testkit.InBubbles(m, map[string]string{
		"TestCorpus":       "runs other programs",
		"TestNames":        "runs other programs",
		"TestNamesTrimmed": "runs other programs",
		"TestReadme":       "runs other programs",
	})
	if os.Getenv(variable) == "main" {
		os.Exit(arenatest.Main(m))
	}
	os.Exit(m.Run())
}

// pool belongs to the code under test.
var pool = arena.NewPool(arena.WithReuse())

func TestMainChecksAll(t *testing.T) {
	if os.Getenv(variable) == "main" {
		pool.Do(func(a *arena.Arena) error {
			global.node = build(a)
			return nil
		})
		return
	}
	out := child("TestMainChecksAll", "main")
	for _, part := range []string{"--- PASS: TestMainChecksAll", "ARENA ESCAPE: arenatest_test.node", "FAIL: arenatest"} {
		if !strings.Contains(out, part) {
			t.Errorf("no %q in\n%s", part, out)
		}
	}
	a := arena.NewArena() // not checked, as there is no Main here
	build(a)
	a.Reset()
	if s := a.Stats(); s.Chunks == 0 && !race.Enabled {
		t.Error("checked without Main")
	}
}

// TestMainLooksFirst: Main checks before it releases the values given to Hold. It reports arenas that never came back,
// but none that did while it waited.
func TestMainLooksFirst(t *testing.T) {
	if os.Getenv(variable) == "main" {
		s := &server{pool: arena.NewPool(arena.WithReuse()), names: map[string]int{}}
		arenatest.Hold(t, s)
		s.serve("ada")
		arena.NewPool(arena.WithReuse(), arena.WithName("forgetful")).Get() // this line forgets it
		late := arena.NewPool(arena.WithReuse(), arena.WithName("late"))
		a := late.Get()
		time.AfterFunc(50*time.Millisecond, func() { late.Put(a) })
		return
	}
	out := child("TestMainLooksFirst", "main")
	for _, part := range []string{
		"--- PASS: TestMainLooksFirst", "ARENA ESCAPE: string (3 bytes)", "what arenatest.Hold was given\n",
		`an arena of pool "forgetful" was neither put back nor freed`, here(t, "this line forgets it"), "FAIL: arenatest",
	} {
		if !strings.Contains(out, part) {
			t.Errorf("no %q in\n%s", part, out)
		}
	}
	if strings.Contains(out, `"late"`) {
		t.Errorf("what came back is reported:\n%s", out)
	}
}

// TestOneMistake is one report, for all sizes, keys and requests; with another holder it is another.
func TestOneMistake(t *testing.T) {
	d := run(t, func(tb testing.TB) {
		pool := arenatest.NewPool(tb)
		s := &struct {
			names []string
			first string
		}{}
		arenatest.Hold(tb, s)
		for i := range 9 {
			_ = pool.DoKeyed(fmt.Sprint("GET /", i), func(a *arena.Arena) error {
				name := a.AllocString(strings.Repeat("x", 10+i))
				if i == 0 {
					s.first = name
				} else {
					s.names = append(s.names, name)
				}
				return nil
			})
		}
	})
	d.want(t, "7 more of the same type, allocated at the same line\n")
	if n := strings.Count(d.errors[0], "ARENA ESCAPE"); n != 2 {
		t.Errorf("%d reports: %s", n, d.errors[0])
	}
}

// remembered has the sessions that remember adds.
var remembered = map[string]*session{}

type session struct {
	id   int
	last *node
}

func remember(n *node) { remembered["x"] = &session{1, n} }

// TestHolder: the report names the way from a global variable to the escaped value. The variable's name is in the
// source, as this program has no symbols.
func TestHolder(t *testing.T) {
	d := run(t, func(tb testing.TB) { remember(build(arenatest.New(tb)).left) })
	delete(remembered, "x")
	d.want(t, "Held by:", "global github.com/harena-go/arena/arenatest_test.remembered (map[string]*", "-> map entry", ".last", "-> the escaped value")
}
