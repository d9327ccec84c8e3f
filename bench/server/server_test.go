package server

import (
	"bufio"
	"bytes"
	"encoding/json"
	"io"
	"net"
	"net/http/httptest"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/harena-go/arena/bench/suite"
)

// TestHandlersAgree runs all batches through all handlers, twice: the second time most memory is reused.
func TestHandlersAgree(t *testing.T) {
	all := bodies(300)
	var want []string
	for _, peer := range InProcess().Peers {
		h, err := handler(peer)
		if err != nil {
			t.Fatal(err)
		}
		for i := range 2 * len(all) {
			w, r := httptest.NewRecorder(), httptest.NewRequest("POST", "/logs", bytes.NewReader(all[i%len(all)]))
			h.ServeHTTP(w, r)
			if len(want) <= i {
				want = append(want, w.Body.String())
			}
			if w.Code != 200 || w.Body.String() != want[i%len(all)] {
				t.Fatalf("%s, request %d: %d, %s\nwant %s", peer, i, w.Code, w.Body, want[i%len(all)])
			}
		}
	}
}

// TestBodies: they are of both kinds, all different, and the same each time.
func TestBodies(t *testing.T) {
	all := bodies(2000)
	if len(all) != batches || !slices.EqualFunc(all, bodies(2000), bytes.Equal) {
		t.Errorf("%d bodies, or others the second time", len(all))
	}
	json, seen, lines := 0, map[string]bool{}, 0
	for _, b := range all {
		if b[0] == '{' {
			json++
		}
		lines += bytes.Count(b, []byte("\n"))
		seen[string(b)] = true
	}
	if json != batches/2 || len(seen) != batches || lines < 19*batches || lines > 21*batches {
		t.Errorf("%d of JSON, %d different, %d records", json, len(seen), lines)
	}
}

func TestRefused(t *testing.T) {
	for _, peer := range InProcess().Peers {
		h, _ := handler(peer)
		for body, want := range map[string]int{
			"level=info service=web":             200,
			"level=info service=web\nlevel=info": 400,
			"{}":                                 400,
			strings.Repeat("level=info service=a\n", 1e5):  413,
			strings.Repeat("level=info service=a\n", 1000): 200,
		} {
			w := httptest.NewRecorder()
			h.ServeHTTP(w, httptest.NewRequest("POST", "/logs", strings.NewReader(body)))
			if w.Code != want {
				t.Errorf("%s: %.40q: %d, want %d", peer, body, w.Code, want)
			}
		}
		if err := newCaller().call(h, []byte("level=loud"), &audience{}); err == nil || !strings.Contains(err.Error(), "400") {
			t.Errorf("%s: a caller says %v of a bad batch", peer, err)
		}
	}
	if _, err := handler("magic"); err == nil {
		t.Error("an unknown peer")
	}
}

// TestLoadOverHTTP lets the load process's code talk to the server's, within one process, and compares with the
// answers without HTTP.
func TestLoadOverHTTP(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0)) // Load takes one processor
	c := Config{Requests: 210, Warmup: 333, Connections: 7, Objects: 50}
	direct, err := c.inProcess(suite.Heap)
	if err != nil {
		t.Fatal(err)
	}
	for _, peer := range OverHTTP(nil).Peers {
		h, err := handler(peer)
		if err != nil {
			t.Fatal(err)
		}
		server := httptest.NewServer(h)
		var out bytes.Buffer
		err = Load(server.Listener.Addr().String(), c, strings.NewReader("go\n"), &out)
		server.Close()
		var r loadResult
		ready, result, _ := strings.Cut(out.String(), "\n")
		if err != nil || ready != "ready" || json.Unmarshal([]byte(result), &r) != nil {
			t.Fatalf("%s: %v, %q", peer, err, out.String())
		}
		if r.Checksum != direct.Checksum || r.Latency.Max <= 0 || r.Seconds <= 0 {
			t.Errorf("%s: %+v; without HTTP %q", peer, r, direct.Checksum)
		}
	}
}

func TestLoadNoticesWhatIsWrong(t *testing.T) {
	for answer, want := range map[string]string{
		"":                                     "no answer",
		"HTTP/1.1 200 OK\r\nContent-Length: 9": "no answer",
		"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nshort": "ends early",
		"HTTP/1.1 500 Oh\r\nContent-Length: 2\r\n\r\nno":    `"500 Oh": no`,
	} {
		c := &connection{conn: silent{}, in: bufio.NewReader(strings.NewReader(answer))}
		if err := c.request(nil, io.Discard); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want an error with %q", answer, err, want)
		}
	}
	h, _ := handler(suite.Heap)
	server := httptest.NewServer(h)
	defer server.Close()
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	c := Config{Connections: 1, Requests: 1}
	if err := Load(server.Listener.Addr().String(), c, strings.NewReader(""), io.Discard); err == nil ||
		!strings.Contains(err.Error(), "gave up") {
		t.Errorf("without a word from the server: %v", err)
	}
}

// silent discards the output.
type silent struct{ net.Conn }

func (silent) Write(b []byte) (int, error) { return len(b), nil }

func TestSessionsAreWatched(t *testing.T) {
	s := newSessions(1000)
	if !s.intact(1000) || s.intact(995) {
		t.Error("200 sessions aren't what they are")
	}
	s.newest.user.id++
	if s.intact(1000) {
		t.Error("a change isn't noticed")
	}
}
