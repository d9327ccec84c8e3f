package watch_test

import (
	"context"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"reflect"
	"runtime"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
	"unique"
	"weak"

	"github.com/harena-go/arena"
	"github.com/harena-go/arena/arenajson"
	"github.com/harena-go/arena/internal/diagnose/inspect"
	traps "github.com/harena-go/arena/internal/engine/fill"
	"github.com/harena-go/arena/internal/engine/guard"
	"github.com/harena-go/arena/internal/engine/race"
	"github.com/harena-go/arena/internal/engine/smallmap"
	"github.com/harena-go/arena/internal/tests/testkit"
	"github.com/harena-go/arena/internal/tests/testkit/arenakit"
)

// This file uses dead values of all types whose state the runtime interprets: if the state makes no sense, the runtime
// ends the process with a fatal error, which can't be recovered. So the uses are made in processes of their own.

// A deadUse is a use of a value that has died in an arena.
type deadUse struct {
	name string
	want outcome
	make func(a *arena.Arena) (use func())
}

// An outcome is the least result of a use. None ends the process.
type outcome string

const (
	faults outcome = "faults" // where faults are reported, again when it is repeated
	writes outcome = "writes" // faults, or the write is found
	goesOn outcome = "goes on"
)

// beside has a T beside a pointer, so that its memory isn't guarded but overwritten.
type beside[T any] struct {
	p *int
	v T
}

// usesOf returns a use of a T that set has prepared: of one alone, and of one beside a pointer.
func usesOf[T any](name string, want outcome, set func(v *T), use func(v *T)) []deadUse {
	return []deadUse{
		{name, want, func(a *arena.Arena) func() {
			v := arena.New[T](a)
			set(v)
			return func() { use(v) }
		}},
		{name + " beside a pointer", want, func(a *arena.Arena) func() {
			b := arena.NewOf(a, beside[T]{p: &testkit.Decoy})
			set(&b.v)
			return func() { use(&b.v) }
		}},
	}
}

// mapUses are uses of a map with n entries in the arena.
func mapUses(n int) (all []deadUse) {
	if smallmap.Of(reflect.TypeFor[map[string]any]()) == nil {
		return nil // maps are on the heap
	}
	uses := map[string]func(m map[string]any){
		"look-up":   func(m map[string]any) { testkit.Sink = m["key1"] },
		"presence":  func(m map[string]any) { _, ok := m["none"]; testkit.Sink = ok },
		"store":     func(m map[string]any) { m["key1"] = 1 },
		"new entry": func(m map[string]any) { m["none"] = 1 },
		"delete":    func(m map[string]any) { delete(m, "key1") },
		"clear":     func(m map[string]any) { clear(m) },
		"range": func(m map[string]any) {
			for k := range m {
				testkit.Sink = k
			}
		},
		"copy of keys": func(m map[string]any) {
			keys := make([]string, 0, len(m))
			for k := range m {
				keys = append(keys, k)
			}
			testkit.Sink = keys
		},
		"fmt": func(m map[string]any) { testkit.Sink = fmt.Sprint(len(m), m["key1"]) },
	}
	for _, name := range slices.Sorted(maps.Keys(uses)) {
		use := uses[name]
		all = append(all, deadUse{fmt.Sprintf("map of %d: %s", n, name), faults, func(a *arena.Arena) func() {
			var m map[string]any
			text := []byte("{")
			for i := range n {
				text = fmt.Appendf(text, `"key%d":"%d",`, i, i)
			}
			text[len(text)-1] = '}'
			if a.SelfContained() {
				p := arena.NewOf(a, map[string]any{"key1": 1})
				a.KeepAlive(*p)
				return func() { use(*p) }
			}
			if err := arenajson.Unmarshal(a, text, &m); err != nil {
				panic(err)
			}
			return func() { use(m) }
		}})
	}
	return all
}

func nothing[T any](*T) {}

// someError is an error, and an interface.
type someError struct{ p *int }

func (e *someError) Error() string { return strconv.Itoa(*e.p) }

// deadUses are all uses.
func deadUses() []deadUse {
	return slices.Concat(mapUses(3), mapUses(30), syncUses(), channelUses(), otherUses())
}

// syncUses are uses of packages sync and sync/atomic.
func syncUses() (all []deadUse) {
	add := func(uses []deadUse) { all = append(all, uses...) }
	type mutex = sync.Mutex
	add(usesOf("Mutex.Lock", writes, nothing[mutex], func(m *mutex) { m.Lock() }))
	add(usesOf("Mutex.TryLock", writes, nothing[mutex], func(m *mutex) { m.TryLock() }))
	//lint:ignore SA2001 what is tested
	add(usesOf("Mutex.Lock and Unlock", goesOn, nothing[mutex], func(m *mutex) { m.Lock(); m.Unlock() }))
	add(usesOf("Mutex.Unlock of a locked one", writes, (*mutex).Lock, func(m *mutex) { m.Unlock() }))
	type rw = sync.RWMutex
	add(usesOf("RWMutex.Lock", writes, nothing[rw], func(m *rw) { m.Lock() }))
	add(usesOf("RWMutex.RLock", writes, nothing[rw], func(m *rw) { m.RLock() }))
	//lint:ignore SA2001 what is tested
	add(usesOf("RWMutex.RLock and RUnlock", goesOn, nothing[rw], func(m *rw) { m.RLock(); m.RUnlock() }))
	add(usesOf("RWMutex.Unlock of a locked one", writes, (*rw).Lock, func(m *rw) { m.Unlock() }))
	add(usesOf("RWMutex.RUnlock of a locked one", writes, (*rw).RLock, func(m *rw) { m.RUnlock() }))
	type group = sync.WaitGroup
	add(usesOf("WaitGroup.Add", writes, nothing[group], func(g *group) { g.Add(1) }))
	add(usesOf("WaitGroup.Go", goesOn, nothing[group], func(g *group) { g.Go(func() {}); g.Wait() }))
	add(usesOf("WaitGroup.Done", writes, func(g *group) { g.Add(1) }, func(g *group) { g.Done() }))
	add(usesOf("WaitGroup.Wait", goesOn, nothing[group], func(g *group) { g.Wait() }))
	type once = sync.Once
	add(usesOf("Once.Do", writes, nothing[once], func(o *once) { o.Do(func() {}) }))
	add(usesOf("Once.Do, the second", goesOn, func(o *once) { o.Do(func() {}) }, func(o *once) { o.Do(func() { panic("once more") }) }))
	cond := func(c *sync.Cond) { c.L = new(sync.Mutex); c.L.Lock() }
	add(usesOf("Cond.Wait", faults, cond, func(c *sync.Cond) { c.Wait() }))
	add(usesOf("Cond.Signal", writes, cond, func(c *sync.Cond) { c.Signal() }))
	add(usesOf("Cond.Broadcast", writes, cond, func(c *sync.Cond) { c.Broadcast() }))
	pool := func(p *sync.Pool) { p.New = func() any { return new(int) }; p.Put(new(int)) } // to the heap, so not self-contained
	add(usesOf("Pool.Get", writes, pool, func(p *sync.Pool) { testkit.Sink = p.Get() }))
	add(usesOf("Pool.Put", writes, pool, func(p *sync.Pool) { p.Put(new(int)) }))
	syncMap := func(m *sync.Map) { m.Store(1, 2) }
	add(usesOf("sync.Map.Load", faults, syncMap, func(m *sync.Map) { m.Load(1) }))
	add(usesOf("sync.Map.Store", faults, syncMap, func(m *sync.Map) { m.Store(1, 3) }))
	add(usesOf("sync.Map.Range", faults, syncMap, func(m *sync.Map) { m.Range(func(any, any) bool { return true }) }))
	add(usesOf("sync.Map.Clear", writes, syncMap, func(m *sync.Map) { m.Clear() }))

	value := func(v *atomic.Value) { v.Store("x") }
	add(usesOf("atomic.Value.Load", faults, value, func(v *atomic.Value) { testkit.Sink = fmt.Sprint(v.Load()) }))
	add(usesOf("atomic.Value.Store", goesOn, value, func(v *atomic.Value) { v.Store("y") }))
	add(usesOf("atomic.Value.Swap", goesOn, value, func(v *atomic.Value) { v.Swap("y") }))
	type pointer = atomic.Pointer[int]
	add(usesOf("atomic.Pointer.Load", faults, func(p *pointer) { p.Store(new(int)) }, func(p *pointer) { *p.Load() = 1 }))
	return all
}

// channelUses are uses of channels and timers.
func channelUses() (all []deadUse) {
	add := func(uses []deadUse) { all = append(all, uses...) }
	type ch = chan int
	made := func(c *ch) { *c = make(chan int, 1) }
	add(usesOf("send", faults, made, func(c *ch) { *c <- 1 }))
	add(usesOf("receive", faults, made, func(c *ch) { <-*c }))
	add(usesOf("close", faults, made, func(c *ch) { close(*c) }))
	add(usesOf("len of channel", faults, made, func(c *ch) { testkit.Sink = len(*c) }))
	add(usesOf("select with default", faults, made, func(c *ch) {
		select {
		case *c <- 1:
		default:
		}
	}))
	add(usesOf("select of two", faults, made, func(c *ch) {
		select {
		case *c <- 1:
		case <-*c:
		}
	}))
	add(usesOf("timer's channel", faults, func(t *time.Timer) { *t = *time.NewTimer(time.Hour) }, func(t *time.Timer) { <-t.C }))
	add(usesOf("Timer.Stop", goesOn, func(t *time.Timer) { *t = *time.NewTimer(time.Hour) }, func(t *time.Timer) { t.Stop() }))
	add(usesOf("Timer.Reset", goesOn, func(t *time.Timer) { *t = *time.NewTimer(time.Hour) }, func(t *time.Timer) { t.Reset(1) }))
	add(usesOf("Ticker.Stop", goesOn, func(t *time.Ticker) { *t = *time.NewTicker(time.Hour) }, func(t *time.Ticker) { t.Stop() }))
	add(usesOf("*Timer.Stop", faults, func(t **time.Timer) { *t = time.NewTimer(time.Hour) }, func(t **time.Timer) { (*t).Stop() }))
	return all
}

// otherUses are uses of other types.
func otherUses() (all []deadUse) {
	add := func(uses []deadUse) { all = append(all, uses...) }
	add(usesOf("type assertion", faults, func(v *any) { *v = "x" }, func(v *any) { testkit.Sink = (*v).(fmt.Stringer) }))
	add(usesOf("comparison", faults, func(v *any) { *v = "x" }, func(v *any) { w := *v; testkit.Sink = w == *v }))
	add(usesOf("printed", faults, func(v *any) { *v = "x" }, func(v *any) { testkit.Sink = fmt.Sprintf("%v %T", *v, *v) }))
	add(usesOf("as a key", faults, func(v *any) { *v = "x" }, func(v *any) { (map[any]int{})[*v]++ }))
	add(usesOf("method", faults, func(v *error) { *v = &someError{new(int)} }, func(v *error) { testkit.Sink = (*v).Error() }))
	add(usesOf("call", faults, func(f *func()) { *f = func() {} }, func(f *func()) { (*f)() }))
	add(usesOf("deferred call", faults, func(f *func()) { *f = func() {} }, func(f *func()) { defer (*f)() }))
	add(usesOf("context", faults, func(c *context.Context) { *c = context.WithoutCancel(context.TODO()) }, func(c *context.Context) { <-(*c).Done() }))
	type weakly = weak.Pointer[int]
	add(usesOf("weak.Pointer.Value", goesOn, func(w *weakly) { *w = weak.Make(new(int)) }, func(w *weakly) { w.Value() }))
	add(usesOf("unique.Handle.Value", faults, func(h *unique.Handle[string]) { *h = unique.Make("x") }, func(h *unique.Handle[string]) { testkit.Sink = h.Value() + "y" }))
	add(usesOf("Pinner.Pin", faults, func(p *runtime.Pinner) { p.Pin(new(int)); p.Unpin() }, func(p *runtime.Pinner) { p.Pin(new(int)) }))
	add(usesOf("slice", faults, func(s *[]int) { *s = make([]int, 3) }, func(s *[]int) { *s = append((*s)[:len(*s):len(*s)], 1) }))
	add(usesOf("string", faults, func(s *string) { *s = strings.Repeat("x", 9) }, func(s *string) { testkit.Sink = *s + "y" }))
	return all
}

// deadModes are the kinds of arenas that overwrite dead values.
var deadModes = []struct {
	name               string
	guarded, contained bool
	opts               []arena.Option
}{
	{"guarded", true, false, nil},
	{"guarded, self-contained", true, true, []arena.Option{arena.WithNoScan()}},
	{"checked", false, false, []arena.Option{arena.WithChecks(arena.CheckObjects)}},
	{"checked, self-contained", false, true, []arena.Option{arena.WithChecks(arena.CheckObjects), arena.WithNoScan()}},
}

const deadVariable = "HARENA_DEAD_USES"

// TestDeadStates: no use of a dead value ends the process. Those that lead to a pointer, or write, are found.
func TestDeadStates(t *testing.T) {
	if race.Instrumented || guard.PageSize == 0 || traps.Trap(0, 0) == nil {
		t.Skip("the sanitizer reports the use, or memory can't be guarded here")
	}
	if where := os.Getenv(deadVariable); where != "" {
		var mode, first int
		fmt.Sscan(where, &mode, &first)
		for i, u := range deadUses()[first:] {
			fmt.Println("use", first+i)
			if deadModes[mode].contained && strings.HasPrefix(u.name, "Pool") {
				fmt.Println("outcome", u.want)
				continue
			}
			fmt.Println("outcome", u.observe(mode))
		}
		return
	}
	uses := deadUses()
	for mode, m := range deadModes {
		for first := 0; first < len(uses); {
			cmd := exec.Command(os.Args[0], "-test.run=^TestDeadStates$")
			cmd.Env = append(os.Environ(), fmt.Sprint(deadVariable, "=", mode, " ", first))
			out, _ := cmd.CombinedOutput()
			for line := range strings.Lines(string(out)) {
				switch word, rest, _ := strings.Cut(strings.TrimSpace(line), " "); word {
				case "use":
					first, _ = strconv.Atoi(rest)
				case "outcome":
					if want := uses[first].want; rest != string(want) && rest != string(faults) && want != goesOn {
						t.Errorf("%s: %s: the use %s; want one that %s", m.name, uses[first].name, rest, want)
					}
					first++
				}
			}
			if first < len(uses) {
				t.Errorf("%s: %s ends the process:\n%s", m.name, uses[first].name, strings.Join(strings.SplitN(string(out[strings.LastIndex(string(out), "use "):]), "\n", 16)[:15], "\n"))
				first++
			}
		}
	}
}

// observe makes the use in a mode, and returns its outcome.
func (u deadUse) observe(mode int) outcome {
	m := deadModes[mode]
	var use func()
	var written atomic.Bool
	opts := append(m.opts, arena.OnEscape(func(e arena.Escape) {
		if e.Written {
			written.Store(true)
		}
	}))
	explains := func(v any) bool { _, ok := arena.ReportFault(v); return ok }
	if m.guarded {
		p := arena.NewPool(append(arenakit.PoolOptions(opts), arena.WithGuardRate(1))...)
		p.Do(func(a *arena.Arena) error { use = u.make(a); return nil })
	} else {
		a := arena.NewArena(opts...)
		defer runtime.KeepAlive(a)
		use = u.make(a)
		a.Reset()
		explains = func(v any) bool {
			e, ok := v.(interface{ Addr() uintptr })
			return ok && inspect.Arenas.DeadAt(e.Addr()) != nil
		}
	}
	faulted := func() bool {
		defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
		return explains(testkit.Caught(use))
	}
	got := goesOn // a use that blocks is a deadlock, which ends the process
	if faulted() && (!m.guarded || faulted()) {
		got = faults
	}
	use = nil
	if arena.FindEscapes(); got != faults && written.Load() {
		return writes
	}
	return got
}
