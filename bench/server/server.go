// Package server is the workload that arenas are made for: a service that takes
// batches of log records, parses each into structs with strings, slices, labels
// and links, aggregates them, answers with a summary, and forgets everything
// else. Meanwhile millions of other objects are live in the same process.
//
// It runs behind net/http, with the load coming from another process, and
// without HTTP, in loops of a hundred goroutines. The memory of a request comes
// from the heap, from objects that sync.Pool keeps, or from arenas that an
// arena.Pool lends. Everything but the allocations is the same code.
package server

import (
	"fmt"
	"io"
	"sync"

	"github.com/harena-go/arena"
	"github.com/harena-go/arena/bench/suite"
)

// A Handler answers batches. Any number of goroutines may use it at once.
type Handler interface {
	// Handle writes the answer to a batch, in one piece. It copies what it
	// needs of the body. A malformed batch is a *SyntaxError, and then nothing
	// was written.
	Handle(body []byte, w io.Writer) error

	// HandleFrom is Handle for a body of size bytes that is still to be read.
	HandleFrom(body io.Reader, size int, w io.Writer) error
}

// Peers of the server alone. null and parse-only don't do the work: they are
// the floors under it, see floor.go.
const (
	heapWithTable = "heap-table"
	floorHTTP     = "null"
	parseOnce     = "parse-only"

	sampled = "harena-sampled" // one arena in 1,024 is a checked one
)

// NewHandler returns the handler of a peer.
func NewHandler(peer string) (Handler, error) {
	switch peer {
	case suite.Heap:
		return &service[heap]{lend: func() (m heap) { return }, done: func(heap) {}}, nil
	case sampled:
		return onArenas(arena.NewPool(arena.WithReuse(), arena.WithCheckRate(1024),
			arena.OnEscape(func(e arena.Escape) { panic(e.String()) }))), nil
	case observed:
		return onArenas(arena.NewPool(arena.WithReuse(), arena.WithObserveRate(256),
			arena.OnEscape(func(e arena.Escape) { panic(e.String()) }))), nil
	case heapWithTable:
		return &service[heapTable]{lend: func() (m heapTable) { return }, done: func(heapTable) {}}, nil
	case suite.SyncPool:
		return onKits(), nil
	case suite.Harena:
		return onArenas(arena.NewPool(arena.WithReuse())), nil
	case suite.SelfContained:
		return onArenas(arena.NewPool(arena.WithReuse(), arena.WithNoScan())), nil
	case floorHTTP:
		return &null{}, nil
	case parseOnce:
		return &parseOnly{}, nil
	}
	return nil, fmt.Errorf("the server has no peer %q", peer)
}

func onKits() Handler {
	kits := sync.Pool{New: func() any { return new(kit) }}
	return &service[pooled]{
		lend: func() pooled { return pooled{kits.Get().(*kit)} },
		done: func(m pooled) {
			m.k.reset()
			kits.Put(m.k)
		},
	}
}

func onArenas(pool *arena.Pool) Handler {
	return &service[inArena]{
		lend: func() inArena { return inArena{pool.Get()} },
		done: func(m inArena) { pool.Put(m.a) },
	}
}

// A service is a Handler, given where a request's maker comes from and goes to.
type service[M maker] struct {
	lend    func() M
	done    func(M)
	parsers sync.Pool // of *parser[M]
}

func (s *service[M]) Handle(body []byte, w io.Writer) error {
	m := s.lend()
	defer s.done(m)
	return s.handle(m, body, w)
}

func (s *service[M]) HandleFrom(body io.Reader, size int, w io.Writer) error {
	m := s.lend()
	defer s.done(m)
	b := m.body(size)
	if _, err := io.ReadFull(body, b); err != nil {
		return fmt.Errorf("the body ends early: %w", err)
	}
	return s.handle(m, b, w)
}

func (s *service[M]) handle(m M, body []byte, w io.Writer) error {
	p, _ := s.parsers.Get().(*parser[M])
	if p == nil {
		p = new(parser[M])
	}
	defer func() {
		p.forget()
		s.parsers.Put(p)
	}()
	batch, err := p.parse(m, body)
	if err != nil {
		return err
	}
	sum := m.summary()
	summarize(m, batch, sum)
	_, err = w.Write(appendAnswer(m.answer(answerSize(sum)), sum))
	return err
}
