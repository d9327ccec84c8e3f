package main

import (
	"context"
	"net"
	"testing"

	"github.com/harena-go/arena/arenatest"
	collector "go.opentelemetry.io/proto/otlp/collector/trace/v1"
	common "go.opentelemetry.io/proto/otlp/common/v1"
	resource "go.opentelemetry.io/proto/otlp/resource/v1"
	trace "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/encoding/gzip"
)

// TestReceiver: the counts are right, and keep nothing of the requests.
func TestReceiver(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	r := &receiver{services: map[string]*count{}}
	s := newServer(r, arenatest.NewPool(t))
	go s.Serve(l)
	conn, err := grpc.NewClient(l.Addr().String(), grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	request := &collector.ExportTraceServiceRequest{}
	for _, name := range []string{"shop", "mail", "shop"} {
		request.ResourceSpans = append(request.ResourceSpans, &trace.ResourceSpans{
			Resource: &resource.Resource{Attributes: []*common.KeyValue{{Key: "service.name",
				Value: &common.AnyValue{Value: &common.AnyValue_StringValue{StringValue: name}}}}},
			ScopeSpans: []*trace.ScopeSpans{{Spans: []*trace.Span{{Name: "a"}, {Name: "b", Status: &trace.Status{Code: trace.Status_STATUS_CODE_ERROR}}}}}})
	}
	for range 10 {
		if _, err := collector.NewTraceServiceClient(conn).Export(context.Background(), request, grpc.UseCompressor(gzip.Name)); err != nil {
			t.Fatal(err)
		}
	}
	s.GracefulStop()
	if shop, mail := *r.services["shop"], *r.services["mail"]; shop != (count{40, 20}) || mail != (count{20, 10}) {
		t.Error(shop, mail)
	}
}
