package deepclone_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"net/netip"
	"reflect"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
	"unique"
	"unsafe"
	"weak"

	"github.com/harena-go/arena"
	"github.com/harena-go/arena/internal/tests/testkit"
)

type (
	namedMap map[string][]int
	stringer interface{ String() string }
	boxed    struct{ p *int } // stored without a box in an interface
	padded   struct {         // stored without a box since Go 1.26
		_ [0]func()
		p *int
	}
	wide struct { // stored in a box
		a, b *int
	}
	wrapper struct{ inner point }
	private struct {
		exported  *int
		sub       struct{ text, same string }
		list      []*point
		index     map[point]*point
		any       any
		err       error
		embedded  *private
		matrix    [2][3]*int
		functions func() int
	}
)

func (b boxed) String() string { return fmt.Sprint(*b.p) }
func (w wide) String() string  { return fmt.Sprint(*w.a, *w.b) }

func pointerTo[T any](v T) *T { return &v }

func deepCase[T any](name string, v T) cloneTestCase {
	return cloneTestCase{name, v, func() any { return arena.DeepClone(v) }}
}

func TestDeepCloneCopiesAllKinds(t *testing.T) {
	text := strings.Repeat("t", 5)
	for _, c := range []cloneTestCase{
		deepCase("int", 1), deepCase("float", 1.5), deepCase("bool", true), deepCase("complex", 1i),
		deepCase("uintptr", uintptr(3)),
		deepCase("struct", point{1, 2}),
		deepCase("string", text), deepCase("empty string", text[:0]), deepCase("named", namedString(text)),
		deepCase("pointer", pointerTo(3)), deepCase("pointer to pointer", &[]*int{pointerTo(1)}[0]),
		deepCase("bytes", []byte(text)), deepCase("odd bytes", [][3]byte{{1, 2, 3}, {4, 5, 6}}),
		deepCase("twos", []uint16{1, 2, 0xFFFF}), deepCase("fours", []uint32{1, 2, 0xFFFFFFFF}), deepCase("eights", []uint64{1, 1 << 63}),
		deepCase("odd twos", [][3]uint16{{1, 2, 3}, {4, 5, 6}}),
		deepCase("slices", [][]string{{text}, nil, {}}),
		deepCase("array", [3]string{text, "b", text}), deepCase("array of arrays", [2][2]*int{{pointerTo(1)}, {nil, pointerTo(2)}}),
		deepCase("one pointer", [1]*int{pointerTo(1)}), deepCase("pointer to array", &[2]*int{pointerTo(1)}),
		deepCase("no elements", [0]*int{}), deepCase("slice of none", make([][0]*int, 3)),
		deepCase("map", map[string]*int{text: pointerTo(1), "b": nil}), deepCase("plain map", map[int]point{1: {1, 2}}),
		deepCase("named map", namedMap{text: {1, 2}}), deepCase("empty map", map[string]int{}),
		deepCase("map of arrays", map[[2]string][2]*int{{text}: {pointerTo(1)}}),
		deepCase("map of any", map[any]any{1: text, text: 1, point{1, 2}: &point{3, 4}}),
		deepCase("map of nothing", map[string]struct{}{text: {}}),
		deepCase("any of int", any(1000)), deepCase("any of string", any(text)), deepCase("any of pointer", any(pointerTo(1))),
		deepCase("any of map", any(map[string]int{text: 1})), deepCase("any of slice", any([]string{text})),
		deepCase("any of one pointer", any(boxed{pointerTo(1)})), deepCase("any of two", any(wide{pointerTo(1), pointerTo(2)})),
		deepCase("any of one pointer and nothing", any(padded{p: pointerTo(1)})),
		deepCase("any of array", any([1]*int{pointerTo(1)})), deepCase("any of two arrays", any([2][2]string{{text}})),
		deepCase("any of any", any([]any{any(text), nil})), deepCase("any of nothing", any(struct{}{})),
		deepCase("any of nil pointer", any((*int)(nil))), deepCase("any of nil map", any(map[int]int(nil))),
		deepCase("interface of one pointer", stringer(boxed{pointerTo(1)})),
		deepCase("interface of two", stringer(wide{pointerTo(1), pointerTo(2)})),
		deepCase("slice of interfaces", []stringer{wide{pointerTo(1), pointerTo(2)}, nil, boxed{pointerTo(3)}}),
		deepCase("nil errors", []error{(*fs.PathError)(nil), reflect.Zero(reflect.TypeOf(io.EOF)).Interface().(error), nil}),
		deepCase("error", fmt.Errorf("%s: %w", text, &fs.PathError{Op: text, Err: io.EOF})),
		deepCase("zero-size", []any{&struct{}{}, new([0]int), []struct{}{{}, {}}}),
		deepCase("private", private{
			pointerTo(1), struct{ text, same string }{text, text}, []*point{{1, 2}, nil}, map[point]*point{{1, 2}: {3, 4}},
			&wide{pointerTo(5), nil}, io.EOF, &private{}, [2][3]*int{{nil, pointerTo(6)}}, nil,
		}),
	} {
		t.Run(c.name, func(t *testing.T) {
			clone := c.clone()
			if !reflect.DeepEqual(clone, c.v) || reflect.TypeOf(clone) != reflect.TypeOf(c.v) {
				t.Fatalf("got %T %v, want %T %v", clone, clone, c.v, c.v)
			}
			checkClone(t, c.v, clone)
		})
	}
}

func TestDeepCloneKeepsNilAndEmpty(t *testing.T) {
	type all struct {
		p *int
		s []int
		m map[int]int
		i any
		e error
		f func()
		c chan int
		u unsafe.Pointer
	}
	if c := arena.DeepClone(&all{}); !reflect.DeepEqual(c, &all{}) {
		t.Errorf("nil fields became %v", c)
	}
	if arena.DeepClone[any](nil) != nil || arena.DeepClone[*int](nil) != nil || arena.DeepClone[map[int]int](nil) != nil {
		t.Error("clone of nil is not nil")
	}
	c := arena.DeepClone([][]int{nil, {}, make([]int, 0, 5)})
	if c[0] != nil || c[1] == nil || c[2] == nil || cap(c[2]) != 0 {
		t.Errorf("got %#v", c)
	}
}

func TestDeepCloneKeepsCycles(t *testing.T) {
	type node struct {
		next, self *node
		any        any
		list       []*node
		index      map[*node]*node
	}
	a, b := &node{}, &node{}
	*a = node{b, a, a, []*node{a, b}, map[*node]*node{a: b, b: a}}
	*b = node{next: a}
	c := arena.DeepClone(a)
	d := c.next
	if c == a || d == b || d.next != c || c.self != c || c.any != any(c) || c.list[0] != c || c.list[1] != d ||
		c.index[c] != d || c.index[d] != c || len(c.index) != 2 {
		t.Error("cycle broken")
	}
	type slice []slice
	s := make(slice, 2)
	s[0] = s
	if c := arena.DeepClone(s); &c[0][0] != &c[0] || c[1] != nil {
		t.Error("a slice that holds itself")
	}
	type loop *loop
	var p loop
	p = &p
	if c := arena.DeepClone(p); *c != c || c == p {
		t.Error("a pointer that points to itself")
	}
	var i any
	i = &i
	if c := arena.DeepClone(i); *c.(*any) != c || c == i {
		t.Error("an interface that points to itself")
	}
}

func TestDeepCloneRebuildsMaps(t *testing.T) {
	m := map[string]any{"x": 1}
	m["self"] = m
	c := arena.DeepClone(m)
	if inner := c["self"].(map[string]any); dataOf(inner) != dataOf(c) || dataOf(c) == dataOf(m) {
		t.Error("a map that holds itself")
	}
	shared := map[int]int{1: 2}
	two := arena.DeepClone([]any{shared, &shared, shared})
	if dataOf(two[0]) != dataOf(two[2]) || dataOf(*two[1].(*map[int]int)) != dataOf(two[0]) {
		t.Error("a map that is reached twice")
	}
	converted := struct {
		a namedMap
		b map[string][]int
	}{a: namedMap{"x": {1}}}
	converted.b = converted.a
	if c := arena.DeepClone(converted); dataOf(c.a) != dataOf(c.b) {
		t.Error("a map under two types")
	}
	nan := arena.DeepClone(map[float64]*int{math.NaN(): pointerTo(1), math.Inf(1): pointerTo(2)})
	if len(nan) != 2 {
		t.Error("NaN key lost")
	}
	k := &point{1, 2}
	type key struct {
		any  any
		text string
	}
	keys := map[any]*point{k: k, key{k, strings.Repeat("k", 3)}: k, boxed{&k.X}: nil}
	both := arena.DeepClone(struct {
		k *point
		m map[any]*point
	}{k, keys})
	if both.m[both.k] != both.k || both.m[key{both.k, "kkk"}] != both.k || len(both.m) != 3 {
		t.Error("keys do not match what else is cloned")
	}
	if _, ok := both.m[boxed{&both.k.X}]; !ok {
		t.Error("interior pointer in a key")
	}
}

func TestDeepCloneKeepsIdentity(t *testing.T) {
	made := errors.New(strings.Repeat("made", 10))
	for _, err := range []error{io.EOF, fs.ErrNotExist, context.Canceled, errSentinel} {
		if c := arena.DeepClone(err); c != err && testkit.Inlines() {
			t.Errorf("%v is another error in the clone", err)
		}
	}
	if c := arena.DeepClone([]error{made, made, io.EOF, io.EOF}); c[0] == made || c[0] != c[1] || c[0].Error() != made.Error() ||
		(c[2] != io.EOF || c[3] != io.EOF) && testkit.Inlines() {
		t.Error("errors in a list")
	}
	if c := arena.DeepClone(fmt.Errorf("x: %w", io.EOF)); !errors.Is(c, io.EOF) && testkit.Inlines() {
		t.Error("wrapped sentinel")
	}
	now := time.Now()
	if c := arena.DeepClone(now); c != now || c.Location() != time.Local {
		t.Error("time.Local lost")
	}
	if c := arena.DeepClone(&now); *c != now || c == &now {
		t.Error("time.Local lost behind a pointer")
	}
	if typ := reflect.TypeOf(now); arena.DeepClone(typ) != typ || arena.DeepClone(any(typ)) != any(typ) {
		t.Error("reflect.Type")
	}
	if h := unique.Make("text"); arena.DeepClone(h) != h {
		t.Error("unique.Handle")
	}
	if a := netip.MustParseAddr("fe80::1%eth0"); arena.DeepClone(a) != a {
		t.Error("netip.Addr")
	}
	ctx, cancel := context.WithCancel(t.Context())
	c := arena.DeepClone(struct{ ctx context.Context }{ctx})
	cancel()
	if c.ctx.Err() == nil {
		t.Error("context does not hear of cancellation")
	}
	a := arena.NewArena()
	if c := arena.DeepClone([]any{a, &struct{ a *arena.Arena }{a}}); c[0] != any(a) || c[1].(*struct{ a *arena.Arena }).a != a {
		t.Error("arena was cloned")
	}
	timer := time.NewTimer(time.Hour)
	if c := arena.DeepClone(timer); c != timer || !c.Stop() {
		t.Error("timer was cloned")
	}
}

func TestDeepCloneCopiesOpaqueValues(t *testing.T) {
	x := 1
	v := struct {
		f func() int
		c chan int
		u unsafe.Pointer
		n uintptr
		p *int
	}{func() int { return x }, make(chan int, 1), unsafe.Pointer(&x), 5, &x}
	c := arena.DeepClone(&v)
	if c.c != v.c || c.u != v.u || c.n != v.n || c.f() != 1 || c.p == v.p || *c.p != 1 {
		t.Errorf("got %v, want %v", c, v)
	}
	if i := arena.DeepClone([]any{v.c, v.u, v.f}); i[0] != any(v.c) || i[1] != any(v.u) || i[2].(func() int)() != 1 {
		t.Error("in interfaces")
	}
	type onlyOpaque struct{ c chan *[4]int }
	o := &onlyOpaque{make(chan *[4]int, 1)}
	element := &[4]int{}
	o.c <- element
	alive := weak.Make(element)
	clone := arena.DeepClone(o)
	if clone == o {
		t.Error("a struct with nothing to follow is not cloned")
	}
	o, element = nil, nil
	runtime.GC()
	if alive.Value() == nil || len(clone.c) != 1 {
		t.Error("the GC does not see a channel in a clone")
	}
}

func TestDeepCloneOfSyncTypes(t *testing.T) {
	type guarded struct {
		sync.Mutex
		m    sync.Map
		next atomic.Pointer[guarded]
		any  atomic.Value
		cond *sync.Cond
	}
	g := &guarded{}
	g.m.Store("a", 1)
	g.next.Store(g)
	g.any.Store(g)
	g.cond = sync.NewCond(g)
	g.Lock()
	c := arena.DeepClone(g)
	if g.Unlock(); c.TryLock() {
		t.Error("a locked mutex became unlocked")
	}
	if v, _ := c.m.Load("a"); v != 1 || c == g {
		t.Error("sync.Map")
	}
	if c.next.Load() != c || c.any.Load() != any(c) || c.cond.L != sync.Locker(c) {
		t.Error("pointer in a type of package sync is not followed")
	}
	type embedded struct {
		arena.Arena
		text string
	}
	e := &embedded{text: "text"}
	arena.New[[9]int](&e.Arena)
	arena.New[*int](&e.Arena)
	if c := arena.DeepClone(e); !reflect.ValueOf(&c.Arena).Elem().IsZero() || c.text != "text" {
		t.Error("an arena by value is not zero in the clone")
	}
}

var errSentinel = errors.New("sentinel")
