package arena_test

import (
	"fmt"
	"log/slog"
	"os"
	"runtime"
	"strings"

	"github.com/harena-go/arena"
)

func ExamplePools() {
	orders := arena.NewPool(arena.WithName("orders"))
	orders.Put(orders.Get())
	for _, p := range arena.Pools() {
		if s := p.Stats(); s.Name == "orders" {
			fmt.Println(p.Name(), s.Gets, s.Idle <= 1)
		}
	}
	// Output: orders 1 true
}

func ExamplePool_Name() {
	fmt.Println(arena.NewPool(arena.WithName("orders")).Name())
	fmt.Println(arena.NewPool().Name())
	// Output:
	// orders
	// pool at example_observe_test.go:26
}

// Which arenas are lent, and where was the oldest one taken?
func ExamplePool_Leases() {
	pool := arena.NewPool()
	forgotten := pool.Get()
	for _, l := range pool.Leases(10) {
		fmt.Println(l.Pool, "for", l.Age, "or longer:", l.AgeIsLowerBound)
	}
	pool.Put(forgotten)
	fmt.Println(len(pool.Leases(10)))
	// Output:
	// pool at example_observe_test.go:34 for 0s or longer: true
	// 0
}

func ExampleLease() {
	pool := arena.NewPool()
	pool.Leases(0) // from now on somebody watches
	pool.GetKeyed("GET /orders")
	for _, l := range pool.Leases(0) {
		if len(l.Stack) > 0 {
			fmt.Println(l.Key, "was taken by", l.Stack[0].Function[strings.LastIndex(l.Stack[0].Function, "/")+1:])
			for _, f := range l.Stack {
				if strings.HasSuffix(f.Function, "ExampleLease") {
					fmt.Println("which was called by an example")
				}
			}
		}
	}
	// Output:
	// GET /orders was taken by arena.(*Pool).GetKeyed
	// which was called by an example
}

func ExamplePool_LastLimitHit() {
	pool := arena.NewPool(arena.WithLimit(1 << 20))
	pool.Do(func(a *arena.Arena) error {
		a.AllocBytes(2 << 20)
		return nil
	})
	r, ok := pool.LastLimitHit()
	fmt.Println(ok, r.Asked, pool.Stats().LimitHits)
	// Output: true 2097152 1
}

func ExampleLimitHit() {
	pool := arena.NewPool(arena.WithLimit(1 << 20))
	pool.Do(func(a *arena.Arena) error {
		a.AllocBytes(2 << 20)
		return nil
	})
	r, _ := pool.LastLimitHit()
	fmt.Printf("%d bytes by %s", r.Asked, r.Stack[0].Function[strings.LastIndex(r.Stack[0].Function, ".")+1:])
	// Output: 2097152 bytes by AllocBytes
}

// The needs of requests: the size that covers nine in ten of them, and their types.
func ExampleUsagePercentiles() {
	pool := arena.NewPool(arena.WithReuse())
	for range 100 {
		a := pool.Get()
		a.AllocBytes(10_000)
		for range 100 {
			arena.New[runtime.Error](a)
		}
		pool.Put(a)
	}
	u := pool.Stats().Usage
	fmt.Println(u.P90 >= 11_000, u.Types["runtime.Error"] >= 800)
	// Output: true true
}

// How many pieces of work took how much, all of them since the pool was made.
func ExampleHistogram() {
	pool := arena.NewPool()
	for i := range 100 {
		a := pool.Get()
		a.AllocBytes(1000)
		if i >= 98 {
			a.AllocBytes(100_000)
		}
		pool.Put(a)
	}
	h := pool.Stats().Sizes
	large := uint64(0)
	for i, n := range h.Buckets {
		if i > 4*16 { // 2^16 bytes
			large += n
		}
	}
	fmt.Println(large, "of", h.Count, "took more than 64 KiB")
	// Output: 2 of 100 took more than 64 KiB
}

// plainLog is a logger without the time.
func plainLog() *slog.Logger {
	return slog.New(slog.NewTextHandler(os.Stdout, &slog.HandlerOptions{ReplaceAttr: func(_ []string, a slog.Attr) slog.Attr {
		if a.Key == slog.TimeKey {
			return slog.Attr{}
		}
		return a
	}}))
}

func ExampleStats_LogValue() {
	a := arena.NewArena(arena.WithName("one"))
	a.AllocBytes(100)
	plainLog().Info("request", "arena", a.Stats())
	// Output:
	// level=INFO msg=request arena.name=one arena.used=100 arena.high_water=100 arena.reserved=4096 arena.retained=0 arena.wasted=0 arena.chunks=1 arena.slabs=0 arena.resets=0
}

func ExamplePoolStats_LogValue() {
	pool := arena.NewPool(arena.WithReuse(), arena.WithName("orders"))
	pool.Get()
	plainLog().Info("hourly", "pool", pool.Stats())
	// Output:
	// level=INFO msg=hourly pool.name=orders pool.gets=1 pool.misses=1 pool.live=1 pool.idle=0 pool.freed=0 pool.lost=0 pool.limit_hits=0 pool.escapes=0 pool.used=0 pool.high_water=0 pool.growths=0 pool.reserved=0 pool.retained=0
}

func ExampleEscape_LogValue() {
	e := arena.Escape{Arena: "orders", Type: "shop.Order", Size: 64, Cycles: 3}
	plainLog().Error("escape", "escape", e)
	// Output:
	// level=ERROR msg=escape escape.arena=orders escape.key="" escape.type=shop.Order escape.size=64 escape.cycles=3 escape.written=false escape.holder="" escape.allocated="" escape.lent="" escape.taken_back=""
}

// One lease in two is observed, which is for a test: 256 is enough for a server.
func ExampleWithObserveRate() {
	pool := arena.NewPool(arena.WithObserveRate(2))
	for range 100 {
		pool.Put(pool.Get())
	}
	held := [64]*arena.Arena{}
	for i := range held {
		held[i] = pool.Get()
	}
	observed := 0
	for _, l := range pool.Leases(0) {
		if l.Stack != nil { // observed, also if nobody watches
			observed++
		}
	}
	fmt.Println(observed > 0)
	// Output: true
}
