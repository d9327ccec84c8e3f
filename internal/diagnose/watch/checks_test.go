package watch_test

import (
	"fmt"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/harena-go/arena"
	"github.com/harena-go/arena/arenajson"
	"github.com/harena-go/arena/collections"
	"github.com/harena-go/arena/internal/engine/race"
	"github.com/harena-go/arena/internal/tests/testkit"
	"github.com/harena-go/arena/internal/tests/testkit/arenakit"
)

// escapes collects the reports of checked arenas.
type escapes struct {
	mu   sync.Mutex
	list []arena.Escape
}

func (e *escapes) add(x arena.Escape) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.list = append(e.list, x)
}

// option makes arenas report to e.
func (e *escapes) option() arena.Option { return arena.OnEscape(e.add) }

// found runs FindEscapes, and returns the reports since the last call.
func (e *escapes) found() []arena.Escape {
	arena.FindEscapes()
	e.mu.Lock()
	defer e.mu.Unlock()
	list := e.list
	e.list = nil
	return list
}

// order has pointers, price hasn't.
type order struct {
	id    int
	name  string
	items []price
	next  *order
}

type price struct{ euros, cents int }

// escaped holds values that the tests let escape.
var escaped struct {
	order  *order
	price  *price
	prices []price
	text   string
}

// An ending reclaims the memory that use allocates from its arena.
type ending struct {
	name string
	of   string // the function that the report begins with
	run  func(opts []arena.Option, use func(*arena.Arena))
}

var endings = []ending{
	{"Reset", "(*Arena).Reset", func(opts []arena.Option, use func(*arena.Arena)) {
		a := arena.NewArena(opts...)
		use(a)
		a.Reset()
	}},
	{"Reset of a parent", "(*Arena).Reset", func(opts []arena.Option, use func(*arena.Arena)) {
		a := arena.NewArena(opts...)
		use(a.Child())
		a.Reset()
	}},
	{"Reset of a child", "(*Arena).Reset", func(opts []arena.Option, use func(*arena.Arena)) {
		a := arena.NewArena(opts...)
		c := a.Child()
		use(c)
		c.Reset()
		a.Free()
	}},
	{"Rewind", "(*Arena).Rewind", func(opts []arena.Option, use func(*arena.Arena)) {
		a := arena.NewArena(opts...)
		escapedNot = append(escapedNot[:0], arena.New[order](a), arena.New[price](a))
		m := a.Mark()
		use(a)
		a.Rewind(m)
		if a.SelfContained() { // older values may lead there until now
			escapedNot = nil
			a.Reset()
		}
	}},
	{"Rewind past a child", "(*Arena).Rewind", func(opts []arena.Option, use func(*arena.Arena)) {
		a := arena.NewArena(opts...)
		m := a.Mark()
		use(a.Child())
		a.Rewind(m)
	}},
	{"Put", "(*Pool).Put", func(opts []arena.Option, use func(*arena.Arena)) {
		p := arena.NewPool(arenakit.PoolOptions(opts)...)
		a := p.Get()
		use(a)
		p.Put(a)
	}},
	{"Do", "(*Pool).DoKeyed", func(opts []arena.Option, use func(*arena.Arena)) {
		p := arena.NewPool(arenakit.PoolOptions(opts)...)
		p.DoKeyed("key", func(a *arena.Arena) error {
			use(a)
			return nil
		})
	}},
	{"Shared", "(*Shared).Reset", func(opts []arena.Option, use func(*arena.Arena)) {
		s := arena.NewShared(opts...)
		use(s.Local())
		s.Reset()
	}},
	{"Reset of a local", "(*Arena).Reset", func(opts []arena.Option, use func(*arena.Arena)) {
		s := arena.NewShared(opts...)
		a := s.Local()
		use(a)
		a.Reset()
		if a.SelfContained() {
			s.Reset()
		}
	}},
}

var escapedNot []any // values that are allowed to live

// checkedKinds are the kinds of arenas in the tests below.
var checkedKinds = []struct {
	name    string
	objects bool
	opts    []arena.Option
}{
	{"resets", false, []arena.Option{arena.WithChecks(arena.CheckResets)}},
	{"resets, self-contained", false, []arena.Option{arena.WithChecks(arena.CheckResets), arena.WithNoScan()}},
	{"objects", true, []arena.Option{arena.WithChecks(arena.CheckObjects)}},
	{"objects, self-contained", true, []arena.Option{arena.WithChecks(arena.CheckObjects | arena.CheckResets), arena.WithNoScan()}},
	{"objects, scrub", true, []arena.Option{arena.WithChecks(arena.CheckObjects), arena.WithScrub()}},
}

// forAll runs f for each ending of each kind of checked arena.
func forAll(t *testing.T, f func(t *testing.T, e ending, objects bool, opts []arena.Option, found func() []arena.Escape)) {
	for _, k := range checkedKinds {
		for _, e := range endings {
			t.Run(k.name+"/"+e.name, func(t *testing.T) {
				var got escapes
				f(t, e, k.objects, append([]arena.Option{got.option(), arena.WithName("orders")}, k.opts...), got.found)
			})
		}
	}
}

// TestEscapesAreFound: a value held by a global variable is reported, with its type and the lines of the allocation and
// of the reclaiming call.
func TestEscapesAreFound(t *testing.T) {
	forAll(t, func(t *testing.T, e ending, objects bool, opts []arena.Option, found func() []arena.Escape) {
		e.run(opts, func(a *arena.Arena) {
			escaped.order = arena.New[order](a)
			arena.New[order](a)
			arena.New[price](a)
		})
		list := found()
		escaped.order = nil
		if len(list) != 1 {
			t.Fatalf("%d escapes: %v", len(list), list)
		}
		x := list[0]
		if late := map[string]string{"Rewind": "(*Arena).Reset", "Reset of a local": "(*Shared).Reset"}[e.name]; late != "" &&
			x.Type == "self-contained" {
			e.of = late
		}
		if x.Arena != "orders" || x.Cycles != 3 || x.Written || !strings.HasSuffix(x.Reclaimed[0].Function, "arena."+e.of) {
			t.Errorf("wrong report: %v", x)
		}
		if user := x.Reclaimed[1]; !strings.HasSuffix(user.File, "checks_test.go") {
			t.Errorf("reclaimed by %v", user)
		}
		if !objects {
			return
		}
		if x.Type != "watch_test.order" || x.Size != testkit.SizeOfType(order{}) {
			t.Errorf("it is %s of %d bytes", x.Type, x.Size)
		}
		if x.Allocated[0].Function != "github.com/harena-go/arena.New[...]" || !strings.Contains(x.Allocated[1].Function, "TestEscapesAreFound") {
			t.Errorf("allocated by %v", x.Allocated)
		}
	})
}

// TestReportsNameTheCaller: reports of all kinds of allocations name the line of the user's call.
func TestReportsNameTheCaller(t *testing.T) {
	var e escapes
	type shop struct{ Next *shop }
	for name, allocate := range map[string]func(a *arena.Arena) any{
		"arena.New[...]":            func(a *arena.Arena) any { return arena.New[order](a) },
		"arena.Append[...]":         func(a *arena.Arena) any { return arena.Append(a, nil, &order{}) },
		"arena.Collect[...]":        func(a *arena.Arena) any { return arena.Collect(a, slices.Values([]int{1})) },
		"arena.(*Arena).Sprintf":    func(a *arena.Arena) any { return []string{a.Sprintf("%d", 1)} },
		"arena.Concat":              func(a *arena.Arena) any { return []string{arena.Concat(a, "x", "y")} },
		"arena.Join":                func(a *arena.Arena) any { return []string{arena.Join(a, []string{"x", "y"}, ",")} },
		"collections.NewSlice[...]": func(a *arena.Arena) any { return collections.NewSlice[int](a, 8) },
		"arenajson.New[...]":        func(a *arena.Arena) any { v, _ := arenajson.New[shop](a, []byte(`{"Next":{}}`)); return v.Next },
	} {
		a := arena.NewArena(arena.WithChecks(arena.CheckObjects), e.option())
		held := allocate(a)
		a.Reset()
		list := e.found()
		runtime.KeepAlive(held)
		if len(list) == 0 {
			t.Errorf("%s: nothing found", name)
		}
		for _, x := range list {
			if len(x.Allocated) < 2 || !strings.HasSuffix(x.Allocated[0].Function, name) || !strings.HasSuffix(x.Allocated[1].File, "checks_test.go") {
				t.Errorf("%s: %v", name, x)
			}
			if _, isText := held.([]string); isText && x.Type != "string" {
				t.Errorf("%s: it is %s", name, x.Type)
			}
		}
	}
}

// TestNothingEscapes: there is no report if nothing is held, or only values that are still alive.
func TestNothingEscapes(t *testing.T) {
	forAll(t, func(t *testing.T, e ending, objects bool, opts []arena.Option, found func() []arena.Escape) {
		for range 3 {
			e.run(opts, useAll)
		}
		if list := found(); len(list) > 0 {
			t.Errorf("%d false reports, such as %v", len(list), list[0])
		}
	})
}

// useAll allocates in each of the ways, and points from all to all.
func useAll(a *arena.Arena) {
	var orders []*order
	for i := range 50 {
		o := arena.New[order](a)
		o.name = a.AllocString(fmt.Sprint("order ", i))
		o.items = arena.Append(a, o.items, price{i, i}, price{})
		o.items = arena.Append(a, o.items, price{i, i}, price{})
		if i > 0 {
			o.next = orders[i-1]
		}
		orders = arena.Append(a, orders, o)
	}
	m := a.Mark()
	arena.For[order](a).New().next = orders[0]
	orders[0].next = arena.NewOf(a, order{name: a.Sprintf("%d", 1)})
	orders[1].items = arena.CopySlice(a, orders[2].items)
	orders[0].next = nil
	orders[1].items = nil
	a.Rewind(m)
	b := a.Realloc(a.Alloc(5, 1), 5, 5000, 64)
	a.Realloc(b, 5000, 50, 64)
	a.AllocBytesUninit(100000)
	c := a.Child()
	arena.New[order](c).next = orders[3]
	c.Free()
	arena.New[order](a.Child()).next = orders[3]
	a.KeepAlive(new(int))
}

// TestEscapedStaysAsItWas: with CheckResets reclaimed values can be used without harm, also if they lead to more in a
// self-contained arena, its child or another local, and after later reclaims.
func TestEscapedStaysAsItWas(t *testing.T) {
	if race.Instrumented {
		t.Skip("the sanitizer reports the use")
	}
	for _, noScan := range []bool{false, true} {
		opts := []arena.Option{arena.WithChecks(arena.CheckResets), arena.OnEscape(func(arena.Escape) {}), arena.WithChunkSize(256)}
		if noScan {
			opts = append(opts, arena.WithNoScan())
		}
		for _, e := range endings {
			var last, rewound *order
			e.run(opts, func(a *arena.Arena) {
				for i := range 100 { // in many chunks
					last = arena.NewOf(a, order{id: i, next: last, name: a.AllocString("a name")})
					if i == 50 {
						m := a.Mark()
						rewound = arena.NewOf(a, order{id: i, next: last, name: a.AllocString("a name")})
						a.Rewind(m)
					}
				}
			})
			testkit.Churn()
			for _, first := range []*order{last, rewound} {
				last, rewound = nil, nil
				n := 0
				for o := first; o != nil; o = o.next {
					if o.name != "a name" {
						t.Fatalf("%s, self-contained %v: order %d isn't what it was", e.name, noScan, n)
					}
					n++
				}
				if want := map[bool]int{true: 100, false: 52}[first.id == 99]; n != want {
					t.Errorf("%s, self-contained %v: %d orders, not %d", e.name, noScan, n, want)
				}
			}
		}
		if !noScan {
			continue
		}
		s := arena.NewShared(opts...)
		a, b := s.Local(), s.Local()
		o := arena.New[order](a.Child())
		o.next = arena.New[order](a)
		o.next.next = arena.NewOf(b, order{id: 7})
		s.Reset()
		testkit.Churn()
		if o.next.next.id != 7 {
			t.Error("what a value of a child held in another local has gone")
		}
	}
}

// TestFreedIsNoEscape: values that Free leaves to the GC may be used.
func TestFreedIsNoEscape(t *testing.T) {
	for _, k := range checkedKinds {
		var got escapes
		a := arena.NewArena(append(k.opts, got.option())...)
		escaped.order = arena.New[order](a)
		escaped.order.next = arena.NewOf(a, order{id: 7})
		escaped.price = arena.New[price](a.Child())
		a.Free()
		if list := got.found(); len(list) > 0 {
			t.Errorf("%s: %v", k.name, list[0])
		}
		if k.name != "objects, scrub" && escaped.order.next.id != 7 {
			t.Errorf("%s: changed by Free", k.name)
		}
		escaped.order, escaped.price = nil, nil
	}
}

// TestFindEscapesAtTheSameTime: when it returns its caller's escapes have been reported, even during reports to other
// goroutines.
func TestFindEscapesAtTheSameTime(t *testing.T) {
	rounds := 20
	if testing.Short() {
		rounds = 4
	}
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			for range rounds {
				var told atomic.Int32
				a := arena.NewArena(arena.WithChecks(arena.CheckResets), arena.OnEscape(func(arena.Escape) { told.Add(1) }))
				p := arena.New[[40]int](a)
				a.Reset()
				arena.FindEscapes()
				if told.Load() != 1 {
					t.Errorf("told of %d escapes; want 1", told.Load())
				}
				runtime.KeepAlive(p)
			}
		})
	}
	wg.Wait()
}
