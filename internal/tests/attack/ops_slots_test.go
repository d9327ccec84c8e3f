package attack

import (
	"github.com/harena-go/arena/collections"
)

// A slotsOf is a collections.Slots, with what its slots have.
type slotsOf[T any] struct {
	*base
	s    *collections.Slots[T]
	want []slotOf[T]
	gone []collections.Handle[T]
	e    elem[T]
}

// A slotOf is a slot in use.
type slotOf[T any] struct {
	p *T
	r collections.Ref[T]
	h collections.Handle[T]
	v T
}

func newSlotsOf[T any](b *base, e elem[T]) coll {
	return &slotsOf[T]{base: b, s: collections.NewSlots[T](b.ac.a), e: e}
}

func (c *slotsOf[T]) change(w *world, r *rng) {
	for range 1 + r.n(40) {
		if n := len(c.want); n > 500 || n > 0 && r.one(3) {
			i := r.n(n)
			x := c.want[i]
			c.s.Free(x.p)
			c.want[i] = c.want[n-1]
			c.want, c.gone = cut(c.want, n-1), append(c.gone, x.h)
			if r.one(10) {
				w.refuses(c.ac, "Slots.Free", func() { c.s.Free(x.p) }, "Slots.Free")
			}
			continue
		}
		v := c.e.make(w, c.base, r.next())
		var p *T
		if !c.call(w, "Slots.New", func() { p = c.s.New() }) {
			break
		}
		*p = v
		c.want = append(c.want, slotOf[T]{p, c.s.RefTo(p), c.s.HandleOf(p), v})
	}
	w.refuses(c.ac, "Slots.RefTo", func() { c.s.RefTo(new(T)) }, "Slots.RefTo")
	c.verify(w)
}

func (c *slotsOf[T]) look(w *world, r *rng) {
	n := 0
	for ref, p := range c.s.All() {
		if n++; c.s.At(ref) != p {
			w.failf("Slots.All yields %d and %p, At says %p", ref, p, c.s.At(ref))
		}
	}
	if n != len(c.want) {
		w.failf("Slots.All yields %d of %d", n, len(c.want))
	}
	if len(c.gone) > 0 {
		if p, ok := c.s.Get(c.gone[r.n(len(c.gone))]); p != nil || ok {
			w.failf("Slots.Get of a freed slot returns %p, %t", p, ok)
		}
	}
}

func (c *slotsOf[T]) clone(w *world, _ *rng) {
	deepCloned(w, c.s, func(s *collections.Slots[T]) {
		for _, x := range c.want {
			if q, ok := s.Get(x.h); !ok || s.At(x.r) != q || q == x.p {
				w.failf("a DeepClone of a Slots has %p, %t for %d", q, ok, x.r)
			}
			s.Free(s.At(x.r))
		}
		if s.New(); s.Len() != 1 {
			w.failf("a DeepClone of a Slots has %d", s.Len())
		}
		c.verify(w)
	})
}

func (c *slotsOf[T]) verify(w *world) {
	if c.s.Len() != len(c.want) {
		w.failf("%s: Slots.Len is %d; want %d", w.now, c.s.Len(), len(c.want))
	}
	for _, x := range c.want {
		if p, ok := c.s.Get(x.h); !ok || p != x.p || c.s.At(x.r) != p || !c.e.equal(*p, x.v) {
			w.failf("%s: slot %d has %v; want %v (%s)", w.now, x.r, *x.p, x.v, c.ac)
		}
	}
}
