package model_test

import (
	"errors"
	"fmt"
	"runtime"
	"slices"
	"testing"

	"github.com/harena-go/arena"
	"github.com/harena-go/arena/internal/tests/testkit"
	"github.com/harena-go/arena/internal/tests/testkit/arenakit"
)

// This file runs the programs of the model test on arenas from a Pool. Some are lent at a
// time. In the model they are children of one that doesn't exist, so that the memory of
// all of them is compared.

// A poolWorld is a world with a pool, and the pool's expected counts.
type poolWorld struct {
	*world
	p     *arena.Pool
	keys  map[*actor]string // of the arenas that are lent; "none" for those from Get and Do
	total tally
	byKey map[string]*tally

	collected int // calls of the GC
}

type tally struct {
	gets, puts, freed, live int
	used, most              int
}

const (
	lentMost = 4
	noKey    = "none"
)

// TestPoolModel runs random programs. A failure prints the program, which
// FuzzPool's seeds can take over.
func TestPoolModel(t *testing.T) {
	runRandom(t, fewPrograms(), func(t testing.TB, set optionSet, program []byte) { runPool(t, set, program, false) })
}

// TestLastingPoolModel runs them on Pools without reuse, where all values stay as they are for ever.
func TestLastingPoolModel(t *testing.T) {
	runRandom(t, fewPrograms(), func(t testing.TB, set optionSet, program []byte) { runPool(t, set, program, true) })
}

// fewPrograms is how many programs of each set of options are run where others have a say too.
func fewPrograms() int {
	if testkit.Long {
		return 1500
	}
	return testkit.Cases(20)
}

// FuzzPool runs programs of the model test on a Pool. Seeds beyond these are in testdata/fuzz.
func FuzzPool(f *testing.F) {
	for i := range optionSets {
		f.Add(byte(i), []byte("\xf0\x00\x00\x05\x00\x03\x04\x00\x07\xf1\x01\x10\x00\x19\x00\xf4\x33\x0f\x00\xf8\x00\x1b\x00\xff"))
	}
	f.Fuzz(func(t *testing.T, set byte, program []byte) {
		runPool(t, optionSets[int(set)%len(optionSets)], program[:min(len(program), 4000)], set >= 128)
	})
}

// poolLimits are the limits of the pools, or of Shareds: none, one that is never met, and one that often is.
var poolLimits = []int{0, 1 << 29, 60_000}

// runPool executes one program. Limits of arenas are left out, which TestModel covers. With lasts, option sets that
// need reuse are left out, too.
func runPool(t testing.TB, set optionSet, program []byte, lasts bool) {
	t.Helper()
	if set.untrusted {
		defer setTrusted(false)()
	}
	var opts []arena.PoolOption
	for _, o := range set.opts {
		opts = append(opts, o)
	}
	limit := poolLimits[len(program)%len(poolLimits)]
	opts = append(opts, arena.WithLimit(0), arena.WithPoolLimit(limit), arena.WithName("n"))
	set.limit = 0
	if !lasts {
		opts = append(opts, arena.WithReuse())
	}
	var p *arena.Pool
	if testkit.Caught(func() { p = arena.NewPool(opts...) }) != nil && lasts {
		return
	}
	w := &poolWorld{world: &world{t: t, set: set, program: program, seed: uint64(len(program)), most: limit, lasts: lasts},
		p: p, keys: map[*actor]string{}, byKey: map[string]*tally{}}
	w.root = &actor{}
	w.books = func() error {
		for _, ac := range w.root.children { // which the Pool doesn't count where it doesn't reuse memory
			if err := arenakit.CheckBooks(ac.a); err != nil {
				return err
			}
		}
		return arenakit.CheckPoolBooks(w.p)
	}
	for w.pos < len(program) {
		w.turn()
		w.verifyBooks()
	}
	for len(w.root.children) > 0 {
		w.put(w.root.children[0], w.p.Put)
	}
	w.verifyPool()
}

// turn does something with the pool, or with an arena that is lent.
func (w *poolWorld) turn() {
	w.step++
	lent := w.root.children
	switch op := w.next(); {
	case op >= 0xF8 && len(lent) > 0:
		w.put(lent[op%len(lent)], w.p.Put)
	case op >= 0xF4:
		w.do(w.next())
	case op == 0xF3 && w.collected < 3: // more would take long
		w.collected++
		runtime.GC()
	case (op >= 0xF0 || len(lent) == 0) && len(lent) < lentMost:
		w.get(w.next())
	case len(lent) > 0:
		w.use(lent[op%len(lent)])
	}
	if w.step%16 == 0 {
		w.verifyPool()
	}
}

// get gets an arena, with or without a key.
func (w *poolWorld) get(how int) {
	if how%3 > 0 {
		w.lend(w.p.Get(), noKey)
		return
	}
	key := fmt.Sprint("key ", how/3%3)
	w.lend(w.p.GetKeyed(key), key)
}

// lend notes that an arena was lent, which must be empty.
func (w *poolWorld) lend(a *arena.Arena, key string) *actor {
	w.trace = append(w.trace, "Get "+key)
	for _, other := range w.root.children {
		w.check(other.a != a, "an arena is lent twice")
	}
	w.check(a.UsedBytes() == 0, "Get returned an arena with %d bytes in use", a.UsedBytes())
	ac := &actor{a: a, parent: w.root, born: w.step}
	w.root.children = append(w.root.children, ac)
	w.keys[ac] = key
	w.count(key, func(n *tally) { n.gets++; n.live++ })
	return ac
}

// count changes the pool's expected counts.
func (w *poolWorld) count(key string, f func(n *tally)) {
	if w.byKey[key] == nil {
		w.byKey[key] = &tally{}
	}
	f(w.byKey[key])
	f(&w.total)
}

// use does one operation with an arena that is lent, or one of its children.
func (w *poolWorld) use(ac *actor) {
	top := ac
	for n := w.next(); n >= 160 && len(ac.children) > 0; n = n * 7 % 256 {
		ac = ac.children[n%len(ac.children)]
	}
	op := w.next()
	switch op % 32 {
	case 13: // perform would copy into the arena that doesn't exist
		if s := pickOf(w.world, ac.slices); s != nil {
			w.attempt("CopySlice", func() { s.copyTo(w.world, w.root.children[w.next()%len(w.root.children)]) })
		}
		return
	case 31:
	default:
		w.perform(ac, op)
		return
	}
	how := w.next()
	if ac == top && how >= 240 {
		w.free(ac)
	} else if ac == top {
		w.end(ac, how%100) // Reset
	} else {
		w.end(ac, how)
	}
}

// free frees an arena that is lent. Its values stay valid.
func (w *poolWorld) free(ac *actor) {
	w.ended(ac, func(n *tally) { n.freed++ })
	w.end(ac, 101) // as it would a child
}

// put takes an arena out of the model; back does so with the pool.
func (w *poolWorld) put(ac *actor, back func(a *arena.Arena)) {
	w.trace = append(w.trace, "Put")
	w.verify()
	dead := ac.reclaim()
	w.ended(ac, func(n *tally) { n.puts++ })
	w.root.children = slices.DeleteFunc(w.root.children, func(o *actor) bool { return o == ac })
	if back == nil { // Do puts it back
		if w.lasts {
			w.world.free = append(w.world.free, dead...)
		}
		return
	}
	back(ac.a)
	w.check(ac.a.UsedBytes() == 0, "%d bytes used after Put", ac.a.UsedBytes())
	w.taken(ac, dead)
	for what, f := range map[string]func(){"Put": func() { w.p.Put(ac.a) }, "New": func() { arena.New[*int](ac.a) }, "Alloc": func() { ac.a.Alloc(1, 1) }} {
		w.check(testkit.Caught(f) != nil, "%s after Put doesn't panic", what)
	}
	w.verify()
}

// ended counts the end of a turn.
func (w *poolWorld) ended(ac *actor, f func(n *tally)) {
	used := ac.a.UsedBytes()
	w.count(w.keys[ac], func(n *tally) {
		f(n)
		n.live--
		n.used += used
		n.most = max(n.most, used)
	})
	delete(w.keys, ac)
}

// do runs a few operations in a Do, which ends in one of several ways.
func (w *poolWorld) do(how int) {
	if len(w.root.children) >= lentMost {
		return
	}
	mine := errors.New("mine")
	var want error
	var wantPanic any
	var err error
	v := testkit.Caught(func() {
		err = w.p.Do(func(a *arena.Arena) error {
			ac := w.lend(a, noKey)
			for range how % 8 {
				if w.step++; w.keys[ac] != "" {
					w.use(ac)
				}
			}
			if w.keys[ac] != "" && how>>3%4 == 0 {
				w.free(ac)
			} else if w.keys[ac] != "" {
				w.put(ac, nil)
			}
			switch how >> 5 {
			case 0:
				wantPanic = w
				panic(w)
			case 1:
				want = mine
			case 2:
				want = &arena.LimitError{Limit: 1}
				panic(want)
			}
			return want
		})
	})
	w.check(v == wantPanic && err == want, "Do: panic %v, error %v; want %v, %v", v, err, wantPanic, want)
}

// verifyPool compares everything with the model, statistics included.
func (w *poolWorld) verifyPool() {
	w.t.Helper()
	w.verify()
	w.verifyFree()
	s := w.p.Stats()
	w.verifyTally("the pool", s, w.total)
	for key, want := range w.byKey {
		if key != noKey {
			w.verifyTally(key, s.Keys[key], *want)
		}
	}
	has := 0
	w.root.each(func(ac *actor) {
		st := ac.a.Stats()
		has += st.Reserved - st.Lists
	})
	w.check(has == s.Reserved-s.Retained && s.Retained >= 0, "live arenas have %d bytes: %+v", has, s)
}

func (w *poolWorld) verifyTally(of string, s arena.PoolStats, want tally) {
	w.t.Helper()
	got := tally{s.Gets, s.Puts, s.Freed, s.Live, int(s.Used), s.HighWater}
	w.check(got == want && s.Lost == 0 && s.Misses <= s.Gets, "%s counts %+v; want %+v: %v", of, got, want, s)
}
