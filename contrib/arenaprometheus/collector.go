package arenaprometheus

import (
	"maps"
	"math"
	"slices"

	"github.com/harena-go/arena/arenametrics"
	"github.com/prometheus/client_golang/prometheus"
)

// This file holds the names and labels of numbers in Prometheus. It must not depend on their
// source, or on how a histogram is written.

// A Collector collects the metrics of all pools.
type Collector struct {
	table   arenametrics.Table
	descs   map[string]*prometheus.Desc // by arenametrics.Metric.Name
	classic []int                       // the last native bucket of each classic one
}

// An Option changes what [NewCollector] does.
type Option func(*Collector)

// ClassicBuckets adds classic buckets to the histogram, for servers that don't read native ones,
// and for the text format, which lacks native ones. A bound, in bytes, is rounded up by at most a
// fifth to the next power of 2^(1/4), where a native bucket ends, so that counts are exact. The
// bucket without a bound always exists.
func ClassicBuckets(bounds ...float64) Option {
	return func(c *Collector) {
		last := map[int]bool{}
		for _, b := range bounds {
			last[int(math.Ceil(4*math.Log2(max(1, b))-1e-9))] = true
		}
		c.classic = slices.Sorted(maps.Keys(last))
	}
}

// NewCollector returns a collector. A registry needs one:
//
//	prometheus.MustRegister(arenaprometheus.NewCollector())
//
// The collector remembers from its first collection on which keys it distinguishes. Any number of
// goroutines may use it.
func NewCollector(opts ...Option) *Collector {
	c := &Collector{descs: map[string]*prometheus.Desc{}}
	for _, o := range opts {
		o(c)
	}
	for _, m := range arenametrics.Of(nil) {
		labels := []string{"pool"}
		if !m.PoolOnly {
			labels = append(labels, "key")
		}
		if m.State != "" {
			labels = append(labels, "state")
		}
		c.descs[m.Name] = prometheus.NewDesc(name(m), m.Help, labels, nil)
	}
	return c
}

// name returns the metric's name, with its unit.
func name(m arenametrics.Metric) string {
	name := "arena_pool_" + m.Name
	if m.Name == "escapes" { // mistakes of the program, not of the pool
		name = "arena_" + m.Name
	}
	if m.Unit != "" {
		name += "_" + m.Unit
	}
	if m.Kind == arenametrics.Counter {
		name += "_total"
	}
	return name
}

// Describe implements [prometheus.Collector].
func (c *Collector) Describe(descs chan<- *prometheus.Desc) {
	for _, d := range c.descs {
		descs <- d
	}
}

// Collect implements [prometheus.Collector]. It takes time in proportion to the number of arenas,
// and makes pools record their leases, see [arenametrics.Leases].
func (c *Collector) Collect(metrics chan<- prometheus.Metric) {
	for _, m := range c.table.Metrics() {
		metrics <- c.metric(m)
	}
}

func (c *Collector) metric(m arenametrics.Metric) prometheus.Metric {
	desc := c.descs[m.Name]
	labels := []string{m.Pool}
	if !m.PoolOnly {
		labels = append(labels, m.Key)
	}
	if m.State != "" {
		labels = append(labels, m.State)
	}
	switch m.Kind {
	case arenametrics.Distribution:
		return c.histogram(desc, m.Histogram, labels)
	case arenametrics.Counter:
		return prometheus.MustNewConstMetric(desc, prometheus.CounterValue, m.Value, labels...)
	}
	return prometheus.MustNewConstMetric(desc, prometheus.GaugeValue, m.Value, labels...)
}
