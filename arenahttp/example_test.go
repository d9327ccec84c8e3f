package arenahttp_test

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"

	"github.com/harena-go/arena"
	"github.com/harena-go/arena/arenahttp"
)

// show sends a body to a handler and prints the answer.
func show(h http.Handler, method, path, body string) {
	w := httptest.NewRecorder()
	h.ServeHTTP(w, httptest.NewRequest(method, path, strings.NewReader(body)))
	fmt.Println(w.Code, strings.TrimSpace(w.Body.String()))
}

// An arena for each request, whose memory is used again and again.
func Example() {
	pool := arena.NewPool(arena.WithLimit(8<<20), arena.WithPoolLimit(1<<29))
	mux := http.NewServeMux()
	mux.Handle("POST /words", arenahttp.Handler(pool, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		a := arena.FromContext(r.Context())
		body, err := arenahttp.ReadBody(r)
		if err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		var words []string // in the arena, as all that is made of the request
		for word := range strings.FieldsSeq(a.AllocBytesToString(body)) {
			words = arena.Append(a, words, word)
		}
		io.WriteString(w, a.Sprintf("%d words, the last is %s", len(words), words[len(words)-1]))
	})))

	show(mux, "POST", "/words", "to be or not to be")
	show(mux, "POST", "/words", "that is the question")
	s := pool.Stats()
	fmt.Println(s.Keys["POST /words"].Gets, "requests,", s.Live, "arenas still lent")
	// Output:
	// 200 6 words, the last is be
	// 200 4 words, the last is question
	// 2 requests, 0 arenas still lent
}

// One handler around all gives each pattern of the ServeMux a key of its own.
func ExampleHandler() {
	pool := arena.NewPool()
	mux := http.NewServeMux()
	mux.HandleFunc("GET /hello/{name}", func(w http.ResponseWriter, r *http.Request) {
		a := arena.FromContext(r.Context())
		io.WriteString(w, a.Sprintf("hello, %s", r.PathValue("name")))
	})
	mux.HandleFunc("GET /health", func(w http.ResponseWriter, r *http.Request) { // which takes no arena
		io.WriteString(w, "fine")
	})
	h := arenahttp.Handler(pool, mux)

	show(h, "GET", "/hello/Ada", "")
	show(h, "GET", "/hello/Alan", "")
	show(h, "GET", "/health", "")
	s := pool.Stats()
	fmt.Println(s.Gets, "arenas lent,", s.Keys["GET /hello/{name}"].Gets, "of them to say hello")
	// Output:
	// 200 hello, Ada
	// 200 hello, Alan
	// 200 fine
	// 2 arenas lent, 2 of them to say hello
}

// Options follow the handler.
func ExampleOption() {
	hello := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := arenahttp.ReadBody(r)
		fmt.Fprintf(w, "%d bytes, %v", len(body), err)
	})
	options := []arenahttp.Option{arenahttp.MaxBody(1 << 20)}
	show(arenahttp.Handler(arena.NewPool(), hello, options...), "POST", "/", "hello")
	// Output: 200 5 bytes, <nil>
}

func ExampleMaxBody() {
	h := arenahttp.Handler(arena.NewPool(), http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, err := arenahttp.ReadBody(r)
		if e, ok := errors.AsType[*http.MaxBytesError](err); ok {
			http.Error(w, fmt.Sprintf("at most %d bytes, please", e.Limit), http.StatusRequestEntityTooLarge)
		}
	}), arenahttp.MaxBody(10))
	show(h, "POST", "/", "more than ten bytes")
	// Output: 413 at most 10 bytes, please
}

func ExampleOnLimit() {
	pool := arena.NewPool(arena.WithLimit(1 << 20))
	h := arenahttp.Handler(pool, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		arena.FromContext(r.Context()).AllocBytes(2 << 20)
	}), arenahttp.OnLimit(func(w http.ResponseWriter, r *http.Request, e *arena.LimitError) {
		http.Error(w, fmt.Sprintf("%s needs %d bytes of %d", r.URL.Path, e.Asked, e.Limit), http.StatusRequestEntityTooLarge)
	}))
	show(h, "GET", "/all", "")
	// Output: 413 /all needs 2097152 bytes of 1048576
}

func ExampleReadBody() {
	h := arenahttp.Handler(arena.NewPool(), http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := arenahttp.ReadBody(r)
		fmt.Fprintf(w, "%d bytes, %v", len(body), err)
	}))
	show(h, "POST", "/", strings.Repeat("x", 100_000))
	// Output: 200 100000 bytes, <nil>
}

// The answer doesn't wait for the archive, but the arena does.
func ExampleDetach() {
	pool := arena.NewPool()
	written, archived := make(chan bool), make(chan bool)
	h := arenahttp.Handler(pool, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := arenahttp.ReadBody(r)
		if err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		done := arenahttp.Detach(r)
		go func() {
			<-written
			fmt.Printf("archived %q, arenas lent: %d\n", body, pool.Stats().Live)
			done()
			close(archived)
		}()
		w.WriteHeader(http.StatusAccepted)
		io.WriteString(w, "accepted")
	}))
	show(h, "POST", "/orders", "two apples")
	close(written)
	<-archived
	fmt.Println("arenas lent:", pool.Stats().Live)
	// Output:
	// 202 accepted
	// archived "two apples", arenas lent: 1
	// arenas lent: 0
}
