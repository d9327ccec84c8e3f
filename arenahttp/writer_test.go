package arenahttp_test

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/harena-go/arena"
)

// bare is a ResponseWriter without optional methods.
type bare struct{ http.ResponseWriter }

func (b bare) bare() {}

type flushes struct{ bare }

func (flushes) Flush() {}

type hijacks struct{ bare }

func (hijacks) Hijack() (net.Conn, *bufio.ReadWriter, error) { return nil, nil, http.ErrNotSupported }

type readsFrom struct{ bare }

func (readsFrom) ReadFrom(r io.Reader) (int64, error) { return io.Copy(io.Discard, r) }

type pushes struct{ bare }

func (pushes) Push(string, *http.PushOptions) error { return nil }

// unwraps has another one inside.
type unwraps struct{ inner http.ResponseWriter }

func (u unwraps) Header() http.Header         { return u.inner.Header() }
func (u unwraps) WriteHeader(int)             {}
func (u unwraps) Write(p []byte) (int, error) { return len(p), nil }
func (u unwraps) Unwrap() http.ResponseWriter { return u.inner }

// abilities lists the optional methods of a ResponseWriter.
func abilities(w http.ResponseWriter) string {
	s := ""
	for _, c := range []struct {
		name string
		ok   bool
	}{{"F", is[http.Flusher](w)}, {"H", is[http.Hijacker](w)}, {"R", is[io.ReaderFrom](w)}, {"P", is[http.Pusher](w)}} {
		if c.ok {
			s += c.name
		}
	}
	return s
}

func is[T any](v any) bool { _, ok := v.(T); return ok }

// TestAbilities: inside a ResponseWriter has the same optional methods as outside, and no others.
func TestAbilities(t *testing.T) {
	b := bare{httptest.NewRecorder()}
	f, h, r, p := flushes{b}, hijacks{b}, readsFrom{b}, pushes{b}
	writers := map[string]http.ResponseWriter{
		"": unwraps{bare{b}}, "F": f, "H": h, "R": r, "P": p,
	}
	type base interface{ http.ResponseWriter }
	add := func(w http.ResponseWriter) { writers[abilities(w)] = w }
	add(struct {
		base
		http.Flusher
		http.Hijacker
	}{b, f, h})
	add(struct {
		base
		http.Flusher
		io.ReaderFrom
	}{b, f, r})
	add(struct {
		base
		http.Flusher
		http.Pusher
	}{b, f, p})
	add(struct {
		base
		http.Hijacker
		io.ReaderFrom
	}{b, h, r})
	add(struct {
		base
		http.Hijacker
		http.Pusher
	}{b, h, p})
	add(struct {
		base
		io.ReaderFrom
		http.Pusher
	}{b, r, p})
	add(struct {
		base
		http.Flusher
		http.Hijacker
		io.ReaderFrom
	}{b, f, h, r})
	add(struct {
		base
		http.Flusher
		http.Hijacker
		http.Pusher
	}{b, f, h, p})
	add(struct {
		base
		http.Flusher
		io.ReaderFrom
		http.Pusher
	}{b, f, r, p})
	add(struct {
		base
		http.Hijacker
		io.ReaderFrom
		http.Pusher
	}{b, h, r, p})
	add(struct {
		base
		http.Flusher
		http.Hijacker
		io.ReaderFrom
		http.Pusher
	}{b, f, h, r, p})
	if len(writers) != 16 {
		t.Fatalf("%d kinds", len(writers))
	}
	for want, w := range writers {
		handle(newPool(), func(w http.ResponseWriter, _ *http.Request, _ *arena.Arena) {
			if got := abilities(w); got != want {
				t.Errorf("%q became %q", want, got)
			}
			io.Copy(w, strings.NewReader("text"))
			if f, ok := w.(http.Flusher); ok {
				f.Flush()
			}
			if p, ok := w.(http.Pusher); ok {
				p.Push("/", nil)
			}
		}).ServeHTTP(w, httptest.NewRequest("GET", "/", nil))
	}
	handle(newPool(), func(w http.ResponseWriter, _ *http.Request, _ *arena.Arena) {
		if abilities(w) != "H" {
			t.Error("what is deeper down isn't noticed when it is used")
		}
	}).ServeHTTP(unwraps{unwraps{h}}, httptest.NewRequest("GET", "/", nil))
}

// TestStreams sends a body and an answer in parts. Each part arrives before the next one is sent.
// There are deadlines, and a file at the end.
func TestStreams(t *testing.T) {
	file := t.TempDir() + "/file"
	if err := os.WriteFile(file, []byte("the file"), 0o666); err != nil {
		t.Fatal(err)
	}
	protocols(t, func(t *testing.T, http2 bool) {
		pool := newPool()
		s, logged := listen(t, handle(pool, func(w http.ResponseWriter, r *http.Request, a *arena.Arena) {
			c := http.NewResponseController(w)
			if err := c.SetReadDeadline(time.Now().Add(time.Minute)); err != nil {
				t.Error(err)
			}
			if err := c.EnableFullDuplex(); err != nil && !http2 {
				t.Error(err)
			}
			w.WriteHeader(103)
			w.WriteHeader(200)
			c.Flush()
			buf := a.AllocBytes(100)
			for {
				n, err := r.Body.Read(buf)
				w.Write(buf[:n])
				if err := c.Flush(); err != nil {
					t.Error(err)
				}
				if err != nil {
					break
				}
			}
			f, err := os.Open(file)
			if err != nil {
				t.Error(err)
				return
			}
			defer f.Close()
			io.Copy(w, f)
		}), http2)
		body, in := io.Pipe()
		req, err := http.NewRequest("POST", s.URL, body)
		if err != nil {
			t.Fatal(err)
		}
		resp, err := s.Client().Do(req)
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close()
		for i := range 100 {
			text := fmt.Sprintf("part %d", i)
			io.WriteString(in, text)
			got := make([]byte, len(text))
			if _, err := io.ReadFull(resp.Body, got); err != nil || string(got) != text {
				t.Fatalf("%q, %v", got, err)
			}
		}
		in.Close()
		if rest, err := io.ReadAll(resp.Body); string(rest) != "the file" || err != nil {
			t.Errorf("%q, %v", rest, err)
		}
		wantEnds(t, pool, 1, 0, 0)
		if logged.String() != "" {
			t.Error(logged)
		}
	})
}
