package arenahttp_test

import (
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"runtime"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"github.com/harena-go/arena"
	"github.com/harena-go/arena/arenahttp"
	"github.com/harena-go/arena/arenajson"
	"github.com/harena-go/arena/internal/tests/testkit"
	"github.com/harena-go/arena/internal/tests/testkit/tenants"
)

type order struct {
	Customer string    `json:"customer"`
	Count    int8      `json:"count"`
	At       time.Time `json:"at"`
	Items    []string  `json:"items"`
}

// echo answers with the order that it was sent.
func echo(w http.ResponseWriter, r *http.Request) {
	o, err := arenahttp.JSON[order](r)
	if err != nil {
		arenahttp.Error(w, r, err)
		return
	}
	if err := arenahttp.Reply(w, r, http.StatusCreated, o); err != nil {
		arenahttp.Error(w, r, err)
	}
}

// badBodies are requests that are answered with the status and the text.
var badBodies = []struct {
	name, kind, body string
	status           int
	detail, pointer  string
}{
	{"a trailing comma", "", `{"count":1,}`, 400, "invalid character ',' at start of value", ""},
	{"a wrong type", "", `{"items":["a",{}]}`, 422, "a string is expected", "/items/1"},
	{"junk behind the value", "", `{"count":1} x`, 400, "invalid character 'x' after top-level value", ""},
	{"overflow", "", `{"count":300}`, 422, "an integer in range is expected, not 300", "/count"},
	{"a fraction", "", `{"count":1.5}`, 422, "an integer in range is expected, not 1.5", "/count"},
	{"a bad time", "", `{"at":"yesterday"}`, 422, "a time such as 2006-01-02T15:04:05Z07:00 is expected", "/at"},
	{"brackets", "", strings.Repeat("[", 100_000), 422, "an object is expected", ""},
	{"deep brackets", "", `{"x":` + strings.Repeat("[", 100_000), 400, "exceeded max depth", ""},
	{"a name twice", "", `{"count":1,"count":2}`, 400, "duplicate object member name", "/count"},
	{"nothing", "", ``, 400, "unexpected EOF", ""},
	{"half of it", "", `{"count":1`, 400, "unexpected EOF", ""},
	{"bad UTF-8", "", "{\"customer\":\"\xff\"}", 400, "invalid UTF-8", "/customer"},
	{"a form", "application/x-www-form-urlencoded", `{"count":1}`, 415, "the Content-Type must be application/json", ""},
	{"no type", "none", `{"count":1}`, 415, "the Content-Type must be application/json", ""},
	{"20 MB", "", strings.Repeat(" ", 20_000_000), 413, "the body is too large", ""},
	{"9 MB of items", "", `{"items":["` + strings.Repeat(`x","`, 9_000_000/4) + `"]}`, 413, "the request needs too much memory; send less at a time", ""},
}

// TestBadBodies: each is answered with its status and the place of the problem, briefly, and leaves
// no arena lent.
func TestBadBodies(t *testing.T) {
	pool := newPool(arena.WithLimit(16 << 20))
	for _, http2 := range []bool{false, true} {
		s, logged := listen(t, arenahttp.Handler(pool, http.HandlerFunc(echo)), http2)
		for _, c := range badBodies {
			kind := c.kind
			if kind == "" {
				kind = "application/json; charset=utf-8"
			}
			r, _ := http.NewRequest("POST", s.URL, strings.NewReader(c.body))
			if kind != "none" {
				r.Header.Set("Content-Type", kind)
			}
			answer, err := s.Client().Do(r)
			if err != nil {
				t.Errorf("%s: %v", c.name, err)
				continue
			}
			text, err := io.ReadAll(answer.Body)
			answer.Body.Close()
			want := map[string]any{"title": http.StatusText(c.status), "status": float64(c.status), "detail": c.detail}
			if c.pointer != "" {
				want["pointer"] = c.pointer
			}
			var got map[string]any
			if json.Unmarshal(text, &got); fmt.Sprint(got) != fmt.Sprint(want) || answer.StatusCode != c.status || len(text) > 200 ||
				answer.Header.Get("Content-Type") != "application/problem+json" || err != nil {
				t.Errorf("%s: %s %s %v, not %v", c.name, answer.Status, text, err, want)
			}
		}
		if text := logged.String(); text != "" {
			t.Error(text)
		}
	}
	tenants.AllBack(t, pool, -1)
}

// TestCutBody: a client that is gone in the middle of a body gets no answer, and no arena stays
// lent.
func TestCutBody(t *testing.T) {
	if testkit.InBubble() {
		t.Skip("the connection is closed in half")
	}
	pool := newPool()
	failed := make(chan error, 1)
	s, _ := listen(t, arenahttp.Handler(pool, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, err := arenahttp.JSON[order](r)
		failed <- err
		arenahttp.Error(w, r, err)
	})), false)
	conn, err := net.Dial("tcp", s.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	io.WriteString(conn, "POST / HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{")
	conn.Close()
	p, ok := errors.AsType[*arenahttp.Problem](<-failed)
	if !ok || p.Status != 400 || !errors.Is(p, io.ErrUnexpectedEOF) {
		t.Errorf("%v", p)
	}
	waitFor(t, "the GC", func() bool { runtime.GC(); return pool.Stats().Live == 0 })
}

// TestBodyErrors: Error blames the client for a body that can't be read, by any function.
func TestBodyErrors(t *testing.T) {
	pool := newPool()
	for _, read := range []func(r *http.Request) error{
		func(r *http.Request) error { _, err := arenahttp.ReadBody(r); return err },
		func(r *http.Request) error { _, err := arenahttp.JSON[order](r); return err },
	} {
		for _, c := range []struct {
			err    error
			status int
		}{
			{io.ErrUnexpectedEOF, 400}, {gzip.ErrChecksum, 400}, {fmt.Errorf("slow: %w", os.ErrDeadlineExceeded), 408},
			{&http.MaxBytesError{Limit: 5}, 413},
		} {
			r := httptest.NewRequest("POST", "/", iotest.ErrReader(c.err))
			r.Header.Set("Content-Type", "application/json")
			w := httptest.NewRecorder()
			handle(pool, func(w http.ResponseWriter, r *http.Request, _ *arena.Arena) {
				err := read(r)
				if !errors.Is(err, c.err) {
					t.Errorf("%v isn't %v", err, c.err)
				}
				arenahttp.Error(w, r, err)
			}).ServeHTTP(w, r)
			if w.Code != c.status {
				t.Errorf("%v is answered with %d, not %d", c.err, w.Code, c.status)
			}
		}
	}
}

// TestReply: an answer is complete, and for values that can't be written it is 500 without details.
func TestReply(t *testing.T) {
	pool := newPool()
	for _, c := range []struct {
		status int
		v      any
		want   string
		header string
	}{
		{200, order{Customer: "Ada"}, `{"customer":"Ada","count":0,"at":"0001-01-01T00:00:00Z","items":[]}`, "application/json"},
		{201, nil, "null", "application/json"},
		{204, nil, "", ""},
		{200, math.NaN(), `{"title":"Internal Server Error","status":500}`, "application/problem+json"},
		{200, strings.Repeat("x", 1<<20), `"` + strings.Repeat("x", 1<<20) + `"`, "application/json"},
	} {
		s, _ := listen(t, arenahttp.Handler(pool, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if err := arenahttp.Reply(w, r, c.status, c.v); err != nil {
				arenahttp.Error(w, r, err)
			}
		})), false)
		answer, err := s.Client().Get(s.URL)
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(answer.Body)
		answer.Body.Close()
		if err != nil || string(text) != c.want || answer.Header.Get("Content-Type") != c.header || c.want != "" && answer.ContentLength != int64(len(c.want)) {
			t.Errorf("%v: %s %.100s %v %v", c.v, answer.Status, text, answer.Header, err)
		}
	}
	tenants.AllBack(t, pool, -1)
}

// TestErrors: the answers for other errors.
func TestErrors(t *testing.T) {
	for _, c := range []struct {
		err  error
		want string
	}{
		{errors.New("the password of the database is wrong"), `{"title":"Internal Server Error","status":500}`},
		{&arenajson.Error{Err: io.ErrUnexpectedEOF}, `{"title":"Internal Server Error","status":500}`}, // of a text that isn't the client's
		{fmt.Errorf("orders: %w", &arenahttp.Problem{Status: 404, Detail: "there is no order 7", Err: io.EOF}), `{"title":"Not Found","status":404,"detail":"there is no order 7"}`},
		{&arenahttp.Problem{Type: "https://example.com/sold-out", Title: "Sold out", Status: 409}, `{"type":"https://example.com/sold-out","title":"Sold out","status":409}`},
		{&arena.LimitError{Total: true}, `{"title":"Service Unavailable","status":503,"detail":"the server has no memory left; try again"}`},
	} {
		s, _ := listen(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { arenahttp.Error(w, r, c.err) }), false)
		answer, err := s.Client().Get(s.URL)
		if err != nil {
			t.Fatal(err)
		}
		text, _ := io.ReadAll(answer.Body)
		answer.Body.Close()
		if string(text) != c.want || (answer.StatusCode == 503) != (answer.Header.Get("Retry-After") == "1") {
			t.Errorf("%v: %s %s", c.err, answer.Status, text)
		}
	}
}

// TestGo: work after the answer reads the request's values, and allocates from an arena of its own;
// a LimitError there doesn't end the program.
func TestGo(t *testing.T) {
	pool := newPool(arena.WithLimit(1 << 20))
	type key struct{}
	for _, around := range []bool{true, false} {
		goOn, got := make(chan bool), make(chan string, 2)
		var h http.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			mine := arena.FromContext(r.Context())
			name := mine.AllocString("Ada")
			arenahttp.Go(r, func(ctx context.Context, a *arena.Arena) {
				<-goOn
				if around && (a == nil || a == mine) || a != arena.FromContext(ctx) || ctx.Err() != nil || ctx.Value(key{}) != "value" {
					t.Errorf("arena %v, context %v", a, ctx)
				}
				got <- strings.Clone(a.Sprintf("hello, %s", name))
			})
			arenahttp.Go(r, func(_ context.Context, a *arena.Arena) {
				defer func() { got <- "too large" }()
				if a != nil {
					a.AllocBytes(2 << 20)
				}
			})
			arenahttp.Reply(w, r, 202, name) // from the request's arena, meanwhile
		})
		if around {
			h = arenahttp.Handler(pool, h)
		}
		inner := h
		h = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			inner.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), key{}, "value")))
		})
		s, _ := listen(t, h, false)
		answer, err := s.Client().Get(s.URL)
		if err != nil {
			t.Fatal(err)
		}
		text, _ := io.ReadAll(answer.Body)
		answer.Body.Close()
		if string(text) != `"Ada"` || answer.StatusCode != 202 {
			t.Errorf("%s %s", answer.Status, text)
		}
		if s := <-got; s != "too large" {
			t.Error(s)
		}
		close(goOn)
		if s := <-got; s != "hello, Ada" {
			t.Error(s)
		}
	}
	tenants.AllBack(t, pool, -1)
}
