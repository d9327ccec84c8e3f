package watch_test

import (
	"fmt"
	"runtime/debug"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/harena-go/arena"
	traps "github.com/harena-go/arena/internal/engine/fill"
	"github.com/harena-go/arena/internal/engine/guard"
	"github.com/harena-go/arena/internal/engine/race"
	"github.com/harena-go/arena/internal/tests/testkit"
	"github.com/harena-go/arena/internal/tuning"
)

// guarded returns a pool in which every arena is guarded, and its reports.
func guarded(t *testing.T, opts ...arena.PoolOption) (p *arena.Pool, told *[]arena.Escape) {
	if race.Instrumented {
		t.Skip("the sanitizer reports the use before it can fault")
	}
	if guard.PageSize == 0 || traps.Trap(0, 0) == nil {
		t.Skip("memory can't be guarded here")
	}
	told = new([]arena.Escape)
	t.Cleanup(func() {
		arena.FindEscapes()
		debug.SetPanicOnFault(false)
	})
	opts = append(opts, arena.WithGuardRate(1), arena.WithName("canary"),
		arena.OnEscape(func(e arena.Escape) { *told = append(*told, e) }))
	return arena.NewPool(append([]arena.PoolOption{arena.WithReuse()}, opts...)...), told
}

// last has the values that a use leaves for the next request.
type last struct {
	order *order
	text  string
	ids   []int64
	row   *row
	any   any
}

// A row has no pointers.
type row struct{ id, cents int64 }

// fillLast fills it from an arena.
func fillLast(a *arena.Arena, l *last) {
	*l = last{arena.NewOf(a, order{id: 1, name: a.Sprintf("order %d", 1)}), a.Sprintf("text %d", 2),
		arena.Append(a, []int64(nil), 3, 4), arena.NewOf(a, row{id: 5}), arena.NewOf(a, order{id: 6})}
}

// uses are ways to use these values, and their types in reports.
var uses = map[string]struct {
	use  func(l *last)
	what string
}{
	"string":         {func(l *last) { testkit.Sink = strings.Clone(l.text) }, "without pointers"},
	"string's byte":  {func(l *last) { testkit.Sink = l.text[1] == 'x' }, "without pointers"},
	"slice":          {func(l *last) { testkit.Sink = l.ids[0] + 1 }, "without pointers"},
	"write":          {func(l *last) { l.ids[1]++ }, "without pointers"},
	"value":          {func(l *last) { testkit.Sink = l.row.id + 1 }, "without pointers"},
	"write of value": {func(l *last) { l.row.cents = 1 }, "without pointers"},
	"pointer":        {func(l *last) { testkit.Sink = l.order.name + "x" }, "a pointer in a dead value"},
	"in library":     {func(l *last) { testkit.Sink = strings.ToUpper(l.text) }, "without pointers"},
	"formatted":      {func(l *last) { testkit.Sink = fmt.Appendf(nil, "%s", l.text) }, "without pointers"},
}

// TestGuardedUses: each use of values left by a request is reported once, with the stacks of the use, of the end, and
// of Get, through any number of functions.
func TestGuardedUses(t *testing.T) {
	for name, u := range uses {
		for _, opts := range [][]arena.PoolOption{nil, {arena.WithNoScan()}} {
			if u.what == "a pointer in a dead value" && opts != nil {
				u.what = "self-contained"
			}
			t.Run(fmt.Sprint(name, len(opts)), func(t *testing.T) {
				p, told := guarded(t, opts...)
				l := new(last)
				p.DoKeyed("GET /order", func(a *arena.Arena) error { fillLast(a, l); return nil })
				v := testkit.Caught(func() {
					p.Do(func(*arena.Arena) error {
						return p.Do(func(*arena.Arena) error { u.use(l); return nil })
					})
				})
				if fmt.Sprintf("%T", v) == "<nil>" || len(*told) != 1 {
					t.Fatalf("%d reports; panic: %v", len(*told), v)
				}
				e := (*told)[0]
				if err, ok := v.(error); !ok || err.Error() != e.String() {
					t.Errorf("the panic is %v", v)
				}
				if again, ok := arena.ReportFault(v); !ok || again.String() != e.String() || len(*told) != 1 {
					t.Error("reported again, or not known")
				}
				text := e.String()
				for _, want := range []string{`in arena "canary" with key "GET /order" was used after`, "Used by:", "Reclaimed by:", "Lent by:"} {
					if !strings.Contains(text, want) {
						t.Errorf("no %q in the report:\n%s", want, text)
					}
				}
				for title, frames := range map[string]string{"touch": fmt.Sprint(e.Touch), "end": fmt.Sprint(e.Reclaimed), "Get": fmt.Sprint(e.Lent)} {
					if !strings.Contains(frames, "fence_test.go") {
						t.Errorf("the stack of the %s doesn't have the test's line: %s", title, frames)
					}
				}
				if !e.Touched || !strings.Contains(text, u.what) && u.what != "self-contained" {
					t.Errorf("not a %s: %s", u.what, text)
				}
			})
		}
	}
}

// TestGuardedNumbers: a number read from a dead value is reported, too, if the runtime refuses it. Others aren't.
func TestGuardedNumbers(t *testing.T) {
	p, told := guarded(t)
	l := new(last)
	p.Do(func(a *arena.Arena) error { fillLast(a, l); return nil })
	for name, u := range map[string]struct {
		use  func()
		want int
	}{
		"index":       {func() { testkit.Sink = []int{1}[l.order.id] }, 1},
		"bound":       {func() { testkit.Sink = []int{1}[:l.order.id] }, 1},
		"wrong index": {func() { testkit.Sink = []int{1}[len(p.Stats().String())] }, 0},
		"its own":     {func() { panic("-2604246222170760229") }, 0},
	} {
		*told = nil
		v := testkit.Caught(func() { p.Do(func(*arena.Arena) error { u.use(); return nil }) })
		if v == nil || len(*told) != u.want {
			t.Fatalf("%s: %d reports; panic: %v", name, len(*told), v)
		}
		if e, ok := arena.ReportFault(v); ok && (len(*told) != 1 || !strings.Contains(fmt.Sprint(e.Touch), "fence_test.go") ||
			!strings.Contains(e.String(), "out of range [") || !strings.Contains(e.String(), "in a dead value")) {
			t.Errorf("%s: %v", name, e)
		}
	}
}

// TestDeferredPutReports: the caller's panic goes on, with a report if it is a fault at guarded memory.
func TestDeferredPutReports(t *testing.T) {
	p, told := guarded(t)
	l := new(last)
	request := func(f func(a *arena.Arena)) any {
		return testkit.Caught(func() {
			a := p.Get()
			defer p.Put(a)
			f(a)
		})
	}
	if v := request(func(a *arena.Arena) { fillLast(a, l) }); v != nil {
		t.Fatal(v)
	}
	if v := request(func(*arena.Arena) { panic("other") }); v != "other" || len(*told) > 0 {
		t.Errorf("the panic is %v; %d reports", v, len(*told))
	}
	v := request(func(*arena.Arena) { uses["string"].use(l) })
	if _, ok := arena.ReportFault(v); !ok || len(*told) != 1 {
		t.Errorf("the panic is %v; %d reports", v, len(*told))
	}
	if s := p.Stats(); s.Live != 0 || s.Puts != 3 || s.Escapes != 1 {
		t.Errorf("not put back: %v", s)
	}
}

// TestDeferredPutKeepsTheCause: the caller's panic goes on if Put panics, too, since it says more.
func TestDeferredPutKeepsTheCause(t *testing.T) {
	p, told := guarded(t)
	l := new(last)
	p.Do(func(a *arena.Arena) error { fillLast(a, l); return nil })
	for name, end := range map[string]func(a *arena.Arena){"Put": p.Put, "Free": (*arena.Arena).Free} {
		for cause, fails := range map[string]func(){"other": func() { panic("other") }, "fault": func() { uses["string"].use(l) }} {
			v := testkit.Caught(func() {
				a := p.Get()
				defer p.Put(a)
				end(a)
				fails()
			})
			if _, ok := arena.ReportFault(v); ok != (cause == "fault") || !ok && v != cause {
				t.Errorf("%s, then %s: the panic is %v", name, cause, v)
			}
		}
		testkit.WantPanic(t, func() {
			a := p.Get()
			defer p.Put(a)
			end(a)
		}, "Put: ")
	}
	if len(*told) != 2 {
		t.Errorf("%d reports", len(*told))
	}
}

// TestWorkerReports: a goroutine without an arena reports with ReportFault, which ignores panics other than faults at
// guarded memory.
func TestWorkerReports(t *testing.T) {
	p, told := guarded(t)
	l := new(last)
	p.Do(func(a *arena.Arena) error { fillLast(a, l); return nil })
	var reported atomic.Bool
	run := func(f func()) bool {
		done := make(chan bool)
		go func() {
			debug.SetPanicOnFault(true)
			defer func() {
				_, ok := arena.ReportFault(recover())
				done <- ok
			}()
			f()
		}()
		return <-done
	}
	reported.Store(run(func() { uses["slice"].use(l) }))
	if !reported.Load() || len(*told) != 1 {
		t.Errorf("reported: %v; %d reports", reported.Load(), len(*told))
	}
	var none *order
	for name, f := range map[string]func(){
		"nothing": func() {}, "nil": func() { none.id = 1 }, "text": func() { panic("text") },
		"error": func() { panic(fmt.Errorf("error")) }, "index": func() { l.ids[len(l.ids)+none1()] = 1 },
		"other address": func() { *(*byte)(traps.Trap(77, 77)) = 1 },
	} {
		if run(f) || len(*told) != 1 {
			t.Errorf("%s is reported", name)
		}
	}
}

//go:noinline
func none1() int { return 1 << 20 }

// TestWritesToGuardedValues: a write to a dead value with pointers is reported when the fence is lowered, whether or
// not something still holds the value.
func TestWritesToGuardedValues(t *testing.T) {
	for _, held := range []bool{false, true} {
		p, told := guarded(t)
		l := new(last)
		p.Do(func(a *arena.Arena) error { fillLast(a, l); return nil })
		l.order.id = 9
		if !held {
			*l = last{}
		}
		arena.FindEscapes()
		n := 0
		for _, e := range *told {
			if e.Written {
				n++
			}
		}
		if n != 1 || held != (len(*told) > 1) {
			t.Errorf("held %v: %d reports of a write, %d in all", held, n, len(*told))
		}
		testkit.Sink = l
	}
}

// TestHeldInGuardedArena: without a use, a reference is reported as by WithCheckRate.
func TestHeldInGuardedArena(t *testing.T) {
	p, told := guarded(t)
	l := new(last)
	p.Do(func(a *arena.Arena) error { fillLast(a, l); return nil })
	arena.FindEscapes()
	if len(*told) != 2 || (*told)[0].Touched || (*told)[0].Cycles < 3 { // the chunk of orders, and that of the rest
		t.Errorf("%d reports: %v", len(*told), *told)
	}
	if addr := fault(func() { uses["string"].use(l) }); addr != 0 {
		t.Error("still guarded")
	}
	testkit.Sink = l
}

// TestGuardsAreBounded: the oldest fences are lowered first, and all by FindEscapes.
func TestGuardsAreBounded(t *testing.T) {
	p, _ := guarded(t)
	faults := func(l *last) bool { return fault(func() { uses["string"].use(l) }) != 0 }
	lives := make([]last, tuning.FenceLives+10)
	for i := range lives {
		p.Do(func(a *arena.Arena) error { fillLast(a, &lives[i]); return nil })
	}
	for i, want := range map[int]bool{0: false, 9: false, 10: true, len(lives) - 1: true} {
		if faults(&lives[i]) != want {
			t.Errorf("life %d of %d faults: %v", i, len(lives), !want)
		}
	}
	large := make([][]byte, 4)
	for i := range large {
		p.Do(func(a *arena.Arena) error { large[i] = a.AllocBytes(tuning.FenceBytes / 2); return nil })
	}
	for i, b := range large {
		if got := fault(func() { b[0]++ }) != 0; got != (i == len(large)-1) {
			t.Errorf("large block %d faults: %v", i, got)
		}
	}
	if faults(&lives[len(lives)-1]) {
		t.Error("an older life is still guarded")
	}
}

// TestRightUsesOfGuardedArenas: correct programs don't fault and aren't reported: values, marks, children, clones,
// freed values, and self-contained graphs.
func TestRightUsesOfGuardedArenas(t *testing.T) {
	for _, opts := range [][]arena.PoolOption{nil, {arena.WithNoScan()}, {arena.WithLimit(1 << 20)}} {
		p, told := guarded(t, opts...)
		var kept []*order
		for i := range 50 {
			err := p.DoKeyed(fmt.Sprint(i%3), func(a *arena.Arena) error {
				l := new(last)
				fillLast(a, l)
				m := a.Mark()
				c := a.Child()
				for range i {
					fillLast(c, new(last))
					arena.New[order](a).name = a.Sprintf("%d", i)
				}
				a.Rewind(m)
				l.order.name += "x"
				kept = append(kept, &order{name: strings.Clone(l.text), id: int(l.ids[0] + l.row.id)})
				switch i % 5 {
				case 3: // what Free leaves is valid
					kept = append(kept, arena.NewOf(a, order{id: 8, name: a.AllocString("text 2")}))
					a.Free()
				case 4:
					d := a.Child()
					kept = append(kept, arena.NewOf(d, order{id: 8, name: d.AllocString("text 2")}))
					d.Free()
				}
				return nil
			})
			if err != nil {
				t.Fatal(err)
			}
		}
		arena.FindEscapes()
		for _, o := range kept {
			if o.name != "text 2" || o.id != 8 {
				t.Errorf("%+v", o)
			}
		}
		if len(*told) > 0 {
			t.Error(*told)
		}
	}
}
