package arenadebug

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"html/template"
	"io"
	"net"
	"net/http"
	"net/netip"
	"strconv"
	"strings"
	"time"

	"github.com/harena-go/arena"
	"github.com/harena-go/arena/arenapprof"
)

// This file holds who gets the page, and in which form. It may not know what is on it.

// AuthRequest reports whether a request may see the page. By default it may if it comes from the machine itself, and asks
// for localhost or an address: a browser there has the name of another site in it if a page of that site asks, whatever
// address the site says it has. Mind proxies on the machine, which pass on the requests of others. AuthRequest must be set
// before the first request.
var AuthRequest = fromThisMachine

func fromThisMachine(r *http.Request) bool {
	from, err := netip.ParseAddrPort(r.RemoteAddr)
	if err != nil || !from.Addr().Unmap().IsLoopback() {
		return false
	}
	host := r.Host
	if h, _, err := net.SplitHostPort(host); err == nil {
		host = h
	}
	_, err = netip.ParseAddr(strings.Trim(host, "[]"))
	return err == nil || strings.EqualFold(host, "localhost")
}

//go:embed page.html
var pageHTML string

var page = template.Must(template.New("page").Funcs(template.FuncMap{
	"size": size, "ago": ago, "pct": percent, "place": place, "stack": stackLines,
}).Parse(pageHTML))

func init() {
	http.Handle("/debug/arena", Handler())
}

// Var returns the statistics of all pools by name, as JSON, for package expvar, which shows them at /debug/vars to anyone who asks:
//
//	expvar.Publish("arena", arenadebug.Var())
//
// There are the names of keys in it. The second of two pools with the same name has " (2)" behind it.
func Var() fmt.Stringer { return variable{} }

type variable struct{}

// String implements fmt.Stringer and expvar.Var.
func (variable) String() string {
	pools, same := map[string]arena.PoolStats{}, map[string]int{}
	for _, p := range arena.Pools() {
		name := p.Name()
		for _, taken := pools[name]; taken; _, taken = pools[name] {
			same[p.Name()]++
			name = fmt.Sprintf("%s (%d)", p.Name(), same[p.Name()]+1)
		}
		pools[name] = p.Stats()
	}
	text, _ := json.Marshal(pools)
	return string(text)
}

// Handler returns a handler that shows all pools.
func Handler() http.Handler { return http.HandlerFunc(serve) }

func serve(w http.ResponseWriter, r *http.Request) {
	if !AuthRequest(r) {
		http.Error(w, "arenadebug: this page is for the machine itself, at localhost or an address; see AuthRequest", http.StatusForbidden)
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
