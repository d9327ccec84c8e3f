package arenadebug_test

import (
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"

	"github.com/harena-go/arena"
	"github.com/harena-go/arena/arenadebug"
)

// A program that imports the package has the page in http.DefaultServeMux.
func Example() {
	pool := arena.NewPool(arena.WithName("orders"))
	pool.Put(pool.Get())

	r := httptest.NewRequest("GET", "http://localhost/debug/arena?pool=orders&format=text", nil)
	r.RemoteAddr = "127.0.0.1:1234"
	w := httptest.NewRecorder()
	http.DefaultServeMux.ServeHTTP(w, r)
	fmt.Println(strings.SplitN(w.Body.String(), "\n", 2)[0])
	// Output: Nothing is wrong that can be seen from here.
}

func ExampleHandler() {
	mux := http.NewServeMux()
	mux.Handle("/internal/arenas", arenadebug.Handler())

	r := httptest.NewRequest("GET", "http://localhost/internal/arenas", nil)
	r.RemoteAddr = "192.0.2.7:1234" // somebody else's machine
	w := httptest.NewRecorder()
	mux.ServeHTTP(w, r)
	fmt.Println(w.Code)
	// Output: 403
}

// A program that publishes its variables does so with these, too: expvar.Publish("arena", arenadebug.Var()).
func ExampleVar() {
	pool := arena.NewPool(arena.WithName("payments"))
	pool.Put(pool.Get())
	fmt.Println(strings.Contains(arenadebug.Var().String(), `"payments":{"Name":"payments","Reuse":false,"Gets":1,"Puts":1,`))
	// Output: true
}

// The page for those in the network of the office, too.
func Example_authRequest() {
	before := arenadebug.AuthRequest
	defer func() { arenadebug.AuthRequest = before }()

	_, office, _ := net.ParseCIDR("10.0.0.0/8")
	arenadebug.AuthRequest = func(r *http.Request) bool {
		host, _, _ := net.SplitHostPort(r.RemoteAddr)
		return office.Contains(net.ParseIP(host)) || before(r)
	}
	r := httptest.NewRequest("GET", "http://localhost/debug/arena", nil)
	r.RemoteAddr = "10.1.2.3:1234"
	w := httptest.NewRecorder()
	arenadebug.Handler().ServeHTTP(w, r)
	fmt.Println(w.Code)
	// Output: 200
}
