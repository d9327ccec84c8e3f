package arenadebug

import (
	_ "embed"
	"encoding/json"
	"expvar"
	"html/template"
	"io"
	"net"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/harena-go/arena"
	"github.com/harena-go/arena/arenapprof"
)

// This file holds who gets the page, and in which form. It may not know what is on it.

// AuthRequest says whether a request may see the page. By default it may if it comes from the machine itself: mind
// proxies there, which pass on those of others. It must be set before the first request.
var AuthRequest = fromThisMachine

func fromThisMachine(r *http.Request) bool {
	host, _, err := net.SplitHostPort(r.RemoteAddr)
	if err != nil {
		return false
	}
	ip := net.ParseIP(host)
	return ip != nil && ip.IsLoopback()
}

//go:embed page.html
var pageHTML string

var page = template.Must(template.New("page").Funcs(template.FuncMap{
	"size": size, "ago": ago, "pct": percent, "place": place, "stack": stackLines,
}).Parse(pageHTML))

func init() {
	http.Handle("/debug/arena", Handler())
	expvar.Publish("arena", expvar.Func(func() any {
		pools := map[string]arena.PoolStats{}
		for _, p := range arena.Pools() {
			pools[p.Name()] = p.Stats()
		}
		return pools
	}))
}

// Handler returns a handler that shows all pools.
func Handler() http.Handler { return http.HandlerFunc(serve) }

func serve(w http.ResponseWriter, r *http.Request) {
	if !AuthRequest(r) {
		http.Error(w, "arenadebug: this page is for the machine itself; see AuthRequest", http.StatusForbidden)
		return
	}
	report := newReport(arena.Pools(), r.FormValue("pool"), time.Now())
	if report.Pool != "" && len(report.Pools) == 0 {
		http.Error(w, "there is no such pool", http.StatusNotFound)
		return
	}
	w.Header().Set("X-Content-Type-Options", "nosniff")
	w.Header().Set("Cache-Control", "no-store")
	switch r.FormValue("format") {
	case "pprof":
		arenapprof.Handler().ServeHTTP(w, r)
	case "json":
		w.Header().Set("Content-Type", "application/json")
		e := json.NewEncoder(w)
		e.SetIndent("", "  ")
		e.Encode(report)
	case "text":
		w.Header().Set("Content-Type", "text/plain; charset=utf-8")
		var b strings.Builder
		report.text(&b)
		io.WriteString(w, b.String())
	default:
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		w.Header().Set("Content-Security-Policy", "default-src 'none'; style-src 'unsafe-inline'")
		if n, err := strconv.Atoi(r.FormValue("refresh")); err == nil && n > 0 {
			report.Refresh = min(n, 3600)
		}
		var b strings.Builder // of all of it, lest an error is found in the middle
		if err := page.Execute(&b, report); err != nil {
			http.Error(w, err.Error(), http.StatusInternalServerError)
			return
		}
		io.WriteString(w, b.String())
	}
}
