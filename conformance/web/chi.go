package web

import (
	"io"
	"net/http"

	"github.com/go-chi/chi/v5"
	"github.com/harena-go/arena"
	"github.com/harena-go/arena/arenahttp"
)

// orders is a handler of net/http.
func orders(w http.ResponseWriter, r *http.Request) {
	o, err := arenahttp.JSON[Order](r)
	if err == nil {
		err = valid(o)
	}
	if err == nil {
		err = arenahttp.Reply(w, r, http.StatusCreated, o)
	}
	if err != nil {
		arenahttp.Error(w, r, err)
	}
}

// Chi returns routes of chi. Middleware of a group runs after chi has found the route; that of the
// whole router runs before.
func Chi(pool *arena.Pool) http.Handler {
	r := chi.NewRouter()
	r.Group(func(r chi.Router) {
		r.Use(func(next http.Handler) http.Handler { return arenahttp.Handler(pool, next) })
		r.Post("/words/{name}", func(w http.ResponseWriter, r *http.Request) {
			text, err := answer(r, chi.URLParam(r, "name"))
			if err != nil {
				http.Error(w, err.Error(), http.StatusBadRequest)
				return
			}
			io.WriteString(w, text)
		})
	})
	r.With(func(next http.Handler) http.Handler { return arenahttp.Handler(pool, next) }).Post("/orders", orders)
	r.Get("/health", func(http.ResponseWriter, *http.Request) {})
	return r
}
