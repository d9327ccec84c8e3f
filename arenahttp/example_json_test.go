package arenahttp_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"

	"github.com/harena-go/arena"
	"github.com/harena-go/arena/arenahttp"
)

type Item struct {
	Name  string `json:"name"`
	Count int    `json:"count"`
}

// post sends JSON to a handler and prints the answer.
func post(h http.Handler, path, body string) {
	r := httptest.NewRequest("POST", path, strings.NewReader(body))
	r.Header.Set("Content-Type", "application/json")
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	fmt.Println(w.Code, w.Body)
}

// JSON in, JSON out, and errors in a request are reported with their place.
func ExampleJSON() {
	mux := http.NewServeMux()
	mux.HandleFunc("POST /items", func(w http.ResponseWriter, r *http.Request) {
		items, err := arenahttp.JSON[[]Item](r)
		if err != nil {
			arenahttp.Error(w, r, err)
			return
		}
		for i := range *items {
			(*items)[i].Count++
		}
		arenahttp.Reply(w, r, http.StatusOK, *items)
	})
	h := arenahttp.Handler(arena.NewPool(arena.WithLimit(8<<20)), mux)

	post(h, "/items", `[{"name":"tea","count":1}]`)
	post(h, "/items", `[{"name":"tea","count":"two"}]`)
	// Output:
	// 200 [{"name":"tea","count":2}]
	// 422 {"title":"Unprocessable Entity","status":422,"detail":"an integer in range is expected","pointer":"/0/count"}
}

// The value that a framework fills may be anywhere; its contents are in the request's arena.
func ExampleDecode() {
	h := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var item Item
		if err := arenahttp.Decode(r, &item); err != nil {
			arenahttp.Error(w, r, err)
			return
		}
		arenahttp.Reply(w, r, http.StatusOK, item)
	})
	post(arenahttp.Handler(arena.NewPool(), h), "/items", `{"name":"tea","count":1}`)
	// Output: 200 {"name":"tea","count":1}
}

func ExampleReply() {
	h := arenahttp.Handler(arena.NewPool(), http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		item := arena.NewOf(arena.FromContext(r.Context()), Item{"cake", 3})
		if err := arenahttp.Reply(w, r, http.StatusCreated, item); err != nil {
			arenahttp.Error(w, r, err)
		}
	}))
	post(h, "/items", "")
	// Output: 201 {"name":"cake","count":3}
}

// The text of an error of the program itself isn't for clients.
func ExampleError() {
	h := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		arenahttp.Error(w, r, fmt.Errorf("connecting to the database: wrong password"))
	})
	post(h, "/items", "")
	// Output: 500 {"title":"Internal Server Error","status":500}
}

func ExampleProblem() {
	find := func(id string) (*Item, error) {
		return nil, &arenahttp.Problem{Status: http.StatusNotFound, Detail: "there is no item " + id}
	}
	mux := http.NewServeMux()
	mux.HandleFunc("POST /items/{id}", func(w http.ResponseWriter, r *http.Request) {
		if _, err := find(r.PathValue("id")); err != nil {
			arenahttp.Error(w, r, err)
		}
	})
	post(mux, "/items/7", "")
	// Output: 404 {"title":"Not Found","status":404,"detail":"there is no item 7"}
}

// Work after the answer reads the request's values, and has an arena of its own.
func ExampleGo() {
	sent := make(chan bool)
	h := arenahttp.Handler(arena.NewPool(), http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		item, err := arenahttp.JSON[Item](r)
		if err != nil {
			arenahttp.Error(w, r, err)
			return
		}
		arenahttp.Go(r, func(ctx context.Context, a *arena.Arena) {
			fmt.Println(a.Sprintf("mail: %d of %s", item.Count, item.Name))
			close(sent)
		})
		w.WriteHeader(http.StatusAccepted)
		<-sent // here, so that the mail is printed first
	}))
	post(h, "/items", `{"name":"tea","count":1}`)
	// Output:
	// mail: 1 of tea
	// 202
}

// The error's text has details that the client doesn't get.
func ExampleProblem_details() {
	p := &arenahttp.Problem{Status: http.StatusNotFound, Detail: "there is no item 7", Err: io.EOF}
	fmt.Println(p.Error(), p.Unwrap() == io.EOF)
	// Output: there is no item 7: EOF true
}
