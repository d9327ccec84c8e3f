package model_test

import (
	"slices"
	"unsafe"

	"github.com/harena-go/arena/internal/engine/layout"
	"github.com/harena-go/arena/internal/tests/testkit"
)

// This file holds what Mark, Rewind, Reset, Free and Child do to the model.

func setTrusted(v bool) (undo func()) {
	old := layout.Trusted
	layout.Trusted = v
	return func() { layout.Trusted = old }
}

func (w *world) mark(ac *actor) {
	m := mark{m: ac.a.Mark(), at: w.step, used: ac.a.UsedBytes(), sizes: map[*block]int{}}
	for _, b := range ac.blocks {
		m.sizes[b] = len(b.want)
	}
	ac.marks = append(ac.marks, m)
}

func (w *world) rewind(ac *actor, i int) {
	w.verify()
	m := ac.marks[i]
	ac.a.Rewind(m.m)
	w.check(ac.a.UsedBytes() == m.used, "%d bytes used after Rewind, %d at the mark", ac.a.UsedBytes(), m.used)

	var dead []*block
	ac.blocks = slices.DeleteFunc(ac.blocks, func(b *block) bool {
		size, lives := m.sizes[b]
		if !lives {
			dead = append(dead, b)
			return true
		}
		if size < len(b.want) { // it grew in place since
			dead = append(dead, &block{ptr: unsafe.Add(b.ptr, size), want: b.want[size:]})
			b.want = b.want[:size]
		}
		return false
	})
	ac.slices = slices.DeleteFunc(ac.slices, func(s slice) bool { return s.changed() > m.at })
	ac.raws = slices.DeleteFunc(ac.raws, func(r *raw) bool { return r.at > m.at && !slices.Contains(ac.blocks, r.b) })
	ac.marks = ac.marks[:i+1]
	ac.children = slices.DeleteFunc(ac.children, func(c *actor) bool {
		if c.born > m.at {
			dead = append(dead, c.reclaim()...)
			return true
		}
		return false
	})
	w.taken(ac, dead)
	w.verify()
}

// reclaim returns all blocks of an actor and its children, which are dead.
func (ac *actor) reclaim() (dead []*block) {
	ac.each(func(c *actor) { dead = append(dead, c.blocks...) })
	return dead
}

// taken checks memory that was reclaimed.
func (w *world) taken(ac *actor, dead []*block) {
	if w.lasts {
		w.free = append(w.free, dead...)
	}
	for _, b := range dead {
		if len(b.want) == 0 {
			continue
		}
		w.check(!ac.a.Owns(b.ptr) && !ac.a.Owns(unsafe.Add(b.ptr, len(b.want)-1)),
			"the arena still owns the %d bytes at %x, which it reclaimed", len(b.want), b.ptr)
		if w.set.scrub && !w.set.fills && !testkit.Sanitized {
			w.check(testkit.AllZero(testkit.BytesAt(b.ptr, len(b.want))), "%d bytes are not erased", len(b.want))
		}
	}
}

// end does one of the things that end lives.
func (w *world) end(ac *actor, how int) {
	w.verify()
	switch {
	case how < 100:
		w.trace = append(w.trace, "Reset")
		dead := ac.reclaim()
		ac.a.Reset()
		w.check(ac.a.UsedBytes() == 0, "%d bytes used after Reset", ac.a.UsedBytes())
		*ac = actor{a: ac.a, parent: ac.parent, born: ac.born}
		w.taken(ac, dead)
	case ac.parent != nil:
		w.trace = append(w.trace, "Free of a child")
		if how&1 == 0 {
			ac.a.Reset()
			*ac = actor{a: ac.a, parent: ac.parent, born: ac.born}
		}
		ac.a.Free()
		p := ac.parent
		p.children = slices.DeleteFunc(p.children, func(c *actor) bool { return c == ac })
		w.release(ac)
	default:
		w.trace = append(w.trace, "Free")
		ac.a.Free()
		w.release(ac)
		w.root = w.newRoot()
	}
	w.verify()
	w.verifyFree()
}

// release takes the values of a freed arena, which stay valid.
func (w *world) release(ac *actor) {
	ac.each(func(c *actor) {
		w.check(c.a.UsedBytes() == 0, "%d bytes used after Free", c.a.UsedBytes())
		w.free = append(w.free, c.blocks...)
	})
	if w.set.scrub {
		for _, b := range ac.reclaim() {
			clear(b.want)
		}
	}
	if n := len(w.free); n > 200 && !w.lasts {
		w.free = w.free[n-200:]
	}
	ac.blocks = nil
}

func (w *world) verifyFree() {
	for _, b := range w.free {
		w.compare(b)
	}
}
