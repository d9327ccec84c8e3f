package arenaotel_test

import (
	"context"
	"fmt"
	"runtime"

	"github.com/harena-go/arena"
	"github.com/harena-go/arena/contrib/arenaotel"
	sdk "go.opentelemetry.io/otel/sdk/metric"
	"go.opentelemetry.io/otel/sdk/metric/metricdata"
)

// show prints the points of an instrument for a pool.
func show(reader sdk.Reader, instrument, pool string) {
	var all metricdata.ResourceMetrics
	if err := reader.Collect(context.Background(), &all); err != nil {
		fmt.Println(err)
	}
	for _, s := range all.ScopeMetrics {
		for _, m := range s.Metrics {
			sum, ok := m.Data.(metricdata.Sum[int64])
			if m.Name != instrument || !ok {
				continue
			}
			for _, p := range sum.DataPoints {
				if name, _ := p.Attributes.Value("arena.pool.name"); name.AsString() == pool {
					key, _ := p.Attributes.Value("arena.pool.key")
					fmt.Printf("%s %q: %d %s\n", m.Name, key.AsString(), p.Value, m.Unit)
				}
			}
		}
	}
}

func Example() {
	reader := sdk.NewManualReader(sdk.WithProducer(arenaotel.NewProducer()))
	provider := sdk.NewMeterProvider(sdk.WithReader(reader))
	if _, err := arenaotel.Start(arenaotel.WithMeterProvider(provider)); err != nil {
		fmt.Println(err)
	}

	pool := arena.NewPool(arena.WithName("orders"))
	defer runtime.KeepAlive(pool)
	for range 3 {
		pool.Put(pool.Get())
	}
	show(reader, "arena.pool.gets", "orders")
	// Output: arena.pool.gets "": 3 {lease}
}

func ExampleStart() {
	reader := sdk.NewManualReader()
	registration, err := arenaotel.Start(arenaotel.WithMeterProvider(sdk.NewMeterProvider(sdk.WithReader(reader))))
	fmt.Println(err)

	pool := arena.NewPool(arena.WithName("invoices"))
	defer runtime.KeepAlive(pool)
	pool.Put(pool.Get())
	show(reader, "arena.pool.puts", "invoices")
	registration.Unregister()
	show(reader, "arena.pool.puts", "invoices")
	// Output:
	// <nil>
	// arena.pool.puts "": 1 {lease}
}

func ExampleOption() {
	options := []arenaotel.Option{arenaotel.WithMeterProvider(sdk.NewMeterProvider())}
	_, err := arenaotel.Start(options...)
	fmt.Println(err)
	// Output: <nil>
}

func ExampleWithMeterProvider() {
	_, err := arenaotel.Start(arenaotel.WithMeterProvider(sdk.NewMeterProvider()))
	fmt.Println(err)
	// Output: <nil>
}

func ExampleNewProducer() {
	reader := sdk.NewManualReader(sdk.WithProducer(arenaotel.NewProducer()))
	sdk.NewMeterProvider(sdk.WithReader(reader))

	pool := arena.NewPool(arena.WithName("reports"))
	defer runtime.KeepAlive(pool)
	for range 10 {
		a := pool.Get()
		a.AllocBytes(1000)
		pool.Put(a)
	}
	var all metricdata.ResourceMetrics
	reader.Collect(context.Background(), &all)
	for _, p := range all.ScopeMetrics[0].Metrics[0].Data.(metricdata.ExponentialHistogram[int64]).DataPoints {
		if name, _ := p.Attributes.Value("arena.pool.name"); name.AsString() == "reports" {
			fmt.Println(p.Count, "uses of", p.Sum, "bytes")
		}
	}
	// Output: 10 uses of 10000 bytes
}
