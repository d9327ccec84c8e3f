package promises_test

import (
	"errors"
	"fmt"
	"runtime"
	"strings"
	"sync"
	"testing"

	"github.com/harena-go/arena"
	"github.com/harena-go/arena/internal/tests/testkit"
	"github.com/harena-go/arena/internal/tests/testkit/arenakit"
)

// This file tests Pool.Do: the arena comes back at any end of f, and the right Do returns or passes on the failure.

// wantLive fails the test unless the pool's arenas came back but for live ones.
func wantLive(t testing.TB, p *arena.Pool, live int) {
	t.Helper()
	if s := p.Stats(); s.Live != live || s.Gets != s.Puts+s.Freed+s.Live || s.Lost != 0 {
		t.Errorf("want %d live: %v", live, s)
	}
}

// wantLimit fails the test unless err is a *LimitError with that limit.
func wantLimit(t testing.TB, err error, limit int) {
	t.Helper()
	var e *arena.LimitError
	if !errors.As(err, &e) || e.Limit != limit {
		t.Errorf("got %v; want a LimitError, limit %d", err, limit)
	}
}

func TestDo(t *testing.T) {
	mine := errors.New("mine")
	big := func(a *arena.Arena) error { a.AllocBytes(10_000); return nil }
	for name, c := range map[string]struct {
		opts  []arena.PoolOption
		f     func(a *arena.Arena) error
		err   error // that Do must return
		limit int   // or of the LimitError that it must return
		panic any   // or the panic's value
	}{
		"fine":                 {f: arenakit.Works},
		"error":                {f: func(a *arena.Arena) error { arenakit.Works(a); return mine }, err: mine},
		"limit":                {opts: []arena.PoolOption{arena.WithLimit(1000)}, f: big, limit: 1000},
		"pool's limit":         {opts: []arena.PoolOption{arena.WithPoolLimit(2000)}, f: big, limit: 2000},
		"both, arena's first":  {opts: []arena.PoolOption{arena.WithLimit(1000), arena.WithPoolLimit(9000)}, f: big, limit: 1000},
		"both, pool's first":   {opts: []arena.PoolOption{arena.WithLimit(1 << 20), arena.WithPoolLimit(9000)}, f: big, limit: 9000},
		"child's limit":        {opts: []arena.PoolOption{arena.WithLimit(1000)}, f: func(a *arena.Arena) error { return big(a.Child()) }, limit: 1000},
		"child's pool's limit": {opts: []arena.PoolOption{arena.WithPoolLimit(2000)}, f: func(a *arena.Arena) error { return big(a.Child()) }, limit: 2000},
		"limit of an arena apart": {f: func(*arena.Arena) error { return big(arena.NewArena(arena.WithLimit(3000))) },
			limit: 3000},
		"LimitError in an error": {opts: []arena.PoolOption{arena.WithLimit(1000)}, f: func(a *arena.Arena) (err error) {
			defer func() { err = fmt.Errorf("wrapped: %w", recover().(error)) }()
			return big(a)
		}, limit: 1000},
		"LimitError in a panic with an error": {opts: []arena.PoolOption{arena.WithLimit(1000)}, f: func(a *arena.Arena) error {
			defer func() { panic(fmt.Errorf("wrapped: %w", recover().(error))) }()
			return big(a)
		}, limit: 1000},
		"string":         {f: func(a *arena.Arena) error { arenakit.Works(a); panic("mine") }, panic: "mine"},
		"error, panic":   {f: func(a *arena.Arena) error { panic(mine) }, panic: mine},
		"arena's panic":  {f: func(a *arena.Arena) error { a.AllocBytes(-1); return nil }, panic: "arena: AllocBytes: len -1 is negative"},
		"no LimitError":  {f: func(a *arena.Arena) error { panic(arena.LimitError{}) }, panic: arena.LimitError{}},
		"freed":          {f: func(a *arena.Arena) error { arenakit.Works(a); a.Free(); return mine }, err: mine},
		"freed, panic":   {f: func(a *arena.Arena) error { a.Free(); panic("mine") }, panic: "mine"},
		"allocates late": {f: func(a *arena.Arena) error { a.Free(); arena.New[int](a); return nil }, panic: "arena: New: the arena was freed; nothing can be allocated after Free"},
	} {
		t.Run(name, func(t *testing.T) {
			p := arena.NewPool(append([]arena.PoolOption{arena.WithReuse()}, c.opts...)...)
			for _, do := range []func(func(*arena.Arena) error) error{p.Do, p.Do,
				func(f func(*arena.Arena) error) error { return p.DoKeyed("k", f) }} {
				var err error
				if v := testkit.Caught(func() { err = do(c.f) }); v != c.panic {
					t.Errorf("panic %v; want %v", v, c.panic)
				}
				if c.limit > 0 {
					wantLimit(t, err, c.limit)
				} else if err != c.err {
					t.Errorf("%v; want %v", err, c.err)
				}
				wantLive(t, p, 0)
				if freed := p.Stats().Freed > 0; freed != (strings.HasPrefix(name, "freed") || name == "allocates late") {
					t.Errorf("freed: %v", freed)
				}
			}
			if err := p.Do(func(a *arena.Arena) error { a.AllocBytes(100); return nil }); err != nil {
				t.Errorf("afterwards: %v", err)
			}
		})
	}
}

// TestDoPassesPanicsOn: a panic with a pointer arrives as that pointer, and nil in the form that the runtime gives it.
func TestDoPassesPanicsOn(t *testing.T) {
	p := arena.NewPool(arena.WithReuse())
	value := &testkit.Node{}
	if v := testkit.Caught(func() { p.Do(func(*arena.Arena) error { panic(value) }) }); v != any(value) {
		t.Errorf("panic %v", v)
	}
	var none any
	if v := testkit.Caught(func() { p.Do(func(*arena.Arena) error { panic(none) }) }); fmt.Sprintf("%T", v) != "*runtime.PanicNilError" {
		t.Errorf("panic %v", v)
	}
	wantLive(t, p, 0)
}

// TestDoAndPanicNil: panic(nil), where it is allowed, is passed on, though recover returns nil as it does
// in Goexit.
func TestDoAndPanicNil(t *testing.T) {
	t.Setenv("GODEBUG", "panicnil=1")
	p := arena.NewPool(arena.WithReuse())
	returned := false
	var none any
	testkit.Caught(func() {
		p.Do(func(*arena.Arena) error { panic(none) })
		returned = true
	})
	if returned {
		t.Error("Do has returned after panic(nil)")
	}
	wantLive(t, p, 0)
	TestDoAndGoexit(t)
}

// TestDoAndGoexit: the end of the goroutine ends a Do too, as in t.FailNow.
func TestDoAndGoexit(t *testing.T) {
	p := arena.NewPool(arena.WithReuse())
	var wg sync.WaitGroup
	returned := false
	wg.Go(func() {
		p.Do(func(a *arena.Arena) error {
			arenakit.Works(a)
			runtime.Goexit()
			return nil
		})
		returned = true
	})
	wg.Wait()
	if returned {
		t.Error("Do has stopped Goexit")
	}
	wantLive(t, p, 0)
}

// TestDoAfterPut: f must not put back the arena. Nobody else suffers from it.
func TestDoAfterPut(t *testing.T) {
	p := arena.NewPool(arena.WithReuse(), arena.WithName(named))
	wantMessage(t, func() {
		p.Do(func(a *arena.Arena) error { p.Put(a); return nil })
	}, putTwice)
	wantLive(t, p, 0)
	wantMessage(t, func() {
		p.Do(func(a *arena.Arena) error { p.Put(a); p.Get(); return nil }) // the same one, or another
	}, putTwice)
	wantLive(t, p, 1)
	if err := p.Do(arenakit.Works); err != nil {
		t.Error(err)
	}
}

// TestDoPanicAfterPut: f's own panic says more than that it has put back the arena.
func TestDoPanicAfterPut(t *testing.T) {
	p := arena.NewPool(arena.WithReuse(), arena.WithLimit(1000))
	if v := testkit.Caught(func() {
		p.Do(func(a *arena.Arena) error {
			defer p.Put(a)
			panic("the cause")
		})
	}); v != "the cause" {
		t.Errorf("panic %v", v)
	}
	wantLimit(t, p.Do(func(a *arena.Arena) error {
		defer p.Put(a)
		a.AllocBytes(2000)
		return nil
	}), 1000)
	wantLive(t, p, 0)
}

// TestNestedDo: an error of a limit comes from the Do whose arena has met it.
func TestNestedDo(t *testing.T) {
	take := func(a *arena.Arena, n int) { a.AllocBytes(n) }
	outer := func() *arena.Pool {
		return arena.NewPool(arena.WithReuse(), arena.WithLimit(5000), arena.WithName("outer"))
	}
	inner := func() *arena.Pool { return arena.NewPool(arena.WithReuse(), arena.WithLimit(1000)) }
	for name, pools := range map[string]struct{ outer, inner *arena.Pool }{"two pools": {outer(), inner()}, "one pool": {},
		"a pool's limit": {arena.NewPool(arena.WithReuse(), arena.WithPoolLimit(5000)), inner()}} {
		if pools.outer == nil {
			pools.outer = outer()
			pools.inner = pools.outer
		}
		var innerErr error
		reached := false
		err := pools.outer.Do(func(a *arena.Arena) error {
			take(a, 100)
			innerErr = pools.inner.Do(func(b *arena.Arena) error {
				take(a, 100)
				take(b, 10_000)
				return nil
			})
			take(a, 100)
			reached = true
			return nil
		})
		if innerErr == nil || err != nil || !reached {
			t.Errorf("%s: the inner limit: inner Do %v, outer Do %v", name, innerErr, err)
		}
		for _, from := range []func(a *arena.Arena) *arena.Arena{
			func(a *arena.Arena) *arena.Arena { return a },
			func(a *arena.Arena) *arena.Arena { return a.Child() },
		} {
			reached = false
			err = pools.outer.Do(func(a *arena.Arena) error {
				pools.inner.Do(func(b *arena.Arena) error {
					return pools.inner.Do(func(c *arena.Arena) error {
						take(from(a), 10_000)
						return nil
					})
				})
				reached = true
				return nil
			})
			if reached {
				t.Errorf("%s: the outer limit: an inner Do has returned", name)
			}
			wantLimit(t, err, 5000)
		}
		wantLive(t, pools.outer, 0)
		wantLive(t, pools.inner, 0)
	}
}

// TestNestedDoAndOtherArenas: a Do returns the error for an arena that no Do around it has lent.
func TestNestedDoAndOtherArenas(t *testing.T) {
	testkit.NoGC(t)
	p := arena.NewPool(arena.WithReuse(), arena.WithLimit(1000))
	p.Do(func(*arena.Arena) error { return nil })
	lent := p.Get() // the same one, but not by Do
	outside := errors.New("not reached")
	if err := p.Do(func(*arena.Arena) error {
		outside = p.Do(func(*arena.Arena) error { lent.AllocBytes(2000); return nil })
		return nil
	}); err != nil {
		t.Error(err)
	}
	wantLimit(t, outside, 1000)
	p.Put(lent)
	wantLive(t, p, 0)
	// The same arena, now lent by a Do that has ended.
	var old *arena.LimitError
	wantLimit(t, p.Do(func(a *arena.Arena) error { a.AllocBytes(2000); return nil }), 1000)
	p.Do(func(a *arena.Arena) error {
		old, _ = testkit.Caught(func() { a.AllocBytes(2000) }).(*arena.LimitError)
		return nil
	})
	wantLimit(t, p.Do(func(*arena.Arena) error { panic(old) }), 1000)
	wantLive(t, p, 0)
}

// TestDoLeavesWhatIsPutBack: after f has put back the arena, Do doesn't touch it: another goroutine may have it.
func TestDoLeavesWhatIsPutBack(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1)) // so that the other goroutine finds the arena
	p := arena.NewPool(arena.WithReuse(), arena.WithLimit(1000))
	for _, end := range []func(a *arena.Arena){func(*arena.Arena) {}, func(a *arena.Arena) { a.AllocBytes(10_000) }, (*arena.Arena).Free} {
		for range 20 { // with the race detector, sync.Pool drops some arenas
			var wg sync.WaitGroup
			in, out := make(chan bool), make(chan bool)
			v := testkit.Caught(func() {
				p.Do(func(a *arena.Arena) error {
					p.Put(a)
					wg.Go(func() {
						p.Do(func(b *arena.Arena) error {
							in <- b == a
							<-out
							end(b)
							return nil
						})
					})
					<-in
					close(out)
					return nil
				})
			})
			wg.Wait()
			if v != "arena: Put: the arena was put back already" {
				t.Fatalf("panic %v", v)
			}
		}
	}
}
