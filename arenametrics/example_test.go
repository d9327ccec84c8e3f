package arenametrics_test

import (
	"fmt"
	"strings"

	"github.com/harena-go/arena"
	"github.com/harena-go/arena/arenametrics"
)

// The numbers of one pool, in the text format of Prometheus.
func Example() {
	pool := arena.NewPool(arena.WithReuse(), arena.WithName("mail"))
	pool.Put(pool.Get())
	for _, m := range arenametrics.Of(pool) {
		if m.Kind == arenametrics.Counter && m.Value > 0 {
			fmt.Printf("arena_%s_total{pool=%q} %v\n", m.Name, m.Pool, m.Value)
		}
	}
	// Output:
	// arena_gets_total{pool="mail"} 1
	// arena_puts_total{pool="mail"} 1
	// arena_misses_total{pool="mail"} 1
}

func ExampleAll() {
	pool := arena.NewPool(arena.WithName("payments"))
	pool.Put(pool.GetKeyed("POST /pay"))
	for _, m := range arenametrics.All() {
		if m.Pool == "payments" && m.Name == "gets" {
			fmt.Printf("arena_%s{pool=%q,key=%q} %v # %s\n", m.Name, m.Pool, m.Key, m.Value, m.Help)
		}
	}
	// Output:
	// arena_gets{pool="payments",key=""} 1 # Arenas lent.
	// arena_gets{pool="payments",key="POST /pay"} 1 # Arenas lent.
}

// The numbers of a nil pool list the metrics.
func ExampleOf() {
	for _, m := range arenametrics.Of(nil) {
		if m.Unit == "seconds" {
			fmt.Println(m.Name, m.Value, m.Help)
		}
	}
	// Output: oldest_lease 0 How long the oldest lease has lasted; see Leases.
}

func ExampleMetric() {
	m := arenametrics.Metric{Name: "retained", Unit: "bytes", Kind: arenametrics.Gauge, Pool: "orders", Value: 4096}
	fmt.Printf("%s_%s of %s: %v\n", m.Name, m.Unit, m.Pool, m.Value)
	// Output: retained_bytes of orders: 4096
}

func ExampleKind() {
	kinds := map[arenametrics.Kind]string{
		arenametrics.Counter: "counter", arenametrics.Gauge: "gauge", arenametrics.Distribution: "histogram",
	}
	fmt.Println(kinds[arenametrics.Metric{Name: "gets", Kind: arenametrics.Counter}.Kind])
	// Output: counter
}

// 150 keys, which may come from outside, are 100 series and one for the rest.
func ExampleTable() {
	pool := arena.NewPool(arena.WithName("routes"))
	for i := range 150 {
		pool.Put(pool.GetKeyed(fmt.Sprint("/", i)))
	}
	series, sum := 0, 0.0
	for _, m := range new(arenametrics.Table).Metrics() {
		if m.Pool == "routes" && m.Name == "gets" && m.Key != "" {
			series++
			sum += m.Value
		}
	}
	fmt.Println(series, "series,", sum, "in all")
	// Output: 101 series, 150 in all
}

func ExampleTable_Metrics() {
	var table arenametrics.Table // one for each exporter, for as long as the program runs
	pool := arena.NewPool(arena.WithName("imports"))
	for range 2 {
		pool.Put(pool.Get())
		for _, m := range table.Metrics() {
			if m.Pool == "imports" && m.Name == "gets" {
				fmt.Println(m.Value)
			}
		}
	}
	// Output:
	// 1
	// 2
}

// Which arenas are lent, and where was the oldest one taken?
func ExampleLeases() {
	pool := arena.NewPool()
	forgotten := pool.Get()
	for _, l := range arenametrics.Leases(pool, 10) {
		fmt.Println(l.Pool, "for", l.Age)
	}
	pool.Put(forgotten)
	fmt.Println(len(arenametrics.Leases(pool, 10)))
	// Output:
	// pool at example_test.go:98 for 0s
	// 0
}

func ExampleLease() {
	pool := arena.NewPool()
	arenametrics.Leases(pool, 0) // from now on somebody watches
	pool.GetKeyed("GET /orders")
	for _, l := range arenametrics.Leases(pool, 0) {
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

func ExampleLastLimitHit() {
	pool := arena.NewPool(arena.WithLimit(1 << 20))
	pool.Do(func(a *arena.Arena) error {
		a.AllocBytes(2 << 20)
		return nil
	})
	r, ok := arenametrics.LastLimitHit(pool)
	fmt.Println(ok, r.Asked, pool.Stats().LimitHits)
	// Output: true 2097152 1
}

func ExampleLimitHit() {
	pool := arena.NewPool(arena.WithLimit(1 << 20))
	pool.Do(func(a *arena.Arena) error {
		a.AllocBytes(2 << 20)
		return nil
	})
	r, _ := arenametrics.LastLimitHit(pool)
	fmt.Printf("%d bytes by %s", r.Asked, r.Stack[0].Function[strings.LastIndex(r.Stack[0].Function, ".")+1:])
	// Output: 2097152 bytes by AllocBytes
}
