package promises_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"unsafe"

	"github.com/harena-go/arena"
	"github.com/harena-go/arena/arenahttp"
	"github.com/harena-go/arena/internal/tests/testkit"
	"github.com/harena-go/arena/internal/tests/testkit/arenakit"
)

// This file tests that a Pool notices wrong use, says so, and works on.

// wantMessage runs f and fails the test unless it panics with that message.
func wantMessage(t testing.TB, f func(), want string) {
	t.Helper()
	if v := testkit.Caught(f); fmt.Sprint(v) != want {
		t.Errorf("panic: %v\nwant:  %s", v, want)
	}
}

const (
	putTwice   = `arena: Put: the arena "n" was put back already`
	putFreed   = `arena: Put: the arena "n" was freed, which took it out of its pool`
	putForeign = `arena: Put: the arena "n" isn't from this pool`
	named      = "n"
)

// TestCheckedPut: a checked arena says where it was put back, or by the end of which work.
func TestCheckedPut(t *testing.T) {
	p := arena.NewPool(arena.WithReuse(), arena.WithChecks(arena.CheckObjects))
	a := p.Get()
	p.Put(a)
	testkit.WantPanic(t, func() { p.Put(a) }, "was put back already, at ", "pool_misuse_test.go:")
	testkit.WantPanic(t, func() { arena.New[int](a) }, "was put back into its pool, at ", "pool_misuse_test.go:")

	var kept *arena.Arena
	mux := http.NewServeMux()
	mux.HandleFunc("GET /carts", func(_ http.ResponseWriter, r *http.Request) { kept = arena.FromContext(r.Context()) })
	arenahttp.Handler(p, mux).ServeHTTP(httptest.NewRecorder(), httptest.NewRequest("GET", "/carts", nil))
	wantMessage(t, func() { arena.New[int](kept) },
		"arena: New: the arena was put back into its pool when GET /carts ended; work that goes on uses Detach or an arena of its own")
}

// TestBadPut tries all that can't be put back, or not to this pool.
func TestBadPut(t *testing.T) {
	name := arena.WithName(named)
	for what, c := range map[string]struct {
		arena func(p *arena.Pool) *arena.Arena
		want  string
	}{
		"put back":        {func(p *arena.Pool) *arena.Arena { a := p.Get(); p.Put(a); return a }, putTwice},
		"put back, keyed": {func(p *arena.Pool) *arena.Arena { a := p.GetKeyed("k"); p.Put(a); return a }, putTwice},
		"freed":           {func(p *arena.Pool) *arena.Arena { a := p.Get(); a.Free(); return a }, putFreed},
		"used and freed":  {func(p *arena.Pool) *arena.Arena { a := p.Get(); arenakit.Works(a); a.Free(); a.Free(); return a }, putFreed},
		"from NewArena":   {func(p *arena.Pool) *arena.Arena { return arena.NewArena(name) }, putForeign},
		"zero":            {func(p *arena.Pool) *arena.Arena { return new(arena.Arena) }, strings.Replace(putForeign, ` "n"`, "", 1)},
		"another pool's":  {func(p *arena.Pool) *arena.Arena { return arena.NewPool(arena.WithReuse(), name).Get() }, putForeign},
		"another's, put back": {func(p *arena.Pool) *arena.Arena {
			q := arena.NewPool(arena.WithReuse(), name)
			a := q.Get()
			q.Put(a)
			return a
		}, putForeign},
		"another's, freed": {func(p *arena.Pool) *arena.Arena {
			a := arena.NewPool(arena.WithReuse(), name).Get()
			a.Free()
			return a
		}, putForeign},
		"a child":            {func(p *arena.Pool) *arena.Arena { return p.Get().Child() }, putForeign},
		"a child's child":    {func(p *arena.Pool) *arena.Arena { return p.Get().Child().Child() }, putForeign},
		"a freed child":      {func(p *arena.Pool) *arena.Arena { c := p.Get().Child(); c.Free(); return c }, putForeign},
		"a child that ended": {func(p *arena.Pool) *arena.Arena { a := p.Get(); c := a.Child(); a.Reset(); return c }, putForeign},
		"a local":            {func(p *arena.Pool) *arena.Arena { return arena.NewShared(name).Local() }, putForeign},
	} {
		t.Run(what, func(t *testing.T) {
			for _, opts := range [][]arena.PoolOption{{name}, {name, arena.WithNoScan()}, {name, arena.WithPoolLimit(1 << 20)}} {
				p := arena.NewPool(append([]arena.PoolOption{arena.WithReuse()}, opts...)...)
				a := c.arena(p)
				before := p.Stats()
				for range 2 {
					wantMessage(t, func() { p.Put(a) }, c.want)
				}
				after := p.Stats()
				if before.Live != after.Live || before.Puts != after.Puts || before.Freed != after.Freed {
					t.Errorf("%v\nbefore it was refused: %v", after, before)
				}
				for range 3 {
					if v := testkit.Caught(func() {
						b := p.Get()
						if err := arenakit.Works(b); err != nil {
							t.Error("afterwards: ", err)
						}
						p.Put(b)
					}); v != nil {
						t.Fatal("afterwards: ", v)
					}
				}
			}
		})
	}
}

// TestBadPutOfEndedChild: the child of an arena that was put back isn't to be
// mistaken for that, neither before nor after it is lent again.
func TestBadPutOfEndedChild(t *testing.T) {
	p := arena.NewPool(arena.WithReuse(), arena.WithName(named))
	for range 3 {
		a := p.Get()
		c := a.Child()
		p.Put(a)
		wantMessage(t, func() { p.Put(c) }, putForeign)
		b := p.Get()
		wantMessage(t, func() { p.Put(c) }, putForeign)
		if v := testkit.Caught(func() { fill(b); p.Put(b) }); v != nil {
			t.Fatal(v)
		}
	}
}

// TestPutOfNil does nothing, and neither does a nil Pool.
func TestPutOfNil(t *testing.T) {
	var none *arena.Pool
	for _, p := range []*arena.Pool{none, {}, arena.NewPool(arena.WithReuse())} {
		p.Put(nil)
	}
	if a, b := none.Get(), none.GetKeyed("x"); a != nil || b != nil || arenakit.Works(a) != nil {
		t.Error("a nil Pool lends something")
	}
	if s := none.Stats(); s.Gets != 0 || s.Keys != nil {
		t.Errorf("a nil Pool has %v", s)
	}
	calls := 0
	err := none.Do(func(a *arena.Arena) error {
		calls++
		if a != nil {
			t.Error("a nil Pool lends an arena to Do")
		}
		return arenakit.Works(a)
	})
	if err != nil || calls != 1 {
		t.Errorf("Do of a nil Pool: %v, %d calls", err, calls)
	}
	wantMessage(t, func() { none.Put(arena.NewPool(arena.WithReuse(), arena.WithName(named)).Get()) }, putForeign)
}

// TestPutTwiceAtOnce: of two goroutines that put back the same arena, one gets a panic.
func TestPutTwiceAtOnce(t *testing.T) {
	for _, opts := range [][]arena.PoolOption{nil, {arena.WithPoolLimit(1 << 20)}} {
		p := arena.NewPool(append(opts, arena.WithReuse(), arena.WithName(named))...)
		const rounds = 500
		for round := range rounds {
			a := p.Get()
			arena.New[*int](a)
			var panics atomic.Int32
			var start, done sync.WaitGroup
			start.Add(1)
			for range 2 {
				done.Go(func() {
					start.Wait()
					if v := testkit.Caught(func() { p.Put(a) }); v == putTwice {
						panics.Add(1)
					} else if v != nil {
						t.Error(v)
					}
				})
			}
			start.Done()
			done.Wait()
			if n := panics.Load(); n != 1 {
				t.Fatalf("round %d: %d of two calls panicked", round, n)
			}
		}
		if s := p.Stats(); s.Puts != rounds || s.Live != 0 {
			t.Errorf("%v", s)
		}
	}
}

// TestUseAfterPut: an arena that was put back panics, and its pool is as it was. The worlds of internal/tests/attack try
// all calls.
func TestUseAfterPut(t *testing.T) {
	message := regexp.MustCompile(`^arena: [A-Z]\w+: the arena "n" was put back into its pool; Get returns one to use$`)
	lives := map[string]func(a *arena.Arena){
		"Reset": func(a *arena.Arena) { a.Reset() },
		"Free":  func(a *arena.Arena) { a.Free() },
		"New":   func(a *arena.Arena) { arena.New[*int](a) },
	}
	for kind, opts := range map[string][]arena.PoolOption{"default": nil, "self-contained": {arena.WithNoScan()},
		"limited": {arena.WithLimit(1 << 20), arena.WithPoolLimit(1 << 20)}} {
		for name, call := range lives {
			t.Run(kind+"/"+name, func(t *testing.T) {
				testkit.NoGC(t)
				p := arena.NewPool(append(opts, arena.WithReuse(), arena.WithName(named))...)
				for _, use := range []func(a *arena.Arena){func(*arena.Arena) {}, func(a *arena.Arena) { arenakit.Works(a) }, fill} {
					a := p.Get()
					use(a)
					p.Put(a)
					for range 2 {
						if v := fmt.Sprint(testkit.Caught(func() { call(a) })); !message.MatchString(v) {
							t.Errorf("panic: %s", v)
						}
					}
					if s := a.Stats(); a.UsedBytes() != 0 || s.Used != 0 || s.Name != named {
						t.Errorf("an arena that was put back has %v", s)
					}
					b := p.Get()
					if err := arenakit.Works(b); err != nil {
						t.Error("after Get: ", err)
					}
					if s := p.Stats(); s.Live != 1 || s.Freed != 0 {
						t.Errorf("after Get: %v", s)
					}
					p.Put(b)
				}
			})
		}
	}
}

// fill takes more than one chunk of each kind.
func fill(a *arena.Arena) {
	for range 100 {
		arena.New[[100]byte](a)
		arena.New[testkit.Node](a)
		arena.MakeSlice[*int](a, 10, 10)
		a.AllocString(testkit.Static)
	}
}

// TestUseAfterPutOfWhatTheArenaMade: marks and children of one turn are invalid in the
// next. Typeds belong to the arena and stay valid.
func TestUseAfterPutOfWhatTheArenaMade(t *testing.T) {
	testkit.NoGC(t)
	for _, opts := range [][]arena.PoolOption{nil, {arena.WithNoScan()}} {
		p := arena.NewPool(append(opts, arena.WithReuse(), arena.WithName(named))...)
		a := p.Get()
		ints, ptrs, m, c := arena.For[int](a), arena.For[*int](a), a.Mark(), a.Child()
		child := arena.For[*int](c)
		obj := unsafe.Pointer(ints.New())
		ptrs.New()
		child.New()
		p.Put(a)
		pooled := `arena: New: the arena "n" was put back into its pool; Get returns one to use`
		ended := `arena: New: the arena "n" is the child of one that was reset, rewound or freed, and ended with it`
		wantMessage(t, func() { ints.New() }, pooled)
		wantMessage(t, func() { ptrs.New() }, pooled)
		wantMessage(t, func() { child.New() }, ended)
		wantMessage(t, func() { arena.New[byte](c) }, ended)
		wantMessage(t, func() { a.Rewind(m) }, strings.Replace(pooled, "New", "Rewind", 1))
		if a.Owns(obj) {
			t.Error("an arena that was put back owns what it allocated before")
		}
		if !testkit.Sanitized { // which makes sync.Pool lose sight of some
			if b := p.Get(); b != a {
				t.Error("another arena was lent than the idle one")
			}
			*ints.New() = 1
			*ptrs.New() = nil
			wantMessage(t, func() { child.New() }, ended)
			wantMessage(t, func() { a.Rewind(m) }, "arena: Rewind: the mark is stale: a Reset, or a Rewind to an earlier mark, ended it")
		}
	}
}

// TestBadPoolOptions: options are checked when the Pool, the Shared or the arena is made, not when the first arena of
// a Pool is.
func TestBadPoolOptions(t *testing.T) {
	const negative = " bytes; must not be negative"
	for _, c := range []struct {
		opts []arena.Option
		want string
	}{
		{[]arena.Option{arena.WithLimit(-4)}, "arena: WithLimit: -4" + negative},
		{[]arena.Option{arena.WithMaxRetained(-3)}, "arena: WithMaxRetained: -3" + negative},
		{[]arena.Option{arena.WithMaxChunkSize(-2)}, "arena: WithMaxChunkSize: -2" + negative},
		{[]arena.Option{arena.WithChunkSize(-1)}, "arena: WithChunkSize: -1" + negative},
		{[]arena.Option{arena.WithChunkSize(8192), arena.WithMaxChunkSize(4096)},
			"the first chunk of 8192 bytes is larger than the maximum of 4096 bytes"},
		{[]arena.Option{arena.WithMaxChunkSize(4096), arena.WithChunkSize(8192)},
			"the first chunk of 8192 bytes is larger than the maximum of 4096 bytes"},
		{[]arena.Option{arena.WithChunkSize(8191), arena.WithMaxChunkSize(4095)}, "the first chunk of 8191 bytes is larger"},
	} {
		var opts []arena.PoolOption
		for _, o := range c.opts {
			opts = append(opts, o)
		}
		testkit.WantPanic(t, func() { arena.NewPool(append([]arena.PoolOption{arena.WithReuse()}, opts...)...) }, c.want)
		testkit.WantPanic(t, func() { arena.NewShared(c.opts...) }, c.want)
		testkit.WantPanic(t, func() { arena.NewArena(c.opts...) }, c.want)
	}
	wantMessage(t, func() { arena.NewPool(arena.WithReuse(), arena.WithPoolLimit(-5)) }, "arena: WithPoolLimit: -5"+negative)
	if err := arenakit.Works(arena.NewPool(arena.WithReuse(), arena.WithPoolLimit(0), arena.WithLimit(0), arena.WithChunkSize(1<<22)).Get()); err != nil {
		t.Error(err)
	}
}
