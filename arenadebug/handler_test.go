package arenadebug_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/harena-go/arena"
	"github.com/harena-go/arena/arenadebug"
)

// look requests the page from this machine.
func look(query string) *httptest.ResponseRecorder {
	r := httptest.NewRequest("GET", "http://localhost/debug/arena"+query, nil)
	r.RemoteAddr = "127.0.0.1:1234"
	w := httptest.NewRecorder()
	http.DefaultServeMux.ServeHTTP(w, r)
	return w
}

func TestOnlyForTheMachineItself(t *testing.T) {
	for addr, want := range map[string]int{"127.0.0.1:1": 200, "[::1]:1": 200, "[::ffff:127.0.0.1]:1": 200, "192.0.2.1:1": 403, "[::ffff:192.0.2.1]:1": 403,
		"example.com:1": 403, "": 403, "127.0.0.1": 403} {
		r := httptest.NewRequest("GET", "http://localhost/debug/arena", nil)
		r.RemoteAddr = addr
		w := httptest.NewRecorder()
		arenadebug.Handler().ServeHTTP(w, r)
		if w.Code != want || want == 403 && strings.Contains(w.Body.String(), "Arenas") {
			t.Errorf("%q: %d", addr, w.Code)
		}
	}
	for host, want := range map[string]int{"localhost": 200, "LocalHost:6060": 200, "127.0.0.1:6060": 200, "[::1]:6060": 200, "[::1]": 200, "::1": 200, "10.1.2.3": 200,
		"rebind.example": 403, "rebind.example:6060": 403, "localhost.rebind.example": 403, "127.0.0.1.rebind.example:80": 403, "": 403} {
		r := httptest.NewRequest("GET", "/debug/arena", nil)
		r.RemoteAddr, r.Host = "127.0.0.1:1234", host
		w := httptest.NewRecorder()
		if arenadebug.Handler().ServeHTTP(w, r); w.Code != want {
			t.Errorf("for the host %q: %d", host, w.Code)
		}
	}
	defer func(f func(*http.Request) bool) { arenadebug.AuthRequest = f }(arenadebug.AuthRequest)
	arenadebug.AuthRequest = func(r *http.Request) bool { return r.Header.Get("Secret") == "x" }
	if w := look(""); w.Code != 403 {
		t.Errorf("AuthRequest isn't asked: %d", w.Code)
	}
}

// TestForms: each form says the same, and no value of an arena.
func TestForms(t *testing.T) {
	pool := arena.NewPool(arena.WithReuse(), arena.WithName(`<b>&"forms`), arena.WithLimit(1<<20), arena.WithPoolLimit(1<<29))
	for range 100 {
		a := pool.GetKeyed("GET /<i>")
		a.AllocString("top secret")
		pool.Put(a)
	}
	err := pool.Do(func(a *arena.Arena) error { a.AllocBytes(2 << 20); return nil })
	if err == nil {
		t.Fatal("no limit")
	}
	held := pool.Get()
	held.AllocString("top secret")
	query := "?pool=%3Cb%3E%26%22forms"
	page, text, js := look(query), look(query+"&format=text"), look(query+"&format=json")
	for name, w := range map[string]*httptest.ResponseRecorder{"page": page, "text": text, "json": js} {
		if w.Code != 200 || strings.Contains(w.Body.String(), "top secret") {
			t.Errorf("%s: %d, %s", name, w.Code, w.Body)
		}
		if !strings.Contains(w.Body.String(), "1 allocation refused by limits, the last by WithLimit 0 s ago, which asked for 2.0 MiB at arenadebug_test.TestForms.func1 handler_test.go:") {
			t.Errorf("%s doesn't say what was refused:\n%s", name, w.Body)
		}
	}
	if s := page.Body.String(); strings.Contains(s, "<b>") || strings.Contains(s, "<i>") || strings.Count(s, "<script") != 1 {
		t.Error("names aren't escaped")
	}
	var report struct {
		Pools []struct {
			Name  string
			Stats arena.PoolStats
		}
	}
	if err := json.Unmarshal(js.Body.Bytes(), &report); err != nil || len(report.Pools) != 1 || report.Pools[0].Stats.Gets != 102 ||
		report.Pools[0].Stats.Keys["GET /<i>"].Gets != 100 {
		t.Errorf("%v, %+v", err, report)
	}
	if w := look("?pool=nobody"); w.Code != 404 {
		t.Error(w.Code)
	}
	if w := look(query + "&format=pprof"); w.Code != 200 || !strings.HasPrefix(w.Body.String(), "\x1f\x8b") {
		t.Errorf("the profile is %q", w.Body)
	}
	for query, want := range map[string]bool{"?refresh=5": true, "": false, "?refresh=x": false, "?refresh=-1": false} {
		if strings.Contains(look(query).Body.String(), `http-equiv="refresh"`) != want {
			t.Errorf("%q: refresh is not %t", query, want)
		}
	}
	var vars map[string]arena.PoolStats
	if err := json.Unmarshal([]byte(arenadebug.Var().String()), &vars); err != nil || vars[`<b>&"forms`].Gets != 102 {
		t.Errorf("expvar: %v, %v", err, vars)
	}
	pool.Put(held)
}

// TestVar: no pool hides another, and nothing is published by default: programs that import package expvar show a
// page to everyone, with the command line.
func TestVar(t *testing.T) {
	for i := range 4 {
		p := arena.NewPool(arena.WithReuse(), arena.WithName([]string{"twin", "twin", "twin (2)", "twin"}[i]))
		defer runtime.KeepAlive(p)
		for range i + 1 {
			p.Put(p.Get())
		}
	}
	var pools map[string]arena.PoolStats
	if err := json.Unmarshal([]byte(arenadebug.Var().String()), &pools); err != nil {
		t.Fatal(err)
	}
	seen := 0
	for name, s := range pools {
		if strings.HasPrefix(name, "twin") {
			seen += s.Gets
		}
	}
	if seen != 1+2+3+4 || pools["twin"].Gets != 1 {
		t.Errorf("%d arenas of 10 in %v", seen, pools)
	}
	r := httptest.NewRequest("GET", "http://localhost/debug/vars", nil)
	if _, pattern := http.DefaultServeMux.Handler(r); pattern != "" {
		t.Errorf("somebody has registered %s", pattern)
	}
}

// TestManyLeases: 10,000 arenas are lent, and a few for long by mistake. The page stays small, and names the place.
func TestManyLeases(t *testing.T) { synctest.Test(t, manyLeases) }

func manyLeases(t *testing.T) {
	pool := arena.NewPool(arena.WithReuse(), arena.WithName("many"))
	look("") // from now on somebody watches
	var held []*arena.Arena
	for range 20 {
		a := leak(pool)
		held = append(held, a)
	}
	time.Sleep(11100 * time.Millisecond)
	for i := range 10_000 {
		a := pool.GetKeyed(fmt.Sprint("key ", i%300))
		a.AllocBytes(100)
		held = append(held, a)
	}
	w := look("?pool=many")
	s := w.Body.String()
	if !strings.Contains(s, "many: 20 leases older than 10 s, taken at arenadebug_test.leak handler_test.go:") {
		t.Errorf("the leak isn't named: %.2000s", s)
	}
	if !strings.Contains(s, "10020 lent") || len(s) > 200_000 {
		t.Errorf("%d bytes", len(s))
	}
	for _, a := range held {
		pool.Put(a)
	}
	if s := look("?pool=many").Body.String(); !strings.Contains(s, "Nothing is wrong") {
		t.Errorf("all are back, but %.2000s", s)
	}
}

//go:noinline
func leak(pool *arena.Pool) *arena.Arena { return pool.Get() }

// TestLeakOfOneInAThousand: at 1,000 requests a second one in 1,000 isn't put back. The page names the place
// within three minutes: it waits for three stacks of leases that are older than 10 s, and one lease in eight has one.
func TestLeakOfOneInAThousand(t *testing.T) { synctest.Test(t, leakOfOneInAThousand) }

func leakOfOneInAThousand(t *testing.T) {
	pool := arena.NewPool(arena.WithReuse(), arena.WithName("leaky"))
	look("")
	start := time.Now()
	var held []*arena.Arena
	for i := 0; time.Since(start) < 3*time.Minute; i++ {
		if i%1000 == 999 {
			held = append(held, leak(pool))
		} else {
			serve(pool)
		}
		if i%5000 == 0 {
			if s := look("?pool=leaky").Body.String(); strings.Contains(s, "older than 10 s, taken at arenadebug_test.leak") {
				t.Logf("named after %v and %d requests", time.Since(start), i)
				return
			}
		}
		time.Sleep(time.Until(start.Add(time.Duration(i) * time.Millisecond)))
	}
	t.Errorf("not named in three minutes; %d arenas leaked", len(held))
}

func serve(pool *arena.Pool) {
	a := pool.Get()
	a.AllocBytes(100)
	pool.Put(a)
}
