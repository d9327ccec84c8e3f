package arenaproto_test

import (
	"fmt"
	"math/rand/v2"
	"syscall"
	"testing"

	"github.com/harena-go/arena"
	"github.com/harena-go/arena/contrib/arenaproto"
	commonpb "go.opentelemetry.io/proto/otlp/common/v1"
	logspb "go.opentelemetry.io/proto/otlp/logs/v1"
	metricspb "go.opentelemetry.io/proto/otlp/metrics/v1"
	resourcepb "go.opentelemetry.io/proto/otlp/resource/v1"
	tracepb "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protodesc"
	"google.golang.org/protobuf/types/descriptorpb"
)

// A generator makes messages as exporters send them.
type generator struct{ *rand.Rand }

func (g generator) bytes(n int) []byte {
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(g.Uint32())
	}
	return b
}

func str(s string) *commonpb.AnyValue {
	return &commonpb.AnyValue{Value: &commonpb.AnyValue_StringValue{StringValue: s}}
}

func num(n int) *commonpb.AnyValue {
	return &commonpb.AnyValue{Value: &commonpb.AnyValue_IntValue{IntValue: int64(n)}}
}

func (g generator) attributes(n int) (kvs []*commonpb.KeyValue) {
	all := []*commonpb.KeyValue{
		{Key: "http.request.method", Value: str("GET")},
		{Key: "http.response.status_code", Value: num(200)},
		{Key: "url.path", Value: str(fmt.Sprintf("/api/v1/users/%d/orders", g.IntN(100000)))},
		{Key: "server.address", Value: str("shop.example.com")},
		{Key: "server.port", Value: num(8443)},
		{Key: "user_agent.original", Value: str("Mozilla/5.0 (X11; Linux x86_64) Gecko/20100101")},
		{Key: "network.peer.address", Value: str("10.1.2.3")},
		{Key: "thread.id", Value: num(g.IntN(1 << 20))},
		{Key: "db.system", Value: str("postgresql")},
		{Key: "cache.hit", Value: &commonpb.AnyValue{Value: &commonpb.AnyValue_BoolValue{BoolValue: g.IntN(2) == 0}}},
	}
	for i := range n {
		kvs = append(kvs, all[i%len(all)])
	}
	return kvs
}

func (g generator) resource() *resourcepb.Resource {
	return &resourcepb.Resource{Attributes: []*commonpb.KeyValue{
		{Key: "service.name", Value: str("checkout")}, {Key: "service.version", Value: str("1.24.7")},
		{Key: "host.name", Value: str("node-17.eu-central-1.compute.internal")}, {Key: "k8s.pod.name", Value: str("checkout-7f9c6b5d4-x2x7k")},
	}}
}

func (g generator) span() *tracepb.Span {
	at := 1732300000000000000 + g.Uint64N(1<<40)
	s := &tracepb.Span{TraceId: g.bytes(16), SpanId: g.bytes(8), ParentSpanId: g.bytes(8), Name: "GET /api/v1/users/{id}/orders",
		Kind: tracepb.Span_SPAN_KIND_SERVER, StartTimeUnixNano: at, EndTimeUnixNano: at + 1000000, Flags: 0x101,
		Attributes: g.attributes(8), Status: &tracepb.Status{Code: tracepb.Status_STATUS_CODE_OK}}
	if g.IntN(4) == 0 {
		s.Events = append(s.Events, &tracepb.Span_Event{TimeUnixNano: at + 10, Name: "exception", Attributes: g.attributes(3)})
	}
	return s
}

func (g generator) traces(n int) *tracepb.TracesData {
	s := &tracepb.ScopeSpans{Scope: &commonpb.InstrumentationScope{Name: "otelhttp", Version: "0.63.0"}}
	for range n {
		s.Spans = append(s.Spans, g.span())
	}
	return &tracepb.TracesData{ResourceSpans: []*tracepb.ResourceSpans{{Resource: g.resource(), ScopeSpans: []*tracepb.ScopeSpans{s}}}}
}

func (g generator) logs(n int) *logspb.LogsData {
	s := &logspb.ScopeLogs{Scope: &commonpb.InstrumentationScope{Name: "slog"}}
	for range n {
		at := 1732300000000000000 + g.Uint64N(1<<40)
		s.LogRecords = append(s.LogRecords, &logspb.LogRecord{TimeUnixNano: at, ObservedTimeUnixNano: at + 5, SeverityNumber: logspb.SeverityNumber_SEVERITY_NUMBER_INFO,
			SeverityText: "INFO", Body: str(fmt.Sprintf("order %d accepted after %d ms", g.IntN(1e6), g.IntN(1000))), Attributes: g.attributes(5), TraceId: g.bytes(16), SpanId: g.bytes(8)})
	}
	return &logspb.LogsData{ResourceLogs: []*logspb.ResourceLogs{{Resource: g.resource(), ScopeLogs: []*logspb.ScopeLogs{s}}}}
}

func (g generator) metrics(n int) *metricspb.MetricsData {
	s := &metricspb.ScopeMetrics{Scope: &commonpb.InstrumentationScope{Name: "runtime"}}
	for i := range n {
		m := &metricspb.Metric{Name: fmt.Sprintf("http.server.duration.%d", i%20), Unit: "ms", Description: "Duration of requests"}
		at := 1732300000000000000 + g.Uint64N(1<<40)
		if i%2 == 0 {
			m.Data = &metricspb.Metric_Gauge{Gauge: &metricspb.Gauge{DataPoints: []*metricspb.NumberDataPoint{
				{Attributes: g.attributes(4), TimeUnixNano: at, Value: &metricspb.NumberDataPoint_AsDouble{AsDouble: g.Float64()}},
				{Attributes: g.attributes(4), TimeUnixNano: at, Value: &metricspb.NumberDataPoint_AsInt{AsInt: g.Int64N(1 << 30)}}}}}
		} else {
			m.Data = &metricspb.Metric_Histogram{Histogram: &metricspb.Histogram{AggregationTemporality: 2, DataPoints: []*metricspb.HistogramDataPoint{
				{Attributes: g.attributes(4), TimeUnixNano: at, Count: 100, Sum: proto.Float64(12.5), BucketCounts: []uint64{1, 5, 20, 50, 15, 5, 3, 1, 0, 0, 0}, ExplicitBounds: []float64{0, 5, 10, 25, 50, 75, 100, 250, 500, 1000}}}}}
		}
		s.Metrics = append(s.Metrics, m)
	}
	return &metricspb.MetricsData{ResourceMetrics: []*metricspb.ResourceMetrics{{Resource: g.resource(), ScopeMetrics: []*metricspb.ScopeMetrics{s}}}}
}

// inputs are messages of different sizes.
func inputs() []struct {
	name string
	m    proto.Message
} {
	g := generator{rand.New(rand.NewPCG(1, 2))}
	return []struct {
		name string
		m    proto.Message
	}{
		{"traces", g.traces(100)},
		{"logs", g.logs(120)},
		{"metrics", g.metrics(100)},
		{"span", g.traces(2)},
		{"small", &commonpb.KeyValue{Key: "http.request.path.template", Value: str("/api/v1/users/{id}/orders/new")}},
		{"descriptor", &descriptorpb.FileDescriptorSet{File: []*descriptorpb.FileDescriptorProto{
			protodesc.ToFileDescriptorProto(descriptorpb.File_google_protobuf_descriptor_proto),
			protodesc.ToFileDescriptorProto(metricspb.File_opentelemetry_proto_metrics_v1_metrics_proto)}}},
	}
}

// cpuTime returns the nanoseconds of CPU that the process has used, the garbage collector's too.
func cpuTime() int64 {
	var r syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &r); err != nil {
		panic(err)
	}
	return r.Utime.Nano() + r.Stime.Nano()
}

// BenchmarkUnmarshal compares the decoders by the CPU time of the whole process: elapsed time leaves out
// what the garbage collector does on other cores.
func BenchmarkUnmarshal(b *testing.B) {
	for _, in := range inputs() {
		data, err := proto.Marshal(in.m)
		if err != nil {
			b.Fatal(err)
		}
		typ := in.m.ProtoReflect().Type()
		name := fmt.Sprintf("%s/%d/", in.name, len(data))
		benchmark(b, name+"proto", data, func() error { return proto.Unmarshal(data, typ.New().Interface()) })
		m := typ.New().Interface()
		a := arena.NewArena()
		benchmark(b, name+"arena", data, func() error {
			a.Reset()
			proto.Reset(m)
			return arenaproto.Unmarshal(a, data, m)
		})
		benchmark(b, name+"alias", data, func() error {
			a.Reset()
			proto.Reset(m)
			return arenaproto.UnmarshalOptions{AliasBuffer: true}.Unmarshal(a, data, m)
		})
		benchmark(b, name+"nil", data, func() error { return arenaproto.Unmarshal(nil, data, typ.New().Interface()) })
	}
}

// benchmark measures one way to decode data.
func benchmark(b *testing.B, name string, data []byte, f func() error) {
	b.Run(name, func(b *testing.B) {
		b.SetBytes(int64(len(data)))
		b.ReportAllocs()
		if err := f(); err != nil {
			b.Fatal(err)
		}
		before := cpuTime()
		for b.Loop() {
			_ = f()
		}
		b.ReportMetric(float64(cpuTime()-before)/float64(b.N), "cpu-ns/op")
	})
}
