// Command otlpexport is an OTLP exporter: it converts spans to messages in an arena, and marshals them. It prints the
// size of a batch.
package main

import (
	"fmt"
	"log"
	"time"

	"github.com/harena-go/arena"
	"github.com/harena-go/arena/contrib/arenaproto"
	common "go.opentelemetry.io/proto/otlp/common/v1"
	trace "go.opentelemetry.io/proto/otlp/trace/v1"
)

// A Span is a span that an application has recorded.
type Span struct {
	Name       string
	TraceID    [16]byte
	SpanID     [8]byte
	Start, End time.Time
	Attributes []Attribute
}

// An Attribute is a key with a string, an int64, a float64 or a bool.
type Attribute struct {
	Key   string
	Value any
}

// resourceSpans returns spans as a message in the arena. A nil arena is the Go heap, where it is an ordinary message.
func resourceSpans(a *arena.Arena, spans []Span) *trace.ResourceSpans {
	scope := arena.New[trace.ScopeSpans](a)
	scope.Spans = arena.MakeSlice[*trace.Span](a, 0, len(spans))
	for i := range spans {
		scope.Spans = append(scope.Spans, span(a, &spans[i]))
	}
	r := arena.New[trace.ResourceSpans](a)
	r.ScopeSpans = arena.Append(a, r.ScopeSpans, scope)
	return r
}

// span returns a span as a message, which shares the bytes of the IDs and the strings with s.
func span(a *arena.Arena, s *Span) *trace.Span {
	m := arena.New[trace.Span](a)
	m.Name, m.TraceId, m.SpanId = s.Name, s.TraceID[:], s.SpanID[:]
	m.StartTimeUnixNano, m.EndTimeUnixNano = uint64(s.Start.UnixNano()), uint64(s.End.UnixNano())
	m.Attributes = arena.MakeSlice[*common.KeyValue](a, 0, len(s.Attributes))
	for _, at := range s.Attributes {
		kv := arena.New[common.KeyValue](a)
		kv.Key, kv.Value = at.Key, value(a, at.Value)
		m.Attributes = append(m.Attributes, kv)
	}
	return m
}

// value returns v as a message. The wrapper of its oneof, an object of its own, is in the arena too.
func value(a *arena.Arena, v any) *common.AnyValue {
	m := arena.New[common.AnyValue](a)
	switch v := v.(type) {
	case string:
		m.Value = arena.NewOf(a, common.AnyValue_StringValue{StringValue: v})
	case int64:
		m.Value = arena.NewOf(a, common.AnyValue_IntValue{IntValue: v})
	case float64:
		m.Value = arena.NewOf(a, common.AnyValue_DoubleValue{DoubleValue: v})
	case bool:
		m.Value = arena.NewOf(a, common.AnyValue_BoolValue{BoolValue: v})
	}
	return m
}

// export calls send with the encoded spans. send must not keep the bytes if the Pool reuses memory.
func export(pool *arena.Pool, spans []Span, send func([]byte) error) error {
	return pool.Do(func(a *arena.Arena) error {
		b, err := arenaproto.AppendMarshal(a, resourceSpans(a, spans))
		if err != nil {
			return err
		}
		return send(b)
	})
}

// sample returns n spans with eight attributes.
func sample(n int) []Span {
	spans := make([]Span, n)
	at := time.Unix(1_700_000_000, 0)
	for i := range spans {
		s := &spans[i]
		s.Name, s.Start, s.End = "GET /orders/{id}", at, at.Add(time.Millisecond)
		s.TraceID[0], s.SpanID[0], s.SpanID[1] = 1, byte(i), byte(i>>8)
		for j := range int64(2) {
			s.Attributes = append(s.Attributes, Attribute{"route", "/orders/{id}"}, Attribute{"size", int64(i) * j},
				Attribute{"share", float64(i) / 2}, Attribute{"cached", j == 0})
		}
	}
	return spans
}

func main() {
	pool := arena.NewPool(arena.WithReuse()) // send keeps nothing
	err := export(pool, sample(512), func(b []byte) error {
		fmt.Println("512 spans:", len(b), "bytes")
		return nil
	})
	if err != nil {
		log.Fatal(err)
	}
}
