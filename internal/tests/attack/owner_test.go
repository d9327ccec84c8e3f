package attack

import (
	"runtime"
	"slices"
	"testing"
	"unsafe"
	"weak"

	"github.com/harena-go/arena"
	"github.com/harena-go/arena/internal/tests/testkit"
	"github.com/harena-go/arena/internal/tuning"
)

// This file makes families of self-contained arenas do anything in any order, and asks the GC. Each object that a
// pointer in a value has ever rightly led to must stay allocated while the value may be used, even if it was reclaimed
// since.

// A slot is a value that may be used.
type slot struct {
	v  *struct{ p unsafe.Pointer }
	to weak.Pointer[byte] // to which p leads
}

// A member is an arena of a family.
type member struct {
	a      *arena.Arena
	parent *member // nil at the top
	local  bool    // of a Shared, whose locals are all at the top
	born   int     // parent's serial
	serial int
	slots  []slot
	marks  []struct {
		m             arena.Mark
		slots, serial int
	}
}

// A clan is all members of a family, the parents first, and what freed ones have left.
type clan struct {
	r      rng
	pool   *arena.Pool   // from which the top is; or nil
	shared *arena.Shared // that has the locals; or nil
	opts   []arena.Option
	all    []*member
	left   []slot
	heap   []weak.Pointer[byte] // all that KeepAlive was given
	trace  []string
}

// top adds an arena that is no child.
func (c *clan) top() {
	m := &member{}
	switch {
	case c.shared != nil:
		m.a, m.local = c.shared.Local(), true
	case c.pool != nil:
		m.a = c.pool.Get()
	default:
		m.a = arena.NewArena(c.opts...)
	}
	c.all = append(c.all, m)
}

// end removes a member, and then its children. Their values are left if that was by Free.
func (c *clan) end(m *member, free bool) {
	c.all = slices.DeleteFunc(c.all, func(d *member) bool { return d == m })
	if free {
		c.left = append(c.left, m.slots...)
	}
	c.endChildren(m, 0, free)
}

func (c *clan) endChildren(m *member, after int, free bool) {
	for _, d := range slices.Clone(c.all) {
		if d.parent == m && d.born > after {
			c.end(d, free)
		}
	}
}

// elder returns a member to whose values those of m may point.
func (c *clan) elder(m *member) *member {
	for m.parent != nil && !c.r.one(2) {
		m = m.parent
	}
	if m.local {
		locals := slices.DeleteFunc(slices.Clone(c.all), func(d *member) bool { return !d.local })
		return locals[c.r.n(len(locals))]
	}
	return m
}

// target returns something to which a value of m may point: a part of an object of its family, or of one on the heap.
func (c *clan) target(m *member) unsafe.Pointer {
	e, n := c.elder(m), 32+c.r.size()*(1+c.r.n(2)*20)
	if c.r.one(2) {
		return unsafe.Pointer(&e.a.AllocBytes(n)[c.r.n(n)])
	}
	b := make([]byte, n)
	i := c.r.n(n)
	switch c.r.n(3) {
	case 0:
		e.a.KeepAlive(&b[i])
	case 1:
		e.a.KeepAlive(b[i/2 : i+1])
	case 2:
		e.a.KeepAlive(unsafe.String(&b[i], 1))
	}
	c.heap = append(c.heap, weak.Make(&b[0]))
	return unsafe.Pointer(&b[c.r.n(n)])
}

// store has a value of m point to something new.
func (c *clan) store(m *member) {
	if len(m.slots) == 0 {
		return
	}
	p := c.target(m)
	s := &m.slots[c.r.n(len(m.slots))]
	s.v.p, s.to = p, weak.Make((*byte)(p))
}

// A move is an action of a member.
type move struct {
	name   string
	weight int
	do     func(c *clan, m *member)
}

var moves = []move{
	{"New", 8, func(c *clan, m *member) {
		m.slots = append(m.slots, slot{v: arena.New[struct{ p unsafe.Pointer }](m.a)})
	}},
	{"store", 12, func(c *clan, m *member) { c.store(m) }},
	{"Mark", 5, func(c *clan, m *member) {
		m.serial++
		m.marks = append(m.marks, struct {
			m             arena.Mark
			slots, serial int
		}{m.a.Mark(), len(m.slots), m.serial})
	}},
	{"Rewind", 7, func(c *clan, m *member) {
		if len(m.marks) == 0 {
			return
		}
		i := c.r.n(len(m.marks))
		k := m.marks[i]
		m.a.Rewind(k.m)
		m.marks, m.slots = m.marks[:i+1], m.slots[:k.slots]
		c.endChildren(m, k.serial, false)
	}},
	{"Child", 5, func(c *clan, m *member) {
		m.serial++
		if c.all = append(c.all, &member{a: m.a.Child(), parent: m, born: m.serial}); len(c.all) > 5 {
			d := c.all[5]
			d.a.Reset()
			d.a.Free()
			c.end(d, false)
		}
	}},
	{"Reset", 5, func(c *clan, m *member) {
		m.a.Reset()
		m.slots, m.marks = nil, nil
		c.endChildren(m, 0, false)
	}},
	{"Free", 5, func(c *clan, m *member) {
		m.a.Free()
		c.end(m, true)
	}},
	{"Put", 2, func(c *clan, m *member) {
		if c.pool != nil && m.parent == nil {
			c.pool.Put(m.a)
			c.end(m, false)
		}
	}},
	{"Reset of all", 1, func(c *clan, _ *member) {
		if c.shared != nil {
			c.shared.Reset()
			c.all = nil
		}
	}},
	{"limit", 4, func(c *clan, m *member) {
		if c.shared != nil || c.pool != nil {
			testkit.Caught(func() { m.a.AllocBytes(1 << 30) })
		}
	}},
	{"work", 1, func(c *clan, m *member) {
		for range 3 * tuning.FamilyPeriod {
			d := m.a.Child()
			arena.New[int](d)
			d.Reset()
			d.Free()
		}
	}},
	{"drop", 1, func(c *clan, _ *member) { c.left = cut(c.left, c.r.n(len(c.left)+1)) }},
	{"GC", 6, func(c *clan, _ *member) { runtime.GC() }},
}

// check looks whether what usable values point to is there, loads some of the pointers, and overwrites others.
func (c *clan) check(t *testing.T) {
	look := func(s *slot) {
		if s.v.p != nil && s.to.Value() == nil {
			t.Fatalf("what a value points to is gone after %v", c.trace)
		}
		if testkit.Sink = s.v.p; c.r.one(8) {
			s.v.p = nil
		}
	}
	for _, m := range c.all {
		for i := range m.slots {
			look(&m.slots[i])
		}
	}
	for i := range c.left {
		look(&c.left[i])
	}
}

// TestOwnersKeepWhatPointersLeadTo tests random clans, and that nothing of them is left when they are gone.
func TestOwnersKeepWhatPointersLeadTo(t *testing.T) {
	var deck []move
	for _, m := range moves {
		deck = append(deck, slices.Repeat([]move{m}, m.weight)...)
	}
	checks := [][]arena.Option{nil, nil, {arena.WithChecks(arena.CheckResets)}, {arena.WithChecks(arena.CheckObjects)}}
	for seed := range testkit.Cases(60) {
		c := &clan{r: rng(seed)}
		c.opts = append([]arena.Option{arena.WithNoScan(), arena.OnEscape(func(arena.Escape) {})},
			checks[c.r.n(len(checks))]...)
		if c.r.one(2) {
			c.opts = append(c.opts, arena.WithMaxRetained(c.r.n(3)<<12))
		}
		switch c.r.n(4) {
		case 0:
			c.shared = arena.NewShared(append(c.opts, arena.WithLimit(64<<20))...)
		case 1:
			c.pool = poolOf(append(c.opts, arena.WithName("pool")))
		}
		for range 200 {
			if len(c.all) == 0 || c.shared != nil && len(c.all) < 4 && c.r.one(8) {
				c.top()
			}
			m := deck[c.r.n(len(deck))]
			c.trace = append(c.trace, m.name)
			m.do(c, c.all[c.r.n(len(c.all))])
			if m.name == "GC" {
				c.check(t)
			}
		}
		heap := c.heap
		c, testkit.Sink = nil, nil
		for range 3 {
			runtime.GC()
		}
		for i, w := range heap {
			if w.Value() != nil {
				t.Errorf("clan %d: value %d of %d that KeepAlive was given is left", seed, i, len(heap))
				break
			}
		}
	}
}
