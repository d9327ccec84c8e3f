package arenagrpc_test

import (
	"context"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/harena-go/arena"
	"github.com/harena-go/arena/contrib/arenagrpc"
	collector "go.opentelemetry.io/proto/otlp/collector/trace/v1"
	common "go.opentelemetry.io/proto/otlp/common/v1"
	trace "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/mem"
	"google.golang.org/protobuf/proto"
)

// The benchmarks measure the CPU time of a server in a process of its own, the garbage collector's
// included, per RPC. The client is here: it sends bytes that are encoded once, and doesn't decode.

// collectorServer counts spans, to read the requests.
type collectorServer struct {
	collector.UnimplementedTraceServiceServer
	spans int
}

func (c *collectorServer) Export(_ context.Context, r *collector.ExportTraceServiceRequest) (*collector.ExportTraceServiceResponse, error) {
	n := 0
	for _, rs := range r.GetResourceSpans() {
		for _, ss := range rs.GetScopeSpans() {
			n += len(ss.GetSpans())
		}
	}
	if n < 0 {
		c.spans = n
	}
	return &collector.ExportTraceServiceResponse{}, nil
}

// traces returns a request of about so many bytes.
func traces(size int) []byte {
	var spans []*trace.Span
	text := func(k, v string) *common.KeyValue {
		return &common.KeyValue{Key: k, Value: &common.AnyValue{Value: &common.AnyValue_StringValue{StringValue: v}}}
	}
	r := &collector.ExportTraceServiceRequest{}
	for i := 0; proto.Size(r) < size; i++ {
		spans = append(spans, &trace.Span{TraceId: make([]byte, 16), SpanId: make([]byte, 8), ParentSpanId: make([]byte, 8),
			Name: "GET /orders/{id}", Kind: trace.Span_SPAN_KIND_SERVER, StartTimeUnixNano: 1 << 60, EndTimeUnixNano: 1<<60 + 1e6,
			Attributes: []*common.KeyValue{text("http.method", "GET"), text("http.route", "/orders/{id}"), text("net.peer.ip", "10.1.2.3"),
				{Key: "http.status_code", Value: &common.AnyValue{Value: &common.AnyValue_IntValue{IntValue: 200}}}},
			Status: &trace.Status{Code: trace.Status_STATUS_CODE_OK}})
		r = &collector.ExportTraceServiceRequest{ResourceSpans: []*trace.ResourceSpans{{ScopeSpans: []*trace.ScopeSpans{{Spans: spans}}}}}
	}
	b, _ := proto.Marshal(r)
	return b
}

// bytesCodec passes on messages that are encoded already.
type bytesCodec struct{}

func (bytesCodec) Name() string { return "proto" }

func (bytesCodec) Marshal(v any) (mem.BufferSlice, error) {
	return mem.BufferSlice{mem.SliceBuffer(v.([]byte))}, nil
}
func (bytesCodec) Unmarshal(mem.BufferSlice, any) error { return nil }

// servers are the kinds that are compared.
var servers = map[string]func() *grpc.Server{
	"plain": func() *grpc.Server {
		s := grpc.NewServer()
		collector.RegisterTraceServiceServer(s, &collectorServer{})
		return s
	},
	"arena": func() *grpc.Server {
		s := grpc.NewServer(arenagrpc.ServerOptions(arena.NewPool(arena.WithReuse()))...)
		collector.RegisterTraceServiceServer(arenagrpc.Registrar(s), &collectorServer{})
		return s
	},
	"atend": func() *grpc.Server {
		s := grpc.NewServer(arenagrpc.ServerOptions(arena.NewPool(arena.WithReuse()), arenagrpc.AtEnd())...)
		collector.RegisterTraceServiceServer(arenagrpc.Registrar(s), &collectorServer{})
		return s
	},
}

// TestMain is the server's process if ARENAGRPC_SERVER names a kind. It prints its address, and its CPU time for each
// line it reads.
func TestMain(m *testing.M) {
	f := servers[os.Getenv("ARENAGRPC_SERVER")]
	if f == nil {
		os.Exit(m.Run())
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		panic(err)
	}
	go f().Serve(l)
	fmt.Println(l.Addr())
	for buf := make([]byte, 1); ; {
		if _, err := io.ReadFull(os.Stdin, buf); err != nil {
			return
		}
		var u syscall.Rusage
		syscall.Getrusage(syscall.RUSAGE_SELF, &u)
		fmt.Println(u.Utime.Nano() + u.Stime.Nano())
	}
}

// BenchmarkServer reports the server's CPU time for each RPC, by the number of RPCs in flight.
func BenchmarkServer(b *testing.B) {
	for _, size := range []int{0, 1000, 50_000} {
		request := traces(size)
		for _, kind := range []string{"plain", "arena", "atend"} {
			for _, flight := range []int{1, 8} {
				b.Run(fmt.Sprintf("bytes=%d/flight=%d/%s", len(request), flight, kind), func(b *testing.B) { benchmarkServer(b, kind, request, flight) })
			}
		}
	}
}

func benchmarkServer(b *testing.B, kind string, request []byte, flight int) {
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), "ARENAGRPC_SERVER="+kind)
	in, _ := cmd.StdinPipe()
	out, _ := cmd.StdoutPipe()
	if err := cmd.Start(); err != nil {
		b.Fatal(err)
	}
	defer cmd.Wait()
	defer in.Close()
	var address string
	fmt.Fscanln(out, &address)
	conn, err := grpc.NewClient(address, grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		b.Fatal(err)
	}
	defer conn.Close()
	cpu := func() int {
		io.WriteString(in, "\n")
		var s string
		fmt.Fscanln(out, &s)
		n, _ := strconv.Atoi(strings.TrimSpace(s))
		return n
	}
	call := func() {
		ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
		defer cancel()
		if err := conn.Invoke(ctx, collector.TraceService_Export_FullMethodName, request, nil, grpc.ForceCodecV2(bytesCodec{})); err != nil {
			b.Fatal(err)
		}
	}
	for range 500 { // for the pool to learn, and connections to open
		call()
	}
	b.SetBytes(int64(len(request)))
	began := cpu()
	b.ResetTimer()
	var wg sync.WaitGroup
	for i := range flight {
		wg.Go(func() {
			for range (b.N + i) / flight {
				call()
			}
		})
	}
	wg.Wait()
	b.StopTimer()
	b.ReportMetric(float64(cpu()-began)/float64(b.N), "server-ns/op")
}
