package main

import (
	"sync"

	"github.com/harena-go/arena"
	"github.com/harena-go/arena/bench/wire/decoders/messages"
	"github.com/harena-go/arena/contrib/arenaproto"
	"google.golang.org/protobuf/proto"
)

// This file measures building and writing messages, by the example of an exporter of spans.

// A record is a span in an application.
type record struct {
	name       string
	id         []byte
	start, end uint64
	attributes []attribute
}

// An attribute has a text, or a number.
type attribute struct {
	key, text string
	number    int64
}

// A maker makes the messages of an exporter. message is T, and a slice has room for n.
type maker interface {
	span() *messages.Span
	attribute() (*messages.KeyValue, *messages.AnyValue)
	text() *messages.AnyValue_StringValue
	number() *messages.AnyValue_IntValue
	attributes(n int) []*messages.KeyValue
	spans(n int) []*messages.Span
}

// build converts records to a message.
func build(k maker, records []record) *messages.ScopeSpans {
	spans := k.spans(len(records))
	for i := range records {
		r, s := &records[i], k.span()
		s.Name, s.SpanId, s.StartTimeUnixNano, s.EndTimeUnixNano = r.name, r.id, r.start, r.end
		s.Attributes = k.attributes(len(r.attributes))
		for _, at := range r.attributes {
			kv, v := k.attribute()
			kv.Key, kv.Value = at.key, v
			if at.text != "" {
				w := k.text()
				w.StringValue, v.Value = at.text, w
			} else {
				w := k.number()
				w.IntValue, v.Value = at.number, w
			}
			s.Attributes = append(s.Attributes, kv)
		}
		spans = append(spans, s)
	}
	return &messages.ScopeSpans{Spans: spans}
}

// inArena makes them in an arena, or with nil on the heap.
type inArena struct{ *arena.Arena }

func (a inArena) span() *messages.Span { return arena.New[messages.Span](a.Arena) }
func (a inArena) attribute() (*messages.KeyValue, *messages.AnyValue) {
	return arena.New[messages.KeyValue](a.Arena), arena.New[messages.AnyValue](a.Arena)
}
func (a inArena) text() *messages.AnyValue_StringValue {
	return arena.New[messages.AnyValue_StringValue](a.Arena)
}
func (a inArena) number() *messages.AnyValue_IntValue {
	return arena.New[messages.AnyValue_IntValue](a.Arena)
}
func (a inArena) attributes(n int) []*messages.KeyValue {
	return arena.MakeSlice[*messages.KeyValue](a.Arena, 0, n)
}
func (a inArena) spans(n int) []*messages.Span { return arena.MakeSlice[*messages.Span](a.Arena, 0, n) }

// A slab has values of one type for a batch, as in exporters optimized by hand.
type slab[T any] struct {
	all  []T
	used int
}

func (s *slab[T]) next() *T {
	if s.used == len(s.all) {
		s.all, s.used = make([]T, max(64, 2*len(s.all))), 0 // the old ones are in use until the batch ends
	}
	s.used++
	return &s.all[s.used-1]
}

// slabs make them in slabs from a sync.Pool.
type slabs struct {
	spanSlab   slab[messages.Span]
	pairSlab   slab[messages.KeyValue]
	valueSlab  slab[messages.AnyValue]
	textSlab   slab[messages.AnyValue_StringValue]
	numberSlab slab[messages.AnyValue_IntValue]
	lists      []*messages.KeyValue
	top        []*messages.Span
	wire       []byte
}

func (s *slabs) span() *messages.Span { return s.spanSlab.next() }
func (s *slabs) attribute() (*messages.KeyValue, *messages.AnyValue) {
	return s.pairSlab.next(), s.valueSlab.next()
}
func (s *slabs) text() *messages.AnyValue_StringValue { return s.textSlab.next() }
func (s *slabs) number() *messages.AnyValue_IntValue  { return s.numberSlab.next() }
func (s *slabs) attributes(n int) []*messages.KeyValue {
	if cap(s.lists)-len(s.lists) < n {
		s.lists = make([]*messages.KeyValue, 0, max(1024, 2*cap(s.lists)))
	}
	from := len(s.lists)
	s.lists = s.lists[:from+n]
	return s.lists[from : from : from+n]
}
func (s *slabs) spans(n int) []*messages.Span {
	if cap(s.top) < n {
		s.top = make([]*messages.Span, 0, n)
	}
	return s.top[:0]
}

// reset makes the whole of the slabs usable for the next batch.
func (s *slabs) reset() {
	for i := range s.spanSlab.used {
		s.spanSlab.all[i].Reset()
	}
	for i := range s.pairSlab.used {
		s.pairSlab.all[i].Reset()
	}
	for i := range s.valueSlab.used {
		s.valueSlab.all[i].Reset()
	}
	clear(s.textSlab.all[:s.textSlab.used])
	s.spanSlab.used, s.pairSlab.used, s.valueSlab.used, s.textSlab.used, s.numberSlab.used = 0, 0, 0, 0, 0
	clear(s.lists)
	s.lists = s.lists[:0]
}

// newExport returns an input that isn't decoded: a batch is built, written and dropped.
func newExport(n int) input {
	records := make([]record, n)
	for i := range records {
		r := &records[i]
		r.name, r.id, r.start, r.end = "GET /api/v1/users/{id}/orders", []byte{1, 2, 3, 4, 5, 6, byte(i), byte(i >> 8)},
			uint64(i)<<30, uint64(i+1)<<30
		for j := range int64(4) {
			r.attributes = append(r.attributes, attribute{key: "http.path.template", text: "/api/v1/users/{id}"},
				attribute{key: "http.response.size", number: int64(i) * j})
		}
	}
	pool := sync.Pool{New: func() any { return new(slabs) }}
	in := input{name: "export", data: must(proto.Marshal(build(inArena{}, records)))}
	in.official = func([]byte) (readable, error) {
		_, err := proto.Marshal(build(inArena{}, records))
		return nil, err
	}
	in.slabs = func([]byte) (readable, error) {
		s := pool.Get().(*slabs)
		var err error
		s.wire, err = proto.MarshalOptions{}.MarshalAppend(s.wire[:0], build(s, records))
		s.reset()
		pool.Put(s)
		return nil, err
	}
	lent := func(p *arena.Pool) decoder {
		return func([]byte) (readable, error) {
			return nil, p.Do(func(a *arena.Arena) error {
				_, err := arenaproto.AppendMarshal(a, build(inArena{a}, records))
				return err
			})
		}
	}
	in.firstGear = lent(arena.NewPool())
	in.ours = func(a *arena.Arena) decoder {
		if a == nil {
			return nil // it would be the official one
		}
		return lent(arena.NewPool(arena.WithReuse()))
	}
	return in
}
