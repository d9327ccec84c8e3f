package arena_test

import (
	"fmt"
	"runtime"

	"github.com/harena-go/arena"
	"github.com/harena-go/arena/arenametrics"
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
	// pool at example_observe_test.go:24
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

func ExampleEscape_LogValue() {
	e := arena.Escape{Arena: "orders", Type: "shop.Order", Size: 64, Cycles: 3}
	fmt.Println(e.LogValue())
	// Output:
	// [arena=orders key= type=shop.Order size=64 cycles=3 written=false holder= allocated= lent= reclaimed=]
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
	for _, l := range arenametrics.Leases(pool, 0) {
		if l.Stack != nil { // observed, also if nobody watches
			observed++
		}
	}
	fmt.Println(observed > 0)
	// Output: true
}
