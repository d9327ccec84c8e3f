// Package arenahttptest tests servers whose requests have arenas: it sends a server each request twice, with checked
// arenas, and fails the test if a request's memory is kept, used again or never put back.
//
// It is a package of its own, since net/http and net/http/httptest make each test that imports them 2 MB larger, and
// its start twice as long. Most users of [arenatest] test no server.
package arenahttptest

import (
	"bytes"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/harena-go/arena"
	"github.com/harena-go/arena/arenatest"
)

// wait is the longest time that Handler waits for work after an answer.
const wait = time.Second

// Handler makes a server with a pool of checked arenas, and sends it the requests in their order, and then all of
// them once more: the second round finds the values that the first has left in caches and other variables. It returns
// the answers.
//
// serve returns the server, as the program under test makes it:
//
//	first, _ := arenahttptest.Handler(t, routes, httptest.NewRequest("GET", "/orders", nil))
//
// The test fails, as with [arenatest.NewPool], if memory of a request is held when the last one is answered, or when
// the test ends, and if an arena isn't put back. The server is held until then. Handler waits up to a second until
// all arenas are put back, since a server may work on after an answer.
//
// The handler runs in the calling goroutine, so that the test's output explains a use of dead memory. A panic with
// [http.ErrAbortHandler] ends only the request, as in a server.
func Handler(tb testing.TB, serve func(*arena.Pool) http.Handler, requests ...*http.Request) (
	first, second []*httptest.ResponseRecorder) {
	tb.Helper()
	pool := arenatest.NewPool(tb)
	h := serve(pool)
	arenatest.Hold(tb, h)
	bodies := make([][]byte, len(requests))
	for i, r := range requests {
		if r.Body != nil {
			var err error
			if bodies[i], err = io.ReadAll(r.Body); err != nil {
				tb.Fatalf("arenahttptest: the body of request %d (%s %s): %v", i, r.Method, r.URL, err)
			}
		}
	}
	answers := make([]*httptest.ResponseRecorder, 0, 2*len(requests))
	for n := range cap(answers) {
		i := n % len(requests)
		r := requests[i].Clone(requests[i].Context())
		r.Body = io.NopCloser(bytes.NewReader(bodies[i]))
		answers = append(answers, ask(h, r))
	}
	for end := time.Now().Add(wait); pool.Stats().Live > 0 && time.Now().Before(end); {
		time.Sleep(wait / 100)
	}
	arenatest.Verify(tb)
	return answers[:len(requests):len(requests)], answers[len(requests):]
}

// ask returns a server's answer, up to the point where the server aborts it. The recorder that the server has written
// to keeps the values of the header, which may be in the arena of the request; the answer is a copy.
func ask(h http.Handler, r *http.Request) *httptest.ResponseRecorder {
	w := httptest.NewRecorder()
	func() {
		defer func() {
			if v := recover(); v != nil && v != http.ErrAbortHandler {
				panic(v)
			}
		}()
		h.ServeHTTP(w, r)
	}()
	answer := httptest.NewRecorder()
	maps.Copy(answer.Header(), arena.DeepClone(w.Result().Header))
	answer.WriteHeader(w.Code)
	answer.Body = w.Body
	return answer
}
