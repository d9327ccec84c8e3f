package promises_test

import (
	"runtime"
	"testing"

	"github.com/harena-go/arena"
	"github.com/harena-go/arena/internal/tests/testkit"
)

// This file tests that values which escape from checked, self-contained arenas keep their targets.

// TestEscapeKeepsWhatParentsHad: a kept value of a child that ended with an ancestor keeps its targets, also those in
// the ancestors.
func TestEscapeKeepsWhatParentsHad(t *testing.T) {
	if testkit.Sanitized {
		t.Skip("the sanitizer ends the test at the first such value, as it should")
	}
	silent := arena.OnEscape(func(arena.Escape) {})
	opts := []arena.Option{arena.WithNoScan(), silent, arena.WithChecks(arena.CheckResets)}
	family := map[string]func(a *arena.Arena) *arena.Arena{
		"child":           func(a *arena.Arena) *arena.Arena { return a.Child() },
		"child's child":   func(a *arena.Arena) *arena.Arena { return a.Child().Child() },
		"child of a mark": func(a *arena.Arena) *arena.Arena { a.Mark(); return a.Child() },
	}
	for name, descend := range family {
		for what, end := range map[string]func(a *arena.Arena, m arena.Mark){
			"Rewind": func(a *arena.Arena, m arena.Mark) { a.Rewind(m) },
			"Reset":  func(a *arena.Arena, _ arena.Mark) { a.Reset() },
			"Free":   func(a *arena.Arena, _ arena.Mark) { a.Free() },
		} {
			s := arena.NewShared(opts...)
			for of, a := range map[string]*arena.Arena{"an arena": arena.NewArena(opts...), "a local": s.Local()} {
				arena.New[link](a)
				m := a.Mark()
				list := chained(a, 20000)
				kept, w := testkit.NewSentinel()
				a.KeepAlive(kept)
				v := arena.NewOf(descend(a), struct {
					kept *testkit.Sentinel
					list *link
				}{kept, list})
				kept, list = nil, nil
				end(a, m)
				if a = nil; testkit.Dead(w) {
					t.Errorf("%s of %s, %s: what KeepAlive was given is gone", name, of, what)
				} else {
					checkList(t, name+" of "+of+", "+what, v.list, 20000)
				}
				runtime.KeepAlive(v)
			}
			runtime.KeepAlive(s)
		}
	}
}

// TestEscapesOfLocalsDoNoHarm: a kept value that a checked, self-contained Shared has reclaimed keeps its targets, also
// KeepAlive values.
func TestEscapesOfLocalsDoNoHarm(t *testing.T) {
	if testkit.Sanitized {
		t.Skip("the sanitizer ends the test at the first such value, as it should")
	}
	opts := []arena.Option{arena.WithNoScan(), arena.OnEscape(func(arena.Escape) {}), arena.WithChecks(arena.CheckResets)}
	for name, end := range map[string]func(s *arena.Shared, a *arena.Arena){
		"Reset":       func(s *arena.Shared, a *arena.Arena) { s.Reset() },
		"Free, Reset": func(s *arena.Shared, a *arena.Arena) { a.Free(); s.Reset() },
		"own Reset":   func(s *arena.Shared, a *arena.Arena) { a.Reset() },
		"Rewind, Reset": func(s *arena.Shared, a *arena.Arena) {
			m := a.Mark()
			a.AllocBytes(100)
			a.Rewind(m)
			s.Reset()
		},
	} {
		s := arena.NewShared(opts...)
		a := s.Local()
		kept, w := testkit.NewSentinel()
		a.KeepAlive(kept)
		v := arena.NewOf(a, struct {
			kept *testkit.Sentinel
			list *link
		}{kept, chained(a, 20000)})
		kept = nil
		end(s, a)
		if testkit.Dead(w) {
			t.Errorf("%s: what KeepAlive was given is gone", name)
			continue
		}
		checkList(t, name, v.list, 20000)
		runtime.KeepAlive(v)
		runtime.KeepAlive(s)
	}
}
