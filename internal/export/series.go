package export

import "github.com/harena-go/arena"

// This file holds sets of numbers, and how they are added up. It may not know of which pools they are.

// An id is what tells the numbers of a pool's name apart.
type id struct{ name, state, key string }

func idOf(m arena.Metric) id { return id{m.Name, m.State, m.Key} }

// series are numbers with an id each, in the order in which they came.
type series struct {
	rows  []arena.Metric
	place map[id]int
}

// merge adds what others have.
func (s *series) merge(rows []arena.Metric) {
	for _, m := range rows {
		s.put(m, 1)
	}
}

// put adds a number to that with its id, or takes it off; of what doesn't add up the largest stays.
func (s *series) put(m arena.Metric, sign float64) {
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
		add(to.Histogram, m.Histogram, sign)
	}
}

// blank returns a metric like m that is zero.
func blank(m arena.Metric) arena.Metric {
	m.Value = 0
	if m.Histogram != nil {
		m.Histogram = new(arena.Histogram)
	}
	return m
}

func add(to, h *arena.Histogram, sign float64) {
	for len(to.Buckets) < len(h.Buckets) {
		to.Buckets = append(to.Buckets, 0)
	}
	n := uint64(int64(sign)) // products and sums wrap around, so that -1 takes off
	for i := range h.Buckets {
		to.Buckets[i] += n * h.Buckets[i]
	}
	to.Count += n * h.Count
	to.Zero += n * h.Zero
	to.Sum += sign * h.Sum
}
