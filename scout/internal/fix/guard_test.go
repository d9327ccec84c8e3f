package fix

import "testing"

// guardHas looks for lines in the test that a patch adds, with one arena or two in turn.
func guardHas(t *testing.T, lag bool, wants ...string) {
	t.Helper()
	l, tried := look(t, "../testdata/guarded", "Parse")
	r := proven(t, l, tried, lag)
	if r.Guard != "TestParseArena" || r.NoGuard != "" {
		t.Fatalf("no test: %s", r.NoGuard)
	}
	r.has(t, "parse_arena_test.go", wants...)
}

// TestGuard: the test of a patch compiles and passes, whatever way its benchmark reaches the unit: by functions that are
// generic, methods, values, of renamed imports or such with a dot, that take a benchmark, or only how often it goes round.
func TestGuard(t *testing.T) {
	guardHas(t, false,
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
		"benchArena2(a, 4, ")
}

// TestGuardTurns: what is used until the next unit has ended has two arenas in turn.
func TestGuardTurns(t *testing.T) {
	guardHas(t, true,
		"a := &[2]*arena.Arena{arenatest.New(t), arenatest.New(t)}\n",
		"a[0], a[1] = a[1], a[0]\n\t\ta[0].Reset()\n\n\t\t_ = ParseArena(a[0], words...)",
		"(a *[2]*arena.Arena, n int, words []string) {",
		"if a[0].UsedBytes() == 0 {")
}
