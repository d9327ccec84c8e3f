package arenahttp_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"mime/multipart"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/harena-go/arena"
	"github.com/harena-go/arena/arenahttp"
)

// upload returns a request with a form whose file is too large for memory.
func upload(path string) *http.Request {
	var body bytes.Buffer
	form := multipart.NewWriter(&body)
	part, _ := form.CreateFormFile("file", "x")
	io.WriteString(part, strings.Repeat("x", 100_000))
	form.Close()
	r := httptest.NewRequest("POST", path, &body)
	r.Header.Set("Content-Type", form.FormDataContentType())
	return r
}

// parse parses such a form and returns the name of the file.
func parse(t testing.TB, r *http.Request) (name string) {
	if err := r.ParseMultipartForm(1); err != nil {
		t.Error(err)
		return ""
	}
	f, err := r.MultipartForm.File["file"][0].Open()
	if err != nil {
		t.Error(err)
		return ""
	}
	defer f.Close()
	return f.(*os.File).Name()
}

func exists(name string) bool { _, err := os.Stat(name); return err == nil }

// TestFilesOfFormsGo with the handler's request, however that ends, and even if middleware outside
// has copied it, so that net/http doesn't see them; but not before all callers of Detach are done.
// By then middleware has the results of the request.
func TestFilesOfFormsGo(t *testing.T) {
	type key struct{}
	var done func()
	for name, end := range map[string]func(w http.ResponseWriter, r *http.Request, a *arena.Arena){
		"returns":  func(http.ResponseWriter, *http.Request, *arena.Arena) {},
		"writes":   func(w http.ResponseWriter, _ *http.Request, _ *arena.Arena) { io.WriteString(w, "text") },
		"panics":   func(http.ResponseWriter, *http.Request, *arena.Arena) { panic("oops") },
		"limit":    func(_ http.ResponseWriter, _ *http.Request, a *arena.Arena) { a.AllocBytes(1 << 20) },
		"detached": func(_ http.ResponseWriter, r *http.Request, _ *arena.Arena) { done = arenahttp.Detach(r) },
		"detached, limit": func(_ http.ResponseWriter, r *http.Request, a *arena.Arena) {
			done = arenahttp.Detach(r)
			a.AllocBytes(1 << 20)
		},
		"out of time": func(_ http.ResponseWriter, r *http.Request, _ *arena.Arena) {
			ctx, cancel := context.WithDeadline(r.Context(), time.Now())
			defer cancel()
			arena.FromContext(ctx)
		},
		"client gone": func(_ http.ResponseWriter, r *http.Request, _ *arena.Arena) {
			ctx, cancel := context.WithCancel(r.Context())
			defer cancel()
			arena.FromContext(ctx)
			r.Context().Value(key{}).(context.CancelFunc)()
		},
	} {
		pool := newPool(arena.WithLimit(1 << 19))
		var file, pattern, id string
		done = nil
		mux := http.NewServeMux()
		mux.Handle("/{id}/{rest...}", plain(func(w http.ResponseWriter, r *http.Request, a *arena.Arena) {
			file = parse(t, r)
			end(w, r, a)
		}))
		h := arenahttp.Handler(pool, mux, arenahttp.OnLimit(func(http.ResponseWriter, *http.Request, *arena.LimitError) {
			if exists(file) != (done != nil) {
				t.Errorf("%s: OnLimit finds the file: %t", name, exists(file))
			}
		}))
		logged := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			defer func() {
				pattern, id = r.Pattern, r.PathValue("id")+" "+r.PathValue("rest")
				recover()
			}()
			h.ServeHTTP(w, r)
			if done == nil && r.MultipartForm == nil {
				t.Errorf("%s: middleware doesn't see the form", name)
			}
		})
		ctx, cancel := context.WithCancel(t.Context())
		logged.ServeHTTP(httptest.NewRecorder(), upload("/7/a/b").WithContext(context.WithValue(ctx, key{}, cancel)))
		cancel()
		if pattern != "/{id}/{rest...}" || id != "7 a/b" {
			t.Errorf("%s: middleware sees the pattern %q and the values %q", name, pattern, id)
		}
		if done != nil {
			if !exists(file) {
				t.Errorf("%s: the file is gone before those who use it are done", name)
			}
			done()
		}
		if exists(file) {
			t.Errorf("%s: the file is still there", name)
			os.Remove(file)
		}
	}
}

// TestFormsOfOthersStay: a form that was parsed before belongs to the code that parsed
// it.
func TestFormsOfOthersStay(t *testing.T) {
	r := upload("/")
	file := parse(t, r)
	form := r.MultipartForm
	handle(newPool(), func(_ http.ResponseWriter, r *http.Request, _ *arena.Arena) {
		if r.MultipartForm != form {
			t.Error("the form isn't passed on")
		}
	}).ServeHTTP(httptest.NewRecorder(), r)
	if !exists(file) {
		t.Error("the file is gone")
	}
	form.RemoveAll()
}

// TestTrailers: those that the client hasn't announced are known once the body was read.
func TestTrailers(t *testing.T) {
	s, _ := listen(t, handle(newPool(), func(w http.ResponseWriter, r *http.Request, _ *arena.Arena) {
		body, err := arenahttp.ReadBody(r)
		fmt.Fprintf(w, "%s %s %v", body, r.Trailer.Get("X-Sum"), err)
	}), false)
	for _, announced := range []string{"", "Trailer: X-Sum\r\n"} {
		conn, err := dialer(s.Listener)()
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(conn, "POST / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n%sTransfer-Encoding: chunked\r\n\r\n4\r\nbody\r\n0\r\nX-Sum: 17\r\n\r\n", announced)
		text, err := io.ReadAll(conn)
		if !strings.HasSuffix(string(text), "body 17 <nil>") || err != nil {
			t.Errorf("announced by %q: %q, %v", announced, text, err)
		}
		conn.Close()
	}
}

// TestManyContexts: contexts with which code requests the arena don't cost the request its arena,
// if the handler waits for that code; one that it doesn't wait for does.
func TestManyContexts(t *testing.T) {
	for name, c := range map[string]struct {
		asks func(r *http.Request)
		left int
	}{
		"one after the other": {func(r *http.Request) {
			for range 1000 {
				ctx, cancel := context.WithTimeout(r.Context(), time.Hour)
				arena.FromContext(ctx).AllocString("work")
				cancel()
			}
		}, 0},
		"within each other": {func(r *http.Request) {
			for range 100 {
				ctx, cancel := context.WithTimeout(r.Context(), time.Hour)
				defer cancel()
				arena.FromContext(ctx).AllocString("work")
			}
		}, 0},
		"one runs on": {func(r *http.Request) {
			for i := range 1000 {
				ctx, cancel := context.WithTimeout(r.Context(), time.Hour)
				arena.FromContext(ctx).AllocString("work")
				if i != 500 {
					cancel()
				} else {
					t.Cleanup(cancel)
				}
			}
		}, 1},
		"one was late": {func(r *http.Request) {
			for i := range 1000 {
				ctx, cancel := context.WithTimeout(r.Context(), []time.Duration{time.Hour, time.Millisecond}[1/(1+i)])
				arena.FromContext(ctx).AllocString("work")
				if i == 0 {
					<-ctx.Done()
				}
				cancel()
			}
		}, 1},
	} {
		pool := newPool()
		handle(pool, func(_ http.ResponseWriter, r *http.Request, _ *arena.Arena) { c.asks(r) }).
			ServeHTTP(httptest.NewRecorder(), httptest.NewRequestWithContext(t.Context(), "GET", "/", nil))
		if s := pool.Stats(); s.Live != c.left || s.Puts != 1-c.left {
			t.Errorf("%s: %d arenas put back, %d left", name, s.Puts, s.Live)
		}
	}
}
