// Hello is a web service: each request has an arena.
package main

import (
	"log"
	"net/http"

	"github.com/harena-go/arena"
	"github.com/harena-go/arena/arenahttp"
)

type Greeting struct{ Name, Text string }

func greet(w http.ResponseWriter, r *http.Request) {
	g, err := arenahttp.JSON[Greeting](r) // in the request's arena, with all that it points to
	if err != nil {
		arenahttp.Error(w, r, err) // 400, 413, 415 or 422, with the place
		return
	}
	g.Text = arena.FromContext(r.Context()).Text().Str("Hello, ").Str(g.Name).Byte('!').String()
	arenahttp.Reply(w, r, http.StatusOK, g)
}

func routes(pool *arena.Pool) http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("POST /greet", greet)
	return arenahttp.Handler(pool, mux) // each request gets an arena, which ends with it
}

func main() {
	// Later, with arena.WithReuse() too, requests reuse memory at once: docs/service.md.
	pool := arena.NewPool(arena.WithLimit(8<<20), arena.WithPoolLimit(1<<30)) // one request, all requests
	log.Fatal(http.ListenAndServe("localhost:8080", routes(pool)))
}
