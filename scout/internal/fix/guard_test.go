package fix

import (
	"strings"
	"testing"

	"github.com/harena-go/arena/scout/internal/trial"
)

// guardOf returns the test that a patch of a package adds, with one arena or two in turn.
func guardOf(t *testing.T, dir string, lag bool) string {
	l, tried := look(t, dir, "Parse")
	rig, err := trial.NewRig(l, t.Logf, t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	rig.Lag = lag
	f := &fixer{plan: newPlan(l, read(l.Program, l.Package.Owns)), Rig: rig, say: t.Logf}
	f.lag = lag
	r, err := f.run(tried)
	if err != nil {
		t.Fatal(err)
	}
	if r.Guard != "TestParseArena" || r.NoGuard != "" {
		t.Fatalf("no test: %s", r.NoGuard)
	}
	return after(r, "parse_arena_test.go")
}

// TestGuard: the test of a patch compiles and passes, whatever way its benchmark reaches the unit: by functions that are
// generic, methods, values, of renamed imports or such with a dot, that take a benchmark, or only how often it goes round.
func TestGuard(t *testing.T) {
	text := guardOf(t, "../testdata/guarded", false)
	for _, want := range []string{
		"\t. \"example.com/guarded/v2\"\n\tother \"example.com/guarded/v2\"\n",
		"\tstr \"strings\"\n",
		"for i := 0; i < n; i++ {\n\t\ta.Reset()\n\n\t\t_ = ParseArena(a, words...)",
		"func benchArena2(a *arena.Arena, n int, words []string) {",
		"func (s suite) benchArena2(a *arena.Arena, t *testing.T) { benchArena2(a, 4, s.words) }",
		"other.ParseArena(a, \"word\")",
		"words := prepareOfTest(t)\n",
		"_ = size\n",
		"t.Run(\"value\", func(t *testing.T) { valueArena(a, t) })",
		"genericArena(a, t, []*str.Builder{{}, {}})",
		"benchArena2(a, 4, ",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
}

// TestGuardTurns: what is used until the next unit has ended has two arenas in turn.
func TestGuardTurns(t *testing.T) {
	text := guardOf(t, "../testdata/guarded", true)
	for _, want := range []string{
		"a := &[2]*arena.Arena{arenatest.New(t), arenatest.New(t)}\n",
		"a[0], a[1] = a[1], a[0]\n\t\ta[0].Reset()\n\n\t\t_ = ParseArena(a[0], words...)",
		"(a *[2]*arena.Arena, n int, words []string) {",
		"if a[0].UsedBytes() == 0 {",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
}
