// Service is a small web service: JSON in, JSON out, and an arena for each request.
package main

import (
	"log"
	"net/http"

	"github.com/harena-go/arena"
	"github.com/harena-go/arena/arenahttp"
)

type Order struct {
	Customer string `json:"customer"`
	Items    []Item `json:"items"`
	Total    int    `json:"total"`
}

type Item struct {
	Name  string `json:"name"`
	Count int    `json:"count"`
	Price int    `json:"price"`
}

func order(w http.ResponseWriter, r *http.Request) {
	o, err := arenahttp.JSON[Order](r) // in the request's arena, with all that it points to
	if err != nil {
		arenahttp.Error(w, r, err) // 400, 413, 415 or 422, with the place
		return
	}
	for _, i := range o.Items {
		o.Total += i.Count * i.Price
	}
	arenahttp.Reply(w, r, http.StatusCreated, o)
}

func routes(pool *arena.Pool) http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("POST /orders", order)
	return arenahttp.Handler(pool, mux) // each request gets an arena, which ends with it
}

func main() {
	// With arena.WithReuse(), too, requests reuse memory at once. docs/service.md says what to check first.
	pool := arena.NewPool(arena.WithLimit(8<<20), arena.WithPoolLimit(1<<30)) // one request, all requests
	log.Fatal(http.ListenAndServe("localhost:8080", routes(pool)))
}
