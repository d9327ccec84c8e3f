package arena

import (
	"bytes"
	"fmt"
	"log"
	"math"
	"reflect"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/harena-go/arena/internal/diagnose/inspect"
	"github.com/harena-go/arena/internal/diagnose/watch"
	"github.com/harena-go/arena/internal/engine/asan"
	"github.com/harena-go/arena/internal/engine/memory"
	"github.com/harena-go/arena/internal/engine/race"
	"github.com/harena-go/arena/internal/poolstats"
	"github.com/harena-go/arena/internal/tests/testkit"
	"github.com/harena-go/arena/internal/tuning"
)

// This file tests unexported parts of package arena. Tests through exported names are in internal/tests/promises, or
// beside the code that keeps the promise. Checked arenas have their soak (internal/tests/testkit/soak) started here,
// since it reads how much the tracker holds.

// OpenBatches returns how many batches the tracker has, and how many it may have.
func OpenBatches() (n, limit int) {
	mu := testkit.Field[sync.Mutex](&tracker, "mu")
	mu.Lock()
	defer mu.Unlock()
	return len(*testkit.Field[[]*watch.Batch](&tracker, "batches")), tuning.MaxBatches
}

// TestEscapeSaysWhat: a report names the escaped value where that is known, and else a chunk.
func TestEscapeSaysWhat(t *testing.T) {
	stack := []runtime.Frame{{Function: "main.f", File: "f.go", Line: 7}}
	for want, e := range map[string]Escape{
		"main.order (24 bytes) in arena \"a\" is still referenced, 1 GC cycle after":            {Type: "main.order", Size: 24, Arena: "a", Cycles: 1, Allocated: stack},
		"a chunk of 4096 bytes for main.order in an arena without a name is still":              {Type: "main.order", Size: 4096, Cycles: 3},
		"a chunk of 4096 bytes for values without pointers in an arena without a name is still": {Size: 4096},
		"a value among 96 bytes in an arena without a name was written to":                      {Type: selfContained, Size: 96, Written: true},
	} {
		if got := e.String(); !strings.HasPrefix(got, "ARENA ESCAPE: "+want) {
			t.Errorf("%s; want %s", got, want)
		}
	}
}

// TestDefaultLogIsBounded: there are ten lines a minute, and 1,000 in all.
func TestDefaultLogIsBounded(t *testing.T) {
	var out bytes.Buffer
	defer log.SetOutput(log.Writer())
	log.SetOutput(&out)
	var l escapeLogger
	kinds := 0
	escapeMore := func(n int) (lines int) {
		out.Reset()
		for range n {
			kinds++
			l.write(Escape{Type: fmt.Sprint("T", kinds)})
		}
		return strings.Count(out.String(), "arena: escape")
	}
	if n := escapeMore(30); n != tuning.LogMinute {
		t.Errorf("%d lines in the first minute", n)
	}
	l.since = l.since.Add(-59 * time.Second)
	if n := escapeMore(30); n != 0 {
		t.Errorf("%d more lines in the first minute", n)
	}
	for minute := 2; minute <= tuning.LogKinds/tuning.LogMinute; minute++ {
		l.since = l.since.Add(-time.Minute)
		if n := escapeMore(30); n != tuning.LogMinute {
			t.Fatalf("%d lines in minute %d", n, minute)
		}
	}
	l.since = l.since.Add(-time.Minute)
	if n := escapeMore(30); n != 0 {
		t.Errorf("%d lines after the last one", n)
	}
}

// TestAllEscapes: arenatest's Main gets escapes from arenas without a handler.
func TestAllEscapes(t *testing.T) {
	FindEscapes() // of other tests
	var mu sync.Mutex
	var got []any
	all := func(e any) {
		mu.Lock()
		defer mu.Unlock()
		got = append(got, e)
	}
	defer inspect.All.Store(inspect.All.Swap(&all))
	a := NewArena(WithChecks(CheckObjects), WithName("without a handler"))
	p := New[int](a)
	a.Reset()
	FindEscapes()
	runtime.KeepAlive(p)
	mu.Lock()
	defer mu.Unlock()
	if len(got) != 1 {
		t.Fatalf("%d escapes", len(got))
	}
	if e, ok := got[0].(Escape); !ok || e.Arena != "without a handler" || e.Type != "int" {
		t.Errorf("%v", got[0])
	}
}

// TestNumbersInWords: of large numbers of bytes only what matters is said.
func TestNumbersInWords(t *testing.T) {
	for n, want := range map[int]string{0: "0 B", 10<<10 - 1: "10239 B", 10 << 10: "10.0 KiB", 1<<20 + 1<<19: "1536.0 KiB",
		10<<20 - 1: "10240.0 KiB", 10 << 20: "10.0 MiB", 1<<30 - 1: "1024.0 MiB"} {
		if got := size(n); got != want {
			t.Errorf("%d is %s, want %s", n, got, want)
		}
	}
	if one, two := count(1, "get"), count(2, "get"); one != "1 get" || two != "2 gets" {
		t.Errorf("%s, %s", one, two)
	}
}

// This file tests from within that a Pool's records don't get in the way of its work.

// soon runs f, which must not wait for anything.
func soon(t *testing.T, what string, f func()) {
	t.Helper()
	done := make(chan bool)
	go func() {
		defer close(done)
		f()
	}()
	select {
	case <-done:
	case <-time.After(30 * time.Second):
		t.Fatal(what + " waits for a lock")
	}
}

// TestKeysNeedNoLock: neither a known key, nor one beyond the first 1,024, nor one above the maximum length.
func TestKeysNeedNoLock(t *testing.T) {
	p := NewPool(WithReuse())
	for i := range poolstats.MaxKeys {
		p.classOf(fmt.Sprint(i))
	}
	p.state.mu.Lock()
	p.keyMu.Lock()
	soon(t, "GetKeyed", func() {
		for i := range 2 * poolstats.MaxKeys {
			if c := p.classOf(fmt.Sprint(i)); (c == &p.main) != (i >= poolstats.MaxKeys) || i < poolstats.MaxKeys && c.key != fmt.Sprint(i) {
				t.Errorf("key %d is taken for %q", i, c.key)
			}
		}
		if c := p.classOf(strings.Repeat("x", poolstats.MaxKey+1)); c != &p.main {
			t.Errorf("a long key is %q", c.key)
		}
	})
}

// TestLongKeysAreNone: they fill no memory.
func TestLongKeysAreNone(t *testing.T) {
	p := NewPool(WithReuse())
	for n, known := range map[int]bool{poolstats.MaxKey: true, poolstats.MaxKey + 1: false, 256 << 10: false} {
		key := strings.Repeat("k", n)
		p.Put(p.GetKeyed(key))
		if _, ok := p.Stats().Keys[key]; ok != known {
			t.Errorf("a key of %d bytes is told apart: %t", n, ok)
		}
	}
	if s := p.Stats(); s.Gets != 3 || len(s.Keys) != 1 {
		t.Errorf("%d keys: %v", len(s.Keys), s)
	}
}

// TestStatsKeepNobodyWaiting: while they are added up, arenas can be made.
func TestStatsKeepNobodyWaiting(t *testing.T) {
	p := NewPool(WithReuse())
	p.Put(p.GetKeyed("a"))
	c := p.classOf("a")
	mu := testkit.Field[sync.Mutex](&c.work, "mu")
	mu.Lock()
	done := make(chan PoolStats)
	go func() { done <- p.Stats() }()
	time.Sleep(10 * time.Millisecond) // until Stats waits for the class
	soon(t, "Get", func() {
		p.Get()
		p.GetKeyed("b")
	})
	mu.Unlock()
	if s := <-done; s.Keys["a"].Gets != 1 {
		t.Error(s)
	}
}

// TestRefusalsDontCountArenas: refusals at the limit of a Pool take the same time with any number of live arenas.
func TestRefusalsDontCountArenas(t *testing.T) {
	if race.Instrumented {
		t.Skip("measures time")
	}
	refusals := func(live int) time.Duration {
		p := NewPool(WithReuse(), WithPoolLimit(1<<10))
		arenas := make([]*Arena, live)
		for i := range arenas {
			arenas[i] = p.Get()
		}
		runtime.GC()
		best := time.Duration(math.MaxInt64)
		for range 5 {
			best = min(best, testkit.Took(func() {
				for i := range 200 {
					if !refused(arenas[i]) {
						t.Fatal("the limit isn't kept")
					}
				}
			}))
		}
		runtime.KeepAlive(arenas)
		return best
	}
	const few, times = 500, 32
	testkit.WithinTimes(t, 12, "refusals with 500 arenas, and with 32 times as many", func() (short, long time.Duration) {
		return refusals(few), refusals(few * times)
	})
}

// refused reports whether more than the limit allows is refused.
func refused(a *Arena) (was bool) {
	defer func() { _, was = recover().(*LimitError) }()
	a.AllocBytes(1 << 20)
	return false
}

// TestBooksArePruned: a pool looks for arenas that are gone only once their number may have doubled, and then forgets all
// of them.
func TestBooksArePruned(t *testing.T) {
	p := NewPool(WithReuse())
	for i := range 50 {
		p.Get().Free()
		if got, want := len(p.state.leases), i%16+1; got != want {
			t.Fatalf("after %d arenas that were freed there are %d leases, want %d", i+1, got, want)
		}
	}
	if s := p.Stats(); s.Freed != 50 || s.Gets != 50 {
		t.Errorf("what became of them isn't known: %v", s)
	}
}

// TestWindowsEndWhereASampleIsDue: the windows of an observed arena, and of its children, aren't open beyond that, also after
// memory was reclaimed; that is why the fast path needn't ask. In other arenas of the same pool they are.
func TestWindowsEndWhereASampleIsDue(t *testing.T) {
	if asan.On {
		t.Skip("no arena has a window with the address sanitizer")
	}
	type node struct{ next *node }
	p := NewPool(WithReuse(), WithObserveRate(2))
	open, beyond := map[bool]int{}, map[bool]int{}
	for i := range 400 {
		a := p.Get()
		observed := a.account.lease.sampler.Load() != nil
		look := func(a *Arena) {
			for r := range a.memory.Regions {
				due, known := r.Due()
				if r.Window().Left > 0 {
					open[observed]++
				}
				if r.Window().Left > 0 && (!known || r.Window().Left > due) {
					beyond[observed]++
				}
			}
		}
		nodes, slice := For[node](a), []int(nil)
		m := a.Mark()
		for j := range 20 {
			New[int](a)
			NewOf(a, node{})
			nodes.New()
			slice = Append(a, slice, 1)
			New[[100]int](a)
			c := a.Child()
			New[int](c)
			look(a)
			look(c)
			switch {
			case j%7 == i%7:
				a.Rewind(m)
				slice = nil
			case j%13 == i%13:
				a.Reset()
				slice, m = nil, a.Mark()
			}
			look(a)
		}
		p.Put(a)
	}
	if open[true] < 1000 || beyond[true] > 0 || beyond[false] < 1000 {
		t.Errorf("%d windows in observed arenas, %d of them too large; %d in others", open[true], beyond[true], beyond[false])
	}
}

// tally counts the bytes that a budget admits.
type tally struct{ bytes uintptr }

func (t *tally) Ask(uintptr) {}
func (t *tally) Admit(_ *memory.Region, _ memory.Place, _, n uintptr) (ahead uintptr) {
	t.bytes += n
	return 0
}
func (t *tally) Cut(_ uintptr, total uintptr) (blockSize uintptr) { return total }

// TestBudgetAdmitsOnce: each allocated byte was admitted once, also where another chunk had to be made for it. An
// observed arena counts its allocations by that.
func TestBudgetAdmitsOnce(t *testing.T) {
	if asan.On {
		t.Skip("red zones are asked for, too")
	}
	type node struct {
		next *node
		_    [9]int64
	}
	for name, opts := range map[string][]Option{"default": nil, "self-contained": {WithNoScan()}, "checked": {WithChecks(CheckResets)}, "objects": {WithChecks(CheckObjects)}} {
		a := NewArena(append(opts, WithMaxChunkSize(16<<10))...)
		New[int](a)
		var asked tally
		a.memory.CloseWindows()
		a.memory.SetBudget(&asked)
		before := a.UsedBytes()
		var grows []int64
		for i := range 2000 {
			New[[12]int64](a)
			New[node](a)
			a.AllocBytes(i)
			grows = Append(a, grows, int64(i))
			if i%100 == 0 {
				a.AllocBytes(100_000)
			}
		}
		if used := a.UsedBytes() - before; asked.bytes != uintptr(used) {
			t.Errorf("%s: %d bytes were asked for, %d allocated", name, asked.bytes, used)
		}
	}
}

// TestGrowthNearALimitLeavesWindows: where a slice grows while enough is left of a limit for it to grow again, the
// windows of all types stay open. To close them takes time for each type.
func TestGrowthNearALimitLeavesWindows(t *testing.T) {
	if asan.On {
		t.Skip("no arena has a window with the address sanitizer")
	}
	a := NewArena(WithLimit(8 << 20))
	a.AllocBytes(7 << 20)
	typ := reflect.TypeFor[*int]()
	for range 300 {
		typ = reflect.PointerTo(typ)
		KeyOf(typ).New(a)
	}
	open := func() (n int) {
		for r := range a.memory.Regions {
			if r.Window().Left > 0 {
				n++
			}
		}
		return n
	}
	before := open()
	for range 16 {
		Append(a, []string(nil), "x")
	}
	words := KeyOf(reflect.TypeFor[*string]()).For(a)
	for p, n := words.Grow(nil, 0, 0, 1); n < 100; {
		p, n = words.Grow(p, n, n, n+1)
	}
	if after := open(); before < 300 || after < before {
		t.Errorf("%d windows are open after some slices have grown, %d were before", after, before)
	}
}

// TestPoolsCollectApart: a Pool that looks for lost arenas doesn't have others wait that do.
func TestPoolsCollectApart(t *testing.T) {
	collected = collection{} // as if none had looked lately
	p, q := NewPool(WithPoolLimit(1000)), NewPool(WithReuse(), WithPoolLimit(1000))
	a, b := q.Get(), q.Get() // else it has nothing to look for
	p.state.mu.Lock()
	done := make(chan bool)
	go func() {
		p.state.collect()
		close(done)
	}()
	for p.state.collecting.TryLock() {
		p.state.collecting.Unlock()
		runtime.Gosched()
	}
	q.state.collect() // which hangs if p, which waits for its lock, has one that q needs
	p.state.mu.Unlock()
	<-done
	q.Put(a)
	q.Put(b)
}
