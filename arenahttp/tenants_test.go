package arenahttp_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/harena-go/arena"
	"github.com/harena-go/arena/arenahttp"
	"github.com/harena-go/arena/internal/tests/testkit/tenants"
)

// TestTwoTenants: no request sees the memory of another, for all ends of a request, including
// timeouts and hijacking.
func TestTwoTenants(t *testing.T) {
	tenants.Test(t, func(o *tenants.Office, pool *arena.Pool) {
		office := &office{o}
		h := arenahttp.Handler(pool, office.mux())
		plain, _ := listen(t, h, false)
		secure, _ := listen(t, h, true)
		o.Open(func(r *rand.Rand, who string) {
			s := plain
			if r.IntN(3) == 0 {
				s = secure
			}
			office.visit(r, s, who)
		})
		o.Close()
	})
}

// An office has handlers that serve tenants.
type office struct{ *tenants.Office }

func (o *office) mux() *http.ServeMux {
	mux := http.NewServeMux()
	mux.HandleFunc("/plain/{who}", o.serve)
	mux.Handle("/timeout/{who}", http.TimeoutHandler(http.HandlerFunc(o.slow), time.Millisecond, ""))
	mux.HandleFunc("/panic/{who}", func(w http.ResponseWriter, r *http.Request) {
		o.serve(w, r)
		panic(http.ErrAbortHandler)
	})
	mux.HandleFunc("/limit/{who}", func(w http.ResponseWriter, r *http.Request) {
		arena.FromContext(r.Context()).AllocBytes(1 << 20)
	})
	mux.HandleFunc("/detach/{who}", func(w http.ResponseWriter, r *http.Request) {
		done := arenahttp.Detach(r)
		o.serve(w, r)
		o.Late.Go(func() {
			defer done()
			o.work(r)
		})
	})
	mux.HandleFunc("/hijack/{who}", func(w http.ResponseWriter, r *http.Request) {
		o.work(r)
		conn, _, err := http.NewResponseController(w).Hijack()
		if err != nil {
			return // HTTP/2
		}
		o.Late.Go(func() {
			defer conn.Close()
			fmt.Fprintf(conn, "HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n%s", o.work(r))
		})
	})
	return mux
}

// work works for the request's tenant.
func (o *office) work(r *http.Request) []byte {
	return o.Work(arena.FromContext(r.Context()), r.PathValue("who"))
}

// serve answers with the name, in several writes, large ones at times.
func (o *office) serve(w http.ResponseWriter, r *http.Request) {
	body, err := arenahttp.ReadBody(r)
	if err != nil {
		panic(http.ErrAbortHandler)
	}
	o.Check(r.PathValue("who"), "the body of "+r.Proto+r.URL.Path, body)
	page := o.work(r)
	a := arena.FromContext(r.Context())
	if rand.IntN(10) == 0 {
		w.Header().Set("X-Who", a.AllocString(r.PathValue("who")))
	}
	if rand.IntN(4) == 0 { // larger than any buffer: it is sent from here
		page = append(a.AllocBytes(0), bytes.Repeat([]byte(r.PathValue("who")), 10_000)...)
		page = a.CopyAll(page)
	}
	for range 2 {
		if _, err := w.Write(page); err != nil {
			return
		}
	}
}

// slow serves a tenant, and often isn't in time.
func (o *office) slow(w http.ResponseWriter, r *http.Request) {
	o.Late.Add(1)
	defer o.Late.Done()
	o.serve(w, r)
	if rand.IntN(2) == 0 {
		time.Sleep(2 * time.Millisecond)
	}
	o.work(r)
}

// visit sends one request, of any kind, and looks at the answer.
func (o *office) visit(r *rand.Rand, s *httptest.Server, who string) {
	kind := [...]string{"plain", "plain", "plain", "plain", "timeout", "panic", "limit", "detach", "hijack"}[r.IntN(9)]
	resp, text, err := o.Post(r, s.Client(), s.URL, kind, who)
	if resp == nil {
		return
	}
	if got := resp.Header.Get("X-Who"); got != "" && got != who {
		o.Errorf("%s gets a header for %q", who, got)
	}
	if resp.StatusCode == 200 {
		half := len(text) / 2 // of two pages, unless it was cut or hijacked
		if err == nil && kind != "hijack" {
			o.Check(who, fmt.Sprint("the first half of an answer of ", len(text), " by ", resp.Proto, " ", kind), text[:half])
			text = text[half:]
		} else {
			text = text[:min(len(text), 1200)]
		}
		o.Check(who, fmt.Sprint("the end of an answer by ", resp.Proto, " ", kind, ", ", err), text)
	}
}
