package arenastatsviz

import (
	"fmt"
	"html"
	"slices"
	"sync/atomic"

	"github.com/arl/statsviz"
	"github.com/harena-go/arena"
)

// This file defines the plots. It must not depend on how pools are looked at.

// Formats of numbers, as d3 has them.
const (
	bytes   = ".4s"
	count   = ".0f"
	perTime = ".4~s"
)

// watchers counts sets of plots, so that no two plots have the same name.
var watchers atomic.Int64

// Plots returns options for statsviz, one for each plot. The plots show the given pools together,
// or all pools that exist at the time if none are given. A page may have several sets of plots:
//
//	statsviz.Register(mux, slices.Concat(arenastatsviz.Plots(), arenastatsviz.Plots(orders))...)
//
// The numbers are those of [arenametrics.Of], once for all plots, each time that statsviz asks,
// by default once a second: that takes time in proportion to the number of arenas, and causes
// leases to be watched. Nothing is read before the server is registered. The given pools are kept
// alive.
func Plots(pools ...*arena.Pool) (all []statsviz.Option) {
	w := &watcher{pools: slices.Clone(pools), number: watchers.Add(1)}
	for _, p := range w.plots() {
		all = append(all, func(s *statsviz.Server) error {
			plot, err := p.Build()
			if err != nil {
				return err
			}
			return statsviz.TimeseriesPlot(plot)(s)
		})
	}
	return all
}

// name returns the name of the pools on the plots, and a suffix that distinguishes the
// set from others.
func (w *watcher) name() (title, id string) {
	id = fmt.Sprintf("arena-%d", w.number)
	if w.pools == nil {
		return "all arena pools", id
	}
	for i, p := range w.pools {
		if i > 0 {
			title += ", "
		}
		title += p.Name()
	}
	return html.EscapeString(title), id
}

// plots returns all plots.
func (w *watcher) plots() []statsviz.TimeSeriesPlotConfig {
	return []statsviz.TimeSeriesPlotConfig{
		w.plot("leases", "Arenas", "Arenas that are lent, and those that wait to be lent.", "arenas",
			w.value("lent", "leasesused", count), w.value("idle", "leasesidle", count)),
		w.plot("memory", "Memory", "Bytes of chunks: of lent arenas (used), and of idle ones (retained). "+
			"Those of idle ones that were never needed are waste.", "bytes",
			w.value("used", "used", bytes), w.value("retained", "retained", bytes), w.value("waste", "waste", bytes)),
		w.plot("requests", "Requests", "Bytes that requests took which ended since the last look. "+
			"Rounded up by a fifth at most.", "bytes",
			w.quantile("p50", 0.5), w.quantile("p90", 0.9), w.quantile("p99", 0.99)),
		w.plot("rates", "Rates", "Arenas lent, those of them that had to be made, "+
			"and chunks taken from the Go heap, per second.", "per second",
			w.rate("gets", "gets"), w.rate("misses", "misses"), w.rate("chunks", "growths")),
		w.plot("oldest", "Oldest lease", "For how long the oldest lent arena has been lent. "+
			"If it goes up and up, it isn't put back.", "seconds",
			w.value("age", "oldest_lease", count)),
		w.plot("trouble", "Trouble", "Allocations that a limit refused, arenas that were never put back, "+
			"and references found that have outlived their arena's memory, since the start.", "",
			w.value("limit hits", "limit_hits", count), w.value("lost", "lost", count),
			w.value("escapes", "escapes", count)),
	}
}

func (w *watcher) plot(id, title, info, axis string, series ...statsviz.TimeSeries) statsviz.TimeSeriesPlotConfig {
	of, prefix := w.name()
	return statsviz.TimeSeriesPlotConfig{
		Name: prefix + "-" + id, Title: title + ": " + of, InfoText: info, YAxisTitle: axis,
		Type: statsviz.Scatter, Series: series,
	}
}

// value is a series of a metric's value.
func (w *watcher) value(name, id, format string) statsviz.TimeSeries {
	get := w.series(func(now, _ *look) float64 { return now.values[id] })
	return statsviz.TimeSeries{Name: name, Unitfmt: format, GetValue: get}
}

// rate is a series of a metric's growth.
func (w *watcher) rate(name, id string) statsviz.TimeSeries {
	get := w.series(func(now, last *look) float64 { return now.rate(id, last) })
	return statsviz.TimeSeries{Name: name, Unitfmt: perTime, GetValue: get}
}

// quantile is a series of the memory that requests took, which stays the same while there are
// none.
func (w *watcher) quantile(name string, q float64) statsviz.TimeSeries {
	latest := 0.0
	return statsviz.TimeSeries{Name: name, Unitfmt: bytes, GetValue: w.series(func(now, last *look) float64 {
		if v, ok := now.quantile(q, last); ok {
			latest = v
		}
		return latest
	})}
}
