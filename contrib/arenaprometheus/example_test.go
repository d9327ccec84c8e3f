package arenaprometheus_test

import (
	"bufio"
	"fmt"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"

	"github.com/harena-go/arena"
	"github.com/harena-go/arena/contrib/arenaprometheus"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"
)

// show prints the lines of a page that are about a pool and begin with some name.
func show(h http.Handler, pool, name string) {
	w := httptest.NewRecorder()
	h.ServeHTTP(w, httptest.NewRequest("GET", "/metrics", nil))
	for s := bufio.NewScanner(w.Body); s.Scan(); {
		if line := s.Text(); strings.HasPrefix(line, name) && strings.Contains(line, fmt.Sprintf("pool=%q", pool)) {
			fmt.Println(line)
		}
	}
}

func Example() {
	registry := prometheus.NewRegistry()
	registry.MustRegister(arenaprometheus.NewCollector())
	page := promhttp.HandlerFor(registry, promhttp.HandlerOpts{})

	pool := arena.NewPool(arena.WithName("orders"))
	for range 3 {
		pool.Put(pool.GetKeyed("POST /orders"))
	}
	a := pool.GetKeyed("GET /orders/{id}")
	show(page, "orders", "arena_pool_gets_total")
	show(page, "orders", `arena_pool_leases{key="GET`)
	pool.Put(a)
	// Output:
	// arena_pool_gets_total{key="",pool="orders"} 0
	// arena_pool_gets_total{key="GET /orders/{id}",pool="orders"} 1
	// arena_pool_gets_total{key="POST /orders",pool="orders"} 3
	// arena_pool_leases{key="GET /orders/{id}",pool="orders",state="idle"} 0
	// arena_pool_leases{key="GET /orders/{id}",pool="orders",state="used"} 1
}

func ExampleNewCollector() {
	c := arenaprometheus.NewCollector()
	fmt.Println(prometheus.NewRegistry().Register(c))
	// Output: <nil>
}

// A collector also works without a registry.
func ExampleCollector() {
	pool := arena.NewPool(arena.WithName("asked"))
	c := arenaprometheus.NewCollector()
	descs := make(chan *prometheus.Desc, 100)
	c.Describe(descs)
	metrics := make(chan prometheus.Metric)
	go func() {
		c.Collect(metrics)
		close(metrics)
	}()
	n := 0
	for range metrics { // meanwhile, since their number depends on all pools of the program
		n++
	}
	fmt.Println(len(descs) >= 18, n >= 18, pool.Name())
	// Output: true true asked
}

func ExampleOption() {
	options := []arenaprometheus.Option{arenaprometheus.ClassicBuckets(1<<10, 1<<20)}
	fmt.Println(prometheus.NewRegistry().Register(arenaprometheus.NewCollector(options...)))
	// Output: <nil>
}

// The text format has no native buckets.
func ExampleClassicBuckets() {
	registry := prometheus.NewRegistry()
	registry.MustRegister(arenaprometheus.NewCollector(arenaprometheus.ClassicBuckets(1<<10, 1<<20)))

	pool := arena.NewPool(arena.WithName("uploads"))
	defer runtime.KeepAlive(pool)
	for _, size := range []int{100, 5000, 20_000} {
		a := pool.Get()
		a.AllocBytes(size)
		pool.Put(a)
	}
	show(promhttp.HandlerFor(registry, promhttp.HandlerOpts{}), "uploads", "arena_pool_request_bytes_bucket")
	// Output:
	// arena_pool_request_bytes_bucket{key="",pool="uploads",le="1024"} 1
	// arena_pool_request_bytes_bucket{key="",pool="uploads",le="1.048576e+06"} 3
	// arena_pool_request_bytes_bucket{key="",pool="uploads",le="+Inf"} 3
}
