package arenahttp_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"mime/multipart"
	"net/http"
	"net/http/httptest"
	"os"
	"runtime"
	"strings"
	"testing"

	"github.com/harena-go/arena"
	"github.com/harena-go/arena/arenahttp"
)

func TestKeys(t *testing.T) {
	pool := newPool()
	mux := http.NewServeMux()
	echo := plain(func(w http.ResponseWriter, r *http.Request, a *arena.Arena) {
		io.WriteString(w, a.AllocString(r.URL.Path))
	})
	mux.Handle("/a/{id}", echo)
	mux.Handle("/b", echo)
	mux.HandleFunc("/none", func(http.ResponseWriter, *http.Request) {})
	var outside string
	around := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		arenahttp.Handler(pool, mux).ServeHTTP(w, r)
		outside = r.Pattern
	})
	s, _ := listen(t, around, false)
	for _, path := range []string{"/a/1", "/a/2", "/b", "/none"} {
		if _, text := get(t, s, path, ""); text != path && path != "/none" {
			t.Errorf("%s: %q", path, text)
		}
	}
	wantEnds(t, pool, 3, 0, 0)
	keys := pool.Stats().Keys
	if len(keys) != 2 || keys["POST /a/{id}"].Gets != 2 || keys["POST /b"].Gets != 1 {
		t.Errorf("the keys are %v", keys)
	}
	if outside != "/none" {
		t.Errorf("outside the pattern is %q", outside)
	}
}

// TestKeysHaveTheMethod: requests of one path do different work, but clients can't make keys.
func TestKeysHaveTheMethod(t *testing.T) {
	for pattern, want := range map[string]map[string]string{
		"/orders":          {"GET": "GET /orders", "POST": "POST /orders", "BREW": "/orders", "": "/orders"},
		"POST /orders":     {"POST": "POST /orders"},
		"shop.test/orders": {"GET": "GET shop.test/orders"},
		"GET shop.test/":   {"GET": "GET shop.test/", "HEAD": "GET shop.test/"},
		"/a b":             {"GET": "GET /a b"},
	} {
		for method, key := range want {
			pool := newPool()
			r := httptest.NewRequest("GET", "http://shop.test/", nil)
			r.Method, r.Pattern = method, pattern // as a router other than ServeMux sets it
			handle(pool, func(http.ResponseWriter, *http.Request, *arena.Arena) {}).ServeHTTP(httptest.NewRecorder(), r)
			if keys := pool.Stats().Keys; len(keys) != 1 || keys[key].Gets != 1 {
				t.Errorf("%s %s: the keys are %v, want %q", method, pattern, keys, key)
			}
		}
	}
}

func TestWithoutPool(t *testing.T) {
	h := handle(nil, func(w http.ResponseWriter, r *http.Request, a *arena.Arena) {
		defer arenahttp.Detach(r)()
		body, err := arenahttp.ReadBody(r)
		fmt.Fprint(w, a == nil, string(body), err)
	})
	w := httptest.NewRecorder()
	h.ServeHTTP(w, httptest.NewRequest("POST", "/", strings.NewReader(" body ")))
	if got := w.Body.String(); got != "true body <nil>" {
		t.Error(got)
	}
}

// TestOutsideOfAHandler: the functions for requests with an arena work for requests without one.
func TestOutsideOfAHandler(t *testing.T) {
	r := httptest.NewRequest("POST", "/", strings.NewReader("body"))
	arenahttp.Detach(r)()
	if body, err := arenahttp.ReadBody(r); string(body) != "body" || err != nil {
		t.Error(string(body), err)
	}
	if body, err := arenahttp.ReadBody(&http.Request{}); body != nil || err != nil {
		t.Error(body, err)
	}
}

func TestPanics(t *testing.T) {
	protocols(t, func(t *testing.T, http2 bool) {
		pool := newPool()
		s, logged := listen(t, handle(pool, func(w http.ResponseWriter, r *http.Request, a *arena.Arena) {
			switch r.URL.Path {
			case "/panic":
				panicHere(a)
			case "/abort":
				panic(http.ErrAbortHandler)
			case "/exit":
				runtime.Goexit()
			}
		}), http2)
		for i := range 3 {
			for _, path := range []string{"/panic", "/abort"} {
				if resp, _, err := ask(s, path, ""); err == nil {
					t.Errorf("%s was answered with %d", path, resp.StatusCode)
				}
			}
			get(t, s, "/", "")
			wantEnds(t, pool, i+1, 2*(i+1), 0)
		}
		waitFor(t, "the log", func() bool { return strings.Count(logged.String(), "oops") == 3 })
		if !strings.Contains(logged.String(), "panicHere") {
			t.Errorf("the log doesn't say where it was: %s", logged)
		}
	})
}

// panicHere panics with a value that net/http logs after the arena's end.
func panicHere(a *arena.Arena) {
	panic(errors.New("oops") /* a string of a would be erased by WithScrub */)
}

func TestGoexit(t *testing.T) {
	pool := newPool()
	done := make(chan bool)
	go func() {
		defer close(done)
		handle(pool, func(http.ResponseWriter, *http.Request, *arena.Arena) { runtime.Goexit() }).
			ServeHTTP(httptest.NewRecorder(), httptest.NewRequest("GET", "/", nil))
	}()
	<-done
	wantEnds(t, pool, 0, 1, 0)
}

func TestLimits(t *testing.T) {
	protocols(t, func(t *testing.T, http2 bool) {
		pool := newPool(arena.WithLimit(100_000), arena.WithPoolLimit(150_000))
		held := pool.Get()
		defer pool.Put(held)
		held.AllocBytes(70_000)
		s, logged := listen(t, handle(pool, func(w http.ResponseWriter, r *http.Request, a *arena.Arena) {
			switch r.URL.Path {
			case "/late":
				fmt.Fprint(w, "a part of the answer")
				w.(http.Flusher).Flush()
				fallthrough
			case "/request":
				w.Header().Set("Content-Length", "7")
				a.AllocBytes(200_000)
			case "/all":
				a.AllocBytes(90_000)
				a.AllocBytes(9_900)
			}
		}), http2)
		for range 3 {
			if resp, _ := get(t, s, "/request", ""); resp.StatusCode != 413 || resp.Header.Get("Retry-After") != "" {
				t.Errorf("the answer to one that is too large is %v", resp)
			}
			if resp, _ := get(t, s, "/all", ""); resp.StatusCode != 503 || resp.Header.Get("Retry-After") != "1" {
				t.Errorf("the answer where there is no memory is %v", resp)
			}
			if resp, text, err := ask(s, "/late", ""); err == nil {
				t.Errorf("an answer that is cut looks whole: %v, %q", resp, text)
			}
			get(t, s, "/", "")
		}
		if logged.String() != "" {
			t.Errorf("logged: %s", logged)
		}
	})
}

func TestOnLimitIsAsked(t *testing.T) {
	pool := newPool(arena.WithLimit(1000))
	fails := plain(func(_ http.ResponseWriter, r *http.Request, a *arena.Arena) {
		if r.URL.Path == "/wrapped" { // as errgroup does with the panic of one of its goroutines
			defer func() { panic(fmt.Errorf("in a group: %w", recover().(error))) }()
		}
		a.AllocBytes(2000)
	})
	for i := range 4 {
		custom, path := i%2 == 0, []string{"/", "/wrapped"}[i/2]
		var f func(http.ResponseWriter, *http.Request, *arena.LimitError)
		want := 413
		if custom {
			want = 418
			f = func(w http.ResponseWriter, r *http.Request, e *arena.LimitError) {
				if arena.FromContext(r.Context()) != nil || e.Asked != 2000 {
					t.Error(e)
				}
				w.WriteHeader(418)
			}
		}
		w := httptest.NewRecorder()
		arenahttp.Handler(pool, fails, arenahttp.OnLimit(f)).ServeHTTP(w, httptest.NewRequest("GET", path, nil))
		if w.Code != want {
			t.Error(w.Code)
		}
	}
}

func TestReadBody(t *testing.T) {
	pool := newPool(arena.WithLimit(300_000))
	s, _ := listen(t, arenahttp.Handler(pool, plain(func(w http.ResponseWriter, r *http.Request, a *arena.Arena) {
		body, err := arenahttp.ReadBody(r)
		if err != nil {
			if _, ok := errors.AsType[*http.MaxBytesError](err); !ok || body != nil {
				t.Error(err)
			}
			w.WriteHeader(400)
			return
		}
		if len(body) > 0 && !a.Owns(ptr(body)) {
			t.Error("the body isn't in the arena")
		}
		if r.URL.Path == "/twice" {
			a.AllocBytes(len(body))
		}
		w.Write(body)
	}), arenahttp.MaxBody(200_000)), false)
	for n, want := range map[int]int{0: 200, 1: 200, 200_000: 200, 200_001: 400, 1_000_000: 400} {
		body := strings.Repeat("x", n)
		for _, sent := range []io.Reader{strings.NewReader(body), struct{ io.Reader }{strings.NewReader(body)}} {
			resp, err := s.Client().Post(s.URL, "", sent)
			if err != nil {
				t.Fatal(err)
			}
			text, err := io.ReadAll(resp.Body)
			if resp.StatusCode != want || want == 200 && string(text) != body || err != nil {
				t.Errorf("%d bytes: %d, %d bytes, %v", n, resp.StatusCode, len(text), err)
			}
			resp.Body.Close()
		}
	}
	if resp, _ := get(t, s, "/twice", strings.Repeat("x", 200_000)); resp.StatusCode != 413 {
		t.Errorf("more than the arena's limit: %d", resp.StatusCode)
	}
	func() {
		defer func() {
			if recover() == nil {
				t.Error("MaxBody takes a negative number")
			}
		}()
		arenahttp.MaxBody(-1)
	}()
}

// TestFormFilesAreRemoved: net/http removes the files of a form of the request that it knows.
func TestFormFilesAreRemoved(t *testing.T) {
	var name string
	s, _ := listen(t, handle(newPool(), func(w http.ResponseWriter, r *http.Request, _ *arena.Arena) {
		if err := r.ParseMultipartForm(1); err != nil {
			t.Error(err)
			return
		}
		f, err := r.MultipartForm.File["file"][0].Open()
		if err != nil {
			t.Error(err)
			return
		}
		defer f.Close()
		if f, ok := f.(*os.File); ok {
			name = f.Name()
		}
	}), false)
	var body strings.Builder
	form := multipart.NewWriter(&body)
	part, _ := form.CreateFormFile("file", "x")
	io.WriteString(part, strings.Repeat("x", 20<<20))
	form.Close()
	resp, err := s.Client().Post(s.URL, form.FormDataContentType(), strings.NewReader(body.String()))
	if err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
	if name == "" {
		t.Fatal("there was no file")
	}
	waitFor(t, "the end of the file", func() bool { _, err := os.Stat(name); return err != nil })
}

func TestContextKeepsItsValues(t *testing.T) {
	type key struct{}
	type other struct{}
	ctx, cancel := context.WithCancelCause(context.WithValue(t.Context(), key{}, "value"))
	h := handle(newPool(), func(w http.ResponseWriter, r *http.Request, a *arena.Arena) {
		derived, stop := context.WithCancel(context.WithValue(r.Context(), other{}, 2))
		defer stop()
		if derived.Value(key{}) != "value" || arena.FromContext(derived) != a || a == nil {
			t.Error("values are lost")
		}
		cancel(errors.New("mine"))
		<-derived.Done()
		if err := context.Cause(derived); err.Error() != "mine" {
			t.Errorf("the cause is %v", err)
		}
	})
	h.ServeHTTP(httptest.NewRecorder(), httptest.NewRequestWithContext(ctx, "GET", "/", nil))
}
