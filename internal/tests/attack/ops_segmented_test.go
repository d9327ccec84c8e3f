package attack

import (
	"fmt"
	"slices"

	"github.com/harena-go/arena/collections"
)

// A segmentedOf is a collections.Segmented, with where its elements were when they came.
type segmentedOf[T any] struct {
	*base
	s    *collections.Segmented[T]
	want []T
	refs []*T
	e    elem[T]
}

func newSegmentedOf[T any](b *base, hint int, e elem[T]) coll {
	c := &segmentedOf[T]{base: b, s: new(collections.Segmented[T]), e: e}
	if hint >= 0 {
		c.s = collections.NewSegmented[T](b.ac.a)
	}
	return c
}

// noticed takes note of added values.
func (c *segmentedOf[T]) noticed(added ...T) {
	for _, v := range added {
		c.refs = append(c.refs, c.s.Ref(len(c.want)))
		c.want = append(c.want, v)
	}
}

func (c *segmentedOf[T]) change(w *world, r *rng) {
	n, v := len(c.want), c.e.make(w, c.base, r.next())
	switch k := r.n(24); {
	case k == 0 || n > 3000:
		c.s.Clear()
		c.want, c.refs = cut(c.want, 0), cut(c.refs, 0)
	case k < 12:
		if c.call(w, "Segmented.Push", func() { c.s.Push(v) }) {
			c.noticed(v)
		}
	case k < 16:
		some := slices.Repeat([]T{v}, r.n(400))
		c.call(w, "Segmented.Append", func() { c.s.Append(some...) })
		c.noticed(some[:c.s.Len()-n]...) // those for which there was memory
	case k < 19 && n > 0:
		i := r.n(n)
		c.s.Set(i, v)
		c.want[i] = v
	case k < 22 && n > 0:
		i := r.n(n)
		*c.refs[i], c.want[i] = v, v
	case k < 23:
		w.refuses(c.ac, "Segmented.At", func() { c.s.At(n) }, "Segmented.At", fmt.Sprint(n))
		w.refuses(c.ac, "Segmented.Ref", func() { c.s.Ref(-7) }, "Segmented.Ref", "-7")
	case k < 24 && c.e.json && r.one(3):
		c.unmarshal(w, c.s, []T{v, v})
		c.want, c.refs = cut(c.want, 0), cut(c.refs, 0)
		c.noticed(slices.Collect(c.s.Values())...)
	}
	c.verify(w)
}

func (c *segmentedOf[T]) look(w *world, r *rng) {
	if n := len(c.want); n > 0 {
		if i := r.n(n); !c.e.equal(c.s.At(i), c.want[i]) || c.s.Ref(i) != c.refs[i] {
			w.failf("Segmented.At or Ref is wrong about %d", i)
		}
	}
	n := 0
	for seg := range c.s.Segments() {
		n += len(seg)
	}
	if n != len(c.want) {
		w.failf("Segmented.Segments yields %d elements; want %d", n, len(c.want))
	}
	if r.one(10) {
		printed(w, c.s, append([]T{}, c.want...), c.e.json)
	}
}

func (c *segmentedOf[T]) clone(w *world, r *rng) {
	if r.one(3) {
		deepCloned(w, c.s, func(s *collections.Segmented[T]) {
			s.Append(slices.Collect(s.Values())...)
			if s.Len() != 2*len(c.want) {
				w.failf("a DeepClone of a Segmented of %d has %d after growing", len(c.want), s.Len())
			}
			s.Clear()
			c.verify(w)
		})
		return
	}
	d := &segmentedOf[T]{base: c.other(w, r, !plain(c.want)), e: c.e}
	if d.call(w, "Segmented.Clone", func() { d.s = c.s.Clone(d.ac.a) }) {
		d.noticed(c.want...)
		d.adopt(w, d)
	}
}

func (c *segmentedOf[T]) verify(w *world) {
	if c.s.Len() != len(c.want) {
		w.failf("%s: Segmented.Len is %d; want %d", w.now, c.s.Len(), len(c.want))
	}
	for i, v := range c.s.All() {
		if !c.e.equal(v, c.want[i]) || !c.e.equal(*c.refs[i], v) {
			w.failf("%s: element %d of a Segmented is %v; want %v (%s)", w.now, i, v, c.want[i], c.ac)
		}
	}
}
