package collections_test

import (
	"bytes"
	"fmt"
	"maps"
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"

	"github.com/harena-go/arena"
	"github.com/harena-go/arena/collections"
	"github.com/harena-go/arena/internal/tests/testkit"
)

// A thing is an element that the containers of a crowd hold by pointer; a clone has other things.
type thing struct {
	id   int
	name string
	self *collections.Set[*thing] // holds the thing
}

// A held is stored in an interface without a box, so that a self-contained arena may hold it.
type held struct{ *thing }

// A crowd has containers of all kinds, by pointer, by value and in interfaces.
type crowd struct {
	a      *arena.Arena // not that of the containers in a clone, which is the heap
	things []*thing

	byText *collections.Map[string, int]
	byID   collections.Map[int, *thing]
	byItem *collections.Map[*thing, *thing]
	byAny  *collections.Map[any, held]
	nested *collections.Map[int, *collections.Map[*thing, int]]
	self   *collections.Map[string, any]
	set    *collections.Set[held]
	texts  *collections.Interner
	slice  *collections.Slice[*thing]
	deque  *collections.Deque[*thing]
	list   collections.List[*thing]
	buffer *collections.Buffer

	any   any  // byItem
	ref   *int // to the value of "x" in byText
	first *collections.Node[*thing]
	text  string   // in buffer
	part  []*thing // of slice
}

// A record is the contents of a crowd, in terms of Go's own types and of the things' numbers.
type record struct {
	byText              map[string]int
	byID, byItem, byAny map[int]int
	nested              map[[2]int]int
	set                 map[int]bool
	texts               map[string]bool
	slice, deque, list  []int
	buffer              []byte
}

const things = 1200

func newCrowd(a *arena.Arena) (*crowd, *record) {
	w := &crowd{a: a} // some of its containers are on the heap
	a.KeepAlive(w)
	w.things = arena.MakeSlice[*thing](a, things, things)
	for i := range w.things {
		t := arena.NewOf(a, thing{id: i, name: a.Sprintf("thing %d", i)})
		t.self = collections.NewSet[*thing](a, 0)
		t.self.Add(t)
		w.things[i] = t
	}
	w.byText = collections.NewMap[string, int](a, 0)
	w.byItem = collections.NewMap[*thing, *thing](a, 0)
	w.byAny = collections.NewMap[any, held](a, 20)
	w.nested = collections.NewMap[int, *collections.Map[*thing, int]](a, 0)
	w.self = collections.NewMap[string, any](a, 0)
	w.set = collections.NewSet[held](a, 600)
	w.texts = collections.NewInterner(a, 0)
	w.slice = collections.NewSlice[*thing](a, 3)
	w.deque = collections.NewDeque[*thing](a, 0)
	w.buffer = collections.NewBuffer(a, 10)
	w.self.Set("self", w.self)
	w.self.Set("crowd", w)
	w.any = w.byItem
	return w, &record{
		byText: map[string]int{}, byID: map[int]int{}, byItem: map[int]int{}, byAny: map[int]int{},
		nested: map[[2]int]int{}, set: map[int]bool{}, texts: map[string]bool{},
	}
}

func (r *record) clone() *record {
	return &record{
		maps.Clone(r.byText), maps.Clone(r.byID), maps.Clone(r.byItem), maps.Clone(r.byAny), maps.Clone(r.nested),
		maps.Clone(r.set), maps.Clone(r.texts), slices.Clone(r.slice), slices.Clone(r.deque), slices.Clone(r.list),
		slices.Clone(r.buffer),
	}
}

// key returns the key of thing i in byAny: with a pointer, or a number for which the
// runtime needs no memory.
func (w *crowd) key(i int) any {
	switch t := w.things[i]; i % 3 {
	case 0:
		return t
	case 1:
		return held{t}
	default:
		return uint8(i % 256)
	}
}

// number is key for a record.
func number(i int) int {
	if i%3 == 2 {
		return -1 - i%256
	}
	return i
}

// step does the same at random with a crowd and its record.
func (w *crowd) step(rnd *rand.Rand, r *record) {
	i, j := rnd.IntN(things), rnd.IntN(things)
	t, u := w.things[i], w.things[j]
	if rnd.IntN(3) == 0 {
		i %= 8 // often the same ones
		t = w.things[i]
	}
	switch rnd.IntN(20) {
	case 0:
		w.byText.Set(t.name, j)
		r.byText[fmt.Sprint("thing ", i)] = j
	case 1:
		w.byID.Set(i, u) // of the zero value, on the heap
		r.byID[i] = j
	case 2, 3:
		w.byItem.Set(t, u)
		r.byItem[i] = j
	case 4:
		w.byItem.Delete(t)
		delete(r.byItem, i)
	case 5:
		w.byAny.Set(w.key(i), held{u})
		r.byAny[number(i)] = j
	case 6:
		w.byAny.Delete(w.key(i))
		delete(r.byAny, number(i))
	case 7:
		m, ok := w.nested.Get(i % 5)
		if !ok {
			m = collections.NewMap[*thing, int](w.a, 0)
			w.nested.Set(i%5, m)
		}
		m.Set(u, i)
		r.nested[[2]int{i % 5, j}] = i
	case 8, 9:
		w.set.Add(held{t})
		r.set[i] = true
	case 10:
		w.set.Delete(held{t})
		delete(r.set, i)
	case 11:
		w.texts.Intern(t.name)
		r.texts[fmt.Sprint("thing ", i)] = true
	case 12, 13:
		w.slice.Append(t, u)
		r.slice = append(r.slice, i, j)
	case 14:
		w.deque.PushBack(t)
		r.deque = append(r.deque, i)
	case 15:
		w.deque.PushFront(t)
		r.deque = slices.Insert(r.deque, 0, i)
	case 16:
		if len(r.deque) > 0 {
			w.deque.PopFront()
			r.deque = r.deque[1:]
		}
		if len(r.list) > 0 {
			w.list.Remove(w.list.Front())
			r.list = r.list[1:]
		}
	case 17:
		w.list.PushBack(t)
		r.list = append(r.list, i)
	case 18:
		w.buffer.WriteString(t.name)
		r.buffer = append(r.buffer, fmt.Sprint("thing ", i)...)
	case 19:
		n := min(i%40, len(r.buffer))
		w.buffer.Next(n)
		r.buffer = r.buffer[n:]
	}
}

// views makes the crowd point into its containers.
func (w *crowd) views(r *record) {
	w.byText.Set("x", 77)
	r.byText["x"] = 77
	w.ref = w.byText.Ref("x")
	w.text = w.buffer.String()
	w.part = w.slice.Slice()[w.slice.Len()/2:]
	w.first = w.list.Front()
}

// checkViews fails the test unless w points into its own containers.
func (w *crowd) checkViews(t *testing.T) {
	t.Helper()
	if w.ref != w.byText.Ref("x") || *w.ref != 77 {
		t.Error("a value's address leads elsewhere")
	}
	if w.first != w.list.Front() || len(w.part) > 0 && &w.part[0] != &w.slice.Slice()[w.slice.Len()/2] {
		t.Error("a node or a slice is that of another container")
	}
	if w.text != string(w.buffer.Bytes()) || len(w.text) > 0 && !sameString(w.text, w.buffer.String()) {
		t.Error("a buffer's string is another one")
	}
	if m, _ := w.self.Get("self"); m != any(w.self) {
		t.Error("a map that holds itself doesn't")
	}
	if c, _ := w.self.Get("crowd"); c != any(w) || w.any != any(w.byItem) {
		t.Error("what is in an interface is another one")
	}
}

// check fails the test unless the crowd is as recorded.
func (w *crowd) check(t *testing.T, r *record) {
	t.Helper()
	for i, x := range w.things {
		if x.id != i || x.name != fmt.Sprint("thing ", i) || x.self.Len() != 1 || !x.self.Has(x) {
			t.Fatalf("thing %d is %d, %q", i, x.id, x.name)
		}
	}
	sameMap(t, "byText", w.byText, r.byText, func(k string) string { return k }, func(v int) int { return v })
	sameMap(t, "byID", &w.byID, r.byID, func(k int) int { return k }, w.number)
	sameMap(t, "byItem", w.byItem, r.byItem, w.number, w.number)
	sameMap(t, "byAny", w.byAny, r.byAny, w.anyNumber, func(v held) int { return w.number(v.thing) })
	nested := map[[2]int]int{}
	for k, m := range w.nested.All() {
		for u, v := range m.All() {
			if got, ok := m.Get(u); got != v || !ok {
				t.Errorf("nested: %d of %v; want %d", got, u, v)
			}
			nested[[2]int{k, w.number(u)}] = v
		}
	}
	if !maps.Equal(nested, r.nested) {
		t.Errorf("nested: %v; want %v", nested, r.nested)
	}
	for i := range r.set {
		if !w.set.Has(held{w.things[i]}) {
			t.Errorf("set: %d isn't in it", i)
		}
	}
	if w.set.Len() != len(r.set) || w.texts.Len() != len(r.texts) {
		t.Errorf("%d in the set, %d texts; want %d and %d", w.set.Len(), w.texts.Len(), len(r.set), len(r.texts))
	}
	var list []int
	for v := range w.list.Values() {
		list = append(list, w.number(v))
	}
	var deque []int
	for _, v := range w.deque.All() {
		deque = append(deque, w.number(v))
	}
	var slice []int
	for v := range w.slice.Values() {
		slice = append(slice, w.number(v))
	}
	if !slices.Equal(list, r.list) || !slices.Equal(deque, r.deque) || !slices.Equal(slice, r.slice) {
		t.Errorf("list %v, deque %v, slice %v; want %v, %v, %v", list, deque, slice, r.list, r.deque, r.slice)
	}
	if !bytes.Equal(w.buffer.Bytes(), r.buffer) {
		t.Errorf("buffer: %q; want %q", w.buffer.Bytes(), r.buffer)
	}
}

// number returns that of a thing of this crowd, and not of another one.
func (w *crowd) number(x *thing) int {
	if uint(x.id) < things && w.things[x.id] == x {
		return x.id
	}
	return -1000
}

func (w *crowd) anyNumber(k any) int {
	switch k := k.(type) {
	case *thing:
		return w.number(k)
	case held:
		return w.number(k.thing)
	case uint8:
		return -1 - int(k)
	}
	return -2000
}

// sameMap compares a Map by iteration and by look-ups.
func sameMap[K, R comparable, V any](t *testing.T, name string, m *collections.Map[K, V], want map[R]int, key func(K) R, value func(V) int) {
	t.Helper()
	n := 0
	for k, v := range m.All() {
		n++
		x, ok := want[key(k)]
		if got, found := m.Get(k); !ok || !found || value(v) != x || value(got) != x {
			t.Errorf("%s: %d, found %d, %t, for %v; want %d, %t", name, value(v), value(got), found, key(k), x, ok)
			return
		}
	}
	if n != len(want) || m.Len() != n {
		t.Errorf("%s: %d entries, Len %d; want %d", name, n, m.Len(), len(want))
	}
}

// TestDeepCloneOfContainers: a clone has the contents of the source and shares nothing with it,
// through all later changes of either, and after the end of the source's arena.
func TestDeepCloneOfContainers(t *testing.T) {
	inEach(t, func(t *testing.T, a *arena.Arena) {
		for seed, steps := range []int{0, 10, 100, 1000, 10_000, 20_000} {
			if testing.Short() && steps > 1000 {
				break
			}
			rnd := rand.New(rand.NewPCG(uint64(seed), 1))
			source, want := newCrowd(a)
			for range steps {
				source.step(rnd, want)
			}
			source.views(want)
			clone := arena.DeepClone(source)
			clone.a = nil
			clone.checkViews(t)
			clone.check(t, want)
			source.checkViews(t)

			cloned := want.clone()
			used := a.UsedBytes()
			for range testkit.Cases(2000) {
				clone.step(rnd, cloned)
			}
			if now := a.UsedBytes(); now != used {
				t.Errorf("seed %d: the clone took %d bytes of the source's arena", seed, now-used)
			}
			for range testkit.Cases(2000) {
				source.step(rnd, want)
			}
			source.check(t, want)
			clone.check(t, cloned)

			a.Reset()
			refill(a)
			runtime.GC()
			for range 1000 {
				clone.step(rnd, cloned)
			}
			clone.check(t, cloned)
			clear(cloned.byItem)
			clone.byItem.Clear()
			clone.check(t, cloned)
			if t.Failed() {
				t.Fatalf("seed %d", seed)
			}
			a.Reset()
		}
	})
}

// refill overwrites the memory that an arena had before its Reset.
func refill(a *arena.Arena) {
	for range 200 {
		for i := range arena.MakeSlice[uint64](a, 500, 500) {
			arena.NewOf(a, ^uint64(i))
		}
		arena.New[crowd](a).first = arena.New[collections.Node[*thing]](a)
		arena.New[thing](a).name = a.Sprintf("another one")
	}
}

// TestDeepCloneOfContainersInMaps: where Go's maps or arrays hold containers, or a container by
// value is the root.
func TestDeepCloneOfContainersInMaps(t *testing.T) {
	a := arena.NewArena()
	k := arena.New[thing](a)
	m := collections.NewMap[*thing, *[2]collections.Set[any]](a, 0)
	sets := arena.New[[2]collections.Set[any]](a)
	sets[1].Add(k)
	m.Set(k, sets)
	type root struct {
		k    *thing
		maps map[any]any
		sets *[2]collections.Set[any]
		one  *collections.Set[any]
	}
	c := arena.DeepClone(root{k, map[any]any{m: m}, sets, &sets[1]})
	a.Reset()
	refill(a)
	for key, v := range c.maps {
		m := v.(*collections.Map[*thing, *[2]collections.Set[any]])
		if got, ok := m.Get(c.k); key != v || !ok || got != c.sets || c.one != &got[1] || !got[1].Has(c.k) || got[0].Len() != 0 {
			t.Error("in a map")
		}
	}
}

// TestDeepCloneOfEqualKeys: addresses of values of size zero become equal, and so do
// the keys that they are.
func TestDeepCloneOfEqualKeys(t *testing.T) {
	type two struct {
		a, b [0]int
		c    int
	}
	x := &two{}
	m := collections.NewMap[*[0]int, int](nil, 0)
	s := collections.NewSet[*[0]int](nil, 100)
	for _, k := range []*[0]int{&x.a, (*[0]int)(nil), new([0]int)} {
		m.Set(k, 1)
		s.Add(k)
	}
	mc, sc := arena.DeepClone(m), arena.DeepClone(s)
	for range 2 {
		if mc.Len() != 2 || sc.Len() != 2 {
			t.Fatalf("%d and %d entries; want 2", mc.Len(), sc.Len())
		}
		for k := range mc.All() {
			if !mc.Has(k) || !sc.Has(k) {
				t.Errorf("%p isn't found", k)
			}
			mc.Delete(k)
			sc.Delete(k)
			mc.Set(k, 2)
			sc.Add(k)
		}
	}
}
