package deepclone_test

import (
	"fmt"
	"log/slog"
	"reflect"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
	"unsafe"

	"github.com/harena-go/arena"
	"github.com/harena-go/arena/internal/tests/testkit"
)

// TestDeepCloneOfBuilders: a Builder knows its address, and panics where it was copied.
func TestDeepCloneOfBuilders(t *testing.T) {
	type page struct {
		head strings.Builder
		tail *strings.Builder
		text string
	}
	var p page // on the stack, to which head.addr points
	p.head.WriteString("head")
	p.tail = &strings.Builder{}
	p.tail.Grow(100)
	p.tail.WriteString("tail")
	p.text = p.tail.String()
	c := arena.DeepClone(p)
	d := arena.DeepClone(&p)
	for _, c := range []*page{&c, d} {
		c.head.WriteString(" of the clone")
		c.tail.WriteString(" too")
		if c.head.String() != "head of the clone" || c.tail.String() != "tail too" || c.text != "tail" {
			t.Errorf("%q, %q, %q", c.head.String(), c.tail.String(), c.text)
		}
	}
	p.head.WriteString("er")
	p.tail.WriteString("or")
	if p.head.String() != "header" || p.tail.String() != "tailor" || c.tail.String() != "tail too" {
		t.Errorf("the source is %q, %q", p.head.String(), p.tail.String())
	}
}

// TestDeepCloneOfLogValues: a slog.Value has a length and a pointer to the first byte or attribute.
func TestDeepCloneOfLogValues(t *testing.T) {
	a := arena.NewArena()
	now := time.Now()
	make := func() slog.Value {
		return slog.GroupValue(
			slog.String("text", a.AllocString(strings.Repeat("text", 20))), slog.String("none", ""), slog.Int64("number", 1<<40),
			slog.Group("inner", slog.Any("pointer", arena.NewOf(a, point{1, 2})), slog.String("s", a.AllocString("inner"))),
			slog.Time("now", now), slog.Any("nil", nil), slog.Bool("bool", true), slog.Any("strings", []string{a.AllocString("x")}),
			slog.Any("value", slog.AnyValue(any(slog.StringValue(a.AllocString("boxed"))))))
	}
	v := make()
	want := fmt.Sprint(v)
	want = strings.ReplaceAll(want, fmt.Sprintf("%p", v.Group()[3].Value.Group()[0].Value.Any()), "&")
	c := arena.DeepClone(struct {
		v     slog.Value
		attrs []slog.Attr
		part  *slog.Attr
	}{v, v.Group(), &v.Group()[3]})
	a.Reset()
	for range 1000 {
		a.AllocString(strings.Repeat("????", 20))
		arena.NewOf(a, point{3, 4})
	}
	runtime.GC()
	inner := c.part.Value.Group()
	if p := inner[0].Value.Any().(*point); *p != (point{1, 2}) || inner[1].Value.String() != "inner" {
		t.Errorf("%v, %v", *p, inner)
	}
	if got := strings.ReplaceAll(fmt.Sprint(c.v), fmt.Sprintf("%p", inner[0].Value.Any()), "&"); got != want {
		t.Errorf("%s; want %s", got, want)
	}
	if &c.v.Group()[3] != c.part || &c.attrs[0] != &c.v.Group()[0] || c.v.Kind() != slog.KindGroup {
		t.Error("a group lies elsewhere")
	}
}

// TestDeepCloneOfSyncMaps: a clone has clones of the entries, and no more to do with the source.
func TestDeepCloneOfSyncMaps(t *testing.T) {
	type table struct {
		m     sync.Map
		inner *sync.Map
		key   *point
		unset sync.Map
	}
	a := arena.NewArena()
	s := &table{inner: &sync.Map{}, key: arena.NewOf(a, point{1, 2})}
	s.m.Store(s.key, s)
	s.m.Store("text", a.AllocString("of the arena"))
	s.m.Store("inner", s.inner)
	s.inner.Store(1, &s.m)
	s.inner.Store(2, s.key)
	for i := range 100 {
		s.inner.Store(arena.NewOf(a, i), i)
	}
	c := arena.DeepClone(s)
	a.Reset()
	for range 1000 {
		a.AllocString("????????????")
		arena.NewOf(a, point{3, 4})
	}
	s.m.Clear()
	s.inner.Store(1, nil)
	if v, _ := c.m.Load(c.key); v != any(c) || *c.key != (point{1, 2}) {
		t.Errorf("%v by the key %v", v, c.key)
	}
	if v, _ := c.m.Load("text"); v != "of the arena" {
		t.Errorf("text %q", v)
	}
	inner, _ := c.m.Load("inner")
	back, _ := c.inner.Load(1)
	if key, _ := c.inner.Load(2); inner != any(c.inner) || back != any(&c.m) || key != any(c.key) {
		t.Error("what is in the map is something else")
	}
	n := 0
	for k, v := range c.inner.Range {
		if p, ok := k.(*int); ok && *p == v {
			n++
		}
	}
	c.unset.Store(1, 1)
	if _, ok := s.unset.Load(1); ok || n != 100 {
		t.Errorf("%d of 100 keys; %t", n, ok)
	}
}

// A turnstile is a lock that counts who waits.
type turnstile struct{ waits atomic.Int32 }

func (*turnstile) Lock()     {}
func (s *turnstile) Unlock() { s.waits.Add(1) }

// TestDeepCloneOfUsedSyncTypes: waiters and pooled values stay with the source.
func TestDeepCloneOfUsedSyncTypes(t *testing.T) {
	type shop struct {
		lock turnstile
		cond *sync.Cond
		own  sync.Cond
		pool sync.Pool
		pin  runtime.Pinner
		any  any
	}
	s := &shop{}
	s.cond = sync.NewCond(&s.lock)
	s.own.L = &s.lock
	s.pool.New = func() any { return "new" }
	for range 100 {
		s.pool.Put(new(string))
	}
	s.pin.Pin(new(int))
	s.any = s.pin
	var group sync.WaitGroup
	group.Go(s.cond.Wait)
	group.Go(s.own.Wait)
	for s.lock.waits.Load() < 2 {
		runtime.Gosched()
	}
	c := arena.DeepClone(s)
	for _, cond := range []*sync.Cond{c.cond, &c.own} {
		cond.Signal() // wakes nobody
		if cond.L != sync.Locker(&c.lock) {
			t.Error("a condition has the source's lock")
		}
	}
	s.cond.Broadcast()
	s.own.Signal()
	group.Wait()
	if v := c.pool.Get(); v != "new" {
		t.Errorf("the pool has %v", v)
	}
	if reflect.ValueOf(&c.pin).Elem().IsZero() != true || c.any != any(runtime.Pinner{}) {
		t.Error("the clone pins what the source has pinned")
	}
	s.pin.Unpin()
	c.pin.Unpin()
}

// TestDeepCloneOfAtomicPointers: they are followed as others are.
func TestDeepCloneOfAtomicPointers(t *testing.T) {
	type node struct {
		next atomic.Pointer[node]
		all  atomic.Pointer[[3]node]
		n    int
	}
	a := arena.NewArena()
	first := arena.NewOf(a, [3]*node{})
	nodes := arena.New[[3]node](a)
	for i := range nodes {
		nodes[i].n = i
		nodes[i].next.Store(&nodes[(i+1)%3])
		nodes[i].all.Store(nodes)
		first[i] = &nodes[i]
	}
	c := arena.DeepClone(first)
	a.Reset()
	arena.New[[3]node](a)[1].n = 9
	for i, n := range c {
		if n.n != i || n.next.Load() != c[(i+1)%3] || &n.all.Load()[i] != n {
			t.Errorf("node %d", i)
		}
	}
}

// TestDeepCloneRefusesReflectValues, and says where they are.
func TestDeepCloneRefusesReflectValues(t *testing.T) {
	type attribute struct {
		name  string
		value reflect.Value
	}
	type element struct {
		next  *element
		attrs [3]attribute
		slice []attribute
		index map[string]*element
		any   any
		sync  sync.Map
		atom  atomic.Pointer[attribute]
		log   slog.Value
		iter  reflect.MapIter
	}
	set := attribute{value: reflect.ValueOf(1)}
	long := &element{slice: []attribute{set}}
	for range 100 {
		long = &element{next: long}
	}
	last := func(e *element) *element { return &element{next: &element{next: e}} }
	synced := &element{}
	synced.sync.Store(1, &set)
	atom := &element{}
	atom.atom.Store(&set)
	iter := &element{iter: *reflect.ValueOf(map[int]int{1: 1}).MapRange()}
	for want, v := range map[string]*element{
		"v.next.next.attrs[2].value":                  last(&element{attrs: [3]attribute{2: set}}),
		"v.next.next.slice[1].value":                  last(&element{slice: []attribute{{}, set}}),
		"v.next.next.index[...].slice[0].value":       last(&element{index: map[string]*element{"k": {slice: []attribute{set}}}}),
		"v.next.next.any.(reflect.Value)":             last(&element{any: set.value}),
		"v.next.next.any.(*deepclone_test.attribute)": last(&element{any: &set}),
		"v.next.next.sync[...]":                       last(synced),
		"v.next.next.atom.value":                      last(atom),
		"v.next.next.log[1].Value.any":                last(&element{log: slog.GroupValue(slog.Int("", 1), slog.Any("", &set))}),
		"v.next.next.iter.m":                          last(iter),
		"v ... ":                                      long,
		".next.next.slice[0].value, where v is the":   long,
	} {
		t.Run(want, func(t *testing.T) {
			testkit.WantPanic(t, func() { arena.DeepClone(v) }, "arena: DeepClone: v", want, "is a reflect.Value")
		})
	}
	testkit.WantPanic(t, func() { arena.DeepClone(set) }, "v.value, where v is the deepclone_test.attribute, is")
	testkit.WantPanic(t, func() { arena.DeepClone([2]attribute{1: set}) }, "v[1].value, where v is the [2]deepclone_test.attribute, is")
	testkit.WantPanic(t, func() { arena.DeepClone([]reflect.Value{{}, set.value}) }, "v[1], where v is the []reflect.Value, is")
	testkit.WantPanic(t, func() { arena.DeepClone(map[string]reflect.Value{"": set.value}) }, "v[...], where v is the map[string]reflect.Value, is")
	testkit.WantPanic(t, func() { arena.DeepClone(set.value) }, "v, where v is the reflect.Value, is")
	if c := arena.DeepClone(&element{}); c.attrs[1].value.IsValid() {
		t.Error("zero ones are no longer zero")
	}
	if typ := reflect.TypeFor[int](); arena.DeepClone(&struct{ t reflect.Type }{typ}).t != typ {
		t.Error("reflect.Type")
	}
}

// TestDeepCloneSharesHandles: what stands for an arena stands for the same one in a clone.
func TestDeepCloneSharesHandles(t *testing.T) {
	type job struct {
		a      *arena.Arena
		child  *arena.Arena
		typed  *arena.Typed[point]
		pool   *arena.Pool
		shared *arena.Shared
		any    interface {
			Alloc(size, align uintptr) unsafe.Pointer
		}
		mark arena.Mark
		raw  unsafe.Pointer
	}
	a := arena.NewArena()
	s := arena.NewOf(a, job{a, a.Child(), arena.For[point](a), arena.NewPool(arena.WithReuse()), arena.NewShared(), a, a.Mark(), unsafe.Pointer(a)})
	want := *s
	if c := arena.DeepClone(s); c == s || *c != want {
		t.Errorf("%v; want %v", *c, want)
	}
	type byValue struct {
		a     arena.Arena
		typed arena.Typed[point]
	}
	b := &byValue{typed: *arena.For[point](a)}
	arena.New[int](&b.a)
	c := arena.DeepClone(b)
	if p := arena.New[point](&c.a); b.a.Owns(unsafe.Pointer(p)) || !c.a.Owns(unsafe.Pointer(p)) {
		t.Error("an arena by value is the same one")
	}
	if !a.Owns(unsafe.Pointer(c.typed.New())) {
		t.Error("a Typed by value is that of another arena")
	}
}
