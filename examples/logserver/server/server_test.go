package server

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"runtime"
	"runtime/debug"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/harena-go/arena"
)

func TestLogs(t *testing.T) {
	s, web, logged := start(t, testLimits)
	const logfmt = `level=info service=web msg=started
level=error service=db msg="no \"disk\"" took=2s disk=7
level=warn service=db msg=late took=1s`
	const jsonl = `{"level":"info","service":"web","msg":"started"}
{"level":"error","service":"db","msg":"no \"disk\"","took":"2s","disk":7}
{"level":"warn","service":"db","msg":"late","took":"1s"}
`
	const want = `{"records":3,` +
		`"services":[{"name":"db","debug":0,"info":0,"warn":1,"error":1},{"name":"web","debug":0,"info":1,"warn":0,"error":0}],` +
		`"slowest":{"line":2,"level":"error","service":"db","msg":"no \"disk\"","took":2000000000,"fields":[{"key":"disk","value":"7"}]}}`
	n := 0
	for _, test := range [][2]string{
		{"", logfmt}, {"application/logfmt", logfmt}, {"text/plain", logfmt},
		{"", jsonl}, {"application/x-ndjson", jsonl}, {"application/x-www-form-urlencoded", jsonl},
	} {
		for _, body := range []io.Reader{
			strings.NewReader(test[1]),                      // its length is announced
			struct{ io.Reader }{strings.NewReader(test[1])}, // it comes in pieces
		} {
			got := post(t, web, test[0], body)
			if got.status != 200 || got.text != want || got.header.Get("Content-Type") != "application/json" {
				t.Errorf("%s: %d, %s\nwant %s", test[0], got.status, got.text, want)
			}
			n++
		}
	}
	wantIdle(t, s.pool)
	if s.pool.Stats().Gets != n || s.totals.Records != 3*n || logged.String() != "" {
		t.Errorf("after %d requests: %v; %d records; log: %s", n, s.pool.Stats(), s.totals.Records, logged)
	}
}

func TestMalformedLines(t *testing.T) {
	s, web, _ := start(t, testLimits)
	for body, want := range map[string]string{
		"level=info service=web\nlevel=info": "line 2: it has no service",
		"{}\n":                               "line 1: it has no service",
		`{"level":"info","service":"a"}` + "\n\n{": "line 3: it is not a JSON object",
	} {
		if got := wantStatus(t, web, body, 400); got.text != want {
			t.Errorf("got %q, want %q", got.text, want)
		}
	}
	wantIdle(t, s.pool)
	if s.totals.Records != 0 {
		t.Errorf("%d records of malformed requests were counted", s.totals.Records)
	}
}

func TestOverBudget(t *testing.T) {
	const line = "level=info service=web\n"
	s, web, logged := start(t, testLimits)
	records := strings.Repeat(line, 2000)                                  // 46 kB, allowed, but its records aren't
	body := strings.Repeat(line, 3000)                                     // more than a body may have
	announced := Limits{Body: 1 << 20, Budget: 16 << 10, Memory: 64 << 20} // the body alone exceeds the budget
	s2, web2, logged2 := start(t, announced)
	for range 3 {
		wantStatus(t, web, records, 413)
		wantStatus(t, web, line, 200)
		if got := post(t, web, "", struct{ io.Reader }{strings.NewReader(records)}); got.status != 413 {
			t.Errorf("sent in pieces: %d, %s", got.status, got.text)
		}
		wantStatus(t, web, line, 200)
		if got := wantStatus(t, web, body, 413); !strings.Contains(got.text, "body too large") {
			t.Errorf("a body that is too large: %s", got.text)
		}
		wantStatus(t, web, line, 200)
		wantStatus(t, web2, records, 413)
		wantStatus(t, web2, line, 200)
	}
	for _, s := range []*Server{s, s2} {
		wantIdle(t, s.pool)
	}
	if s.totals.Records != 9 || s2.totals.Records != 3 {
		t.Errorf("%d and %d records were counted; want 9 and 3", s.totals.Records, s2.totals.Records)
	}
	if logged.String() != "" || logged2.String() != "" {
		t.Errorf("logged: %s%s", logged, logged2)
	}
}

// TestNoMemoryLeft: one request holds most of the memory for all.
func TestNoMemoryLeft(t *testing.T) {
	l := Limits{Body: 1 << 20, Budget: 200_000, Memory: 250_000}
	s, web, logged := start(t, l)
	const line = "level=info service=web\n"
	body := strings.Repeat("\n", 150_000-len(line)) + line
	first := begin(t, web.URL, len(body), body[:1000])
	for range 3 {
		if got := wantStatus(t, web, body, 503); got.header.Get("Retry-After") != "1" {
			t.Errorf("the header is %v", got.header)
		}
		wantStatus(t, web, body+body[:60_000], 413) // regardless of the others
	}
	if got := first.end(t, body[1000:]); got.status != 200 {
		t.Errorf("the first request: %d, %s", got.status, got.text)
	}
	waitFor(t, "memory", func() bool { return post(t, web, "", strings.NewReader(body)).status == 200 })
	wantIdle(t, s.pool)
	if logged.String() != "" {
		t.Errorf("logged: %s", logged)
	}
}

// TestClientAborts ends connections in the middle of a body, at once or for writing alone.
func TestClientAborts(t *testing.T) {
	s, web, logged := start(t, testLimits)
	for i := range 10 {
		conn, err := net.Dial("tcp", web.Listener.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(conn, "POST /logs HTTP/1.1\r\nHost: x\r\nContent-Length: 1000\r\n\r\nlevel=info service=web\n")
		waitFor(t, "the request's arena", func() bool { return s.pool.Stats().Live == 1 })
		if i%2 == 0 {
			if err := conn.(*net.TCPConn).CloseWrite(); err != nil {
				t.Fatal(err)
			}
			if got, err := io.ReadAll(conn); len(got) > 0 || err != nil {
				t.Errorf("a part of a body was answered: %q, %v", got, err)
			}
		}
		conn.Close()
		waitFor(t, "the end of the arena", func() bool { // the request's context has ended, so it is left to the GC
			runtime.GC()
			return s.pool.Stats().Live == 0
		})
	}
	wantStatus(t, web, "level=info service=web", 200)
	if s.totals.Records != 1 || logged.String() != "" {
		t.Errorf("%d records; logged: %s", s.totals.Records, logged)
	}
}

// TestTotalsOutliveRequests also sends known services, whose names must not replace the clones.
func TestTotalsOutliveRequests(t *testing.T) {
	s, web, _ := start(t, testLimits)
	for range 3 {
		wantStatus(t, web, "level=info service=web took=1s msg=\"slow one\" \"oops=\"", 400)
		wantStatus(t, web, "level=info service=web\nlevel=warn service=web took=1s msg=\"slow one\" user=ada", 200)
		wantStatus(t, web, `{"level":"error","service":"d\u0062","took":"1ms"}`, 200)
	}
	wantIdle(t, s.pool)
	const want = `{"records":9,` +
		`"services":{"db":{"debug":0,"info":0,"warn":0,"error":3},"web":{"debug":0,"info":3,"warn":3,"error":0}},` +
		`"slowest":{"line":2,"level":"warn","service":"web","msg":"slow one","took":1000000000,"fields":[{"key":"user","value":"ada"}]}}`
	got := getStats(t, web.URL)
	if string(got.Totals) != want {
		t.Errorf("the totals are\n%s, want\n%s", got.Totals, want)
	}
	if got.Pool.Gets != 9 || got.Pool.Name != "test" || got.Pool.HighWater == 0 {
		t.Errorf("the pool: %+v", got.Pool)
	}
	if s.totals.Slowest.Previous != nil {
		t.Error("the slowest record holds the one before")
	}
}

// TestManyServices sends more names than are counted separately.
func TestManyServices(t *testing.T) {
	l := testLimits
	l.Budget = 1 << 20
	s := New(newPool(l), l)
	var body strings.Builder
	for i := range maxServices + 500 {
		fmt.Fprintf(&body, "level=info service=s%d\n", i)
	}
	for range 2 {
		w := httptest.NewRecorder()
		s.Handler().ServeHTTP(w, httptest.NewRequest("POST", "/logs", strings.NewReader(body.String())))
		if w.Code != 200 {
			t.Fatal(w.Code, w.Body)
		}
	}
	if n := len(s.totals.Services); n != maxServices+1 {
		t.Errorf("%d services are counted apart", n)
	}
	if c := s.totals.Services["(others)"]; c == nil || c.Info != 2*500 {
		t.Errorf("others: %v", c)
	}
}

// TestManyClients lets clients send at the same time, each with records of its own.
func TestManyClients(t *testing.T) {
	const clients, requests = 32, 20
	s, web, logged := start(t, testLimits)
	run := func(id int) error {
		for i := range requests {
			var body strings.Builder
			var want Summary
			want.Records = 5 + i
			mine := Service{Name: fmt.Sprintf("service-%d", id)}
			for n := range want.Records {
				message := fmt.Sprintf("%d-%d-%d", id, i, n)
				if i%2 == 0 {
					fmt.Fprintf(&body, "level=info service=%s msg=%s took=%dms client=%d\n", mine.Name, message, n, id)
				} else {
					fmt.Fprintf(&body, "{\"level\":\"info\",\"service\":%q,\"msg\":%q,\"took\":\"%dms\",\"client\":%d}\n", mine.Name, message, n, id)
				}
				r := &Record{Line: n + 1, Level: "info", Service: mine.Name, Message: message, Took: time.Duration(n) * time.Millisecond,
					Fields: []Field{{"client", fmt.Sprint(id)}}}
				if n >= want.Records-4 && n < want.Records-1 {
					want.Before = append([]*Record{r}, want.Before...)
				}
				want.Slowest = r
			}
			mine.Info = want.Records
			want.Services = []Service{mine}
			got, err := send(web.URL+"/logs", "", strings.NewReader(body.String()))
			if err != nil {
				return err
			}
			if got.status != 200 || got.text != text(want) {
				return fmt.Errorf("%d, %s\nwant %s", got.status, got.text, text(want))
			}
		}
		return nil
	}
	var wait sync.WaitGroup
	for id := range clients {
		wait.Go(func() {
			if err := run(id); err != nil {
				t.Errorf("client %d: %v", id, err)
			}
		})
	}
	wait.Wait()
	wantIdle(t, s.pool)
	each := 0
	for i := range requests {
		each += 5 + i
	}
	if s.totals.Records != clients*each || len(s.totals.Services) != clients {
		t.Errorf("%d records of %d services", s.totals.Records, len(s.totals.Services))
	}
	for id := range clients {
		if c := s.totals.Services[fmt.Sprintf("service-%d", id)]; c == nil || c.Info != each {
			t.Errorf("service %d: %v; want %d", id, c, each)
		}
	}
	if logged.String() != "" {
		t.Errorf("logged: %s", logged)
	}
}

// A sink is a ResponseWriter that allocates nothing.
type sink struct {
	header http.Header
	bytes  int
	status int
}

func (s *sink) Header() http.Header { return s.header }

func (s *sink) Write(p []byte) (int, error) {
	s.bytes += len(p)
	return len(p), nil
}

func (s *sink) WriteHeader(status int) { s.status = status }

// TestWarmRequestHardlyAllocates compares a request with the same without a pool. Its heap allocations don't depend on
// the number of records, except that sanitizers move the arguments of Append and NewOf there: four slices and a struct
// for each record.
func TestWarmRequestHardlyAllocates(t *testing.T) {
	defer debug.SetGCPercent(debug.SetGCPercent(-1)) // the GC drops arenas that are idle
	allocations := func(s *Server, records int) float64 {
		var body strings.Builder
		for i := range records {
			fmt.Fprintf(&body, "level=info service=web%d msg=\"request %d\" took=%dus user=ada trace=%d status=200\n", i%10, i, i, i)
		}
		h := s.Handler()
		w := &sink{header: http.Header{}}
		input := strings.NewReader("")
		r := httptest.NewRequestWithContext(context.Background(), "POST", "/logs", nil)
		r.ContentLength = int64(body.Len())
		serve := func() {
			input.Reset(body.String())
			r.Body = io.NopCloser(input)
			h.ServeHTTP(w, r)
		}
		for range 50 { // the pool learns
			serve()
		}
		n := testing.AllocsPerRun(50, serve)
		if w.status != 0 || w.bytes == 0 || s.totals.Records != records*101 {
			t.Fatalf("%d, %d bytes, %d records", w.status, w.bytes, s.totals.Records)
		}
		return n
	}
	a := arena.NewArena()
	moved := testing.AllocsPerRun(100, func() {
		a.Reset()
		arena.Append(a, nil, Field{Key: "key"})
	})
	l := Limits{Body: 1 << 20, Budget: 4 << 20}
	for _, records := range []int{100, 1000} {
		heap := allocations(New(nil, l), records)
		pooled := allocations(New(arena.NewPool(arena.WithReuse(), arena.WithLimit(l.Budget)), l), records)
		t.Logf("%d records: %v allocations; %v on the heap", records, pooled, heap)
		if heap < float64(5*records) || pooled > 100+moved*float64(5*records) {
			t.Errorf("%d records: %v allocations; %v on the heap", records, pooled, heap)
		}
	}
}

// TestWatched: the pool's numbers are where monitors expect them, and the page is there.
func TestWatched(t *testing.T) {
	s, web, _ := start(t, testLimits)
	for range 3 {
		wantStatus(t, web, "level=info service=web", 200)
	}
	wantIdle(t, s.pool)
	for path, want := range map[string]string{
		"/metrics":                           `arena_gets{unit="",state="",pool="test",key="POST /logs"} 3`,
		"/debug/arena?pool=test&format=text": `key "POST /logs": 3 gets`,
	} {
		r, err := client.Get(web.URL + path)
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(r.Body)
		r.Body.Close()
		if err != nil || r.StatusCode != 200 || !strings.Contains(string(text), want) {
			t.Errorf("%s: %d, %v, %s", path, r.StatusCode, err, text)
		}
	}
}
