package state

import (
	"testing"

	"golang.org/x/tools/go/ssa"

	"github.com/harena-go/arena/arenavet/internal/engine/summary"
)

// scene is a state with an arena, memory of it, and a holder of that memory.
type scene struct {
	*State
	site  ssa.Instruction
	a     *Root
	x     ssa.Value // memory of a
	known *Loc      // known to callers; its field next is x
}

func newScene(t *testing.T) scene {
	fn := compile(t)
	s := New(NewPlaces(func(int) {}))
	sc := scene{State: s, site: fn.Blocks[0].Instrs[0], x: fn.Params[0], known: s.Global("p.g")}
	sc.a = s.Renew(sc.site, NewArena)
	s.Bind(sc.x, Just(sc.mem(), nil))
	s.Put(sc.site, Cell{sc.known, ".next"}, s.Of(sc.x), nil, true)
	return sc
}

func (s scene) mem() Tag { return Tag{Kind: Mem, Root: s.a, Site: s.site} }

func (s scene) end(verb string) *Death {
	d := Deaths{}.Of(s.site, verb, false)
	s.End(s.a, d, nil)
	return d
}

// TestEndReachesAllMemory, in variables and in memory; Free, none that isn't erased.
func TestEndReachesAllMemory(t *testing.T) {
	for _, verb := range []string{summary.Reset, summary.Rewind, summary.Put, summary.Free} {
		for _, scrub := range []bool{false, true} {
			s := newScene(t)
			s.a.Scrub = scrub
			d := s.end(verb)
			if verb == summary.Free && !scrub {
				d = nil
			}
			if got := s.Of(s.x).Death(s.mem()); got != d {
				t.Errorf("%s, scrub %v: a variable has memory that died by %v, want %v", verb, scrub, got, d)
			}
			if got := s.In(Cell{s.known, ".next"}).Death(s.mem()); got != d {
				t.Errorf("%s, scrub %v: a field has memory that died by %v, want %v", verb, scrub, got, d)
			}
		}
	}
}

// TestChildrenEndWithTheirParent, which itself goes on after a Reset.
func TestChildrenEndWithTheirParent(t *testing.T) {
	s := newScene(t)
	child := s.Root("child", Child)
	child.Parent = s.a
	s.Set(Cell{s.known, ".arenas"}, Arena(child).With(Tag{Kind: Handle, Root: s.a}, nil))
	d := s.end(summary.Reset)
	for tag, got := range s.In(Cell{s.known, ".arenas"}).All() {
		if want := map[*Root]*Death{child: d}[tag.Root]; got != want {
			t.Errorf("arena %s died by %v, want %v", tag.Root.Key, got, want)
		}
	}
}

// TestRenewTellsTurnsApart: the arena of an earlier loop iteration doesn't end with this one's.
func TestRenewTellsTurnsApart(t *testing.T) {
	s := newScene(t)
	if r := s.Renew(s.site, NewArena); r != s.a {
		t.Fatal("another root for the same instruction")
	}
	s.end(summary.Reset)
	for tag, d := range s.Of(s.x).All() {
		if tag.Root == s.a || d != nil {
			t.Errorf("%v died by %v", tag, d)
		}
	}
}

// TestRewindSparesWhatIsOlder than the mark.
func TestRewindSparesWhatIsOlder(t *testing.T) {
	s := newScene(t)
	older := s.mem()
	at := s.Mark(s.site, s.a)
	newer := Tag{Kind: Mem, Root: s.a, Site: s.site.Block().Instrs[1]}
	s.Bind(s.x, Just(older, nil).With(newer, nil))
	since, known := s.Since(s.a, at)
	if !known {
		t.Fatal("the mark isn't known")
	}
	d := Deaths{}.Of(s.site, summary.Rewind, false)
	s.End(s.a, d, since)
	if v := s.Of(s.x); v.Death(older) != nil || v.Death(newer) != d {
		t.Errorf("older died by %v, newer by %v", v.Death(older), v.Death(newer))
	}
}

// TestJoinKeepsWhatEitherPathKnows, and of arenas that must have ended those of both paths.
func TestJoinKeepsWhatEitherPathKnows(t *testing.T) {
	s := newScene(t)
	kill, other := summary.Kill{Verb: summary.Put}, summary.Kill{Verb: summary.Free}
	s.May, s.Must = map[summary.Kill]bool{kill: true, other: true}, map[summary.Kill]bool{kill: true, other: true}
	dead := scene{s.Clone(), s.site, s.a, s.x, s.known}
	d := dead.end(summary.Put)
	delete(dead.Must, other)
	if !s.Join(dead.State) || s.Join(dead.State) {
		t.Error("what is news, and what isn't, is told wrongly")
	}
	if s.Of(s.x).Death(s.mem()) != d || s.In(Cell{s.known, ".next"}).Death(s.mem()) != d {
		t.Error("memory that died on one path lives")
	}
	if !s.May[other] || s.Must[other] || !s.Must[kill] {
		t.Errorf("may %v, must %v", s.May, s.Must)
	}
}

// TestUnknownMemoryMayBeWhatItWas: on a path without a store it keeps its initial value.
func TestUnknownMemoryMayBeWhatItWas(t *testing.T) {
	s := newScene(t)
	c := Cell{s.known, ".next"}
	was := s.initial(c)
	if len(was) == 0 {
		t.Fatal("nothing was there")
	}
	s.Join(New(s.Places))
	for tag := range was.All() {
		if !has(s.In(c), tag) {
			t.Errorf("%v isn't in %v", tag, s.In(c))
		}
	}
}

// TestStrongStoresReplace, weak ones add.
func TestStrongStoresReplace(t *testing.T) {
	s := newScene(t)
	x := To(s.Fresh(s.site, "x"))
	for _, path := range []string{".next", "[]"} {
		s.Set(Cell{s.known, path}, s.Of(s.x))
		s.Store(s.site, Just(Tag{Kind: Ptr, Loc: s.known, Off: path}, nil), x, nil)
		still := has(s.In(Cell{s.known, path}), s.mem())
		if still == (path == ".next") {
			t.Errorf("%s: the old value is there: %v", path, still)
		}
	}
}

// TestForgetDropsWhatIsDead: values that no instruction after it uses, and memory to
// which nothing leads.
func TestForgetDropsWhatIsDead(t *testing.T) {
	fn := compile(t)
	live := LiveIn(fn)
	s := New(NewPlaces(func(int) {}))
	x, y := fn.Blocks[0].Instrs[0].(ssa.Value), fn.Blocks[0].Instrs[1].(ssa.Value)
	for _, v := range []ssa.Value{x, y} {
		l := s.Make(v.(ssa.Instruction), "")
		s.Bind(v, To(l))
		s.Set(Cell{l, ".next"}, To(s.Global("p.g")))
	}
	last := fn.Blocks[len(fn.Blocks)-1] // returns x.next
	for _, b := range fn.Blocks {
		if _, ok := b.Instrs[len(b.Instrs)-1].(*ssa.Return); ok {
			last = b
		}
	}
	s.Forget(live, last)
	s.collect() // as Forget does at loop heads
	if s.Of(x) == nil || s.Of(y) != nil {
		t.Errorf("x is %v, y %v; want only x", s.Of(x), s.Of(y))
	}
	if len(s.cells) != 1 {
		t.Errorf("%v is left in memory, want only what is in x", s.cells)
	}
}

func has(v Value, t Tag) bool { return len(v.Only(func(u Tag) bool { return u == t })) > 0 }
