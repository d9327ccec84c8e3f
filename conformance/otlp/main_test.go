package main

import (
	"context"
	"errors"
	"net"
	"sync"
	"testing"

	"github.com/harena-go/arena/arenatest"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace/otlptracegrpc"
	"go.opentelemetry.io/otel/sdk/resource"
	"go.opentelemetry.io/otel/sdk/trace"
)

// export makes spans with the SDK of OpenTelemetry, as a program with this name does, and has its exporter send them.
func export(t *testing.T, address, service string, spans int, opts ...otlptracegrpc.Option) {
	ctx := context.Background()
	exporter, err := otlptracegrpc.New(ctx, append(opts, otlptracegrpc.WithEndpoint(address), otlptracegrpc.WithInsecure())...)
	if err != nil {
		t.Error(err)
		return
	}
	provider := trace.NewTracerProvider(trace.WithBatcher(exporter, trace.WithMaxExportBatchSize(64)),
		trace.WithResource(resource.NewSchemaless(attribute.String("service.name", service), attribute.Int("process.pid", 42))))
	tracer := provider.Tracer("example")
	for i := range spans {
		outer, span := tracer.Start(ctx, "GET /orders")
		span.SetAttributes(attribute.String("http.request.method", "GET"), attribute.Int("http.response.status_code", 200), attribute.StringSlice("tags", []string{"a", "b"}))
		_, inner := tracer.Start(outer, "SELECT")
		if i%3 == 0 {
			inner.RecordError(errors.New("no such order"))
			inner.SetStatus(codes.Error, "no such order")
		}
		inner.End()
		span.AddEvent("done")
		span.End()
	}
	if err := provider.Shutdown(ctx); err != nil {
		t.Error(err)
	}
}

// TestReceiver: requests of real exporters are counted right, and aren't kept.
func TestReceiver(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	r := &receiver{services: map[string]*count{}}
	pool := arenatest.NewPool(t)
	s := newServer(r, pool)
	go s.Serve(l)
	var wg sync.WaitGroup
	for service, opts := range map[string][]otlptracegrpc.Option{"shop": nil, "mail": {otlptracegrpc.WithCompressor("gzip")}} {
		wg.Go(func() { export(t, l.Addr().String(), service, 300, opts...) })
	}
	wg.Wait()
	s.GracefulStop()
	for _, service := range []string{"shop", "mail"} {
		if c := r.services[service]; c == nil || *c != (count{600, 100}) {
			t.Errorf("%s: %v", service, c)
		}
	}
	if n := pool.Stats().Gets; n < 10 {
		t.Errorf("only %d RPCs had an arena", n)
	}
}
