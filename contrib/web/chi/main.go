// Command chi is an HTTP server with the router chi, in which each request has an arena.
package main

import (
	"io"
	"log"
	"net/http"
	"strings"

	"github.com/go-chi/chi/v5"
	"github.com/harena-go/arena"
	"github.com/harena-go/arena/arenahttp"
)

func main() {
	pool := arena.NewPool(arena.WithName("web"), arena.WithLimit(8<<20), arena.WithPoolLimit(1<<30)) // one request, all requests
	log.Fatal(http.ListenAndServe("localhost:8080", routes(pool)))
}

// routes returns the server's routes. Middleware of a group runs when chi knows the route, by which the pool
// learns how much requests take; that of the whole router runs before.
func routes(pool *arena.Pool) http.Handler {
	r := chi.NewRouter()
	r.Group(func(r chi.Router) {
		r.Use(func(next http.Handler) http.Handler { return arenahttp.Handler(pool, next) })
		r.Post("/words/{name}", count)
	})
	r.Get("/health", func(http.ResponseWriter, *http.Request) {})
	return r
}

func count(w http.ResponseWriter, r *http.Request) {
	text, err := answer(r, chi.URLParam(r, "name"))
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	io.WriteString(w, text)
}

// answer says how many words a request has, all of it in the request's arena.
func answer(r *http.Request, name string) (string, error) {
	a := arena.FromContext(r.Context())
	body, err := arenahttp.ReadBody(r)
	if err != nil {
		return "", err
	}
	var words []string
	for word := range strings.FieldsSeq(a.AllocBytesToString(body)) {
		words = arena.Append(a, words, word)
	}
	return a.Sprintf("%d words from %s", len(words), name), nil
}
