package watch_test

import (
	"reflect"
	"runtime/debug"
	"strings"
	"testing"

	"github.com/harena-go/arena"
	traps "github.com/harena-go/arena/internal/engine/fill"
	"github.com/harena-go/arena/internal/engine/race"
	"github.com/harena-go/arena/internal/tests/testkit"
)

// deadly has each kind of pointer.
type deadly struct {
	number int32
	flag   bool
	p      *int
	s      []int
	str    string
	m      map[string]int
	i      any
	e      error
	ch     chan int
	f      func() int
	array  [2]*deadly
	last   float64
}

// fault runs f, which touches dead memory, and returns the address at which it faults, or 0.
func fault(f func()) (addr uintptr) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	if e, ok := testkit.Caught(f).(interface{ Addr() uintptr }); ok {
		return e.Addr()
	}
	return 0
}

// TestDeadPointersFault: following a pointer in a dead value faults, at an address that encodes the arena and the time.
func TestDeadPointersFault(t *testing.T) {
	if race.Instrumented {
		t.Skip("the sanitizer reports the use before it can fault")
	}
	if traps.Trap(0, 0) == nil {
		t.Skip("there is no memory to reserve here: dead pointers are nil")
	}
	uses := map[string]func(d *deadly){
		"pointer": func(d *deadly) { *d.p = 1 },
		"slice":   func(d *deadly) { d.s[3] = 1 },
		"range": func(d *deadly) {
			testkit.Sink = func() (n int) {
				for _, x := range d.s {
					n += x
				}
				return
			}()
		},
		"string":         func(d *deadly) { testkit.Sink = strings.Clone(d.str) },
		"map":            func(d *deadly) { testkit.Sink = d.m["x"] },
		"interface":      func(d *deadly) { testkit.Sink = reflect.ValueOf(d.i).Int() },
		"method":         func(d *deadly) { testkit.Sink = d.e.Error() },
		"channel":        func(d *deadly) { d.ch <- 1 },
		"function":       func(d *deadly) { testkit.Sink = d.f() },
		"array":          func(d *deadly) { testkit.Sink = d.array[1].array[0] },
		"array, pointer": func(d *deadly) { testkit.Sink = *d.array[1].p },
	}
	for _, opts := range [][]arena.Option{nil, {arena.WithNoScan()}} {
		a := arena.NewArena(append(opts, arena.WithChecks(arena.CheckObjects), arena.OnEscape(func(arena.Escape) {}))...)
		arena.New[int](a)
		a.Reset()
		first := a
		for name, use := range uses {
			n := 1
			d := arena.NewOf(a, deadly{p: &n, s: []int{1, 2, 3, 4}, str: "string", m: map[string]int{}, i: 1, ch: make(chan int, 1)})
			a.Reset()
			addr := fault(func() { use(d) })
			if addr == 0 {
				t.Errorf("%s: no fault", name)
				continue
			}
			arenaNumber, times, ok := traps.Explain(addr)
			if !ok {
				t.Errorf("%s: fault at %#x, which explains nothing", name, addr)
			}
			_, _, _ = arenaNumber, times, first
		}
	}
}

// TestDeadScalars: they are conspicuous.
func TestDeadScalars(t *testing.T) {
	if race.Instrumented {
		t.Skip("the sanitizer reports the use")
	}
	a := arena.NewArena(arena.WithChecks(arena.CheckObjects), arena.OnEscape(func(arena.Escape) {}))
	d, n, s := arena.New[deadly](a), arena.New[uint64](a), arena.MakeSlice[uint16](a, 3, 3)
	uninit := a.AllocBytesUninit(3)
	if string(uninit) != "\xdb\xdb\xdb" {
		t.Errorf("memory of undefined contents is % x, as if it were erased", uninit)
	}
	a.Reset()
	if d.number != -606348325 || d.last > -1e130 || *n != 0xdbdb_dbdb_dbdb_dbdb || s[2] != 0xdbdb {
		t.Errorf("%v %v %x %x", d.number, d.last, *n, s)
	}
}

// TestWritesAreFound: writes to dead memory are reported, also if nothing holds it any more.
func TestWritesAreFound(t *testing.T) {
	if race.Instrumented {
		t.Skip("the sanitizer reports the write")
	}
	writes := map[string]func(a *arena.Arena) func(){
		"int":            func(a *arena.Arena) func() { p := arena.New[int](a); return func() { *p = 1 } },
		"last byte":      func(a *arena.Arena) func() { p := a.AllocBytes(1000); return func() { p[999] = 1 } },
		"raw":            func(a *arena.Arena) func() { p := (*byte)(a.Alloc(100, 64)); return func() { *p = 1 } },
		"number":         func(a *arena.Arena) func() { p := arena.New[deadly](a); return func() { p.number = 1 } },
		"last number":    func(a *arena.Arena) func() { p := arena.New[deadly](a); return func() { p.last = 1 } },
		"pointer":        func(a *arena.Arena) func() { p := arena.New[deadly](a); return func() { p.p = &testkit.Decoy } },
		"slice":          func(a *arena.Arena) func() { p := arena.New[deadly](a); return func() { p.s = p.s[:5] } },
		"string":         func(a *arena.Arena) func() { p := arena.New[deadly](a); return func() { p.str = "" } },
		"interface":      func(a *arena.Arena) func() { p := arena.New[deadly](a); return func() { p.i = 1 } },
		"element":        func(a *arena.Arena) func() { p := arena.MakeSlice[order](a, 9, 9); return func() { p[8].id = 1 } },
		"behind the end": func(a *arena.Arena) func() { p := arena.MakeSlice[order](a, 8, 9); return func() { p[:9][8].id = 1 } },
	}
	for _, opts := range [][]arena.Option{nil, {arena.WithNoScan()}} {
		for name, write := range writes {
			var got escapes
			a := arena.NewArena(append(opts, arena.WithChecks(arena.CheckObjects), got.option())...)
			w := write(a)
			a.Reset()
			w()
			w = nil
			if list := got.found(); len(list) != 1 || !list[0].Written || !strings.Contains(list[0].String(), "written to") {
				t.Errorf("%s: %v", name, list)
			}
			if list := got.found(); len(list) != 0 {
				t.Errorf("%s: reported twice: %v", name, list)
			}
		}
	}
}

// TestCheckedScrub: secrets are erased at once in checked arenas too.
func TestCheckedScrub(t *testing.T) {
	if race.Instrumented {
		t.Skip("the sanitizer reports the look")
	}
	for _, opts := range [][]arena.Option{nil, {arena.WithNoScan()}} {
		a := arena.NewArena(append(opts, arena.WithScrub(), arena.WithChecks(arena.CheckResets), arena.OnEscape(func(arena.Escape) {}))...)
		key, o := a.AllocBytes(100), arena.NewOf(a, order{id: 7, name: "secret"})
		big, bigOrders := a.AllocBytes(100000), arena.MakeSlice[order](a, 1000, 1000)
		key[99], big[99999], bigOrders[999].id = 1, 1, 1
		m := a.Mark()
		late := a.AllocBytes(100)
		late[99] = 1
		a.Rewind(m)
		if !testkit.AllZero(late) {
			t.Error("Rewind has left something")
		}
		a.Reset()
		if !testkit.AllZero(key) || !testkit.AllZero(big) || bigOrders[999].id != 0 || o.id != 0 || o.name != "" {
			t.Errorf("Reset has left something: %v %v %v %v", testkit.AllZero(key), testkit.AllZero(big), bigOrders[999].id, *o)
		}
	}
}
