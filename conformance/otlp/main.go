// Command otlp is an OTLP receiver: it takes traces from exporters on port 4317, counts spans and
// errors by service, and prints the counts when it is interrupted.
package main

import (
	"context"
	"fmt"
	"log"
	"net"
	"os"
	"os/signal"
	"strings"
	"sync"

	"github.com/harena-go/arena"
	"github.com/harena-go/arena/contrib/arenagrpc"
	collector "go.opentelemetry.io/proto/otlp/collector/trace/v1"
	trace "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/grpc"
	_ "google.golang.org/grpc/encoding/gzip" // exporters may compress
)

type count struct{ spans, errors int }

// A receiver counts spans by service. The names outlive the requests that they come in.
type receiver struct {
	collector.UnimplementedTraceServiceServer
	mu       sync.Mutex
	services map[string]*count
}

func (r *receiver) Export(
	ctx context.Context, req *collector.ExportTraceServiceRequest,
) (*collector.ExportTraceServiceResponse, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, rs := range req.GetResourceSpans() {
		c := r.count(serviceName(rs))
		for _, ss := range rs.GetScopeSpans() {
			c.spans += len(ss.GetSpans())
			for _, s := range ss.GetSpans() {
				if s.GetStatus().GetCode() == trace.Status_STATUS_CODE_ERROR {
					c.errors++
				}
			}
		}
	}
	return arena.New[collector.ExportTraceServiceResponse](arena.FromContext(ctx)), nil
}

// count returns the counts of a service, whose name is in the arena and is cloned if it is new.
func (r *receiver) count(service string) *count {
	c := r.services[service]
	if c == nil {
		c = new(count)
		r.services[strings.Clone(service)] = c
	}
	return c
}

func serviceName(rs *trace.ResourceSpans) string {
	for _, kv := range rs.GetResource().GetAttributes() {
		if kv.GetKey() == "service.name" {
			return kv.GetValue().GetStringValue()
		}
	}
	return "unknown"
}

// newServer returns a server of r, whose requests may take 16 MiB each.
func newServer(r *receiver, pool *arena.Pool) *grpc.Server {
	s := grpc.NewServer(arenagrpc.ServerOptions(pool)...)
	collector.RegisterTraceServiceServer(arenagrpc.Registrar(s), r)
	return s
}

func main() {
	l, err := net.Listen("tcp", ":4317")
	if err != nil {
		log.Fatal(err)
	}
	r := &receiver{services: map[string]*count{}}
	pool := arena.NewPool(arena.WithReuse(), arena.WithLimit(16<<20), arena.WithPoolLimit(1<<30),
		arena.WithCheckRate(1000))
	s := newServer(r, pool)
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	context.AfterFunc(ctx, s.GracefulStop)
	if err := s.Serve(l); err != nil {
		log.Fatal(err)
	}
	for name, c := range r.services {
		fmt.Println(name, c.spans, "spans,", c.errors, "errors")
	}
	fmt.Println(pool.Stats())
}
