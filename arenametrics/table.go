package arenametrics

import (
	"cmp"
	"slices"
	"strings"
	"sync"
	"weak"

	"github.com/harena-go/arena"
)

const (
	// MaxKeys is the number of keys that a Table distinguishes in pools of one name.
	MaxKeys = 100
	// OtherKey is the key under which a Table puts all further keys.
	OtherKey = "other"
)

// A Table turns the numbers of pools into a bounded number of series that add up. Pools of the same name are one.
// Arenas without a key are a series of their own beside those with keys. The first MaxKeys keys are distinguished,
// beginning with those with the most Gets if there are more, and all others are OtherKey.
//
// It remembers its results: a key stays the same, and a counter doesn't fall when one of several pools of the same name
// is gone. The zero Table is ready, and any number of goroutines may use it.
type Table struct {
	mu    sync.Mutex
	pools map[string]*known // by name
}

// known is a Table's memory of pools with the same name.
type known struct {
	keys   map[string]bool                     // distinguished
	pools  map[weak.Pointer[arena.Pool]]series // with their numbers of the last time
	gone   series                              // the counts of pools that are gone
	counts map[id]float64                      // the counters as returned the last time
}

// Metrics returns the numbers of all pools now, by pool and name. The number with Key "" is that of arenas without a
// key if the metric is Additive, otherwise that of the whole pool. Percentiles are missing, since percentiles of parts
// can't be combined. Names are valid UTF-8.
func (t *Table) Metrics() (all []Metric) {
	t.mu.Lock()
	defer t.mu.Unlock()
	byName := map[string][]*arena.Pool{}
	var names []string
	for _, p := range arena.Pools() {
		name := clean(p.Name())
		if byName[name] == nil {
			names = append(names, name)
		}
		byName[name] = append(byName[name], p)
	}
	if t.pools == nil {
		t.pools = map[string]*known{}
	}
	for name := range t.pools {
		if byName[name] == nil {
			delete(t.pools, name)
		}
	}
	for _, name := range names {
		if t.pools[name] == nil {
			t.pools[name] = &known{keys: map[string]bool{}, counts: map[id]float64{}}
		}
		for _, m := range t.pools[name].look(byName[name]) {
			m.Pool = name
			all = append(all, m)
		}
	}
	return all
}

// look adds up the numbers of pools with the same name.
func (k *known) look(pools []*arena.Pool) []Metric {
	now := map[weak.Pointer[arena.Pool]]series{}
	var all series
	for _, p := range pools {
		s := k.split(Of(p))
		now[weak.Make(p)] = s
		all.merge(s.rows)
	}
	for p, s := range k.pools {
		if _, ok := now[p]; !ok {
			k.gone.merge(slices.DeleteFunc(s.rows, func(m Metric) bool { return m.Kind == Gauge }))
		}
	}
	k.pools = now
	all.merge(k.gone.rows)
	for i := range all.rows {
		k.hold(&all.rows[i])
	}
	slices.SortStableFunc(all.rows, func(a, b Metric) int { return cmp.Compare(a.Name, b.Name) })
	return all.rows
}

// hold keeps a counter from falling: for a moment a Free may be counted as a Put.
func (k *known) hold(m *Metric) {
	if m.Kind == Counter {
		i := idOf(*m)
		m.Value = max(m.Value, k.counts[i])
		k.counts[i] = m.Value
	}
}

// split returns the numbers of a pool in parts that don't overlap.
func (k *known) split(rows []Metric) (s series) {
	k.admit(rows)
	for _, m := range rows {
		if isQuantile(m.Name) {
			continue
		}
		whole := m.Key == ""
		m.Key = k.key(m.Key)
		s.put(m, 1)
		if m.Additive && !whole {
			m.Key = ""
			s.put(m, -1)
		}
	}
	return s
}

// isQuantile reports whether a metric is a percentile. The histogram says more.
func isQuantile(name string) bool { return strings.HasPrefix(name, "usage_p") }

// admit adds keys while there is room, those with the most Gets first.
func (k *known) admit(rows []Metric) {
	var keys []Metric
	for _, m := range rows {
		if m.Name == "gets" && m.Key != "" {
			keys = append(keys, m)
		}
	}
	slices.SortStableFunc(keys, func(a, b Metric) int { return cmp.Compare(b.Value, a.Value) })
	for _, m := range keys {
		if key := clean(m.Key); len(k.keys) < MaxKeys && key != OtherKey {
			k.keys[key] = true
		}
	}
}

// key returns the name of a pool's key in the Table.
func (k *known) key(key string) string {
	if key = clean(key); key == "" || k.keys[key] {
		return key
	}
	return OtherKey
}

// clean returns a name as valid UTF-8.
func clean(name string) string { return strings.ToValidUTF8(name, "\uFFFD") }
