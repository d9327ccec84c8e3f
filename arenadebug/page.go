package arenadebug

import (
	"cmp"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"
)

// This file lays out the page. It works without script: page.js only loads it again and replaces the old <main> by
// the new one. The parts that readers rely on have a data-part, which tests look for.

// From top to bottom: findings, the present, savings, memory by pool, the profile's command, and then a section for
// each pool. A reader who only wants to know if something is wrong needs only the first lines.

// maxCharts is the most pools of a page with a chart of their own.
const maxCharts = 12

// The parts of the page, by their data-part. A test compares them with the picture in docs:
//
//	findings                  problems, or that there are none
//	rates       saved         side by side on a wide screen
//	memory                    all pools as a stack, events below, one axis
//	command                   for the profile
//	pool                      once for each pool:
//	  timeline  sizes, ages   side by side on a wide screen
//	  keys, types, refusal, leases    to be unfolded

// A view is a report and the request's parameters for its page.
type view struct {
	*report
	refresh int    // seconds between reloads without script; 0 for never
	profile string // the command that opens the profile
}

// profileCommand returns a shell command that opens the profile for the page.
func profileCommand(r *http.Request, pool string) string {
	// The client's address, not the server's: a reader copies the line into a shell on the client's machine.
	scheme := "http"
	if r.TLS != nil {
		scheme = "https"
	}
	path, _, _ := strings.Cut(r.RequestURI, "?") // as the client has it: a mux may have changed r.URL
	if !strings.HasPrefix(path, "/") {
		path = r.URL.EscapedPath()
	}
	// In single quotes a shell takes everything literally but the quote itself, which the address can spell
	// otherwise.
	address := scheme + "://" + r.Host + path + link("pprof", pool)
	return "go tool pprof -http=: '" + strings.ReplaceAll(address, "'", "%27") + "'"
}

// link returns an address on the same page.
func link(format, pool string) string {
	q := url.Values{}
	if format != "" {
		q.Set("format", format)
	}
	if pool != "" {
		q.Set("pool", pool)
	}
	return "?" + q.Encode()
}

// html returns the whole page. It is built in memory, so that an error can't leave half of one.
func (v *view) html() string {
	w := &writer{}
	w.put(`<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Arenas</title>
<link rel="stylesheet" href="?file=page.css">
<script src="?file=page.js" defer></script>
`)
	if v.refresh > 0 {
		w.put("<noscript><meta http-equiv=\"refresh\" content=\"%d\"></noscript>\n", v.refresh)
	}
	// page.js reads the interval from the body, since the policy allows no inline script.
	w.put("</head>\n<body data-refresh=\"%d\">\n", v.refresh)
	w.put(`<header><h1>Arenas</h1><nav>`)
	if v.Pool != "" {
		w.put(`<a href="?">all pools</a> `)
	}
	for _, form := range []string{"json", "text", "pprof"} {
		w.put(`<a href="%s">%s</a> `, link(form, v.Pool), strings.Replace(form, "pprof", "profile", 1))
	}
	w.put("</nav><span id=\"live\"></span></header>\n<main>\n")
	v.summary(w)
	for i := range v.Pools {
		v.pool(w, &v.Pools[i], i < maxCharts)
	}
	if len(v.Pools) == 0 {
		w.put("<p>There are no pools.</p>\n")
	}
	w.put("</main>\n</body>\n</html>\n")
	return w.String()
}

// summary writes the part about all pools shown.
func (v *view) summary(w *writer) {
	w.put(`<p class="soft" data-part="time">%s</p>`, v.Time.Format("2006-01-02 15:04:05 MST"))
	w.put("<div data-part=\"findings\">")
	for _, f := range v.Findings {
		w.put("<p class=\"bad\">%s</p>\n", f)
	}
	if len(v.Findings) == 0 {
		w.put("<p class=\"good\">%s</p>\n", nothingWrong)
	}
	w.put("</div>\n")
	// The sum over the pools shown, not over all.
	reserved := 0
	for i := range v.Pools {
		reserved += v.Pools[i].Stats.Reserved
	}
	w.put(`<div class="pair"><section class="card" data-part="rates"><h2>Now</h2><dl class="tiles">`)
	tile(w, "in chunks", size(reserved))
	rateTiles(w, v.Rates)
	w.put("</dl></section>\n")
	v.savings(w)
	w.put("</div>\n")
	if len(v.Pools) > 1 {
		v.memory(w)
	}
	w.put(`<p class="command" data-part="command"><span class="soft">Allocations by call stack:</span> `+
		"<code>%s</code></p>\n", v.profile)
}

// savings writes the savings of all pools shown, and the method of the estimates.
func (v *view) savings(w *writer) {
	w.put("<section class=\"card\" data-part=\"saved\"><h2>Saved so far</h2><dl class=\"tiles\">")
	tile(w, "didn't go to the heap", sizeOf(float64(v.Saved.Bytes)))
	tile(w, "objects, about", number(float64(v.Saved.Objects)))
	if v.Saved.GOGC < 0 {
		tile(w, "collections avoided", "GOGC is off")
	} else {
		tile(w, "collections avoided, about", number(float64(v.Saved.Collections)))
	}
	w.put("</dl><p class=\"soft\">Estimates: objects are bytes / the mean size of this program's heap objects")
	if v.Saved.GOGC >= 0 {
		w.put("; collections are bytes / (live heap of %s × GOGC %d%%)", size(max(v.Saved.LiveHeap, smallestHeap)),
			v.Saved.GOGC)
	}
	w.put(".</p></section>\n")
}

// tile writes a number with its name. It stands in a <dl class="tiles">.
func tile(w *writer, name, value string) {
	w.put("<div><dt>%s</dt><dd>%s</dd></div>", name, value)
}

// rateTiles writes the rates; r is nil before the second look.
func rateTiles(w *writer, r *rates) {
	gets, used, resets := "–", "–", "–"
	if r != nil {
		gets, used, resets = number(r.Gets), sizeOf(r.Bytes), number(r.Resets)
	}
	tile(w, "gets/s", gets)
	tile(w, "bytes/s", used)
	tile(w, "resets/s", resets)
}

// maxBands is the most pools with a band of their own in the chart of all pools.
const maxBands = 6

// memory writes the chart of the memory of all pools shown.
func (v *view) memory(w *writer) {
	shown := make([]*poolReport, 0, len(v.Pools))
	for i := range v.Pools {
		if len(v.Pools[i].points) > 0 {
			shown = append(shown, &v.Pools[i])
		}
	}
	// The largest have bands of their own, in the order of the pools, so that colours don't change with sizes.
	bySize := slices.Clone(shown)
	slices.SortStableFunc(bySize, func(a, b *poolReport) int {
		return -cmp.Compare(a.Stats.Reserved, b.Stats.Reserved)
	})
	rest := bySize[min(len(bySize), maxBands):]
	slices.SortStableFunc(shown, func(a, b *poolReport) int {
		return cmp.Compare(slices.Index(rest, a), slices.Index(rest, b)) // -1 for the pools not in rest
	})
	p := plot{label: "memory by pool over the last minutes", class: "tall", unit: short, binary: true}
	p.axis = axisFor(v.samples[0].at, v.Time)
	// Pools may be younger than the history: a point finds its column by its time.
	at := map[time.Time]int{}
	for i := range v.samples {
		at[v.samples[i].at] = i
		p.times = append(p.times, v.samples[i].at)
	}
	var events []event
	// The pools behind maxBands share the last band.
	for i, pool := range shown {
		if i <= maxBands {
			name := pool.Name
			if i == maxBands {
				name = fmt.Sprintf("%d others", len(shown)-maxBands)
			}
			p.bands = append(p.bands, band{name, fmt.Sprintf("s%d", i), make([]float64, len(p.times))})
		}
		values := p.bands[min(i, maxBands)].values
		for _, point := range pool.points {
			values[at[point.at]] += float64(point.reserved())
		}
		events = append(events, pool.events...)
	}
	w.put(`<figure class="card" data-part="memory"><figcaption><h2>Memory by pool</h2>`)
	legend(w, p.bands)
	w.put(`</figcaption><div class="chart">`)
	p.write(w)
	lanes(w, p.axis, events)
	w.put("</div></figure>\n")
}

// legend names the bands of a plot.
func legend(w *writer, bands []band) {
	w.put(`<ul class="legend">`)
	for _, b := range bands {
		w.put(`<li><svg class="key"><rect class="%s" width="100%%" height="100%%"/></svg> %s</li>`, b.class, b.name)
	}
	w.put(`</ul>`)
}

// lanes writes the rows of events below a plot, and its axis.
func lanes(w *writer, axis timeAxis, events []event) {
	// An event between two looks is drawn at the later one, with both times.
	var escapes, limits []mark
	for _, e := range events {
		when := e.at.Format("15:04:05")
		if !e.from.IsZero() {
			when = e.from.Format("15:04:05") + " to " + when
		}
		if e.escapes > 0 {
			escapes = append(escapes, mark{e.at, fmt.Sprintf("%s: %s, %s", e.pool, count(e.escapes, "escape"), when)})
		}
		if e.limits > 0 {
			title := fmt.Sprintf("%s: %s refused, %s", e.pool, count(e.limits, "allocation"), when)
			limits = append(limits, mark{e.at, title})
		}
	}
	lane(w, axis, "escapes", "escape", escapes)
	lane(w, axis, "limits", "limit", limits)
	axis.labels(w)
}
