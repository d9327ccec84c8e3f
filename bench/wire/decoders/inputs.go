package main

import (
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/harena-go/arena/bench/wire/decoders/messages"
	"github.com/prometheus/prometheus/prompb"
	metricspb "go.opentelemetry.io/proto/otlp/metrics/v1"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protodesc"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/types/descriptorpb"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
)

// A generator makes messages like those of exporters, the same ones in each process.
type generator struct{ *rand.Rand }

func newGenerator() generator { return generator{rand.New(rand.NewPCG(1, 2))} }

func (g generator) id(n int) []byte {
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(g.Uint32())
	}
	return b
}

// at returns a time in nanoseconds.
func (g generator) at() uint64 { return 1732300000000000000 + g.Uint64N(1<<40) }

func text(s string) *messages.AnyValue {
	return &messages.AnyValue{Value: &messages.AnyValue_StringValue{StringValue: s}}
}

func number(n int) *messages.AnyValue {
	return &messages.AnyValue{Value: &messages.AnyValue_IntValue{IntValue: int64(n)}}
}

func (g generator) attributes(n int) (kvs []*messages.KeyValue) {
	all := []*messages.KeyValue{
		{Key: "http.request.method", Value: text("GET")},
		{Key: "http.response.status_code", Value: number(200)},
		{Key: "url.path", Value: text(fmt.Sprintf("/api/v1/users/%d/orders", g.IntN(100000)))},
		{Key: "server.address", Value: text("shop.example.com")},
		{Key: "server.port", Value: number(8443)},
		{Key: "user_agent.original", Value: text("Mozilla/5.0 (X11; Linux x86_64) Gecko/20100101")},
		{Key: "network.peer.address", Value: text("10.1.2.3")},
		{Key: "thread.id", Value: number(g.IntN(1 << 20))},
		{Key: "db.system", Value: text("postgresql")},
		{Key: "cache.hit", Value: &messages.AnyValue{Value: &messages.AnyValue_BoolValue{BoolValue: g.IntN(2) == 0}}},
	}
	for i := range n {
		kvs = append(kvs, all[i%len(all)])
	}
	return kvs
}

func (g generator) resource() *messages.Resource {
	return &messages.Resource{Attributes: []*messages.KeyValue{
		{Key: "service.name", Value: text("checkout")}, {Key: "service.version", Value: text("1.24.7")},
		{Key: "host.name", Value: text("node-17.eu-central-1.compute.internal")},
		{Key: "k8s.pod.name", Value: text("checkout-7f9c6b5d4-x2x7k")},
	}}
}

// traces has n spans with a number of attributes.
func (g generator) traces(n, attributes int) *messages.TracesData {
	s := &messages.ScopeSpans{Scope: &messages.InstrumentationScope{Name: "otelhttp", Version: "0.63.0"}}
	for range n {
		at := g.at()
		span := &messages.Span{TraceId: g.id(16), SpanId: g.id(8), ParentSpanId: g.id(8),
			Name: "GET /api/v1/users/{id}/orders",
			Kind: messages.Span_SPAN_KIND_SERVER, StartTimeUnixNano: at, EndTimeUnixNano: at + 1000000, Flags: 0x101,
			Attributes: g.attributes(attributes), Status: &messages.Status{Code: messages.Status_STATUS_CODE_OK}}
		if g.IntN(4) == 0 {
			span.Events = append(span.Events, &messages.Span_Event{TimeUnixNano: at + 10, Name: "exception",
				Attributes: g.attributes(3)})
		}
		s.Spans = append(s.Spans, span)
	}
	return &messages.TracesData{ResourceSpans: []*messages.ResourceSpans{{Resource: g.resource(),
		ScopeSpans: []*messages.ScopeSpans{s}}}}
}

func (g generator) logs(n int) *messages.LogsData {
	s := &messages.ScopeLogs{Scope: &messages.InstrumentationScope{Name: "slog"}}
	for range n {
		at := g.at()
		s.LogRecords = append(s.LogRecords, &messages.LogRecord{TimeUnixNano: at, ObservedTimeUnixNano: at + 5,
			SeverityNumber: messages.SeverityNumber_SEVERITY_NUMBER_INFO, SeverityText: "INFO",
			Body:       text(fmt.Sprintf("order %d accepted after %d ms", g.IntN(1e6), g.IntN(1000))),
			Attributes: g.attributes(5), TraceId: g.id(16), SpanId: g.id(8)})
	}
	return &messages.LogsData{ResourceLogs: []*messages.ResourceLogs{{Resource: g.resource(),
		ScopeLogs: []*messages.ScopeLogs{s}}}}
}

// metrics has gauges and histograms in turn.
func (g generator) metrics(n int) *messages.MetricsData {
	s := &messages.ScopeMetrics{Scope: &messages.InstrumentationScope{Name: "runtime"}}
	for i := range n {
		m := &messages.Metric{Name: fmt.Sprintf("http.server.duration.%d", i%20), Unit: "ms",
			Description: "Duration of requests"}
		at := g.at()
		if i%2 == 0 {
			m.Data = &messages.Metric_Gauge{Gauge: &messages.Gauge{DataPoints: []*messages.NumberDataPoint{
				{Attributes: g.attributes(4), TimeUnixNano: at,
					Value: &messages.NumberDataPoint_AsDouble{AsDouble: g.Float64()}},
				{Attributes: g.attributes(4), TimeUnixNano: at,
					Value: &messages.NumberDataPoint_AsInt{AsInt: g.Int64N(1 << 30)}}}}}
		} else {
			m.Data = &messages.Metric_Histogram{Histogram: &messages.Histogram{AggregationTemporality: 2,
				DataPoints: []*messages.HistogramDataPoint{
					{Attributes: g.attributes(4), TimeUnixNano: at, Count: 100, Sum: proto.Float64(12.5),
						BucketCounts:   []uint64{1, 5, 20, 50, 15, 5, 3, 1, 0, 0, 0},
						ExplicitBounds: []float64{0, 5, 10, 25, 50, 75, 100, 250, 500, 1000}}}}}
		}
		s.Metrics = append(s.Metrics, m)
	}
	return &messages.MetricsData{ResourceMetrics: []*messages.ResourceMetrics{{Resource: g.resource(),
		ScopeMetrics: []*messages.ScopeMetrics{s}}}}
}

// descriptors are those of two files.
func descriptors() *messages.FileDescriptorSet {
	set := &descriptorpb.FileDescriptorSet{File: []*descriptorpb.FileDescriptorProto{
		protodesc.ToFileDescriptorProto(descriptorpb.File_google_protobuf_descriptor_proto),
		protodesc.ToFileDescriptorProto(metricspb.File_opentelemetry_proto_metrics_v1_metrics_proto)}}
	m := new(messages.FileDescriptorSet)
	if err := proto.Unmarshal(must(proto.Marshal(set)), m); err != nil {
		panic(err)
	}
	return m
}

// wide has all of 100 fields.
func (g generator) wide() *messages.Wide {
	m := &messages.Wide{}
	r := m.ProtoReflect()
	for i := range r.Descriptor().Fields().Len() {
		fd := r.Descriptor().Fields().Get(i)
		r.Set(fd, map[protoreflect.Kind]func() protoreflect.Value{
			protoreflect.Int64Kind:  func() protoreflect.Value { return protoreflect.ValueOfInt64(g.Int64N(1 << 40)) },
			protoreflect.StringKind: func() protoreflect.Value { return protoreflect.ValueOfString("a word of text") },
			protoreflect.DoubleKind: func() protoreflect.Value { return protoreflect.ValueOfFloat64(g.Float64()) },
			protoreflect.Int32Kind: func() protoreflect.Value {
				return protoreflect.ValueOfInt32(1 + g.Int32N(100_000))
			},
			protoreflect.BoolKind:    func() protoreflect.Value { return protoreflect.ValueOfBool(true) },
			protoreflect.Fixed64Kind: func() protoreflect.Value { return protoreflect.ValueOfUint64(g.Uint64()) },
			protoreflect.Uint64Kind:  func() protoreflect.Value { return protoreflect.ValueOfUint64(g.at()) },
			protoreflect.Sint32Kind: func() protoreflect.Value {
				return protoreflect.ValueOfInt32(g.Int32N(1000) - 500)
			},
			protoreflect.FloatKind: func() protoreflect.Value { return protoreflect.ValueOfFloat32(g.Float32()) },
			protoreflect.BytesKind: func() protoreflect.Value { return protoreflect.ValueOfBytes(g.id(8)) },
		}[fd.Kind()]())
	}
	return m
}

// maps has four maps of n entries; one has messages.
func (g generator) maps(n int) *messages.Maps {
	m := &messages.Maps{M1: map[string]string{}, M2: map[string]int64{}, M3: map[int32]string{},
		M4: map[string]*messages.Maps{}}
	for i := range n {
		k := fmt.Sprintf("name.of.%d", i)
		m.M1[k], m.M2[k], m.M3[int32(i*7)] = "a value of some length", g.Int64N(1<<30), "another value"
		m.M4[k] = &messages.Maps{M2: map[string]int64{"one": 1}}
	}
	return m
}

// remoteWrite is a message that Prometheus sends to other systems.
func remoteWrite(n int) *prompb.WriteRequest {
	w := &prompb.WriteRequest{}
	for i := range n {
		ts := prompb.TimeSeries{Labels: []prompb.Label{{Name: "__name__", Value: "http_requests_total"},
			{Name: "instance", Value: fmt.Sprintf("10.0.%d.%d:9090", i/256, i%256)},
			{Name: "job", Value: "api"}, {Name: "method", Value: "GET"}, {Name: "code", Value: "200"}},
			Samples: []prompb.Sample{{Value: float64(i) * 1.5, Timestamp: 1732300000000 + int64(i)}}}
		if i%10 == 0 {
			ts.Exemplars = []prompb.Exemplar{{Labels: []prompb.Label{{Name: "trace_id", Value: "abc"}}, Value: 3,
				Timestamp: 1732300000001}}
			ts.Histograms = []prompb.Histogram{{Count: &prompb.Histogram_CountInt{CountInt: 5}, Sum: 2,
				PositiveDeltas: []int64{1, -2, 3},
				PositiveSpans:  []prompb.BucketSpan{{Offset: -1, Length: 3}}}}
		}
		w.Timeseries = append(w.Timeseries, ts)
	}
	return w
}

// pods is an answer of the Kubernetes API server.
func pods(n int) *corev1.PodList {
	l := &corev1.PodList{ListMeta: metav1.ListMeta{ResourceVersion: "12345", RemainingItemCount: new(int64)}}
	at := metav1.NewTime(time.Unix(1732300000, 0))
	for i := range n {
		grace := int64(30)
		l.Items = append(l.Items, corev1.Pod{
			ObjectMeta: metav1.ObjectMeta{Name: fmt.Sprintf("web-%d", i), Namespace: "default",
				UID: "8d4f0c1e-0000-4000-8000-000000000000", CreationTimestamp: at,
				Labels:      map[string]string{"app": "web", "pod-template-hash": "7f9c6b5d4", "tier": "frontend"},
				Annotations: map[string]string{"checksum/config": "0123456789abcdef"},
				OwnerReferences: []metav1.OwnerReference{{APIVersion: "apps/v1", Kind: "ReplicaSet", Name: "web",
					Controller: new(bool)}}},
			Spec: corev1.PodSpec{NodeName: "node-1", TerminationGracePeriodSeconds: &grace,
				RestartPolicy: corev1.RestartPolicyAlways,
				Containers: []corev1.Container{{Name: "web", Image: "registry.example.com/web:1.2.3",
					Args: []string{"--port", "8080"},
					Env: []corev1.EnvVar{{Name: "A", Value: "b"},
						{Name: "POD", ValueFrom: &corev1.EnvVarSource{
							FieldRef: &corev1.ObjectFieldSelector{FieldPath: "metadata.name"}}}},
					Ports: []corev1.ContainerPort{{ContainerPort: 8080, Protocol: "TCP"}},
					Resources: corev1.ResourceRequirements{Limits: corev1.ResourceList{
						"cpu": resource.MustParse("500m"), "memory": resource.MustParse("128Mi")}},
					ReadinessProbe: &corev1.Probe{ProbeHandler: corev1.ProbeHandler{HTTPGet: &corev1.HTTPGetAction{
						Path: "/healthz", Port: intstr.FromInt32(8080)}}, PeriodSeconds: 10}}}},
			Status: corev1.PodStatus{Phase: corev1.PodRunning, PodIP: "10.1.2.3", StartTime: &at,
				Conditions: []corev1.PodCondition{{Type: "Ready", Status: "True", LastTransitionTime: at}},
				ContainerStatuses: []corev1.ContainerStatus{{Name: "web", Ready: true,
					State: corev1.ContainerState{Running: &corev1.ContainerStateRunning{StartedAt: at}}}}},
		})
	}
	return l
}
