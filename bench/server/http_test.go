package server

import (
	"bufio"
	"bytes"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"testing"
)

// TestLoadOverHTTP lets the load process's code talk to the server's, within
// one process, and compares with the answers without HTTP.
func TestLoadOverHTTP(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0)) // Load takes one processor
	c := Config{Requests: 210, Warmup: 333, Connections: 7, Objects: 50}
	direct, err := RunInProcess("heap", c)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range OverHTTP(nil).Peers {
		h, err := NewHandler(name)
		if err != nil {
			t.Fatal(err)
		}
		server := httptest.NewServer(overHTTP(h))
		var out bytes.Buffer
		err = Load(server.Listener.Addr().String(), c, strings.NewReader("go\n"), &out)
		server.Close()
		var r loadResult
		ready, result, _ := strings.Cut(out.String(), "\n")
		if err != nil || ready != "ready" || json.Unmarshal([]byte(result), &r) != nil {
			t.Fatalf("%s: %v, %q", name, err, out.String())
		}
		if same := r.Checksum == direct.Checksum; same == (name == "null") || r.Latency.Max <= 0 || r.Seconds <= 0 {
			t.Errorf("%s: %+v; without HTTP %q", name, r, direct.Checksum)
		}
	}
}

func TestLoadNoticesWhatIsWrong(t *testing.T) {
	bad := []byte("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 6\r\n\r\nus=1\nx")
	h, _ := NewHandler("heap")
	server := httptest.NewServer(overHTTP(h))
	defer server.Close()
	conn, err := net.Dial("tcp", server.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	c := &connection{conn: conn, in: bufio.NewReader(conn)}
	if err := c.request(bad, io.Discard); err == nil || !strings.Contains(err.Error(), "400") || !strings.Contains(err.Error(), "line 2") {
		t.Errorf("a bad batch: %v, want a status of 400 and the line", err)
	}
	for answer, want := range map[string]string{
		"":                                     "no answer",
		"HTTP/1.1 200 OK\r\n\r\n":              "without a Content-Length",
		"HTTP/1.1 200 OK\r\nContent-Length: 9": "EOF",
		"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nshort":    "ends early",
		"HTTP/1.1 200 OK\r\nContent-Length: many\r\n\r\nshort": `"many"`,
		"HTTP/1.1 500 Oh\r\nContent-Length: 2\r\n\r\nno":       "500",
	} {
		c := &connection{conn: silent{}, in: bufio.NewReader(strings.NewReader(answer))}
		if err := c.request(nil, io.Discard); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want an error with %q", answer, err, want)
		}
	}
	if err := Load(server.Listener.Addr().String(), Config{Connections: 1, Requests: 1}, strings.NewReader(""), io.Discard); err == nil || !strings.Contains(err.Error(), "gave up") {
		t.Errorf("without a word from the server: %v", err)
	}
}

// silent swallows what is written.
type silent struct{ net.Conn }

func (silent) Write(b []byte) (int, error) { return len(b), nil }

func TestRequestsThatAreRefused(t *testing.T) {
	for _, name := range OverHTTP(nil).Peers {
		h, _ := NewHandler(name)
		for _, c := range []struct {
			method string
			body   io.Reader
			size   int64
			want   int
		}{
			{"GET", nil, 0, http.StatusMethodNotAllowed},
			{"POST", strings.NewReader("us=1"), -1, http.StatusLengthRequired},
			{"POST", strings.NewReader("us=1"), maxBody + 1, http.StatusRequestEntityTooLarge},
			{"POST", strings.NewReader("us=1"), 5, http.StatusBadRequest},
			{"POST", strings.NewReader("us=1"), 4, http.StatusOK},
		} {
			r := httptest.NewRequest(c.method, "/", c.body)
			r.ContentLength = c.size
			w := httptest.NewRecorder()
			if overHTTP(h)(w, r); w.Code != c.want {
				t.Errorf("%s: %s of %d bytes: %d, want %d", name, c.method, c.size, w.Code, c.want)
			}
		}
	}
}
