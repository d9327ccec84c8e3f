package arenapprof_test

import (
	"bytes"
	"fmt"
	"net/http/httptest"

	"github.com/harena-go/arena"
	"github.com/harena-go/arena/arenapprof"
)

// A pool with one lease in 256 observed, and a handler for its profile.
func Example() {
	pool := arena.NewPool(arena.WithObserveRate(256))
	for range 1000 {
		a := pool.Get()
		a.AllocBytes(10_000)
		pool.Put(a)
	}
	w := httptest.NewRecorder()
	arenapprof.Handler().ServeHTTP(w, httptest.NewRequest("GET", "/debug/pprof/arena", nil))
	fmt.Println(w.Code, w.Body.Len() > 100)
	// Output: 200 true
}

func ExampleWrite() {
	pool := arena.NewPool(arena.WithObserveRate(1))
	a := pool.Get()
	a.AllocBytes(100_000)
	var b bytes.Buffer
	err := arenapprof.Write(&b, pool)
	fmt.Println(b.Len() > 100, err)
	pool.Put(a)
	// Output: true <nil>
}

func ExampleHandler() {
	w := httptest.NewRecorder()
	arenapprof.Handler().ServeHTTP(w, httptest.NewRequest("GET", "/debug/pprof/arena?pool=nobody", nil))
	fmt.Print(w.Code, " ", w.Body)
	// Output: 404 there is no such pool
}
