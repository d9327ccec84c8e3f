package watch_test

import (
	"bytes"
	"log"
	"regexp"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/harena-go/arena"
	"github.com/harena-go/arena/internal/diagnose/inspect"
	traps "github.com/harena-go/arena/internal/engine/fill"
	"github.com/harena-go/arena/internal/tests/testkit"
	"github.com/harena-go/arena/internal/tuning"
)

// gcCycles returns the number of GC cycles so far.
func gcCycles() int64 {
	var s debug.GCStats
	debug.ReadGCStats(&s)
	return s.NumGC
}

// TestTrackerWaitsForTheGC: in production the tracker works by itself, forces no GC cycle, and needs three.
func TestTrackerWaitsForTheGC(t *testing.T) {
	arena.FindEscapes() // clear the leftovers of other tests
	defer debug.SetGCPercent(debug.SetGCPercent(-1))
	reports := make(chan arena.Escape, 1)
	a := arena.NewArena(arena.WithChecks(arena.CheckResets), arena.OnEscape(func(e arena.Escape) { reports <- e }))
	escaped.order = arena.New[order](a)
	defer func() { escaped.order = nil }()
	before := gcCycles()
	a.Reset()
	select {
	case <-reports:
		t.Fatal("a report without a GC cycle")
	case <-time.After(300 * time.Millisecond):
	}
	if n := gcCycles() - before; n > 0 {
		t.Errorf("%d GC cycles in an idle program", n)
	}
	for deadline := time.Now().Add(time.Minute); ; {
		select {
		case e := <-reports:
			if n := gcCycles() - before; n < 3 || e.Cycles != 3 {
				t.Errorf("a report that speaks of %d cycles after %d", e.Cycles, n)
			}
			return
		case <-time.After(10 * time.Millisecond):
			runtime.GC()
		}
		if time.Now().After(deadline) {
			t.Fatal("no report for a minute")
		}
	}
}

// TestTrackerIsBounded: batches above the tracker's limit are dismissed, accepted ones are decided, and later ones are
// accepted again.
func TestTrackerIsBounded(t *testing.T) {
	arena.FindEscapes()
	defer debug.SetGCPercent(debug.SetGCPercent(-1))
	var got escapes
	a := arena.NewArena(arena.WithChecks(arena.CheckResets), arena.WithChunkSize(256), got.option())
	var kept []*int
	for range 10000 {
		kept = append(kept, arena.New[int](a))
		a.Reset()
	}
	const most = tuning.MaxBatches
	if n := len(got.found()); n < most/2 || n > most {
		t.Errorf("%d of 10000 watched, want %d", n, most)
	}
	runtime.KeepAlive(kept)
	last := arena.New[int](a)
	a.Reset()
	if n := len(got.found()); n != 1 {
		t.Errorf("%d of 1 watched", n)
	}
	runtime.KeepAlive(last)
}

// TestOnEscapeMayUseArenas: a handler may allocate, reset, and let others escape.
func TestOnEscapeMayUseArenas(t *testing.T) {
	n := 0
	var a *arena.Arena
	a = arena.NewArena(arena.WithChecks(arena.CheckObjects), arena.OnEscape(func(arena.Escape) {
		if n++; n < 3 {
			escaped.order = arena.New[order](a)
			a.Reset()
		}
	}))
	defer func() { escaped.order = nil }()
	escaped.order = arena.New[order](a)
	a.Reset()
	for want := 1; want <= 3; want++ {
		if arena.FindEscapes(); n != want {
			t.Fatalf("%d escapes, not %d", n, want)
		}
	}
}

// TestDefaultLog: without a handler there is one line for each place of allocation,
// and no more than ten a minute.
func TestDefaultLog(t *testing.T) {
	var out bytes.Buffer
	defer log.SetOutput(log.Writer())
	log.SetOutput(&out)
	defer log.SetFlags(log.Flags())
	log.SetFlags(0)

	a := arena.NewArena(arena.WithChecks(arena.CheckObjects), arena.WithName("a name"))
	var kept []any
	lines := func() []string {
		a.Reset()
		arena.FindEscapes()
		runtime.KeepAlive(kept)
		defer out.Reset()
		return slices.Collect(strings.Lines(out.String()))
	}
	for range 5 {
		kept = append(kept, arena.New[order](a))
	}
	got := lines()
	form := regexp.MustCompile(`^arena: escape arena="a name" key="" what=value type="watch_test.order" size=\d+ cycles=3 written=false ` +
		`allocated=".*tracker_gc_test.go:\d+" lent="" reclaimed=".*tracker_gc_test.go:\d+" suppressed=0 next=".*"\n$`)
	if len(got) != 1 || !form.MatchString(got[0]) {
		t.Errorf("5 escapes of a kind: %q", got)
	}
	kept = append(kept, a.AllocString("text"))
	if got = lines(); len(got) != 1 || !strings.Contains(got[0], `type="string"`) || !strings.Contains(got[0], "suppressed=4") {
		t.Errorf("1 of another kind: %q", got)
	}
	// Chunks have no place of allocation; it counts where they were reclaimed.
	chunks := arena.NewArena(arena.WithChecks(arena.CheckResets), arena.WithName("chunks"))
	for range 3 {
		kept = append(kept, chunks.AllocBytes(10))
		chunks.Reset()
	}
	form = regexp.MustCompile(`^arena: escape arena="chunks" key="" what=chunk type="without pointers" size=\d+ cycles=\d written=false allocated="" lent="" reclaimed=".*tracker_gc_test.go:\d+" suppressed=0 next=".*"\n$`)
	if got = lines(); len(got) != 1 || !form.MatchString(got[0]) {
		t.Errorf("3 escapes of chunks: %q", got)
	}
	kept = append(kept, chunks.AllocBytes(10))
	chunks.Reset() // elsewhere
	if got = lines(); len(got) != 1 || !strings.Contains(got[0], "suppressed=2") {
		t.Errorf("an escape of chunks from another place: %q", got)
	}
	more := []func() any{
		func() any { return arena.New[[1]int](a) }, func() any { return arena.New[[2]int](a) }, func() any { return arena.New[[3]int](a) },
		func() any { return arena.New[[4]int](a) }, func() any { return arena.New[[5]int](a) }, func() any { return arena.New[[6]int](a) },
		func() any { return arena.New[[7]int](a) }, func() any { return arena.New[[8]int](a) }, func() any { return arena.New[[9]int](a) },
	}
	for _, f := range more {
		kept = append(kept, f())
	}
	if got = lines(); len(got) != 6 {
		t.Errorf("9 of other kinds within a minute: %d lines, after 4 before", len(got))
	}
}

// TestEndings: the lines that last reset the arenas of a name are known, and the addresses of their dead pointers.
func TestEndings(t *testing.T) {
	a := arena.NewArena(arena.WithChecks(arena.CheckObjects), arena.WithName("remembered"))
	other := arena.NewArena(arena.WithChecks(arena.CheckObjects), arena.WithName("other"))
	end := func(a *arena.Arena) {
		arena.New[order](a)
		a.Reset()
	}
	end(a)
	end(other)
	end(a)
	list := inspect.Arenas.Endings("remembered")
	trapped := traps.Trap(0, 0) != nil // not on wasm
	if len(list) != 2 || trapped && list[0].Trap == list[1].Trap {
		t.Fatalf("2 resets: %+v", list)
	}
	place := regexp.MustCompile(`tracker_gc_test\.go:\d+$`)
	for _, e := range list {
		if !place.MatchString(e.When) || trapped && e.Trap == 0 {
			t.Errorf("%+v", e)
		}
	}
	for range 300 {
		end(other)
	}
	if list := inspect.Arenas.Endings("remembered"); len(list) > 0 {
		t.Errorf("still known after 300 others: %+v", list)
	}
	if n := len(inspect.Arenas.Endings("other")); n < 100 || n > 300 {
		t.Errorf("the last %d of 301 are known", n)
	}
}

// TestCheckRate: about one arena in n is a checked one, is new, and never comes
// back; the pool's statistics count it like the others.
func TestCheckRate(t *testing.T) {
	var got escapes
	pool := arena.NewPool(arena.WithReuse(), arena.WithCheckRate(10), got.option())
	const gets = 3000
	var kept []*order
	for range gets {
		a := pool.Get()
		kept = append(kept, arena.New[order](a))
		pool.Put(a)
	}
	n := len(got.found())
	if n < gets/10/2 || n > gets/10*2 {
		t.Errorf("%d of %d were checked, with a rate of 10", n, gets)
	}
	runtime.KeepAlive(kept)
	if s := pool.Stats(); s.Gets != gets || s.Puts != gets || s.Live != 0 || s.Freed+s.Lost != 0 {
		t.Errorf("%+v", s)
	}

	for _, rate := range []int{0, 1} {
		pool = arena.NewPool(arena.WithReuse(), arena.WithCheckRate(rate), arena.WithName("p"), arena.WithPoolLimit(1<<20), got.option())
		first := pool.Get()
		first.AllocBytes(100000)
		pool.Put(first)
		for range 50 {
			a := pool.GetKeyed("key")
			if rate == 1 && a == first {
				t.Fatal("a checked arena was lent again")
			}
			a.AllocBytes(100000) // within the limit only if it is given back
			pool.Put(a)
		}
		if rate == 1 {
			testkit.WantPanic(t, func() { first.AllocBytes(1) }, "put back")
			testkit.WantPanic(t, func() { pool.Put(first) }, `"p"`, "was put back already")
		}
		if list := got.found(); len(list) > 0 {
			t.Error(list[0])
		}
	}
	testkit.WantPanic(t, func() { arena.WithCheckRate(-1) }, "WithCheckRate", "-1")
	testkit.WantPanic(t, func() { arena.WithChecks(7) }, "WithChecks", "7")
}

// TestUncheckedPoolHasNoSamples: without a rate, or with rate 0, nothing is checked.
func TestUncheckedPoolHasNoSamples(t *testing.T) {
	var got escapes
	for _, pool := range []*arena.Pool{
		arena.NewPool(arena.WithReuse(), got.option()), arena.NewPool(arena.WithReuse(), got.option(), arena.WithCheckRate(0)),
	} {
		for range 100 {
			a := pool.Get()
			escaped.order = arena.New[order](a)
			pool.Put(a)
		}
		if list := got.found(); len(list) > 0 {
			t.Error(list[0])
		}
	}
	escaped.order = nil
}
