package arenaotel

import (
	"context"
	"time"

	"github.com/harena-go/arena/arenametrics"
	"go.opentelemetry.io/otel/sdk/instrumentation"
	sdk "go.opentelemetry.io/otel/sdk/metric"
	"go.opentelemetry.io/otel/sdk/metric/metricdata"
)

// This file exports the histogram, with the buckets in which it was counted.

// scale means four buckets for each power of two, as in arena.Histogram: bucket i begins above
// 2^(i/4).
const scale = 2

// began is when counting began.
var began = time.Now()

// NewProducer returns a producer of the histogram arena.pool.request.size. A reader of the SDK
// takes it as an option:
//
//	sdk.NewPeriodicReader(exporter, sdk.WithProducer(arenaotel.NewProducer()))
//
// Counts are cumulative since the pools were made, even if the reader prefers another temporality.
// Any number of goroutines may use the producer.
func NewProducer() sdk.Producer { return &producer{} }

type producer struct{ table arenametrics.Table }

// Produce implements sdk.Producer.
func (p *producer) Produce(context.Context) ([]metricdata.ScopeMetrics, error) {
	h := metricdata.ExponentialHistogram[int64]{Temporality: metricdata.CumulativeTemporality}
	var of arenametrics.Metric
	now := time.Now()
	for _, m := range p.table.Metrics() {
		if m.Kind == arenametrics.Distribution {
			of = m
			h.DataPoints = append(h.DataPoints, pointOf(m, now))
		}
	}
	if h.DataPoints == nil {
		return nil, nil
	}
	return []metricdata.ScopeMetrics{{
		Scope:   instrumentation.Scope{Name: scope},
		Metrics: []metricdata.Metrics{{Name: nameOf(of), Description: of.Help, Unit: unitOf(of), Data: h}},
	}}, nil
}

// pointOf converts a histogram to the SDK's form, where a bucket's index gives its lower end, not
// its upper one.
func pointOf(m arenametrics.Metric, now time.Time) metricdata.ExponentialHistogramDataPoint[int64] {
	h := m.Histogram
	first := 0
	for first < len(h.Buckets) && h.Buckets[first] == 0 {
		first++
	}
	return metricdata.ExponentialHistogramDataPoint[int64]{
		Attributes: attributesOf(m), StartTime: began, Time: now,
		Count: h.Count, Sum: int64(h.Sum), Scale: scale, ZeroCount: h.Zero,
		PositiveBucket: metricdata.ExponentialBucket{Offset: int32(first - 1), Counts: h.Buckets[first:]},
	}
}
