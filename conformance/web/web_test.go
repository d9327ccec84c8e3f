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

// TestServers: each framework's server answers many requests at the same time correctly, puts its
// arenas back, by route, and answers limits.
func TestServers(t *testing.T) {
	for name, c := range map[string]struct {
		routes func(*arena.Pool) http.Handler
		key    string
	}{
		"chi":  {Chi, "POST /words/{name}"},
		"echo": {Echo, "POST /words/:name"},
		"gin":  {Gin, "POST /words/:name"},
	} {
		t.Run(name, func(t *testing.T) { testServer(t, c.routes, c.key) })
	}
}

func testServer(t *testing.T, routes func(*arena.Pool) http.Handler, key string) {
	pool := arena.NewPool(arena.WithReuse(), arena.WithName("web"), arena.WithLimit(256<<10), arena.WithScrub())
	s := httptest.NewServer(routes(pool))
	defer s.Close()
	post := func(path, kind, body string) (int, string) {
		resp, err := http.Post(s.URL+path, kind, strings.NewReader(body))
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
	ask := func(path, body string) (int, string) { return post(path, "", body) }
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
	for _, c := range []struct {
		kind, body string
		status     int
		answer     string
	}{
		{"application/json", `{"customer":"Ada","items":[{"name":"tea","count":2}]}`, 201, `{"customer":"Ada","items":[{"name":"tea","count":2}]}`},
		{"application/json", `{"customer":"Ada","items":[{"name":"tea","count":0}]}`, 422, `Error:Field validation for 'Count' failed on the 'gt' tag`},
		{"application/json", `{"customer":"Ada","items":[]}`, 422, `'Items' failed on the 'min' tag`},
		{"application/json", `{"customer":"Ada","items":[{"name":7}]}`, 422, `"pointer":"/items/0/name"`},
		{"application/json", `{"customer":"Ada",}`, 400, `"status":400`},
		{"application/json", `{"customer":"` + strings.Repeat("x", 300<<10), 413, `"status":413`},
		{"text/plain", `{"customer":"Ada"}`, 415, `"status":415`},
	} {
		if status, text := post("/orders", c.kind, c.body); status != c.status || !strings.Contains(text, c.answer) {
			t.Errorf("%.80s: %d: %s", c.body, status, text)
		}
	}
	if resp, err := http.Get(s.URL + "/health"); err != nil || resp.StatusCode != 200 {
		t.Error(resp, err)
	} else {
		resp.Body.Close()
	}
	s.Close()
	stats := pool.Stats()
	if k := stats.Keys[key]; k.Puts != 400 || k.Freed != 1 || k.Live != 0 || stats.Live != 0 {
		t.Errorf("%v, %v", stats, stats.Keys)
	}
}
