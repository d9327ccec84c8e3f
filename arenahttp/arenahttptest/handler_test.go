package arenahttptest_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/harena-go/arena"
	"github.com/harena-go/arena/arenahttp"
	"github.com/harena-go/arena/arenahttp/arenahttptest"
)

// A double stands in for the testing.TB of a test that may fail.
type double struct {
	testing.TB
	dir      string
	cleanups []func()
	errors   []string
}

func (d *double) Helper()                      {}
func (d *double) Name() string                 { return "TestDouble" }
func (d *double) ArtifactDir() string          { return d.dir }
func (d *double) Cleanup(f func())             { d.cleanups = append([]func(){f}, d.cleanups...) }
func (d *double) Error(args ...any)            { d.errors = append(d.errors, fmt.Sprint(args...)) }
func (d *double) Errorf(f string, args ...any) { d.Error(fmt.Sprintf(f, args...)) }
func (d *double) Log(args ...any)              {}
func (d *double) Logf(f string, args ...any)   {}

// A shop greets, and has mistakes that requests ask for.
type shop struct {
	seen []string
	n    int
}

func (s *shop) routes(pool *arena.Pool) http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("POST /greet", func(w http.ResponseWriter, r *http.Request) {
		a := arena.FromContext(r.Context())
		body, err := arenahttp.ReadBody(r)
		if err != nil {
			arenahttp.Error(w, r, err)
			return
		}
		s.n++
		w.Header().Set("X-Name", a.AllocBytesToString(body))
		fmt.Fprint(w, a.Text().Str("Hello, ").Bytes(body).Byte(' ').Int(s.n).String())
	})
	mux.HandleFunc("POST /keep", func(w http.ResponseWriter, r *http.Request) {
		name, _ := arenahttp.ReadBody(r)
		s.seen = append(s.seen, arena.FromContext(r.Context()).AllocBytesToString(name))
	})
	mux.HandleFunc("POST /lose", func(http.ResponseWriter, *http.Request) { pool.Get().AllocString("lost") })
	mux.HandleFunc("POST /abort", func(w http.ResponseWriter, r *http.Request) { panic(http.ErrAbortHandler) })
	return arenahttp.Handler(pool, mux)
}

// asked sends a shop requests for paths, and returns the answers and the errors of a test at its end.
func asked(t *testing.T, paths ...string) (first, second []*httptest.ResponseRecorder, errors []string) {
	d := &double{dir: t.TempDir()}
	var requests []*http.Request
	for _, path := range paths {
		requests = append(requests, httptest.NewRequest("POST", path, strings.NewReader("ada"+path)))
	}
	first, second = arenahttptest.Handler(d, new(shop).routes, requests...)
	for _, f := range d.cleanups {
		f()
	}
	return first, second, d.errors
}

func TestAnswers(t *testing.T) {
	first, second, errors := asked(t, "/greet", "/abort", "/nowhere")
	if len(errors) > 0 {
		t.Error(errors)
	}
	if got := first[0].Body.String() + second[0].Body.String(); got != "Hello, ada/greet 1Hello, ada/greet 2" {
		t.Error(got)
	}
	if name := second[0].Result().Header.Get("X-Name"); name != "ada/greet" || first[2].Code != 404 || len(second) != 3 {
		t.Error(name, first[2].Code, len(second))
	}
}

// TestOneReport: one mistake is one report, for any number of times.
func TestOneReport(t *testing.T) {
	for path, want := range map[string][]string{
		"/keep": {`ARENA ESCAPE: string`, `in arena "TestDouble" with key "POST /keep"`, "1 more of the same type, allocated at the same line", "Reclaimed when POST /keep ended"},
		"/lose": {`2 arenas of pool "TestDouble" were neither put back nor freed`, "handler_test.go"},
	} {
		_, _, errors := asked(t, "/greet", path)
		if len(errors) != 1 {
			t.Errorf("%s: %d errors: %q", path, len(errors), errors)
			continue
		}
		if regexp.MustCompile(`\b(loan|pool|handler)\.go:`).MatchString(errors[0]) {
			t.Errorf("%s: names a place in this module: %s", path, errors[0])
		}
		for _, part := range want {
			if !strings.Contains(errors[0], part) {
				t.Errorf("%s: no %q in %s", path, part, errors[0])
			}
		}
	}
}

// TestLeftToTheCollector: an arena that a request left to the garbage collector, since its handler went on after the
// answer, isn't one that somebody forgot.
func TestLeftToTheCollector(t *testing.T) {
	routes := func(pool *arena.Pool) http.Handler {
		return arenahttp.Handler(pool, http.TimeoutHandler(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			arena.FromContext(r.Context()).AllocString("late")
			<-r.Context().Done()
		}), time.Millisecond, "too late"))
	}
	first, _ := arenahttptest.Handler(t, routes, httptest.NewRequest("GET", "/", nil))
	if first[0].Code != http.StatusServiceUnavailable {
		t.Errorf("the answer is %d", first[0].Code)
	}
}

// TestLateWork: Handler waits for work after the answer.
func TestLateWork(t *testing.T) {
	arenahttptest.Handler(t, func(pool *arena.Pool) http.Handler {
		return arenahttp.Handler(pool, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			arenahttp.Go(r, func(_ context.Context, a *arena.Arena) {
				time.Sleep(20 * time.Millisecond)
				a.AllocString("late")
			})
		}))
	}, httptest.NewRequest("GET", "/", nil))
}
