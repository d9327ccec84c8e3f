package attack

import (
	"fmt"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/harena-go/arena"
	"github.com/harena-go/arena/internal/tests/testkit"
	"github.com/harena-go/arena/internal/tuning"
)

// This file lives many lives, and one of them is huge. The memory of that one must be gone some lives later. The
// remains of lives of each kind must not add up, neither in memory nor in the time of each call. A life is anything
// that can be repeated without end: until Reset, until a Rewind, or that of a child.

// A cycle is how a life follows another, in an arena that stays or as others do it.
type cycle struct {
	name string
	// trims says that memory that isn't needed any more is released. In what Rewind reclaims it waits for the
	// Reset of the arena, and so does in self-contained arenas what children give back.
	trims bool
	in    func(k makes, a *arena.Arena) (life func(work func(a *arena.Arena)))
}

// cycles are all cycles. The first ones are those of one arena.
var cycles = []cycle{
	{"Reset", true, func(_ makes, a *arena.Arena) func(func(*arena.Arena)) {
		return func(work func(*arena.Arena)) { work(a); a.Reset() }
	}},
	{"Rewind", false, func(_ makes, a *arena.Arena) func(func(*arena.Arena)) {
		return func(work func(*arena.Arena)) { m := a.Mark(); work(a); a.Rewind(m) }
	}},
	{"freed child", true, func(_ makes, a *arena.Arena) func(func(*arena.Arena)) {
		return func(work func(*arena.Arena)) { c := a.Child(); work(c); c.Free() }
	}},
	{"reset child", true, func(_ makes, a *arena.Arena) func(func(*arena.Arena)) {
		return func(work func(*arena.Arena)) { c := a.Child(); work(c); c.Reset(); c.Free() }
	}},
	{"child that stays", true, func(_ makes, a *arena.Arena) func(func(*arena.Arena)) {
		var c *arena.Arena
		return func(work func(*arena.Arena)) {
			if c == nil || c.Freed() {
				c = a.Child()
			}
			work(c)
			c.Reset()
		}
	}},

	{"new arenas", true, func(k makes, _ *arena.Arena) func(func(*arena.Arena)) {
		return func(work func(*arena.Arena)) { a := k.arena(); work(a); a.Free() }
	}},
	{"Pool", true, func(k makes, _ *arena.Arena) func(func(*arena.Arena)) {
		p := poolOf(k.options())
		return func(work func(*arena.Arena)) { a := p.Get(); work(a); p.Put(a) }
	}},
	{"keys", true, func(k makes, _ *arena.Arena) func(func(*arena.Arena)) {
		p, n := poolOf(k.options()), 0
		return func(work func(*arena.Arena)) { n++; a := p.GetKeyed(keyNames[n%2]); work(a); p.Put(a) }
	}},
	{"locals", true, func(k makes, _ *arena.Arena) func(func(*arena.Arena)) {
		s := arena.NewShared(k.options()...)
		return func(work func(*arena.Arena)) { work(s.Local()); work(s.Local()); s.Reset() }
	}},
	{"freed local", false, func(k makes, _ *arena.Arena) func(func(*arena.Arena)) {
		s := arena.NewShared(k.options()...)
		return func(work func(*arena.Arena)) { a := s.Local(); work(a); a.Free() }
	}},
}

const arenaCycles = 5

// possible reports whether lives of a kind of arena can follow each other like that. The memory of a local of a
// self-contained Shared isn't released before that ends.
func (c cycle) possible(k makes) bool {
	if k.name == selfContainedLocal && (c.name == "Reset" || c.name == "Rewind") {
		return false
	}
	if slices.ContainsFunc(cycles[:arenaCycles], func(d cycle) bool { return d.name == c.name }) {
		return true
	}
	among := slices.ContainsFunc(few(), func(l makes) bool { return l.name == k.name })
	return k.in == nil && among && (c.name != "freed local" || !k.arena().SelfContained())
}

// everything does each exported call that an arena has once, and makes a few of everything.
func everything(a *arena.Arena) {
	for _, d := range actionsOf("arena.Arena", a, a) {
		if !elsewhere[d.name] {
			d.do(0)
		}
	}
	some(3)(a)
}

// some returns a function that makes n of everything.
func some(n int) func(a *arena.Arena) {
	return func(a *arena.Arena) {
		for _, f := range fillings {
			times(n, f.in(a))
		}
	}
}

// heapOf returns the bytes of the heap, without those that the checks of a kind of arena keep for a while.
func heapOf(k makes) int {
	if strings.HasPrefix(k.name, "checked") {
		arena.FindEscapes()
	}
	return testkit.HeapInUse()
}

// lives is how many small lives there are after a large one, or after others of their kind: some
// times as many as the policies of package tuning look back.
const lives = 4 * tuning.TrimPeriod

// TestLivesAddNothing: after lives of all sorts in an arena, others of one sort leave nothing
// behind.
func TestLivesAddNothing(t *testing.T) {
	needsOrder(t)
	for _, k := range made {
		for _, c := range cycles {
			if !c.possible(k) {
				continue
			}
			t.Run(k.name+"/"+c.name, func(t *testing.T) {
				a := k.arena()
				for _, before := range cycles[:arenaCycles] {
					before.in(k, a)(everything)
				}
				a.Reset() // which frees the child that stays
				life := c.in(k, a)
				times(lives/4, func(int) { life(everything) })
				// Things that are remembered once aren't left twice: a profile's stacks, and some are rarely sampled.
				many := func() bool { return leaves(k, life, 32*lives, 32<<10) }
				if leaves(k, life, lives, 4<<10) && many() && many() {
					t.Errorf("%d lives leave more than 32 KiB behind, and as many again", 32*lives)
				}
				runtime.KeepAlive(a)
				runtime.KeepAlive(life)
			})
		}
	}
}

// leaves reports whether n lives leave more than slack bytes behind. The least counts of all that they have left at any
// time in their second half: lists double now and then, and some things wait for the GC.
func leaves(k makes, life func(work func(a *arena.Arena)), n, slack int) bool {
	before := heapOf(k)
	times(n/2, func(int) { life(everything) })
	for range 8 {
		if times(n/16, func(int) { life(everything) }); heapOf(k)-before < slack {
			return false
		}
	}
	return true
}

// TestLivesForget: the memory of one life is gone some lives later, and each call takes as long as in an arena without
// such a life.
func TestLivesForget(t *testing.T) {
	needsOrder(t)
	_, n, _ := sizes()
	types()
	for _, k := range few() {
		for _, c := range cycles {
			if !c.possible(k) || !c.trims || k.name == selfContainedLocal || strings.Contains(c.name, "child") && k.arena().SelfContained() {
				continue
			}
			t.Run(k.name+"/"+c.name, func(t *testing.T) {
				if !forgets(k, c, some(n/2), nil) {
					for _, f := range fillings { // which is it?
						forgets(k, c, func(a *arena.Arena) { times(n, f.in(a)) }, func(text string) { t.Errorf("%s: %s", f.name, text) })
					}
				}
			})
		}
	}
}

// later is how many little lives follow a huge one: Pools look back on some hundred lives, and see
// one in tuning.SampleEvery.
const later = 1200 * tuning.SampleEvery

// forgets reports whether a huge life leaves nothing behind, and tells the remains.
func forgets(k makes, c cycle, huge func(a *arena.Arena), tell func(text string)) bool {
	a := k.arena()
	life := c.in(k, a)
	times(lives, func(int) { life(little) })
	before := heapOf(k)
	life(huge)
	const slack, looks = 64 << 10, 8
	more := slack + 1
	for i := 0; i < looks && more > slack; i++ {
		times(later/looks, func(int) { life(little) })
		more = heapOf(k) - before
	}
	runtime.KeepAlive(a)
	runtime.KeepAlive(life)
	if more > slack && tell != nil {
		tell(fmt.Sprintf("%d bytes are left of it, %d lives later", more, later))
	}
	return more <= slack
}

// little is a small life's work.
func little(a *arena.Arena) {
	a.AllocBytes(24)
	arena.New[node](a)
	arena.New[*int](a)
}

// TestLivesTakeNoTime: nor does any call take more time.
func TestLivesTakeNoTime(t *testing.T) {
	needsOrder(t)
	_, _, n := sizes()
	for _, k := range few() {
		if k.name == selfContainedLocal {
			continue
		}
		for _, f := range fillings {
			t.Run(k.name+"/"+f.name, func(t *testing.T) {
				age := func(n int) (any, *arena.Arena) {
					a := k.arena()
					times(n, f.in(a))
					a.Reset()
					times(later/12, func(int) { little(a); a.Reset() })
					return a, a
				}
				calls(t, "arena.Arena", "", age, 1, n)
			})
		}
	}
	for name := range receivers {
		v, _ := made[0].newThing(name)
		empty := "Clear"
		if name == "collections.Buffer" {
			empty = "Reset"
		}
		if !reflect.ValueOf(v).MethodByName(empty).IsValid() || !strings.HasPrefix(name, "collections.") {
			continue
		}
		t.Run(name, func(t *testing.T) {
			age := func(n int) func(int) {
				v, a := made[0].newThing(name)
				clear := reflect.ValueOf(v).MethodByName(empty).Interface().(func())
				add := fillingsOf(v, a)[0].in(a)
				times(n, add)
				clear()
				return func(i int) { add(i); clear() }
			}
			small, old := age(1), age(len(keyNames))
			times(lives, small)
			times(lives, old)
			compare(t, "a life", 6, func() (c, d cost) {
				c.units, d.units = 16, 16
				c.time, d.time = inTurn(func() { times(16, small) }, func() { times(16, old) })
				return c, d
			})
		})
	}
}

// TestKeysShareMemory: a Pool's memory for the same work doesn't multiply with its keys.
func TestKeysShareMemory(t *testing.T) {
	needsOrder(t)
	testkit.NoGC(t)
	reserved := func(keys int) (most int) {
		p, r := arena.NewPool(arena.WithReuse()), rng(1)
		var lent [16]*arena.Arena
		for turn := range 6000 {
			a := &lent[turn%len(lent)]
			p.Put(*a)
			*a = p.GetKeyed(keyNames[r.n(keys)])
			size := 2 << 10
			if n := r.n(100); n == 0 {
				size = 1 << 20
			} else if n < 10 {
				size = 50 << 10
			}
			times(4, func(int) { (*a).AllocBytes(size / 4) })
			if turn > 3000 && turn%100 == 0 {
				most = max(most, p.Stats().Reserved)
			}
		}
		return most
	}
	if few, many := reserved(8), reserved(512); many > 3*few {
		t.Errorf("%d bytes are reserved with 512 keys, %d with 8", many, few)
	}
}
