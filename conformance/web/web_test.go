package web

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/harena-go/arena"
)

// TestServers: each framework's server answers right, many requests at the same time, with arenas that come back, by
// route, and answers limits.
func TestServers(t *testing.T) {
	for name, c := range map[string]struct {
		routes func(*arena.Pool) http.Handler
		key    string
	}{
		"chi":  {Chi, "/words/{name}"},
		"echo": {Echo, "/words/:name"},
		"gin":  {Gin, "/words/:name"},
	} {
		t.Run(name, func(t *testing.T) { testServer(t, c.routes, c.key) })
	}
}

func testServer(t *testing.T, routes func(*arena.Pool) http.Handler, key string) {
	pool := arena.NewPool(arena.WithName("web"), arena.WithLimit(256<<10), arena.WithScrub())
	s := httptest.NewServer(routes(pool))
	defer s.Close()
	ask := func(path, body string) (int, string) {
		resp, err := http.Post(s.URL+path, "", strings.NewReader(body))
		if err != nil {
			t.Error(err)
			return 0, ""
		}
		defer resp.Body.Close()
		text, err := io.ReadAll(resp.Body)
		if err != nil {
			t.Error(err)
		}
		return resp.StatusCode, string(text)
	}
	var clients sync.WaitGroup
	for _, name := range []string{"Ada", "Alan"} {
		clients.Go(func() {
			for range 200 {
				if status, text := ask("/words/"+name, "to be or not"); status != 200 || text != "4 words from "+name {
					t.Errorf("%d: %q", status, text)
				}
			}
		})
	}
	clients.Wait()
	if status, _ := ask("/words/Ada", strings.Repeat("many words ", 40_000)); status != http.StatusRequestEntityTooLarge {
		t.Errorf("beyond the limit: %d", status)
	}
	if resp, err := http.Get(s.URL + "/health"); err != nil || resp.StatusCode != 200 {
		t.Error(resp, err)
	} else {
		resp.Body.Close()
	}
	s.Close()
	stats := pool.Stats()
	if k := stats.Keys[key]; k.Puts != 400 || k.Freed != 1 || k.Live != 0 || stats.Gets != 401 {
		t.Errorf("%v, %v", stats, stats.Keys)
	}
}
