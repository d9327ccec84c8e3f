package main

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/harena-go/arena"
)

// TestServer asks a real server: answers are right, many at the same time, arenas come back, by route, and limits are answered.
func TestServer(t *testing.T) {
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
	if k := stats.Keys["/words/:name"]; k.Puts != 400 || k.Freed != 1 || k.Live != 0 || stats.Gets != 401 {
		t.Errorf("%v, %v", stats, stats.Keys)
	}
}
