package arenaotel_test

import (
	"fmt"
	"testing"

	"github.com/harena-go/arena/internal/tests/testkit/arenakit"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/metric"
	sdk "go.opentelemetry.io/otel/sdk/metric"
	"go.opentelemetry.io/otel/sdk/metric/metricdata"
)

// TestKeeps: see docs/promises.md.
func TestKeeps(t *testing.T) {
	arenakit.Keeps(t, "OpenTelemetry", map[string]arenakit.Use{
		"an attribute of a measurement": func(s string) func() string {
			reader := sdk.NewManualReader()
			meter := sdk.NewMeterProvider(sdk.WithReader(reader)).Meter("test")
			counter, err := meter.Int64Counter("requests")
			if err != nil {
				t.Fatal(err)
			}
			counter.Add(t.Context(), 1, metric.WithAttributes(attribute.String("who", s)))
			return func() string {
				var rm metricdata.ResourceMetrics
				if err := reader.Collect(t.Context(), &rm); err != nil {
					t.Fatal(err)
				}
				sum := rm.ScopeMetrics[0].Metrics[0].Data.(metricdata.Sum[int64])
				return fmt.Sprint(sum.DataPoints[0].Attributes.ToSlice())
			}
		},
	})
}
