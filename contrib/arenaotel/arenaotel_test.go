package arenaotel_test

import (
	"fmt"
	"math"
	"regexp"
	"runtime"
	"runtime/debug"
	"strings"
	"testing"

	"github.com/harena-go/arena"
	"github.com/harena-go/arena/contrib/arenaotel"
	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/attribute"
	sdk "go.opentelemetry.io/otel/sdk/metric"
	"go.opentelemetry.io/otel/sdk/metric/metricdata"
)

// start starts with an SDK of its own, and returns its reader.
func start(t testing.TB) *sdk.ManualReader {
	reader := sdk.NewManualReader(sdk.WithProducer(arenaotel.NewProducer()))
	provider := sdk.NewMeterProvider(sdk.WithReader(reader))
	t.Cleanup(func() { provider.Shutdown(t.Context()) })
	if _, err := arenaotel.Start(arenaotel.WithMeterProvider(provider)); err != nil {
		t.Fatal(err)
	}
	return reader
}

// collect returns the numbers that a reader collects, by name.
func collect(t testing.TB, reader *sdk.ManualReader) map[string]metricdata.Metrics {
	t.Helper()
	var rm metricdata.ResourceMetrics
	if err := reader.Collect(t.Context(), &rm); err != nil {
		t.Fatal(err)
	}
	all := map[string]metricdata.Metrics{}
	for _, s := range rm.ScopeMetrics {
		for _, m := range s.Metrics {
			if _, ok := all[m.Name]; ok {
				t.Errorf("%s is there twice", m.Name)
			}
			all[m.Name] = m
		}
	}
	return all
}

// labels returns key:state of a pool's series, or "" for series of other pools.
func labels(s attribute.Set, pool string) string {
	if v, _ := s.Value("arena.pool.name"); v.AsString() != pool {
		return ""
	}
	key, _ := s.Value("arena.pool.key")
	state, _ := s.Value("arena.pool.lease.state")
	return fmt.Sprintf("%s:%s", key.AsString(), state.AsString())
}

// numbers returns an instrument's numbers for a pool, by key:state.
func numbers(m metricdata.Metrics, pool string) map[string]float64 {
	all := map[string]float64{}
	note := func(s attribute.Set, v float64) {
		if l := labels(s, pool); l != "" {
			all[l] = v
		}
	}
	switch d := m.Data.(type) {
	case metricdata.Sum[int64]:
		for _, p := range d.DataPoints {
			note(p.Attributes, float64(p.Value))
		}
	case metricdata.Gauge[int64]:
		for _, p := range d.DataPoints {
			note(p.Attributes, float64(p.Value))
		}
	case metricdata.Gauge[float64]:
		for _, p := range d.DataPoints {
			note(p.Attributes, p.Value)
		}
	case metricdata.ExponentialHistogram[int64]:
		for _, p := range d.DataPoints {
			note(p.Attributes, float64(p.Count))
		}
	}
	return all
}

func put(p *arena.Pool, key string, bytes int) {
	a := p.GetKeyed(key)
	a.AllocBytes(bytes)
	p.Put(a)
}

// TestNumbersAreThoseOfThePool: of each kind of instrument.
func TestNumbersAreThoseOfThePool(t *testing.T) {
	defer debug.SetGCPercent(debug.SetGCPercent(-1)) // it would release idle arenas
	p := arena.NewPool(arena.WithReuse(), arena.WithName("numbers"), arena.WithLimit(1<<20))
	for range 5 {
		put(p, "a", 1000)
	}
	held := p.GetKeyed("a")
	held.AllocBytes(1000)
	plain := p.Get()
	plain.AllocBytes(5000)
	p.Do(func(a *arena.Arena) error { a.AllocBytes(2 << 20); return nil })
	all := collect(t, start(t))
	s := p.Stats()
	a := s.Keys["a"]
	for name, want := range map[string]map[string]int{
		"arena.pool.gets":              {"a:": 6, ":": 2},
		"arena.pool.puts":              {"a:": 5, ":": 1},
		"arena.pool.limit_hits":        {"a:": 0, ":": 1},
		"arena.pool.lease.count":       {"a:used": 1, "a:idle": a.Idle, ":used": 1, ":idle": s.Idle - a.Idle},
		"arena.pool.memory.reserved":   {"a:": a.Reserved, ":": s.Reserved - a.Reserved},
		"arena.pool.memory.used":       {"a:": a.Reserved - a.Retained, ":": s.Reserved - s.Retained - a.Reserved + a.Retained},
		"arena.pool.memory.retained":   {"a:": a.Retained, ":": s.Retained - a.Retained},
		"arena.pool.memory.high_water": {"a:": a.HighWater, ":": s.HighWater},
		"arena.pool.memory.limit":      {":": 1 << 20},
		"arena.pool.request.size":      {"a:": 5, ":": 1},
		"arena.escapes":                {"a:": 0, ":": 0},
		"arena.pool.sampled":           {"a:": a.Sampled, ":": s.Sampled - a.Sampled},
		"arena.pool.kept":              {"a:": a.Kept, ":": s.Kept - a.Kept},
	} {
		got := numbers(all[name], "numbers")
		for labels, n := range want {
			if v, ok := got[labels]; !ok || v != float64(n) {
				t.Errorf("%s{%s} is %v, want %d", name, labels, v, n)
			}
		}
		if len(got) != len(want) {
			t.Errorf("%s: %v", name, got)
		}
	}
	if age := numbers(all["arena.pool.lease.max_age"], "numbers"); age["a:"] < 0 || age["a:"] > 600 || len(age) != 2 {
		t.Errorf("ages: %v", age)
	}
	p.Put(held)
	p.Put(plain)
}

// TestNamesFollowTheConventions: increasing numbers are monotonic sums, additive ones are sums, and all
// have names, units and descriptions.
func TestNamesFollowTheConventions(t *testing.T) {
	p := arena.NewPool(arena.WithReuse(), arena.WithName("names"))
	put(p, "key", 10)
	all := collect(t, start(t))
	if len(all) != 21 {
		t.Errorf("%d instruments", len(all))
	}
	for name, m := range all {
		if !regexp.MustCompile(`^arena(\.[a-z]+(_[a-z]+)*)+$`).MatchString(name) || m.Description == "" || !regexp.MustCompile(`^(By|s|\{[a-z]+\})$`).MatchString(m.Unit) {
			t.Errorf("%s, %q: %q", name, m.Unit, m.Description)
		}
		upDown := name == "arena.pool.lease.count" || strings.HasPrefix(name, "arena.pool.memory.")
		switch d := m.Data.(type) {
		case metricdata.Sum[int64]:
			if d.IsMonotonic == upDown || d.Temporality != metricdata.CumulativeTemporality {
				t.Errorf("%s: %+v", name, d)
			}
		case metricdata.Gauge[int64]:
			if name != "arena.pool.memory.limit" && name != "arena.pool.memory.high_water" {
				t.Errorf("%s is a gauge", name)
			}
		case metricdata.Gauge[float64]:
			if m.Unit != "s" {
				t.Errorf("%s is a gauge of float64", name)
			}
		case metricdata.ExponentialHistogram[int64]:
			if name != "arena.pool.request.size" {
				t.Errorf("%s is a histogram", name)
			}
		default:
			t.Errorf("%s is a %T", name, d)
		}
	}
	runtime.KeepAlive(p)
}

// TestHistogram: buckets have the used bytes, by the SDK's definition of their bounds.
func TestHistogram(t *testing.T) {
	p := arena.NewPool(arena.WithReuse(), arena.WithName("histogram"))
	var used []int
	for i := range 500 {
		a := p.Get()
		a.AllocBytes(i * i)
		used = append(used, a.UsedBytes())
		p.Put(a)
	}
	d := collect(t, start(t))["arena.pool.request.size"].Data.(metricdata.ExponentialHistogram[int64])
	for _, point := range d.DataPoints {
		if labels(point.Attributes, "histogram") == "" {
			continue
		}
		sum := 0
		counts := map[int]uint64{}
		for _, n := range used[1:] {
			sum += n
			for i := -1; ; i++ { // from above base^i to base^(i+1)
				if n <= int(math.Floor(math.Pow(2, float64(i+1)/4)+1e-9)) {
					counts[i]++
					break
				}
			}
		}
		for i, n := range point.PositiveBucket.Counts {
			index := i + int(point.PositiveBucket.Offset)
			if n != counts[index] {
				t.Errorf("bucket %d has %d, want %d", index, n, counts[index])
			}
			delete(counts, index)
		}
		if len(counts) > 0 || point.Count != 500 || point.ZeroCount != 1 || point.Sum != int64(sum) || point.Scale != 2 || !point.StartTime.Before(point.Time) {
			t.Errorf("left %v; %+v", counts, point)
		}
		return
	}
	t.Error("there is none")
}

// TestUnregister ends observation.
func TestUnregister(t *testing.T) {
	p := arena.NewPool(arena.WithReuse(), arena.WithName("unregister"))
	put(p, "key", 10)
	reader := sdk.NewManualReader()
	r, err := arenaotel.Start(arenaotel.WithMeterProvider(sdk.NewMeterProvider(sdk.WithReader(reader))))
	if err != nil {
		t.Fatal(err)
	}
	if n := len(collect(t, reader)); n != 20 {
		t.Errorf("%d instruments", n)
	}
	if err := r.Unregister(); err != nil {
		t.Error(err)
	}
	if n := len(collect(t, reader)); n != 0 {
		t.Errorf("%d instruments after Unregister", n)
	}
	runtime.KeepAlive(p)
}

// TestGlobalProvider: it is the default.
func TestGlobalProvider(t *testing.T) {
	p := arena.NewPool(arena.WithReuse(), arena.WithName("global"))
	put(p, "key", 10)
	reader := sdk.NewManualReader()
	otel.SetMeterProvider(sdk.NewMeterProvider(sdk.WithReader(reader)))
	r, err := arenaotel.Start()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Unregister()
	if n := numbers(collect(t, reader)["arena.pool.gets"], "global"); n["key:"] != 1 {
		t.Errorf("%v", n)
	}
	runtime.KeepAlive(p)
}

// TestKeysAreCapped: 100 are distinguished, the others are combined, and the sum is the
// pool's.
func TestKeysAreCapped(t *testing.T) {
	p := arena.NewPool(arena.WithReuse(), arena.WithName("capped"))
	for i := range 300 {
		put(p, fmt.Sprint("key", i), 10)
	}
	got := numbers(collect(t, start(t))["arena.pool.gets"], "capped")
	sum := 0.0
	for _, n := range got {
		sum += n
	}
	if len(got) != 102 || sum != 300 || got["other:"] != 200 {
		t.Errorf("%d series, %v gets, %v of others", len(got), sum, got["other:"])
	}
	runtime.KeepAlive(p)
}
