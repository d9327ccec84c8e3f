package attack

import (
	"runtime"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/harena-go/arena"
)

// This file does everything in bubbles of package synctest, and across their borders: things made outside are used
// inside, and the other way round.

// A thing is a value of a type in receivers.
type thing struct {
	name string
	v    any
	a    *arena.Arena
}

func (k makes) things() (all []thing) {
	for name := range receivers {
		if k.concerns(name) {
			v, a := k.newThing(name)
			all = append(all, thing{name, v, a})
		}
	}
	return all
}

// use does all that can be done with things.
func use(t *testing.T, where string, all []thing) {
	t.Helper()
	for _, th := range all {
		for i := range actionsOf(th.name, th.v, th.a) {
			for _, f := range fillingsOf(th.v, th.a) {
				times(4, f.in(th.a))
			}
			d := actionsOf(th.name, th.v, th.a)[i]
			if v := caught(func() { times(2, d.do) }); v != nil {
				t.Errorf("%s, %s: %v", where, d.name, v)
			}
		}
	}
	arena.FindEscapes()
}

// TestBubbles: each exported call works in a bubble, also with things from outside of it, and so does everything
// afterwards.
func TestBubbles(t *testing.T) {
	for _, k := range append(slices.Clip(made), lasting) {
		t.Run(k.name, func(t *testing.T) {
			outer := k.things()
			var inner []thing
			synctest.Test(t, func(t *testing.T) {
				use(t, "inside, from outside", outer)
				inner = k.things()
				use(t, "inside", inner)
				for _, c := range cycles {
					if c.possible(k) {
						times(3, func(int) { c.in(k, k.arena())(everything) })
					}
				}
				time.Sleep(time.Minute) // timers, if there are any
				runtime.GC()
				synctest.Wait()
			})
			use(t, "outside, from inside", inner)
			use(t, "outside again", outer)
			k.things()[0].a.Reset()
		})
	}
}

// TestAttackInBubbles: worlds are as good inside, and when they are entered and left.
func TestAttackInBubbles(t *testing.T) {
	for i, p := range profiles {
		t.Run(p.name, func(t *testing.T) {
			p := profileOf(p.name)
			w, s := newWorld(p, uint64(i)), script{rng: rng(mix(uint64(i)))}
			part := func(t *testing.T) {
				if text := w.perform(func(step int) (instruction, bool) { return s.instruction(), step < p.steps/40 }); text != "" {
					t.Fatal(text)
				}
			}
			for range 3 {
				part(t)
				synctest.Test(t, part)
			}
			if text := w.guarded(w.endWorld); text != "" {
				t.Fatal(text)
			}
		})
	}
}
