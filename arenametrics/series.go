package arenametrics

import "github.com/harena-go/arena"

// This file adds up sets of metrics. It must not depend on their pools.

// An id identifies a metric among those of one pool.
type id struct{ name, state, key string }

func idOf(m Metric) id { return id{m.Name, m.State, m.Key} }

// A series is a set of metrics with distinct ids, in the order in which they were put.
type series struct {
	rows  []Metric
	place map[id]int
}

// merge adds other metrics.
func (s *series) merge(rows []Metric) {
	for _, m := range rows {
		s.put(m, 1)
	}
}

// put adds a number to the metric with the same id, or subtracts it if sign is -1. If the metric isn't additive, the
// larger number stays.
func (s *series) put(m Metric, sign float64) {
	if s.place == nil {
		s.place = map[id]int{}
	}
	i, ok := s.place[idOf(m)]
	if !ok {
		i = len(s.rows)
		s.place[idOf(m)] = i
		s.rows = append(s.rows, blank(m))
	}
	to := &s.rows[i]
	if !m.Additive {
		to.Value = max(to.Value, m.Value)
		return
	}
	to.Value += sign * m.Value
	if m.Histogram != nil {
		addHistogram(to.Histogram, m.Histogram, sign)
	}
}

// blank returns a metric like m that is zero.
func blank(m Metric) Metric {
	m.Value = 0
	if m.Histogram != nil {
		m.Histogram = new(arena.Histogram)
	}
	return m
}

// addHistogram adds h to a histogram, or subtracts it if sign is -1.
func addHistogram(to, h *arena.Histogram, sign float64) {
	for len(to.Buckets) < len(h.Buckets) {
		to.Buckets = append(to.Buckets, 0)
	}
	n := uint64(int64(sign)) // products and sums wrap around, so that -1 subtracts
	for i := range h.Buckets {
		to.Buckets[i] += n * h.Buckets[i]
	}
	to.Count += n * h.Count
	to.Zero += n * h.Zero
	to.Sum += sign * h.Sum
}
