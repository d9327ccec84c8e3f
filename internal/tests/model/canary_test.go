package model_test

import (
	"fmt"
	"regexp"
	"testing"

	"github.com/harena-go/arena"
	"github.com/harena-go/arena/internal/tests/testkit"
)

// A verdict is a testing.TB for a program that should fail. Its Fatalf ends the
// program with a panic.
type verdict struct{ testing.TB }

type found string

func (verdict) Helper() {}

func (verdict) Fatalf(format string, args ...any) { panic(found(fmt.Sprintf(format, args...))) }

// TestCanary breaks arenas on purpose, after each operation. The enumeration
// must find each of these flaws, and nothing else will do, in a program of at
// most four letters; and it must find nothing where there is no flaw.
func TestCanary(t *testing.T) {
	if testkit.Sanitized {
		t.Skip("reports what is broken by itself, or keeps windows closed")
	}
	for name, s := range sabotages {
		t.Run(name, func(t *testing.T) {
			what, program := findFlaw(t, 4, s)
			if what == "" {
				t.Fatalf("nothing is found that matches %q", s.finds)
			}
			t.Logf("%v: %.150s", program, what)
		})
	}
	t.Run("no flaw", func(t *testing.T) {
		if what, program := findFlaw(t, 3, sabotage{flaw: func(*arena.Arena) {}}); what != "" {
			t.Errorf("%v: %s", program, what)
		}
	})
}

// findFlaw returns the first of the shortest programs, of up to most letters, that finds a flaw, and its failure; "" if
// none does.
func findFlaw(t *testing.T, most int, s sabotage) (what string, names []string) {
	set := optionSet{name: "tiny", opts: []arena.Option{arena.WithChunkSize(256), arena.WithMaxChunkSize(512)}}
	chunk, finds := offered(set), regexp.MustCompile(s.finds)
	flaw := func(a *arena.Arena) {
		if v := testkit.Caught(func() { s.flaw(a) }); v != nil {
			t.Fatal("the flaw itself: ", v)
		}
	}
	for length := 1; length <= most && what == ""; length++ {
		programs(length, len(core), func(_ int, program []byte) bool {
			w := &world{t: verdict{}, set: set, program: program, chunk: chunk}
			v := testkit.Caught(func() { w.spell(core, flaw) })
			if v == nil || !finds.MatchString(fmt.Sprint(v)) {
				return true
			}
			for _, l := range program {
				names = append(names, core[l].name)
			}
			what = fmt.Sprint(v)
			return false
		})
	}
	return what, names
}
