package arenaprometheus_test

import (
	"fmt"
	"testing"

	"github.com/harena-go/arena/internal/tests/testkit/arenakit"
	"github.com/prometheus/client_golang/prometheus"
	dto "github.com/prometheus/client_model/go"
)

// gathered returns what a collector exports.
func gathered(c prometheus.Collector) string {
	metrics := make(chan prometheus.Metric, 10)
	c.Collect(metrics)
	close(metrics)
	text := ""
	for m := range metrics {
		var d dto.Metric
		if err := m.Write(&d); err != nil {
			return err.Error()
		}
		text += fmt.Sprint(m.Desc(), &d)
	}
	return text
}

// TestKeeps: see docs/promises.md.
func TestKeeps(t *testing.T) {
	vec := func(use func(v *prometheus.CounterVec)) func() string {
		v := prometheus.NewCounterVec(prometheus.CounterOpts{Name: "requests", Help: "help"}, []string{"who"})
		use(v)
		return func() string { return gathered(v) }
	}
	arenakit.Keeps(t, "Prometheus", map[string]arenakit.Use{
		"a label's value, by WithLabelValues": func(s string) func() string {
			return vec(func(v *prometheus.CounterVec) { v.WithLabelValues(s).Inc() })
		},
		"a label's value, by With": func(s string) func() string {
			return vec(func(v *prometheus.CounterVec) { v.With(prometheus.Labels{"who": s}).Inc() })
		},
		"a label's value, by CurryWith": func(s string) func() string {
			return vec(func(v *prometheus.CounterVec) { v.MustCurryWith(prometheus.Labels{"who": s}).WithLabelValues().Inc() })
		},
		"a label's value of an exemplar": func(s string) func() string {
			return vec(func(v *prometheus.CounterVec) {
				v.WithLabelValues("x").(prometheus.ExemplarAdder).AddWithExemplar(1, prometheus.Labels{"trace": s})
			})
		},
		"a name, help text or constant label": func(s string) func() string {
			c := prometheus.NewCounter(prometheus.CounterOpts{Name: "requests", Help: s})
			return func() string { return gathered(c) }
		},
	})
}
