package arenadebug

import (
	_ "embed"
	"encoding/json"
	"fmt"
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

// This file decides who gets the page, and in which form. It must not depend on the contents.

// AuthRequest reports whether a request may see the page. By default it allows requests from the machine itself to
// localhost or an address: if a page of another site makes a browser send one, the request names that site, even if
// its name resolves to this machine. A proxy on the machine forwards the requests of others. AuthRequest must be set
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

// Programs serve the page beside their own, and it shows names that may come from outside, such as keys. So no part
// of it can run: names are escaped, and the browser may run and load only files from this address.

// contentPolicy is the Content-Security-Policy of the page: everything comes from its own address.
const contentPolicy = "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self'"

//go:embed page.css
var pageCSS string

//go:embed page.js
var pageJS string

func init() {
	http.Handle("/debug/arena", Handler())
}

// Var returns the statistics of all pools by name, as JSON, for package expvar, which shows them at /debug/vars to
// anyone:
//
//	expvar.Publish("arena", arenadebug.Var())
//
// It includes the names of keys. The second of two pools with the same name has " (2)" appended.
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
		http.Error(w, "arenadebug: this page is for the machine itself, at localhost or an address; see AuthRequest",
			http.StatusForbidden)
		return
	}
	q := r.URL.Query() // FormValue would read a body
	w.Header().Set("X-Content-Type-Options", "nosniff")
	w.Header().Set("Cache-Control", "no-store")
	// answer sends a text. nosniff makes browsers respect its type.
	answer := func(contentType, text string) {
		w.Header().Set("Content-Type", contentType)
		io.WriteString(w, text)
	}
	// Relative addresses: the page finds its files at any path of a mux.
	switch q.Get("file") {
	case "page.css":
		answer("text/css; charset=utf-8", pageCSS)
		return
	case "page.js":
		answer("text/javascript; charset=utf-8", pageJS)
		return
	}
	if q.Get("format") == "pprof" {
		arenapprof.Handler().ServeHTTP(w, r)
		return
	}
	report := newReport(arena.Pools(), q.Get("pool"), time.Now())
	if report.Pool != "" && len(report.Pools) == 0 {
		http.Error(w, "there is no such pool", http.StatusNotFound)
		return
	}
	switch q.Get("format") {
	case "json":
		text, err := json.MarshalIndent(report, "", "  ")
		if err != nil {
			http.Error(w, err.Error(), http.StatusInternalServerError)
			return
		}
		answer("application/json", string(text)+"\n")
	case "text":
		var b strings.Builder
		report.text(&b)
		answer("text/plain; charset=utf-8", b.String())
	default:
		v := view{report: report, profile: profileCommand(r, report.Pool)}
		if n, err := strconv.Atoi(q.Get("refresh")); err == nil && n > 0 {
			v.refresh = min(n, 3600)
		}
		w.Header().Set("Content-Security-Policy", contentPolicy)
		answer("text/html; charset=utf-8", v.html())
	}
}
