package arena_test

import (
	"fmt"
	"testing"

	"github.com/harena-go/arena"
)

// A verdict is a testing.TB for a program that should fail. Its Fatalf ends the
// program with a panic.
type verdict struct{ testing.TB }

type found string

func (verdict) Helper() {}

func (verdict) Fatalf(format string, args ...any) { panic(found(fmt.Sprintf(format, args...))) }

// TestCanary breaks arenas on purpose, after each operation. The enumeration,
// which must find nothing in sound arenas, must find each of these flaws in a
// program of at most four letters.
func TestCanary(t *testing.T) {
	if sanitized {
		t.Skip("reports what is broken by itself, or keeps windows closed")
	}
	set := optionSet{name: "tiny", opts: []arena.Option{arena.WithChunkSize(256), arena.WithMaxChunkSize(512)}}
	for name, flaw := range arena.Sabotages {
		t.Run(name, func(t *testing.T) {
			for length := 1; length <= 4; length++ {
				if what, program := firstFailure(set, length, flaw); what != "" {
					t.Logf("%v: %.150s", program, what)
					return
				}
			}
			t.Error("nothing is found")
		})
	}
}

// firstFailure returns the first program of a length that fails in broken
// arenas, and what it says.
func firstFailure(set optionSet, length int, flaw func(a *arena.Arena)) (what string, names []string) {
	chunk := offered(set)
	programs(length, len(core), func(_ int, program []byte) bool {
		w := &world{t: verdict{}, set: set, program: program, chunk: chunk}
		v := caught(func() { w.spell(core, flaw) })
		if v == nil {
			return true
		}
		for _, l := range program {
			names = append(names, core[l].name)
		}
		what = fmt.Sprint(v)
		return false
	})
	return what, names
}
