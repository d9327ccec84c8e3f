package arenahttp_test

import (
	"bytes"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/harena-go/arena"
	"github.com/harena-go/arena/arenahttp"
	"github.com/harena-go/arena/internal/tests/testkit"
)

// mistakes are the kinds of errors that a handler makes from s, a part of its request.
var mistakes = map[string]func(a *arena.Arena, s string) error{
	"detail":    func(_ *arena.Arena, s string) error { return &arenahttp.Problem{Status: 400, Detail: s} },
	"title":     func(_ *arena.Arena, s string) error { return &arenahttp.Problem{Status: 404, Type: "/" + s, Title: s} },
	"pointer":   func(_ *arena.Arena, s string) error { return &arenahttp.Problem{Status: 422, Pointer: "/" + s} },
	"with err":  func(_ *arena.Arena, s string) error { return &arenahttp.Problem{Status: 409, Err: errors.New(s)} },
	"wrapped":   func(_ *arena.Arena, s string) error { return fmt.Errorf("%s: %w", s, &arenahttp.Problem{Detail: s}) },
	"joined":    func(_ *arena.Arena, s string) error { return errors.Join(errors.New(s), &arenahttp.Problem{Title: s}) },
	"other":     func(_ *arena.Arena, s string) error { return errors.New(s) },
	"too large": func(_ *arena.Arena, s string) error { return fmt.Errorf("%s: %w", s, &http.MaxBytesError{Limit: 1}) },
	"limit":     func(_ *arena.Arena, s string) error { return fmt.Errorf("%s: %w", s, &arena.LimitError{}) },
	"child": func(a *arena.Arena, s string) error {
		return &arenahttp.Problem{Status: 400, Detail: a.Child().AllocString(s)}
	},
	"in the arena": func(a *arena.Arena, s string) error {
		return arena.NewOf(a, arenahttp.Problem{Status: 400, Detail: s})
	},
}

// TestErrorsOfTheRequest: a client gets the same answer as from a server without arenas, whether a handler calls Error,
// or http.Error, or panics, and though others use the memory before net/http has sent the answer.
func TestErrorsOfTheRequest(t *testing.T) {
	handler := func(pool *arena.Pool) http.Handler {
		h := arenahttp.Handler(pool, plain(func(w http.ResponseWriter, r *http.Request, a *arena.Arena) {
			kind, s, _ := strings.Cut(a.AllocString(r.Header.Get("X-Mistake")), ":")
			err := mistakes[kind](a, s)
			w.Header().Set("X-Error", err.Error())
			w.Header().Set("X-Child", a.Child().AllocString(s))
			switch r.URL.Path {
			case "/error":
				arenahttp.Error(w, r, err)
			case "/text":
				http.Error(w, err.Error(), http.StatusTeapot)
			case "/limit":
				panic(fmt.Errorf("%w: %w", err, &arena.LimitError{}))
			}
		}), arenahttp.OnLimit(func(w http.ResponseWriter, r *http.Request, e *arena.LimitError) {
			w.WriteHeader(http.StatusInsufficientStorage)
		}))
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			h.ServeHTTP(w, r)
			a := pool.Get()
			for range 20 {
				copy(a.AllocBytesUninit(200), bytes.Repeat([]byte{'#'}, 200))
			}
			if pool != nil {
				pool.Put(a)
			}
		})
	}
	protocols(t, func(t *testing.T, http2 bool) {
		bare, _ := listen(t, handler(nil), http2)
		for name, opts := range map[string][]arena.PoolOption{"plain": nil, "scrub": {arena.WithScrub()}} {
			s, _ := listen(t, handler(arena.NewPool(append(opts, arena.WithReuse())...)), http2)
			testkit.Run(t, name, func(t *testing.T) {
				for kind := range mistakes {
					for _, path := range []string{"/error", "/text", "/limit", "/none"} {
						text := fmt.Sprint(kind, ":the name of client ", path)
						var answers [2]string
						for i, url := range []string{s.URL, bare.URL} {
							r, err := http.NewRequestWithContext(t.Context(), "GET", url+path, nil)
							if err != nil {
								t.Fatal(err)
							}
							r.Header.Set("X-Mistake", text)
							resp, err := []*http.Client{s.Client(), bare.Client()}[i].Do(r)
							if err != nil {
								t.Fatalf("%s, %s: %v", kind, path, err)
							}
							var body bytes.Buffer
							body.ReadFrom(resp.Body)
							resp.Body.Close()
							answers[i] = fmt.Sprintf("%d %q %q %s", resp.StatusCode, resp.Header["X-Error"], resp.Header["X-Child"], &body)
						}
						if answers[0] != answers[1] {
							t.Errorf("%s, %s: %s; without arenas %s", kind, path, answers[0], answers[1])
						}
					}
				}
			})
		}
	})
}
