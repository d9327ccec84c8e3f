package arenaprometheus

import (
	"math"
	"time"

	"github.com/harena-go/arena"
	"github.com/prometheus/client_golang/prometheus"
	dto "github.com/prometheus/client_model/go"
)

// This file writes histograms for Prometheus. It must not depend on their contents.

// schema means four native buckets for each power of two, as in arena.Histogram: bucket i ends at
// 2^(i/4).
const schema = 2

// A histogram is a native one, with additional classic buckets.
type histogram struct {
	prometheus.Metric
	classic []*dto.Bucket
}

func (c *Collector) histogram(desc *prometheus.Desc, h *arena.Histogram, labels []string) prometheus.Metric {
	native := map[int]int64{}
	for i, n := range h.Buckets {
		if n > 0 {
			native[i] = int64(n)
		}
	}
	m := prometheus.MustNewConstNativeHistogram(desc, h.Count, h.Sum, native, nil, h.Zero, schema,
		prometheus.DefNativeHistogramZeroThreshold, time.Time{}, labels...)
	return histogram{m, c.classicBuckets(h)}
}

// classicBuckets returns the buckets of option ClassicBuckets.
func (c *Collector) classicBuckets(h *arena.Histogram) (all []*dto.Bucket) {
	next, upTo := 0, h.Zero
	for _, last := range c.classic {
		for ; next <= last && next < len(h.Buckets); next++ {
			upTo += h.Buckets[next]
		}
		bound, n := math.Exp2(float64(last)/4), upTo
		all = append(all, &dto.Bucket{UpperBound: &bound, CumulativeCount: &n})
	}
	return all
}

// Write implements prometheus.Metric.
func (h histogram) Write(out *dto.Metric) error {
	if err := h.Metric.Write(out); err != nil {
		return err
	}
	out.Histogram.Bucket = h.classic
	out.Histogram.CreatedTimestamp = nil // unknown
	return nil
}
