package arenametrics_test

import (
	"fmt"

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

// The numbers of a nil pool tell which metrics there are.
func ExampleOf() {
	for _, m := range arenametrics.Of(nil) {
		if m.Unit == "seconds" {
			fmt.Println(m.Name, m.Value, m.Help)
		}
	}
	// Output: oldest_lease 0 How long the oldest lease has lasted; see Pool.Leases.
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
