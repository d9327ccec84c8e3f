package attack

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"iter"
	"maps"
	"slices"
	"strings"
	"unsafe"

	"github.com/harena-go/arena"
	"github.com/harena-go/arena/collections"
)

// A coll is a collection, and what should be in it.
type coll interface {
	verify(w *world)
	change(w *world, r *rng)
	look(w *world, r *rng)
	clone(w *world, r *rng)
	grew() int
	made() int
}

// base is what all have in common.
type base struct {
	ac *actor
	at int // the arena's serial number when it last grew

	from int // and when it was made
}

func (b *base) grew() int { return b.at }
func (b *base) made() int { return b.from }

// call makes a call that may need memory.
func (b *base) call(w *world, name string, f func()) bool {
	before := b.ac.used
	ok := w.callNeeding(b.ac, name, -1, f)
	if b.ac.used != before {
		b.at = b.ac.serial()
	}
	return ok
}

// elem makes elements of a type.
type elem[T any] struct {
	make  func(w *world, b *base, h uint64) T
	equal func(x, y T) bool
	json  bool
}

var numbers = elem[uint64]{
	func(w *world, b *base, h uint64) uint64 { return h },
	func(x, y uint64) bool { return x == y }, true,
}

var texts = elem[string]{
	func(w *world, b *base, h uint64) string {
		s := w.string(b.ac, h|1<<63, true)
		b.at = b.ac.serial()
		return s
	},
	func(x, y string) bool { return x == y }, true,
}

// cells are compared by their targets: where the memory is used again they point to something else.
var cells = elem[*uint64]{
	func(w *world, b *base, h uint64) *uint64 {
		p := w.cell(b.ac, h|1<<63, true)
		b.at = b.ac.serial()
		return p
	},
	func(x, y *uint64) bool { return x == y && x != nil && (*x>>63 == 1 || *x < 256) }, false,
}

var collectionOps = []operation{
	{name: "NewMap", weight: 2, calls: "collections.NewMap collections.Map", do: newColl(0)},
	{name: "NewSet", weight: 1, calls: "collections.NewSet collections.Set", do: newColl(1)},
	{name: "NewSlice", weight: 2, calls: "collections.NewSlice collections.Slice", do: newColl(2)},
	{name: "NewDeque", weight: 2, calls: "collections.NewDeque collections.Deque", do: newColl(3)},
	{name: "NewList", weight: 2, calls: "collections.NewList collections.List collections.Node", do: newColl(4)},
	{name: "NewBuffer", weight: 2, calls: "collections.NewBuffer collections.Buffer", do: newColl(5)},
	{name: "NewInterner", weight: 1, calls: "collections.NewInterner collections.Interner", do: newColl(6)},
	{name: "NewSegmented", weight: 2, calls: "collections.NewSegmented collections.Segmented", do: newColl(7)},
	{name: "NewSlots", weight: 2, calls: "collections.NewSlots collections.Slots collections.Ref collections.Handle",
		do: newColl(9)},
	{name: "ZeroCollection", weight: 1, do: newColl(8)},
	{name: "Change", weight: 40, do: onColl(coll.change), calls: "" +
		"collections.Map.Set collections.Map.Ref collections.Map.LoadOrStore collections.Map.Swap collections.Map.Delete " +
		"collections.Map.LoadAndDelete collections.Map.Clear collections.Map.Insert collections.Map.UnmarshalJSON " +
		"collections.Set.Add collections.Set.Delete collections.Set.Clear collections.Set.Insert collections.Set.UnmarshalJSON " +
		"collections.Slice.Append collections.Slice.AppendSeq collections.Slice.Insert collections.Slice.Delete collections.Slice.Clear " +
		"collections.Slice.Grow collections.Slice.Clip collections.Slice.Set collections.Slice.Sort collections.Slice.SortStable collections.Slice.UnmarshalJSON " +
		"collections.Deque.PushBack collections.Deque.PushFront collections.Deque.PopBack collections.Deque.PopFront collections.Deque.Set " +
		"collections.Deque.Grow collections.Deque.Clear collections.Deque.UnmarshalJSON " +
		"collections.List.PushBack collections.List.PushFront collections.List.InsertAfter collections.List.InsertBefore collections.List.Remove " +
		"collections.List.MoveToBack collections.List.MoveToFront collections.List.UnmarshalJSON " +
		"collections.Buffer.Write collections.Buffer.WriteByte collections.Buffer.WriteRune collections.Buffer.WriteString collections.Buffer.WriteTo " +
		"collections.Buffer.Read collections.Buffer.ReadByte collections.Buffer.ReadFrom collections.Buffer.Next collections.Buffer.Truncate " +
		"collections.Buffer.Reset collections.Buffer.Grow " +
		"collections.Segmented.Push collections.Segmented.Append collections.Segmented.Set collections.Segmented.Clear collections.Segmented.UnmarshalJSON " +
		"collections.Interner.Intern collections.Interner.InternBytes " +
		"collections.Slots.New collections.Slots.Free collections.Slots.RefTo collections.Slots.HandleOf"},
	{name: "Look", weight: 10, do: onColl(coll.look), calls: "" +
		"collections.Map.Get collections.Map.Has collections.Map.Keys collections.Map.Values collections.Map.All collections.Map.Len " +
		"collections.Map.Format collections.Map.MarshalJSON " +
		"collections.Set.Has collections.Set.All collections.Set.Len collections.Set.Format collections.Set.MarshalJSON " +
		"collections.Slice.At collections.Slice.All collections.Slice.Values collections.Slice.Backward collections.Slice.Len collections.Slice.Cap " +
		"collections.Slice.Slice collections.Slice.Format collections.Slice.MarshalJSON " +
		"collections.Deque.At collections.Deque.All collections.Deque.Backward collections.Deque.Front collections.Deque.Back collections.Deque.Len " +
		"collections.Deque.Format collections.Deque.MarshalJSON " +
		"collections.List.Front collections.List.Back collections.List.All collections.List.Backward collections.List.Values collections.List.Len " +
		"collections.List.Format collections.List.MarshalJSON collections.Node.Next collections.Node.Prev " +
		"collections.Buffer.Bytes collections.Buffer.String collections.Buffer.Len collections.Buffer.Cap collections.Buffer.Format " +
		"collections.Segmented.At collections.Segmented.Ref collections.Segmented.All collections.Segmented.Values collections.Segmented.Segments " +
		"collections.Segmented.Len collections.Segmented.Format collections.Segmented.MarshalJSON collections.Map.Equal " +
		"collections.Interner.Len " +
		"collections.Slots.At collections.Slots.Get collections.Slots.All collections.Slots.Len"},
	{name: "CloneCollection", weight: 2, do: onColl(coll.clone),
		calls: "collections.Map.Clone collections.Set.Clone collections.Slice.Clone collections.Deque.Clone collections.List.Clone " +
			"collections.Segmented.Clone"},
}

func newColl(which int) func(w *world, r *rng) *actor {
	return with(func(w *world, ac *actor, r *rng) {
		if len(ac.colls) >= 10 {
			i := r.n(10)
			ac.lostColl = max(ac.lostColl, ac.colls[i].grew())
			ac.colls[i] = nil
			ac.colls = slices.DeleteFunc(ac.colls, func(c coll) bool { return c == nil })
		}
		b := &base{ac: ac}
		hint := 0
		if r.one(2) {
			hint = r.n(40)
		}
		if r.one(20) {
			hint = r.n(1500)
		}
		zero := which == 8
		if zero {
			which = r.n(8)
			ac, hint = w.heap, -1
			b.ac = ac
		}
		var c coll
		if !b.call(w, "New collection", func() { c = makeColl(w, b, which, hint, r) }) {
			return
		}
		b.at = ac.serial()
		b.from = b.at
		ac.colls = append(ac.colls, c)
	})
}

// makeColl makes a collection; a zero one if hint is negative.
func makeColl(w *world, b *base, which, hint int, r *rng) coll {
	a, two := b.ac.a, r.one(2)
	switch {
	case which == 0 && two:
		return newMapOf(b, hint, numbers, numbers)
	case which == 0:
		return newMapOf(b, hint, texts, cells)
	case which == 1 && two:
		return newSetOf(b, hint, numbers)
	case which == 1:
		return newSetOf(b, hint, texts)
	case which == 2 && two:
		return newSliceOf(b, hint, numbers)
	case which == 2:
		return newSliceOf(b, hint, texts)
	case which == 3 && two:
		return newDequeOf(b, hint, numbers)
	case which == 3:
		return newDequeOf(b, hint, cells)
	case which == 4 && two:
		return newListOf(b, hint, numbers)
	case which == 4:
		return newListOf(b, hint, texts)
	case which == 5:
		c := &bufferColl{base: b, b: new(collections.Buffer)}
		if hint >= 0 {
			c.b = collections.NewBuffer(a, hint)
		}
		return c
	case which == 7 && two:
		return newSegmentedOf(b, hint, numbers)
	case which == 7:
		return newSegmentedOf(b, hint, texts)
	case which == 9 && two:
		return newSlotsOf(b, numbers)
	case which == 9:
		return newSlotsOf(b, texts)
	}
	c := &internerColl{base: b, in: new(collections.Interner), want: map[string]string{}}
	if hint >= 0 {
		c.in = collections.NewInterner(a, hint)
	}
	return c
}

func onColl(f func(c coll, w *world, r *rng)) func(w *world, r *rng) *actor {
	return with(func(w *world, ac *actor, r *rng) {
		if n := len(ac.colls); n > 0 {
			f(ac.colls[r.n(n)], w, r)
		}
	})
}

// other returns where a clone goes.
func (b *base) other(w *world, r *rng, refs bool) *base {
	ac := b.ac
	if !refs {
		ac = w.pick(r)
	}
	return &base{ac: ac}
}

func (b *base) adopt(w *world, c coll) {
	b.at = b.ac.serial()
	b.from = b.at
	c.verify(w)
	if len(b.ac.colls) < 10 {
		b.ac.colls = append(b.ac.colls, c)
	}
}

// deepCloned checks a DeepClone of a collection: either it is refused, with a reason,
// or one may do anything with it.
func deepCloned[C any](w *world, c C, use func(C)) {
	w.now = "DeepClone of a collection"
	var d C
	if v := caught(func() { d = arena.DeepClone(c) }); v != nil {
		if text, ok := v.(string); !ok || !strings.HasPrefix(text, "arena: DeepClone") {
			w.failf("DeepClone of a %T: %v", c, v)
		}
		return
	}
	use(d)
}

// unmarshal reads a collection from JSON, and reports whether there was memory for it.
func (b *base) unmarshal(w *world, c json.Unmarshaler, from any) bool {
	data, err := json.Marshal(from)
	ok := b.call(w, fmt.Sprintf("%T.UnmarshalJSON", c), func() { err = c.UnmarshalJSON(data) })
	if ok && err != nil {
		w.failf("%s(%s): %v", w.now, data, err)
	}
	b.at = b.ac.serial()
	return ok
}

// counted yields values, and counts those for which there was memory.
func counted[T any](values []T, done *int) iter.Seq[T] {
	return func(yield func(T) bool) {
		for _, v := range values {
			if !yield(v) {
				return
			}
			*done++
		}
	}
}

// printed compares the text of a collection, and its JSON if it has any, with those of the same in Go.
func printed(w *world, c json.Marshaler, want any, asJSON bool) {
	if got, want := fmt.Sprint(c), fmt.Sprint(want); got != want {
		w.failf("%T.Format: %s; want %s", c, got, want)
	}
	if !asJSON {
		return
	}
	got, err := c.MarshalJSON()
	if want, _ := json.Marshal(want); err != nil || !bytes.Equal(got, want) {
		w.failf("%T.MarshalJSON: %s, %v; want %s", c, got, err, want)
	}
}

// Map

type mapOf[K comparable, V any] struct {
	*base
	m    *collections.Map[K, V]
	want map[K]V
	keys []K // of want, for choosing one
	k    elem[K]
	v    elem[V]
}

func newMapOf[K comparable, V any](b *base, hint int, k elem[K], v elem[V]) coll {
	c := &mapOf[K, V]{base: b, m: new(collections.Map[K, V]), want: map[K]V{}, k: k, v: v}
	if hint >= 0 {
		c.m = collections.NewMap[K, V](b.ac.a, hint)
	}
	return c
}

func (c *mapOf[K, V]) key(w *world, r *rng) (k K) {
	if n := len(c.keys); n > 0 && !r.one(3) {
		return c.keys[r.n(n)]
	}
	return c.k.make(w, c.base, uint64(r.n(3000))<<40|uint64(r.n(64)))
}

func (c *mapOf[K, V]) set(k K, v V) {
	if _, ok := c.want[k]; !ok {
		c.keys = append(c.keys, k)
	}
	c.want[k] = v
}

func (c *mapOf[K, V]) change(w *world, r *rng) {
	k, v := c.key(w, r), c.v.make(w, c.base, r.next())
	old, had := c.want[k]
	var got V
	var ok bool
	switch n := r.n(24); {
	case len(c.want) > 1200 || n == 0:
		c.m.Clear()
		clear(c.want)
		c.keys = cut(c.keys, 0)
	case n < 8:
		if c.call(w, "Map.Set", func() { c.m.Set(k, v) }) {
			c.set(k, v)
		}
	case n < 10:
		if c.call(w, "Map.Ref", func() {
			p := c.m.Ref(k)
			got = *p
			*p = v
		}) {
			if had && !c.v.equal(got, old) {
				w.failf("Map.Ref(%v) had %v; want %v", k, got, old)
			}
			c.set(k, v)
		}
	case n < 12:
		if c.call(w, "Map.LoadOrStore", func() { got, ok = c.m.LoadOrStore(k, v) }) {
			if !had {
				c.set(k, v)
			}
			if ok != had || !c.v.equal(got, c.want[k]) {
				w.failf("Map.LoadOrStore(%v): %v, %v; want %v, %v", k, got, ok, c.want[k], had)
			}
		}
	case n < 14:
		if c.call(w, "Map.Swap", func() { got, ok = c.m.Swap(k, v) }) {
			if ok != had || had && !c.v.equal(got, old) {
				w.failf("Map.Swap(%v): %v, %v; want %v, %v", k, got, ok, old, had)
			}
			c.set(k, v)
		}
	case n < 17:
		c.m.Delete(k)
		c.delete(k)
	case n < 20:
		got, ok = c.m.LoadAndDelete(k)
		if ok != had || had && !c.v.equal(got, old) {
			w.failf("Map.LoadAndDelete(%v): %v, %v; want %v, %v", k, got, ok, old, had)
		}
		c.delete(k)
	case n < 22:
		c.insert(w, r)
	case n == 22 && c.v.json && c.k.json && r.one(3):
		if c.unmarshal(w, c.m, map[K]V{k: v}) {
			c.set(k, v)
		}
	}
	if len(c.want) != c.m.Len() {
		w.failf("%s: Map.Len is %d; want %d (%s)", w.now, c.m.Len(), len(c.want), c.ac)
	}
}

func (c *mapOf[K, V]) delete(k K) {
	if _, ok := c.want[k]; ok {
		delete(c.want, k)
		i := slices.Index(c.keys, k)
		last := len(c.keys) - 1
		c.keys[i] = c.keys[last]
		c.keys = cut(c.keys, last)
	}
}

// insert inserts several, perhaps not all.
func (c *mapOf[K, V]) insert(w *world, r *rng) {
	var ks []K
	var vs []V
	for range r.n(20) {
		ks, vs = append(ks, c.key(w, r)), append(vs, c.v.make(w, c.base, r.next()))
	}
	done := 0
	seq := func(yield func(K, V) bool) {
		for i := range ks {
			if !yield(ks[i], vs[i]) {
				return
			}
			done++
		}
	}
	c.call(w, "Map.Insert", func() { c.m.Insert(seq) })
	for i := range done {
		c.set(ks[i], vs[i])
	}
}

func (c *mapOf[K, V]) look(w *world, r *rng) {
	k := c.key(w, r)
	v, ok := c.m.Get(k)
	want, had := c.want[k]
	if r.one(8) && !c.m.Equal(c.m, c.v.equal) {
		w.failf("a Map isn't equal to itself (%s)", c.ac)
	}
	if ok != had || had && !c.v.equal(v, want) || c.m.Has(k) != had {
		w.failf("Map.Get(%v): %v, %v; want %v, %v (%s)", k, v, ok, want, had, c.ac)
	}
	if r.one(10) {
		n := 0
		for k := range c.m.Keys() {
			if _, ok := c.want[k]; !ok {
				w.failf("Map.Keys has %v", k)
			}
			n++
		}
		for range c.m.Values() {
			n--
		}
		if n != 0 {
			w.failf("Map.Keys and Map.Values differ by %d", n)
		}
	}
	if r.one(20) && len(c.want) < 50 {
		printed(w, c.m, c.want, c.v.json)
	}
}

func (c *mapOf[K, V]) clone(w *world, r *rng) {
	if r.one(3) {
		deepCloned(w, c.m, func(m *collections.Map[K, V]) {
			if m.Len() != len(c.want) {
				w.failf("a DeepClone of a Map of %d has %d", len(c.want), m.Len())
			}
			for k := range c.want {
				if _, ok := m.Get(k); !ok {
					w.failf("a DeepClone of a Map of %d doesn't have %v", len(c.want), k)
				}
				m.Set(k, *new(V))
			}
			m.Clear()
			if m.Len() != 0 || c.m.Len() != len(c.want) {
				w.failf("Clear of a DeepClone of a Map")
			}
			c.verify(w)
		})
		return
	}
	b := c.other(w, r, !c.v.json || !c.k.json)
	d := &mapOf[K, V]{base: b, want: maps.Clone(c.want), keys: slices.Clone(c.keys), k: c.k, v: c.v}
	if !plain(c.want) {
		d.base = c.base.other(w, r, true)
		b = d.base
	}
	if b.call(w, "Map.Clone", func() { d.m = c.m.Clone(b.ac.a) }) {
		b.adopt(w, d)
	}
}

// plain reports whether entries may go to any arena.
func plain(v any) bool {
	switch v.(type) {
	case map[uint64]uint64, []uint64:
		return true
	}
	return false
}

func (c *mapOf[K, V]) verify(w *world) {
	if c.m.Len() != len(c.want) {
		w.failf("Map.Len is %d; want %d (%s)", c.m.Len(), len(c.want), c.ac)
	}
	n := 0
	for k, v := range c.m.All() {
		if want, ok := c.want[k]; !ok || !c.v.equal(v, want) {
			w.failf("Map has %v: %v; want %v, %v (%s)", k, v, want, ok, c.ac)
		}
		n++
	}
	if n != len(c.want) {
		w.failf("Map.All has %d of %d (%s)", n, len(c.want), c.ac)
	}
	for k := range c.want {
		if !c.m.Has(k) {
			w.failf("Map doesn't find %v (%s)", k, c.ac)
		}
	}
}

// Set

type setOf[T comparable] struct {
	*base
	s    *collections.Set[T]
	want map[T]bool
	e    elem[T]
}

func newSetOf[T comparable](b *base, hint int, e elem[T]) coll {
	c := &setOf[T]{base: b, s: new(collections.Set[T]), want: map[T]bool{}, e: e}
	if hint >= 0 {
		c.s = collections.NewSet[T](b.ac.a, hint)
	}
	return c
}

func (c *setOf[T]) elem(w *world, r *rng) T {
	return c.e.make(w, c.base, uint64(r.n(400))<<40|uint64(r.n(4)))
}

func (c *setOf[T]) change(w *world, r *rng) {
	v := c.elem(w, r)
	switch n := r.n(16); {
	case n == 0:
		c.s.Clear()
		clear(c.want)
	case n < 8:
		var added bool
		if c.call(w, "Set.Add", func() { added = c.s.Add(v) }) {
			if added == c.want[v] {
				w.failf("Set.Add(%v): %v", v, added)
			}
			c.want[v] = true
		}
	case n < 12:
		if c.s.Delete(v) != c.want[v] {
			w.failf("Set.Delete(%v) is wrong", v)
		}
		delete(c.want, v)
	case n < 14:
		done := 0
		vs := []T{v, c.elem(w, r), c.elem(w, r)}
		c.call(w, "Set.Insert", func() { c.s.Insert(counted(vs, &done)) })
		for _, v := range vs[:done] {
			c.want[v] = true
		}
	case n == 14 && r.one(3):
		if c.unmarshal(w, c.s, []T{v}) {
			c.want[v] = true
		}
	}
	if c.s.Len() != len(c.want) {
		w.failf("%s: Set.Len is %d; want %d", w.now, c.s.Len(), len(c.want))
	}
}

func (c *setOf[T]) look(w *world, r *rng) {
	v := c.elem(w, r)
	if c.s.Has(v) != c.want[v] {
		w.failf("Set.Has(%v) is wrong", v)
	}
	if r.one(20) {
		printed(w, c.s, append([]T{}, slices.Collect(c.s.All())...), true)
	}
}

func (c *setOf[T]) clone(w *world, r *rng) {
	if r.one(3) {
		deepCloned(w, c.s, func(s *collections.Set[T]) {
			for v := range c.want {
				if s.Add(v) {
					w.failf("a DeepClone of a Set doesn't have %v", v)
				}
			}
			s.Clear()
			c.verify(w)
		})
		return
	}
	d := &setOf[T]{base: c.other(w, r, true), want: maps.Clone(c.want), e: c.e}
	if d.call(w, "Set.Clone", func() { d.s = c.s.Clone(d.ac.a) }) {
		d.adopt(w, d)
	}
}

func (c *setOf[T]) verify(w *world) {
	n := 0
	for v := range c.s.All() {
		if !c.want[v] {
			w.failf("Set has %v", v)
		}
		n++
	}
	if n != len(c.want) || c.s.Len() != n {
		w.failf("Set.All has %d of %d, Len is %d", n, len(c.want), c.s.Len())
	}
}

// Slice

type sliceColl[T cmp.Ordered] struct {
	*base
	s    *collections.Slice[T]
	want []T
	e    elem[T]
}

func newSliceOf[T cmp.Ordered](b *base, hint int, e elem[T]) coll {
	c := &sliceColl[T]{base: b, s: new(collections.Slice[T]), e: e}
	if hint >= 0 {
		c.s = collections.NewSlice[T](b.ac.a, hint)
	}
	return c
}

func (c *sliceColl[T]) some(w *world, r *rng) []T {
	s := make([]T, r.n(6))
	if r.one(20) {
		s = make([]T, r.n(150))
	}
	for i := range s {
		s[i] = c.e.make(w, c.base, r.next())
	}
	return s
}

func (c *sliceColl[T]) change(w *world, r *rng) {
	n := len(c.want)
	items := c.some(w, r)
	switch k := r.n(24); {
	case k == 0 || n > 2000:
		c.s.Clear()
		c.want = c.want[:0]
	case k < 8:
		v := c.e.make(w, c.base, r.next())
		if c.call(w, "Slice.Append", func() { c.s.Append(v) }) {
			c.want = append(c.want, v)
		}
	case k < 12:
		if c.call(w, "Slice.Append", func() { c.s.Append(items...) }) {
			c.want = append(c.want, items...)
		}
	case k < 14:
		done := 0
		c.call(w, "Slice.AppendSeq", func() { c.s.AppendSeq(counted(items, &done)) })
		c.want = append(c.want, items[:done]...)
	case k < 16:
		i := r.n(n + 1)
		if c.call(w, "Slice.Insert", func() { c.s.Insert(i, items...) }) {
			c.want = slices.Insert(c.want, i, items...)
		}
	case k < 18:
		i := r.n(n + 1)
		j := i + r.n(min(n-i, 9)+1)
		c.s.Delete(i, j)
		c.want = slices.Delete(c.want, i, j)
	case k < 19:
		m := r.n(40)
		if c.call(w, "Slice.Grow", func() { c.s.Grow(m) }) && c.s.Cap() < n+m {
			w.failf("Slice.Grow(%d): capacity %d with %d elements", m, c.s.Cap(), n)
		}
	case k < 20:
		c.s.Clip()
		if c.s.Cap() != n {
			w.failf("Slice.Clip: capacity %d of %d elements", c.s.Cap(), n)
		}
	case k < 21 && n > 0:
		i, v := r.n(n), c.e.make(w, c.base, r.next())
		c.s.Set(i, v)
		c.want[i] = v
	case k < 22 && n < 200:
		c.s.Sort(cmp.Compare[T])
		slices.Sort(c.want)
	case k < 23 && n < 200:
		c.s.SortStable(cmp.Compare[T])
		slices.Sort(c.want)
	case r.one(3):
		if c.unmarshal(w, c.s, items) {
			c.want = append(c.want[:0], items...)
		} else {
			c.want = slices.Clone(c.s.Slice()) // cleared, or not
		}
	}
	if !slices.Equal(c.s.Slice(), c.want) {
		w.failf("%s: Slice is %v; want %v (%s)", w.now, c.s.Slice(), c.want, c.ac)
	}
}

func (c *sliceColl[T]) look(w *world, r *rng) {
	n := len(c.want)
	if n > 0 {
		if i := r.n(n); c.s.At(i) != c.want[i] {
			w.failf("Slice.At(%d) is wrong", i)
		}
	}
	i := 0
	for j, v := range c.s.All() {
		if j != i || v != c.want[i] {
			w.failf("Slice.All at %d is wrong", i)
		}
		i++
	}
	for j, v := range c.s.Backward() {
		i--
		if j != i || v != c.want[i] {
			w.failf("Slice.Backward at %d is wrong", i)
		}
	}
	if !slices.Equal(slices.Collect(c.s.Values()), append([]T(nil), c.want...)) || c.s.Len() != n || c.s.Cap() < n {
		w.failf("Slice.Values is wrong")
	}
	if r.one(10) {
		printed(w, c.s, append([]T{}, c.want...), true)
	}
}

func (c *sliceColl[T]) clone(w *world, r *rng) {
	if r.one(3) {
		deepCloned(w, c.s, func(s *collections.Slice[T]) {
			if !slices.Equal(s.Slice(), c.want) {
				w.failf("a DeepClone of a Slice is %v; want %v", s.Slice(), c.want)
			}
			s.Append(s.Slice()...)
			s.Clear()
			c.verify(w)
		})
		return
	}
	d := &sliceColl[T]{base: c.other(w, r, !plain(c.want)), want: slices.Clone(c.want), e: c.e}
	if d.call(w, "Slice.Clone", func() { d.s = c.s.Clone(d.ac.a) }) {
		d.adopt(w, d)
	}
}

func (c *sliceColl[T]) verify(w *world) {
	if !slices.Equal(c.s.Slice(), c.want) {
		w.failf("Slice is %v; want %v (%s)", c.s.Slice(), c.want, c.ac)
	}
}

// Deque

type dequeOf[T any] struct {
	*base
	d    *collections.Deque[T]
	want []T
	e    elem[T]
}

func newDequeOf[T any](b *base, hint int, e elem[T]) coll {
	c := &dequeOf[T]{base: b, d: new(collections.Deque[T]), e: e}
	if hint >= 0 {
		c.d = collections.NewDeque[T](b.ac.a, hint)
	}
	return c
}

func (c *dequeOf[T]) change(w *world, r *rng) {
	n, v := len(c.want), c.e.make(w, c.base, r.next())
	switch k := r.n(24); {
	case k == 0 || n > 500:
		c.d.Clear()
		c.want = cut(c.want, 0)
	case k < 8:
		if c.call(w, "Deque.PushBack", func() { c.d.PushBack(v) }) {
			c.want = append(c.want, v)
		}
	case k < 14:
		if c.call(w, "Deque.PushFront", func() { c.d.PushFront(v) }) {
			c.want = slices.Insert(c.want, 0, v)
		}
	case k < 17 && n > 0:
		if got := c.d.PopFront(); !c.e.equal(got, c.want[0]) {
			w.failf("Deque.PopFront: %v; want %v", got, c.want[0])
		}
		c.want = slices.Delete(c.want, 0, 1)
	case k < 20 && n > 0:
		if got := c.d.PopBack(); !c.e.equal(got, c.want[n-1]) {
			w.failf("Deque.PopBack: %v; want %v", got, c.want[n-1])
		}
		c.want = cut(c.want, n-1)
	case k < 21 && n > 0:
		i := r.n(n)
		c.d.Set(i, v)
		c.want[i] = v
	case k < 22:
		c.call(w, "Deque.Grow", func() { c.d.Grow(r.n(50)) })
	case k < 23 && n == 0:
		w.refuses(c.ac, "Deque.PopFront", func() { c.d.PopFront() }, "Deque.PopFront")
		w.refuses(c.ac, "Deque.PopBack", func() { c.d.PopBack() }, "Deque.PopBack")
		w.refuses(c.ac, "Deque.At", func() { c.d.At(-7) }, "Deque.At", "-7")
	case k < 24 && c.e.json && r.one(3):
		if c.unmarshal(w, c.d, []T{v, v}) {
			c.want = append(cut(c.want, 0), v, v)
		} else {
			c.want = c.all()
		}
	}
	c.verify(w)
}

func (c *dequeOf[T]) all() (s []T) {
	for _, v := range c.d.All() {
		s = append(s, v)
	}
	return s
}

func (c *dequeOf[T]) look(w *world, r *rng) {
	n := len(c.want)
	if n > 0 {
		i := r.n(n)
		front, _ := c.d.Front()
		back, ok := c.d.Back()
		if !c.e.equal(c.d.At(i), c.want[i]) || !c.e.equal(front, c.want[0]) || !c.e.equal(back, c.want[n-1]) || !ok {
			w.failf("Deque.At, Front or Back is wrong")
		}
	}
	for i, v := range c.d.Backward() {
		n--
		if i != n || !c.e.equal(v, c.want[n]) {
			w.failf("Deque.Backward at %d is wrong", n)
		}
	}
	if r.one(10) {
		printed(w, c.d, append([]T{}, c.want...), c.e.json)
	}
}

func (c *dequeOf[T]) clone(w *world, r *rng) {
	if r.one(3) {
		deepCloned(w, c.d, func(d *collections.Deque[T]) {
			for range c.want {
				d.PushFront(d.PopBack())
			}
			d.Grow(100)
			d.Clear()
			c.verify(w)
		})
		return
	}
	d := &dequeOf[T]{base: c.other(w, r, !plain(c.want)), want: slices.Clone(c.want), e: c.e}
	if d.call(w, "Deque.Clone", func() { d.d = c.d.Clone(d.ac.a) }) {
		d.adopt(w, d)
	}
}

func (c *dequeOf[T]) verify(w *world) {
	if c.d.Len() != len(c.want) {
		w.failf("%s: Deque.Len is %d; want %d", w.now, c.d.Len(), len(c.want))
	}
	for i, v := range c.d.All() {
		if !c.e.equal(v, c.want[i]) {
			w.failf("%s: element %d of a Deque is %v; want %v (%s)", w.now, i, v, c.want[i], c.ac)
		}
	}
}

// List

type listOf[T any] struct {
	*base
	l     *collections.List[T]
	want  []T
	nodes []*collections.Node[T]
	gone  *collections.Node[T]
	e     elem[T]
}

func newListOf[T any](b *base, hint int, e elem[T]) coll {
	c := &listOf[T]{base: b, l: new(collections.List[T]), e: e}
	if hint >= 0 {
		c.l = collections.NewList[T](b.ac.a)
	}
	return c
}

func (c *listOf[T]) change(w *world, r *rng) {
	n, v := len(c.want), c.e.make(w, c.base, r.next())
	i := 0
	if n > 0 {
		i = r.n(n)
	}
	var node *collections.Node[T]
	switch k := r.n(20); {
	case n > 150:
		for n > 20 {
			n--
			c.l.Remove(c.nodes[n])
		}
		c.want, c.nodes = cut(c.want, n), cut(c.nodes, n)
	case k < 5:
		if c.call(w, "List.PushBack", func() { node = c.l.PushBack(v) }) {
			c.insert(n, node, v)
		}
	case k < 8:
		if c.call(w, "List.PushFront", func() { node = c.l.PushFront(v) }) {
			c.insert(0, node, v)
		}
	case n == 0:
		w.refuses(c.ac, "List.Remove", func() { c.l.Remove(nil) }, "List.Remove")
		if c.gone != nil {
			w.refuses(c.ac, "List.MoveToBack", func() { c.l.MoveToBack(c.gone) }, "List.MoveToBack")
		}
	case k < 10:
		if c.call(w, "List.InsertBefore", func() { node = c.l.InsertBefore(v, c.nodes[i]) }) {
			c.insert(i, node, v)
		}
	case k < 12:
		if c.call(w, "List.InsertAfter", func() { node = c.l.InsertAfter(v, c.nodes[i]) }) {
			c.insert(i+1, node, v)
		}
	case k < 15:
		if got := c.l.Remove(c.nodes[i]); !c.e.equal(got, c.want[i]) {
			w.failf("List.Remove: %v; want %v", got, c.want[i])
		}
		c.gone = c.nodes[i]
		c.want, c.nodes = slices.Delete(c.want, i, i+1), slices.Delete(c.nodes, i, i+1)
	case k < 17:
		c.l.MoveToFront(c.nodes[i])
		c.move(i, 0)
	case k < 19:
		c.l.MoveToBack(c.nodes[i])
		c.move(i, n-1)
	case c.e.json && r.one(3):
		c.gone = nil
		c.unmarshal(w, c.l, []T{v, v})
		c.want, c.nodes = cut(c.want, 0), cut(c.nodes, 0)
		for n := range c.l.All() {
			c.insert(len(c.want), n, n.Value)
		}
	}
	c.verify(w)
}

func (c *listOf[T]) insert(i int, n *collections.Node[T], v T) {
	c.nodes, c.want = slices.Insert(c.nodes, i, n), slices.Insert(c.want, i, v)
}

func (c *listOf[T]) move(i, j int) {
	n, v := c.nodes[i], c.want[i]
	c.want, c.nodes = slices.Delete(c.want, i, i+1), slices.Delete(c.nodes, i, i+1)
	c.insert(j, n, v)
}

func (c *listOf[T]) look(w *world, r *rng) {
	n := len(c.want)
	i := n
	for node := range c.l.Backward() {
		i--
		if node != c.nodes[i] {
			w.failf("List.Backward at %d is wrong", i)
		}
	}
	for v := range c.l.Values() {
		if !c.e.equal(v, c.want[i]) {
			w.failf("List.Values at %d is wrong", i)
		}
		i++
	}
	if n > 0 {
		i := r.n(n)
		if c.l.Front() != c.nodes[0] || c.l.Back() != c.nodes[n-1] || i > 0 && c.nodes[i].Prev() != c.nodes[i-1] ||
			i < n-1 && c.nodes[i].Next() != c.nodes[i+1] {
			w.failf("List.Front, Back, Next or Prev is wrong")
		}
	}
	if r.one(10) {
		printed(w, c.l, append([]T{}, c.want...), true)
	}
}

func (c *listOf[T]) clone(w *world, r *rng) {
	if r.one(3) {
		deepCloned(w, c.l, func(l *collections.List[T]) {
			for l.Len() > 0 {
				l.Remove(l.Front())
			}
			l.PushBack(*new(T))
			c.verify(w)
		})
		return
	}
	d := &listOf[T]{base: c.other(w, r, !plain(c.want)), want: slices.Clone(c.want), e: c.e}
	if d.call(w, "List.Clone", func() { d.l = c.l.Clone(d.ac.a) }) {
		d.nodes = slices.Collect(d.l.All())
		d.adopt(w, d)
	}
}

func (c *listOf[T]) verify(w *world) {
	if c.l.Len() != len(c.want) {
		w.failf("%s: List.Len is %d; want %d", w.now, c.l.Len(), len(c.want))
	}
	i := 0
	for n := range c.l.All() {
		if i >= len(c.nodes) || n != c.nodes[i] || !c.e.equal(n.Value, c.want[i]) {
			w.failf("%s: node %d of a List of %d is wrong (%s)", w.now, i, len(c.want), c.ac)
		}
		i++
	}
	if i != len(c.want) {
		w.failf("%s: List.All has %d of %d", w.now, i, len(c.want))
	}
}

// Buffer

type bufferColl struct {
	*base
	b     *collections.Buffer
	want  []byte
	seen  string // from String, which must not change
	saved string
}

func (c *bufferColl) change(w *world, r *rng) {
	n := len(c.want)
	data := make([]byte, r.n(90))
	if r.one(30) {
		data = make([]byte, r.n(3000))
	}
	for i := range data {
		data[i] = byte(r.next())
	}
	switch k := r.n(28); {
	case k == 0 || n > 20000:
		c.b.Reset()
		c.want = c.want[:0]
	case k < 5:
		if c.call(w, "Buffer.Write", func() { c.b.Write(data) }) {
			c.want = append(c.want, data...)
		}
	case k < 8:
		if c.call(w, "Buffer.WriteString", func() { c.b.WriteString(string(data)) }) {
			c.want = append(c.want, data...)
		}
	case k < 11:
		if c.call(w, "Buffer.WriteByte", func() { c.b.WriteByte('x') }) {
			c.want = append(c.want, 'x')
		}
	case k < 13:
		if c.call(w, "Buffer.WriteRune", func() { c.b.WriteRune('é') }) {
			c.want = append(c.want, "é"...)
		}
	case k < 15:
		src := bytes.NewReader(data)
		ok := c.call(w, "Buffer.ReadFrom", func() {
			if n, err := c.b.ReadFrom(src); err != nil || n != int64(len(data)) {
				panic(fmt.Sprint("Buffer.ReadFrom returns ", n, err))
			}
		})
		c.want = append(c.want, data[:len(data)-src.Len()]...)
		_ = ok
	case k < 18:
		p := make([]byte, r.n(100))
		got, err := c.b.Read(p)
		if got != min(len(p), n) || (err == io.EOF) != (n == 0 && len(p) > 0) || !bytes.Equal(p[:got], c.want[:got]) {
			w.failf("Buffer.Read: %d, %v, with %d to read", got, err, n)
		}
		c.want = c.want[got:]
	case k < 20:
		got, err := c.b.ReadByte()
		if (err != nil) != (n == 0) || n > 0 && got != c.want[0] {
			w.failf("Buffer.ReadByte: %d, %v", got, err)
		}
		c.want = c.want[min(1, n):]
	case k < 22:
		m := r.n(100)
		if p := c.b.Next(m); !bytes.Equal(p, c.want[:min(m, n)]) {
			w.failf("Buffer.Next(%d) is %q; want %q", m, p, c.want[:min(m, n)])
		}
		c.want = c.want[min(m, n):]
	case k < 24:
		m := r.n(n + 1)
		c.b.Truncate(m)
		c.want = c.want[:m]
		w.refuses(c.ac, "Buffer.Truncate", func() { c.b.Truncate(m + 1) }, "Buffer.Truncate", fmt.Sprint(m+1))
	case k < 25:
		m := r.n(200)
		if c.call(w, "Buffer.Grow", func() { c.b.Grow(m) }) && c.b.Cap() < n+m {
			w.failf("Buffer.Grow(%d): capacity %d with %d bytes", m, c.b.Cap(), n)
		}
	case k < 26:
		var out bytes.Buffer
		if got, err := c.b.WriteTo(&out); got != int64(n) || err != nil || !bytes.Equal(out.Bytes(), c.want) {
			w.failf("Buffer.WriteTo: %d, %v", got, err)
		}
		c.want = nil
	default:
		c.seen = c.b.String()
		c.saved = strings.Clone(c.seen)
	}
	c.verify(w)
}

func (c *bufferColl) look(w *world, r *rng) {
	if c.b.Len() != len(c.want) || c.b.Cap() < len(c.want) || !bytes.Equal(c.b.Bytes(), c.want) {
		w.failf("Buffer is %q; want %q", c.b.Bytes(), c.want)
	}
	if r.one(10) {
		if got := fmt.Sprintf("%s", c.b); got != string(c.want) {
			w.failf("Buffer.Format: %q; want %q", got, c.want)
		}
	}
}

func (c *bufferColl) clone(w *world, r *rng) {
	deepCloned(w, c.b, func(b *collections.Buffer) {
		if string(b.Bytes()) != string(c.want) {
			w.failf("a DeepClone of a Buffer is %q; want %q", b.Bytes(), c.want)
		}
		b.WriteString("more")
		b.Reset()
		b.WriteString("more")
		c.verify(w)
	})
}

func (c *bufferColl) verify(w *world) {
	if string(c.b.Bytes()) != string(c.want) {
		w.failf("%s: Buffer is %q; want %q (%s)", w.now, c.b.Bytes(), c.want, c.ac)
	}
	if c.seen != c.saved {
		w.failf("%s: a string of a Buffer has changed from %q to %q", w.now, c.saved, c.seen)
	}
}

// Interner

type internerColl struct {
	*base
	in   *collections.Interner
	want map[string]string
}

func (c *internerColl) change(w *world, r *rng) {
	s := fmt.Sprint("text ", r.n(300))
	var got string
	f := func() { got = c.in.Intern(s) }
	if r.one(2) {
		f = func() { got = c.in.InternBytes([]byte(s)) }
	}
	if !c.call(w, "Interner.Intern", f) {
		return
	}
	old, ok := c.want[s]
	if got != s || ok && unsafe.StringData(old) != unsafe.StringData(got) {
		w.failf("Interner.Intern(%q) is %q, at another place: %v", s, got, ok)
	}
	c.want[got] = got
	if !ok {
		c.at = c.ac.serial()
	}
}

func (c *internerColl) look(w *world, r *rng) { c.verify(w) }

func (c *internerColl) clone(w *world, r *rng) {
	deepCloned(w, c.in, func(in *collections.Interner) {
		for s := range c.want {
			if in.Intern(strings.Clone(s)) != s {
				w.failf("a DeepClone of an Interner is wrong about %q", s)
			}
		}
		if in.Len() != len(c.want) {
			w.failf("a DeepClone of an Interner has %d of %d", in.Len(), len(c.want))
		}
		in.Intern("another")
		c.verify(w)
	})
}

func (c *internerColl) verify(w *world) {
	if c.in.Len() != len(c.want) {
		w.failf("Interner.Len is %d; want %d", c.in.Len(), len(c.want))
	}
	for s, t := range c.want {
		if s != t || !strings.HasPrefix(s, "text ") {
			w.failf("an Interner has %q for %q", t, s)
		}
	}
}
