// Package export is what exporters of arena.Metrics have in common. It knows no system that they export to.
//
// A Table makes of what pools say a bounded number of series of which the sum is right: arenas without a
// key are a series beside those with one, keys beyond a bound are one together, and so are pools of the same name.
package export

import (
	"cmp"
	"slices"
	"strings"
	"sync"
	"weak"

	"github.com/harena-go/arena"
)

const (
	// MaxKeys is how many keys of a pool, by name, are told apart.
	MaxKeys = 100

	// Other is the key of all others.
	Other = "other"
)

// A Table remembers what was exported, so that a key stays what it is, and counters don't fall when one of several pools
// of the same name is gone. The zero Table is ready; any number of goroutines may use it.
type Table struct {
	mu    sync.Mutex
	pools map[string]*known // by name
}

// known is what is remembered of pools with the same name.
type known struct {
	keys   map[string]bool                     // those told apart
	pools  map[weak.Pointer[arena.Pool]]series // that were there, and what they said
	gone   series                              // what those had counted that aren't there any more
	counts map[id]float64                      // what was exported
}

// Metrics returns the numbers of all pools now, by pool and name; of those with keys, that with Key "" is of arenas without
// one if they add up, else of the whole pool. Quantiles are missing, as those of parts can't be put together. Names are
// valid UTF-8.
func (t *Table) Metrics() (all []arena.Metric) {
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

// look puts the numbers of pools with the same name together.
func (k *known) look(pools []*arena.Pool) []arena.Metric {
	now := map[weak.Pointer[arena.Pool]]series{}
	var all series
	for _, p := range pools {
		s := k.split(p.Metrics())
		now[weak.Make(p)] = s
		all.merge(s.rows)
	}
	for p, s := range k.pools {
		if _, ok := now[p]; !ok {
			k.gone.merge(slices.DeleteFunc(s.rows, func(m arena.Metric) bool { return m.Kind == arena.Gauge }))
		}
	}
	k.pools = now
	all.merge(k.gone.rows)
	for i := range all.rows {
		k.hold(&all.rows[i])
	}
	slices.SortStableFunc(all.rows, func(a, b arena.Metric) int { return cmp.Compare(a.Name, b.Name) })
	return all.rows
}

// hold lets no counter fall: what a Free is counted as may look like a Put for a moment.
func (k *known) hold(m *arena.Metric) {
	if m.Kind == arena.Counter {
		i := idOf(*m)
		m.Value = max(m.Value, k.counts[i])
		k.counts[i] = m.Value
	}
}

// split returns the numbers of a pool in parts that don't overlap.
func (k *known) split(rows []arena.Metric) (s series) {
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

// isQuantile says whether a metric is a quantile, of which histograms tell more.
func isQuantile(name string) bool { return strings.HasPrefix(name, "usage_p") }

// admit adds keys while there is room, those first that have lent the most.
func (k *known) admit(rows []arena.Metric) {
	var keys []arena.Metric
	for _, m := range rows {
		if m.Name == "gets" && m.Key != "" {
			keys = append(keys, m)
		}
	}
	slices.SortStableFunc(keys, func(a, b arena.Metric) int { return cmp.Compare(b.Value, a.Value) })
	for _, m := range keys {
		if key := clean(m.Key); len(k.keys) < MaxKeys && key != Other {
			k.keys[key] = true
		}
	}
}

// key returns what a pool's key is exported as.
func (k *known) key(key string) string {
	if key = clean(key); key == "" || k.keys[key] {
		return key
	}
	return Other
}

func clean(name string) string { return strings.ToValidUTF8(name, "\uFFFD") }
