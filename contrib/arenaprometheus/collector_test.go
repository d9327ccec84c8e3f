package arenaprometheus_test

import (
	"fmt"
	"io"
	"math"
	"net/http"
	"net/http/httptest"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"testing"

	"github.com/harena-go/arena"
	"github.com/harena-go/arena/contrib/arenaprometheus"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"
	"github.com/prometheus/client_golang/prometheus/testutil"
	dto "github.com/prometheus/client_model/go"
	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"
)

// Prometheus requests these formats, in order of preference.
const (
	textFormat     = "text/plain;version=0.0.4"
	openMetrics    = "application/openmetrics-text;version=1.0.0"
	protobufFormat = "application/vnd.google.protobuf;proto=io.prometheus.client.MetricFamily;encoding=delimited"
)

// scrape scrapes a server on the loopback interface, as Prometheus does, and reads the answer with Prometheus' parser.
func scrape(t testing.TB, url, accept string) (string, map[string]*dto.MetricFamily) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), "GET", url, nil)
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Accept", accept)
	resp, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err != nil || resp.StatusCode != 200 {
		t.Fatal(resp.Status, err, string(text))
	}
	if accept == openMetrics {
		return string(text), nil
	}
	families := map[string]*dto.MetricFamily{}
	d := expfmt.NewDecoder(strings.NewReader(string(text)), expfmt.ResponseFormat(resp.Header))
	for {
		var f dto.MetricFamily
		if err := d.Decode(&f); err == io.EOF {
			return string(text), families
		} else if err != nil {
			t.Fatal(err)
		}
		families[f.GetName()] = &f
	}
}

// serve serves a collector's numbers.
func serve(t testing.TB, c *arenaprometheus.Collector) string {
	r := prometheus.NewPedanticRegistry()
	r.MustRegister(c)
	s := httptest.NewServer(promhttp.HandlerFor(r, promhttp.HandlerOpts{EnableOpenMetrics: true, ErrorHandling: promhttp.HTTPErrorOnError}))
	t.Cleanup(s.Close)
	return s.URL
}

// of returns the metric of a family with these labels, in the order pool, key, state.
func of(f *dto.MetricFamily, labels ...string) *dto.Metric {
	for _, m := range f.GetMetric() {
		got := map[string]string{}
		for _, l := range m.GetLabel() {
			got[l.GetName()] = l.GetValue()
		}
		same := len(got) == len(labels)
		for i, l := range labels {
			same = same && got[[]string{"pool", "key", "state"}[i]] == l
		}
		if same {
			return m
		}
	}
	return nil
}

// number returns the value of a metric of any kind.
func number(m *dto.Metric) float64 {
	switch {
	case m == nil:
		return math.NaN()
	case m.Counter != nil:
		return m.Counter.GetValue()
	case m.Gauge != nil:
		return m.Gauge.GetValue()
	}
	return float64(m.GetHistogram().GetSampleCount())
}

// put lends an arena for a use of some bytes.
func put(p *arena.Pool, key string, bytes int) {
	a := p.GetKeyed(key)
	a.AllocBytes(bytes)
	p.Put(a)
}

// TestNumbersAreThoseOfThePool: in both formats that a parser reads.
func TestNumbersAreThoseOfThePool(t *testing.T) {
	defer debug.SetGCPercent(debug.SetGCPercent(-1)) // it would release idle arenas
	p := arena.NewPool(arena.WithReuse(), arena.WithName("numbers"), arena.WithLimit(1<<20))
	for i := range 10 {
		put(p, []string{"GET /a", "GET /b"}[i%2], 1000)
	}
	plain := p.Get()
	plain.AllocBytes(5000)
	held := p.GetKeyed("GET /a")
	held.AllocBytes(100)
	freed := p.GetKeyed("GET /b")
	freed.Free()
	p.Do(func(a *arena.Arena) error { a.AllocBytes(2 << 20); return nil })
	url := serve(t, arenaprometheus.NewCollector())
	for _, format := range []string{textFormat, protobufFormat} {
		_, families := scrape(t, url, format)
		s := p.Stats()
		a, b := s.Keys["GET /a"], s.Keys["GET /b"]
		for _, c := range []struct {
			name   string
			labels []string
			want   int
		}{
			{"arena_pool_gets_total", []string{"numbers", ""}, 2},
			{"arena_pool_gets_total", []string{"numbers", "GET /a"}, 6},
			{"arena_pool_puts_total", []string{"numbers", "GET /b"}, 5},
			{"arena_pool_freed_total", []string{"numbers", "GET /b"}, 1},
			{"arena_pool_limit_hits_total", []string{"numbers", ""}, 1},
			{"arena_pool_leases", []string{"numbers", "", "used"}, 1},
			{"arena_pool_leases", []string{"numbers", "GET /a", "used"}, 1},
			{"arena_pool_leases", []string{"numbers", "GET /a", "idle"}, a.Idle},
			{"arena_pool_reserved_bytes", []string{"numbers", "GET /a"}, a.Reserved},
			{"arena_pool_used_bytes", []string{"numbers", "GET /a"}, a.Reserved - a.Retained},
			{"arena_pool_used_bytes", []string{"numbers", "GET /b"}, 0},
			{"arena_pool_retained_bytes", []string{"numbers", "GET /b"}, b.Retained},
			{"arena_pool_high_water_bytes", []string{"numbers", ""}, s.HighWater},
			{"arena_pool_limit_bytes", []string{"numbers"}, 1 << 20},
			{"arena_pool_request_bytes", []string{"numbers", "GET /b"}, 6},
			{"arena_escapes_total", []string{"numbers", ""}, 0},
			{"arena_pool_sampled_total", []string{"numbers", "GET /a"}, a.Sampled},
			{"arena_pool_kept_total", []string{"numbers", "GET /a"}, a.Kept},
		} {
			if got := number(of(families[c.name], c.labels...)); got != float64(c.want) {
				t.Errorf("%s%q is %v, want %d", c.name, c.labels, got, c.want)
			}
		}
		if m := of(families["arena_pool_oldest_lease_seconds"], "numbers", ""); number(m) < 0 || number(m) > 3600 {
			t.Error(m)
		}
		if len(families) < 18 {
			t.Errorf("%d families", len(families))
		}
	}
	p.Put(plain)
	p.Put(held)
}

// TestHistogramIsNative: its buckets have the used bytes, and its quantiles are right to a fifth.
func TestHistogramIsNative(t *testing.T) {
	p := arena.NewPool(arena.WithReuse(), arena.WithName("native"))
	var used []int
	for i := range 1000 {
		a := p.Get()
		a.AllocBytes(i * i)
		used = append(used, a.UsedBytes())
		p.Put(a)
	}
	_, families := scrape(t, serve(t, arenaprometheus.NewCollector()), protobufFormat)
	f := families["arena_pool_request_bytes"]
	h := of(f, "native", "").GetHistogram()
	if f.GetType() != dto.MetricType_HISTOGRAM || h.GetSchema() != 2 || h.GetZeroCount() != 1 || len(h.Bucket) != 0 || h.CreatedTimestamp != nil {
		t.Errorf("%v: %v", f.GetType(), h)
	}
	counts := map[int]int{}
	index, n, sum := 0, 0, int(h.GetZeroCount())
	deltas := h.GetPositiveDelta()
	for _, span := range h.GetPositiveSpan() {
		index += int(span.GetOffset())
		for range span.GetLength() {
			n += int(deltas[0])
			deltas = deltas[1:]
			if n > 0 {
				counts[index] = n
			}
			sum += n
			index++
		}
	}
	if sum != 1000 || h.GetSampleCount() != 1000 {
		t.Errorf("%d in buckets, %d counted", sum, h.GetSampleCount())
	}
	want, total := map[int]int{}, 0.0
	for _, n := range used[1:] {
		want[int(math.Ceil(4*math.Log2(float64(n))-1e-9))]++
		total += float64(n)
	}
	if fmt.Sprint(counts) != fmt.Sprint(want) || h.GetSampleSum() != total {
		t.Errorf("%v of %v bytes\nwant %v of %v", counts, h.GetSampleSum(), want, total)
	}
}

// TestClassicBuckets: they exist with the option, in the text format too.
func TestClassicBuckets(t *testing.T) {
	p := arena.NewPool(arena.WithReuse(), arena.WithName("classic"))
	for i := range 100 {
		put(p, "", 100*i)
	}
	url := serve(t, arenaprometheus.NewCollector(arenaprometheus.ClassicBuckets(5000, 1024, 1<<20)))
	for _, format := range []string{textFormat, protobufFormat} {
		_, families := scrape(t, url, format)
		h := of(families["arena_pool_request_bytes"], "classic", "").GetHistogram()
		below := map[float64]uint64{}
		for _, b := range h.GetBucket() {
			if !math.IsInf(b.GetUpperBound(), 1) {
				below[math.Round(b.GetUpperBound())] = b.GetCumulativeCount()
			}
		}
		if got := fmt.Sprint(below); got != "map[1024:11 5793:58 1.048576e+06:100]" {
			t.Errorf("%s: %s", format, got)
		}
	}
}

// TestKeysAreCapped: 100 are distinguished, the others are combined.
func TestKeysAreCapped(t *testing.T) {
	p := arena.NewPool(arena.WithReuse(), arena.WithName("capped"))
	for i := range 500 {
		put(p, fmt.Sprintf("key \"%d\"\n\xff", i), 100)
	}
	put(p, "", 100)
	_, families := scrape(t, serve(t, arenaprometheus.NewCollector()), textFormat)
	sum, series := 0.0, 0
	for _, m := range families["arena_pool_gets_total"].GetMetric() {
		if m.GetLabel()[1].GetValue() == "capped" {
			series++
			sum += m.GetCounter().GetValue()
		}
	}
	if series != 102 || sum != 501 || number(of(families["arena_pool_gets_total"], "capped", "other")) != 400 {
		t.Errorf("%d series, %v gets", series, sum)
	}
	runtime.KeepAlive(p)
}

// TestLint: names follow Prometheus' rules, and two pools of the same name aren't an error.
func TestLint(t *testing.T) {
	pools := []*arena.Pool{arena.NewPool(arena.WithName("twin")), arena.NewPool(arena.WithReuse(), arena.WithName("twin"))}
	for _, p := range pools {
		put(p, "key", 10)
	}
	r := prometheus.NewPedanticRegistry()
	c := arenaprometheus.NewCollector()
	r.MustRegister(c)
	problems, err := testutil.GatherAndLint(r)
	if err != nil || len(problems) > 0 {
		t.Errorf("%v, %v", problems, err)
	}
	if err := r.Register(arenaprometheus.NewCollector()); err == nil {
		t.Error("a registry takes two")
	}
	if n, err := testutil.GatherAndCount(r, "arena_pool_gets_total"); n < 2 || err != nil {
		t.Errorf("%d, %v", n, err)
	}
	families, err := r.Gather()
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range families {
		if !model.LegacyValidation.IsValidMetricName(f.GetName()) {
			t.Errorf("%s is no name", f.GetName())
		}
	}
	runtime.KeepAlive(pools)
}

// TestOpenMetrics: families stay distinct there, where the suffix of counters isn't a part of the name.
func TestOpenMetrics(t *testing.T) {
	p := arena.NewPool(arena.WithReuse(), arena.WithName("open"))
	put(p, "key", 10)
	text, _ := scrape(t, serve(t, arenaprometheus.NewCollector()), openMetrics)
	var names []string
	for line := range strings.Lines(text) {
		if name, ok := strings.CutPrefix(line, "# TYPE "); ok {
			names = append(names, strings.Fields(name)[0])
		}
	}
	if slices.Sort(names); len(names) < 18 || len(slices.Compact(names)) != len(names) || !strings.HasSuffix(text, "# EOF\n") {
		t.Errorf("%q", names)
	}
	runtime.KeepAlive(p)
}
