package arenaotel

import (
	"context"

	"github.com/harena-go/arena/arenametrics"
	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/metric"
)

// This file holds a meter's instruments. It must not depend on histograms, for which there is no
// observable instrument.

// config holds the options.
type config struct{ provider metric.MeterProvider }

// An Option changes what [Start] does.
type Option func(*config)

// WithMeterProvider sets the provider of the instruments. The default is
// [otel.GetMeterProvider].
func WithMeterProvider(p metric.MeterProvider) Option {
	return func(c *config) {
		if p != nil {
			c.provider = p
		}
	}
}

// Start observes the metrics of all pools from now on, each time that a reader of the meter
// provider collects. That takes time in proportion to the number of arenas, and makes pools record
// their leases, see [arenametrics.Leases]. Unregister of the result ends it. Call Start once for each
// meter provider.
func Start(opts ...Option) (metric.Registration, error) {
	c := config{}
	for _, o := range opts {
		o(&c)
	}
	if c.provider == nil {
		c.provider = otel.GetMeterProvider()
	}
	w := &watcher{meter: c.provider.Meter(scope), observe: map[string]observe{}}
	for _, m := range arenametrics.Of(nil) {
		if err := w.add(m); err != nil {
			return nil, err
		}
	}
	return w.meter.RegisterCallback(w.look, w.instruments...)
}

// A watcher observes pools when a reader collects.
type watcher struct {
	meter       metric.Meter
	table       arenametrics.Table
	instruments []metric.Observable
	observe     map[string]observe // by arenametrics.Metric.Name
}

// observe gives an observer a number.
type observe func(o metric.Observer, m arenametrics.Metric)

// look is the callback of a meter.
func (w *watcher) look(_ context.Context, o metric.Observer) error {
	for _, m := range w.table.Metrics() {
		if f := w.observe[m.Name]; f != nil {
			f(o, m)
		}
	}
	return nil
}

// add makes the instrument of a metric.
func (w *watcher) add(m arenametrics.Metric) (err error) {
	if w.observe[m.Name] != nil || m.Kind == arenametrics.Distribution {
		return nil
	}
	name, help, unit := nameOf(m), metric.WithDescription(m.Help), metric.WithUnit(unitOf(m))
	if m.Unit == "seconds" {
		gauge, err := w.meter.Float64ObservableGauge(name, help, unit)
		w.instruments = append(w.instruments, gauge)
		w.observe[m.Name] = func(o metric.Observer, m arenametrics.Metric) {
			o.ObserveFloat64(gauge, m.Value, metric.WithAttributeSet(attributesOf(m)))
		}
		return err
	}
	var instrument metric.Int64Observable
	switch {
	case m.Kind == arenametrics.Counter:
		instrument, err = w.meter.Int64ObservableCounter(name, help, unit)
	case m.Additive:
		instrument, err = w.meter.Int64ObservableUpDownCounter(name, help, unit)
	default:
		instrument, err = w.meter.Int64ObservableGauge(name, help, unit)
	}
	w.instruments = append(w.instruments, instrument)
	w.observe[m.Name] = func(o metric.Observer, m arenametrics.Metric) {
		o.ObserveInt64(instrument, int64(m.Value), metric.WithAttributeSet(attributesOf(m)))
	}
	return err
}
