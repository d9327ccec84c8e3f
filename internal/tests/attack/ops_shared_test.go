package attack

import (
	"fmt"
	"slices"

	"github.com/harena-go/arena"
	"github.com/harena-go/arena/internal/tests/testkit/arenakit"
)

// A commons is a Shared and its locals.
type commons struct {
	s      *arena.Shared
	opts   settings
	locals []*actor
	loose  bool // locals were freed whose chunks go on counting
}

var sharedOps = []operation{
	{name: "NewShared", weight: 1, calls: "arena.NewShared arena.Shared", do: newShared},
	{name: "Local", weight: 5, calls: "arena.Shared.Local", do: local},
	{name: "Shared.Reset", weight: 2, calls: "arena.Shared.Reset", do: sharedReset1},
	{name: "Shared.Free", weight: 1, calls: "arena.Shared.Free", do: sharedFree1},
	{name: "Shared.Stats", weight: 1, calls: "arena.Shared.Stats", do: func(w *world, r *rng) *actor {
		if c := w.common(r); c != nil {
			c.verify(w)
		}
		var none *arena.Shared
		none.Reset()
		none.Free()
		if none.Local() != nil || none.Stats() != (arena.Stats{}) {
			w.failf("a nil Shared has a local or statistics")
		}
		return nil
	}},
	{name: "SharedProbe", weight: 1, do: sharedProbe},
}

func newShared(w *world, r *rng) *actor {
	if len(w.shareds) >= 2 {
		return nil
	}
	c := &commons{opts: w.draw(r)}
	if c.opts.limit > 0 {
		c.opts.limit *= 8
	}
	if r.one(6) {
		c.opts = settings{zero: true, retained: -1}
		c.s = new(arena.Shared)
	} else {
		c.s = arena.NewShared(c.opts.options(w, fmt.Sprint("shared", w.step))...)
	}
	w.shareds = append(w.shareds, c)
	return nil
}

func (w *world) common(r *rng) *commons {
	if len(w.shareds) == 0 {
		return nil
	}
	return w.shareds[r.n(len(w.shareds))]
}

func local(w *world, r *rng) *actor {
	c := w.common(r)
	if c == nil || len(w.actors) >= maxActors {
		return nil
	}
	ac := &actor{name: fmt.Sprint("local", w.step), opts: c.opts, common: c, local: true}
	w.now = "Local"
	ac.a = c.s.Local()
	w.enter(ac)
	c.locals = append(c.locals, ac)
	return ac
}

func (c *commons) endLocals(w *world, why string, keep bool) {
	for _, ac := range slices.Clone(c.locals) {
		w.over(ac, why, keep)
	}
}

func sharedReset1(w *world, r *rng) *actor {
	c := w.common(r)
	if c == nil {
		return nil
	}
	c.endLocals(w, sharedReset, false)
	w.now = "Shared.Reset"
	if v := caught(c.s.Reset); v != nil {
		w.failf("Shared.Reset: %v", v)
	}
	c.loose = false
	if s := c.s.Stats(); s.Used != 0 || s.Reserved != s.Retained {
		w.failf("%+v after Shared.Reset", s)
	}
	return nil
}

func sharedFree1(w *world, r *rng) *actor {
	c := w.common(r)
	if c == nil {
		return nil
	}
	w.now = "Shared.Free"
	if v := caught(c.s.Free); v != nil {
		w.failf("Shared.Free: %v", v)
	}
	c.endLocals(w, sharedFreed, true)
	c.s.Free()
	c.s.Reset()
	w.refuses(w.heap, "Local", func() {
		c.s.Local()
		panic("Local after Free")
	}, "Local", "was freed")
	if s := c.s.Stats(); s.Used != 0 || s.Reserved != 0 {
		w.failf("%+v after Shared.Free", s)
	}
	w.shareds = slices.DeleteFunc(w.shareds, func(o *commons) bool { return o == c })
	return nil
}

func sharedProbe(w *world, r *rng) *actor {
	c := w.common(r)
	if c == nil || c.opts.limit == 0 || len(c.locals) == 0 {
		return nil
	}
	ac, n := c.locals[0], c.opts.limit+1
	if w.call(ac, "AllocBytes", n, n, func() { ac.a.AllocBytes(n) }) {
		w.failf("AllocBytes(%d) with a limit of %d", n, n-1)
	}
	return ac
}

// charged returns what counts towards the limit, and whether that is all of it.
func (c *commons) charged() (n int, exact bool) {
	s := c.s.Stats()
	n = s.Reserved - s.Lists
	for _, ac := range c.locals {
		n += ac.charged()
		for _, k := range ac.kids {
			n += k.reserved()
		}
	}
	return n, !c.loose
}

// chargedTo returns for how many bytes KeepAlive counts in an arena.
func chargedTo(a *arena.Arena) int { return int(arenakit.Charged(a)) }

// charged returns that of an arena and its children.
func (ac *actor) charged() (n int) {
	n = chargedTo(ac.a)
	for _, k := range ac.kids {
		n += k.charged()
	}
	return n
}

func (c *commons) verify(w *world) {
	s := c.s.Stats()
	used := 0
	for _, ac := range c.locals {
		used += ac.a.UsedBytes()
	}
	if s.Used != used || s.Reserved < s.Used+s.Wasted+s.Retained {
		w.failf("%+v of a Shared; its locals use %d", s, used)
	}
	if n, _ := c.charged(); c.opts.limit > 0 && n > c.opts.limit {
		w.failf("%d bytes reserved in a Shared with a limit of %d", n, c.opts.limit)
	}
}
