package arenastatsviz_test

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/arl/statsviz"
	"github.com/gorilla/websocket"
	"github.com/harena-go/arena"
	"github.com/harena-go/arena/contrib/arenastatsviz"
)

// A page is what a browser is sent by statsviz.
type page struct {
	conn   *websocket.Conn
	titles map[string]string   // of plots, by name
	names  map[string][]string // of series, by plot
}

// open opens the page of a real server, as a browser does.
func open(t testing.TB, opts ...statsviz.Option) *page {
	t.Helper()
	mux := http.NewServeMux()
	if err := statsviz.Register(mux, append(opts, statsviz.SendFrequency(50*time.Millisecond))...); err != nil {
		t.Fatal(err)
	}
	s := httptest.NewServer(mux)
	t.Cleanup(s.Close)
	conn, _, err := websocket.DefaultDialer.Dial(strings.Replace(s.URL, "http", "ws", 1)+"/debug/statsviz/ws", nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	var config struct {
		Data struct {
			Series []struct {
				Name, Title string
				Subplots    []struct{ Name string }
			}
		}
	}
	if err := conn.ReadJSON(&config); err != nil {
		t.Fatal(err)
	}
	p := &page{conn, map[string]string{}, map[string][]string{}}
	for _, s := range config.Data.Series {
		p.titles[s.Name] = s.Title
		for _, sub := range s.Subplots {
			p.names[s.Name] = append(p.names[s.Name], sub.Name)
		}
	}
	return p
}

// next returns the numbers that are sent next, by "plot series"; of plots by their title, as names differ.
func (p *page) next(t testing.TB) map[string]float64 {
	t.Helper()
	var message struct {
		Data struct{ Series map[string]json.RawMessage }
	}
	p.conn.SetReadDeadline(time.Now().Add(20 * time.Second))
	if err := p.conn.ReadJSON(&message); err != nil {
		t.Fatal(err)
	}
	all := map[string]float64{}
	for plot, names := range p.names {
		var values []float64
		if json.Unmarshal(message.Data.Series[plot], &values) == nil && len(values) == len(names) {
			for i, name := range names {
				all[p.titles[plot]+" "+name] = values[i]
			}
		}
	}
	return all
}

// TestPlotsShowPools: the numbers are those of the pools given, and of all if none are.
func TestPlotsShowPools(t *testing.T) {
	one, two := arena.NewPool(arena.WithName("one"), arena.WithLimit(1<<20)), arena.NewPool(arena.WithReuse(), arena.WithName("two & <all>"))
	held := []*arena.Arena{one.Get(), one.GetKeyed("key"), two.Get()}
	for _, a := range held {
		a.AllocBytes(10_000)
	}
	one.Do(func(a *arena.Arena) error { a.AllocBytes(2 << 20); return nil })
	p := open(t, slices.Concat(arenastatsviz.Plots(), arenastatsviz.Plots(one), arenastatsviz.Plots(one, two))...)
	got := p.next(t)
	for series, want := range map[string]float64{
		"Arenas: one lent":                        2,
		"Arenas: one, two &amp; &lt;all&gt; lent": 3,
		"Trouble: one limit hits":                 1,
		"Trouble: one lost":                       0,
		"Trouble: all arena pools escapes":        0,
		"Memory: one used":                        float64(one.Stats().Reserved - one.Stats().Retained),
	} {
		if v, ok := got[series]; !ok || v != want {
			t.Errorf("%s is %v (there: %t), want %v", series, v, ok, want)
		}
	}
	if n := got["Arenas: all arena pools lent"]; n < 3 {
		t.Errorf("%v arenas are lent", n)
	}
	n := 0
	for series := range got {
		if strings.Contains(series, ": one ") {
			n++
		}
	}
	if n != 15 {
		t.Errorf("%d series: %v", n, got)
	}
	for _, a := range held {
		if a == held[2] {
			two.Put(a)
		} else {
			one.Put(a)
		}
	}
}

// TestRatesAndRequests: what has happened since the last look.
func TestRatesAndRequests(t *testing.T) {
	pool := arena.NewPool(arena.WithReuse(), arena.WithName("busy"))
	p := open(t, arenastatsviz.Plots(pool)...)
	p.next(t)
	for i := range 1000 {
		a := pool.Get()
		n := 1000
		if i%20 == 0 {
			n = 50_000
		}
		a.AllocBytes(n)
		pool.Put(a)
	}
	var rates, p50, p99 []float64
	for range 8 {
		got := p.next(t)
		rates = append(rates, got["Rates: busy gets"])
		p50 = append(p50, got["Requests: busy p50"])
		p99 = append(p99, got["Requests: busy p99"])
	}
	if slices.Max(rates) == 0 || rates[7] != 0 {
		t.Errorf("the rates are %v", rates)
	}
	if p50[7] < 1000 || p50[7] > 1200 || p99[7] < 50_000 || p99[7] > 60_000 {
		t.Errorf("%v, %v", p50, p99)
	}
	runtime.KeepAlive(pool)
}

// TestManyPages: a page asks once for all plots, and others don't disturb it.
func TestManyPages(t *testing.T) {
	pool := arena.NewPool(arena.WithReuse(), arena.WithName("shared"))
	held := pool.Get()
	plots := arenastatsviz.Plots(pool)
	pages := []*page{open(t, plots...), open(t, plots...)}
	for range 5 {
		for _, p := range pages {
			if n := p.next(t)["Arenas: shared lent"]; n != 1 {
				t.Errorf("%v arenas are lent", n)
			}
		}
	}
	pool.Put(held)
	for _, p := range pages {
		for p.next(t)["Arenas: shared lent"] != 0 { // what was sent before may be old
		}
	}
}
