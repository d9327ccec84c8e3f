package arenadebug

import (
	"fmt"
	"time"
)

// This file lays out a pool's part of the page.

// pool writes a pool, with a chart of its own or a link to one.
func (v *view) pool(w *writer, p *poolReport, chart bool) {
	s := &p.Stats
	w.put(`<section class="card pool" data-part="pool"><h2><a href="%s">%s</a></h2>`+"\n", link("", p.Name), p.Name)
	w.put(`<dl class="tiles">`)
	tile(w, "in chunks", size(s.Reserved))
	tile(w, "arenas", fmt.Sprintf("%d lent, %d idle", s.Live, s.Idle))
	rateTiles(w, p.Rates)
	tile(w, "saved", sizeOf(float64(p.Saved.Bytes)))
	w.put("</dl>\n<div class=\"columns\">\n<div>")
	// A chart has some 20 KB of markup. Beyond the first pools there are links instead.
	switch {
	case !chart:
		w.put(`<p><a href="%s">its chart</a></p>`, link("", p.Name))
	case len(p.points) > 0:
		v.timeline(w, p)
	}
	// Limits are options of the pool, so only those set are shown.
	limits := ""
	if s.PoolLimit > 0 {
		limits = fmt.Sprintf("; all together at most %s", size(s.PoolLimit))
	}
	if s.Limit > 0 {
		limits += fmt.Sprintf("; each at most %s", size(s.Limit))
	}
	w.put("<p>%d gets, %d misses, %d freed, %d lost, %d refused, %d checked, %d escapes%s.</p>\n",
		s.Gets, s.Misses, s.Freed, s.Lost, s.LimitHits, s.Checked, s.Escapes, limits)
	w.put("<p>A get takes %s (p50), %s (p90), %s (p99), %s at most; lately %s of it on average from the Go heap; "+
		"a first chunk has %s.</p></div>\n<div>", size(s.Usage.P50), size(s.Usage.P90), size(s.Usage.P99),
		size(s.HighWater), size(s.Usage.Taken), size(s.FirstChunk))
	if all := p.sizeBars(); len(all) > 0 {
		bars(w, "sizes", "Bytes a get takes", all)
	}
	if all := p.ageBars(); len(all) > 0 {
		bars(w, "ages", "Arenas lent for", all)
	}
	w.put("</div>\n</div>\n")
	p.details(w)
	w.put("</section>\n")
}

// timeline writes the charts of the pool's memory and of its gets, and its events, on one axis.
func (v *view) timeline(w *writer, p *poolReport) {
	axis := axisFor(v.samples[0].at, v.Time)
	times := make([]time.Time, len(p.points))
	memory := []band{{name: "lent", class: "lent"}, {name: "idle", class: "idle"},
		{name: "idle and never used", class: "waste"}}
	gets := band{name: "gets/s", class: "s4"}
	for i, point := range p.points {
		times[i] = point.at
		// The order of the bands: memory in use is at the bottom, memory that could be released at the top.
		for b, n := range []int{point.Lent, point.Idle, point.Waste} {
			memory[b].values = append(memory[b].values, float64(n))
		}
		// The rate since the sample before, so that the chart shows each step of the history.
		per := 0.0
		if i > 0 {
			if r := between(p.points[i-1], point); r != nil {
				per = r.Gets
			}
		}
		gets.values = append(gets.values, per)
	}
	if len(gets.values) > 1 {
		gets.values[0] = gets.values[1] // there is no rate before the second look
	}
	w.put(`<figure data-part="timeline"><figcaption>`)
	// Capacity 3, so that append doesn't write into the slice of the plot.
	legend(w, append(memory[:3:3], gets))
	w.put(`</figcaption><div class="chart">`)
	chart := plot{label: "memory of " + p.Name + " over the last minutes", class: "tall", axis: axis, times: times}
	chart.bands, chart.unit, chart.binary = memory, short, true
	chart.write(w)
	rate := plot{label: "gets a second of " + p.Name, class: "low", axis: axis, times: times}
	rate.bands, rate.unit = []band{gets}, func(v float64) string { return number(v) + "/s" }
	rate.write(w)
	lanes(w, axis, p.events)
	w.put("</div></figure>\n")
}

// details writes the parts that a reader unfolds. Open ones stay open after a reload, by their data-key.
func (p *poolReport) details(w *writer) {
	// open begins such a part. data-key identifies it for page.js.
	open := func(part, summary string) {
		w.put(`<details data-part="%s" data-key="%s"><summary>%s</summary>`, part, p.Name+"/"+summary, summary)
	}
	if keys := p.keys(); len(keys) > 0 {
		open("keys", "Keys")
		w.put(`<div class="wide" tabindex="0"><table><tr><th>key</th><th class="n">gets</th><th class="n">lent</th>` +
			`<th class="n">p50</th><th class="n">p90</th><th class="n">p99</th><th class="n">from the heap</th>` +
			`<th class="n">bytes in all</th><th class="n">in chunks</th></tr>`)
		for _, k := range keys {
			w.put(`<tr><td>%s</td><td class="n">%d</td><td class="n">%d</td>`, k.Name, k.Gets, k.Live)
			for _, n := range []int{k.Usage.P50, k.Usage.P90, k.Usage.P99, k.Usage.Taken} {
				w.put(`<td class="n">%s</td>`, size(n))
			}
			w.put("<td class=\"n\">%s</td><td class=\"n\">%s</td></tr>\n", sizeOf(float64(k.Used)), size(k.Reserved))
		}
		w.put("</table></div></details>\n")
	}
	if types := p.types(); len(types) > 0 {
		open("types", "Bytes by type")
		// The bars are relative to the largest type; the numbers beside them are absolute.
		all := make([]bar, len(types))
		for i, t := range types {
			all[i] = bar{t.String(), float64(t.bytes), size(t.bytes)}
		}
		bars(w, "typebars", "of a get, on average", all)
		w.put("</details>\n")
	}
	if r := p.LimitHit; r != nil {
		w.put(`<details data-part="refusal" data-key="%s"><summary>Last refusal: %s ago, %s asked for</summary>`,
			p.Name+"/refusal", ago(r.Ago), size(r.Asked))
		stack(w, r.Stack)
		w.put("</details>\n")
	}
	for _, g := range p.Groups {
		// One Get in eight records its stack.
		where := "at a place that wasn't noted"
		if g.Place != "" {
			where = "at " + g.Place
		}
		w.put(`<details data-part="leases" data-key="%s"><summary>%d lent for up to %s, taken %s</summary>`,
			p.Name+"/"+g.Place, g.Count, ago(g.Oldest), where)
		w.put(`<p class="soft">half of them for up to %s`, ago(g.Median))
		if g.Key != "" {
			w.put("; key %s", g.Key)
		}
		w.put("</p>")
		stack(w, g.Stack)
		w.put("</details>\n")
	}
}

// stack writes a line for each call.
func stack(w *writer, lines []string) {
	if len(lines) == 0 {
		return
	}
	w.put("<pre>")
	for _, l := range lines {
		w.put("%s\n", l)
	}
	w.put("</pre>")
}
