package server

import (
	"bytes"
	"encoding/json"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/harena-go/arena"
)

var testLimits = Limits{Body: 64 << 10, Budget: 128 << 10, Memory: 64 << 20, Grace: 30 * time.Second}

// newPool returns a pool that erases its arenas at Put, so that references kept from a request show zeros.
func newPool(l Limits) *arena.Pool {
	return arena.NewPool(arena.WithReuse(), arena.WithName("test"), arena.WithLimit(l.Budget), arena.WithPoolLimit(l.Memory), arena.WithScrub())
}

// A logBuffer holds net/http's log.
type logBuffer struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (b *logBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.Write(p)
}

func (b *logBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.String()
}

// listen serves h on the loopback interface.
func listen(t *testing.T, h http.Handler) (*httptest.Server, *logBuffer) {
	logged := &logBuffer{}
	web := httptest.NewUnstartedServer(h)
	web.Config.ErrorLog = log.New(logged, "", 0)
	web.Start()
	t.Cleanup(func() {
		client.CloseIdleConnections()
		web.Close()
	})
	return web, logged
}

func start(t *testing.T, l Limits) (*Server, *httptest.Server, *logBuffer) {
	s := New(newPool(l), l)
	web, logged := listen(t, s.Handler())
	return s, web, logged
}

// An answer is a client's view of an answer.
type answer struct {
	status int
	header http.Header
	text   string
}

// client keeps as many connections as TestManyClients uses.
var client = &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 32}}

func send(url, contentType string, body io.Reader) (answer, error) {
	r, err := client.Post(url, contentType, body)
	if err != nil {
		return answer{}, err
	}
	defer r.Body.Close()
	text, err := io.ReadAll(r.Body)
	return answer{r.StatusCode, r.Header, strings.TrimSpace(string(text))}, err
}

func post(t *testing.T, web *httptest.Server, contentType string, body io.Reader) answer {
	t.Helper()
	got, err := send(web.URL+"/logs", contentType, body)
	if err != nil {
		t.Fatal(err)
	}
	return got
}

// wantStatus sends a body and checks the status of the answer.
func wantStatus(t *testing.T, web *httptest.Server, body string, status int) answer {
	t.Helper()
	got := post(t, web, "", strings.NewReader(body))
	if got.status != status {
		t.Errorf("the answer is %d, %s; want %d", got.status, got.text, status)
	}
	return got
}

type stats struct {
	Totals json.RawMessage
	Pool   arena.PoolStats
}

func getStats(t *testing.T, url string) (s stats) {
	t.Helper()
	r, err := client.Get(url + "/stats")
	if err != nil {
		t.Fatal(err)
	}
	defer r.Body.Close()
	if err := json.NewDecoder(r.Body).Decode(&s); err != nil || r.StatusCode != 200 {
		t.Fatal(r.Status, err)
	}
	return s
}

func waitFor(t *testing.T, what string, ok func() bool) {
	t.Helper()
	for end := time.Now().Add(30 * time.Second); !ok(); time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("waited for %s", what)
		}
	}
}

// wantIdle waits until all arenas are back. A client may have its answer just before.
func wantIdle(t *testing.T, pool *arena.Pool) {
	t.Helper()
	waitFor(t, "all arenas", func() bool { return pool.Stats().Live == 0 })
	if s := pool.Stats(); s.Lost != 0 || s.Puts+s.Freed != s.Gets {
		t.Errorf("not all arenas were put back, or freed after a panic: %v", s)
	}
}

// A slow request is sent in two parts, and is in flight in between.
type slow struct {
	w    *io.PipeWriter
	done chan answer
}

// begin sends the head of a request and a part of its body.
func begin(t *testing.T, url string, length int, part string) slow {
	t.Helper()
	live := getStats(t, url).Pool.Live
	r, w := io.Pipe()
	s := slow{w, make(chan answer, 1)}
	req, err := http.NewRequest("POST", url+"/logs", r)
	if err != nil {
		t.Fatal(err)
	}
	req.ContentLength = int64(length)
	t.Cleanup(func() { w.CloseWithError(io.ErrUnexpectedEOF); <-s.done }) // so that a failing test doesn't hang, or log later
	go func() {
		defer close(s.done)
		resp, err := client.Do(req)
		if err != nil {
			t.Log(err)
			return
		}
		defer resp.Body.Close()
		text, _ := io.ReadAll(resp.Body)
		s.done <- answer{resp.StatusCode, resp.Header, strings.TrimSpace(string(text))}
	}()
	if _, err := io.WriteString(w, part); err != nil {
		t.Fatal(err)
	}
	waitFor(t, "the request's arena", func() bool {
		pool := getStats(t, url).Pool
		return pool.Live > live && pool.Reserved > length
	})
	return s
}

// end sends the rest and returns the answer.
func (s slow) end(t *testing.T, rest string) answer {
	t.Helper()
	if _, err := io.WriteString(s.w, rest); err != nil {
		t.Fatal(err)
	}
	s.w.Close()
	return <-s.done
}
