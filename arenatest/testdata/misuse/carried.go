package main

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"sync"

	"github.com/harena-go/arena"
)

// Values that something carries out of their request: errors, contexts, functions, iterators, caches. What
// keeps them is a local of the test, or a field of its server.

// A portal is a server, with what servers keep.
type portal struct {
	pool    *arena.Pool
	failed  error
	jobs    []context.Context
	onFlush []func()
	owner   func() *customer
	known   cache[int, *customer]
	flights flights
	rows    iter.Seq[*customer]
	log     *slog.Logger
	user    string
	last    *order
}

func newPortal() *portal { return underTest(&portal{pool: newPool()}) }

type fieldError struct {
	field string
	at    *point
}

func (e *fieldError) Error() string { return fmt.Sprintf("%s at %d", e.field, e.at.x) }

var _ = plant("carried/wrapped error", carriedWrapped)

// An error that was made in the arena is wrapped, and kept for a health check.
//
// want: race, asan, resets, guard, trap
// held by: *main.portal .failed
func carriedWrapped() {
	p := newPortal()
	p.failed = p.pool.Do(func(a *arena.Arena) error { // reclaimed
		e := arena.NewOf(a, fieldError{field: "name", at: arena.New[point](a)}) // allocated
		return fmt.Errorf("bad request: %w", e)
	})
	var e *fieldError
	if errors.As(p.failed, &e) {
		sinkInt = e.at.x // used
	}
}

var _ = plant("carried/errors.New", carriedNew)

// The text of an error is the arena's.
//
// want: resets, guard, trap
// held by: *main.portal .failed
func carriedNew() {
	p := newPortal()
	p.failed = p.pool.Do(func(a *arena.Arena) error { // reclaimed
		return errors.New(a.Sprintf("no item %d", 3)) // allocated
	})
	sinkBool = p.failed.Error() == "no item 4" // used
}

var _ = plant("carried/context value", carriedContext)

// A job's context has a value of the request that has ordered it.
//
// want: race, asan, resets, guard, objects
// held by: *main.portal .jobs
func carriedContext() {
	p := newPortal()
	p.pool.Do(func(a *arena.Arena) error { // reclaimed
		c := arena.NewOf(a, customer{id: 1}) // allocated
		p.jobs = append(p.jobs, context.WithValue(context.Background(), contextKey{}, c))
		return nil
	})
	sinkInt = p.jobs[0].Value(contextKey{}).(*customer).id // used
}

var _ = plant("carried/method value", carriedMethod)

// A method value is called when the server flushes.
//
// want: race, asan, resets, guard, objects
// held by: *main.portal .onFlush
func carriedMethod() {
	p := newPortal()
	a := p.pool.Get()
	o := arena.NewOf(a, order{id: 1}) // allocated
	p.onFlush = append(p.onFlush, o.ship)
	p.pool.Put(a) // reclaimed
	for _, f := range p.onFlush {
		f()
	}
}

func (o *order) ship() { sinkInt = o.total } // used

// A visitor goes through orders.
type visitor interface{ visit(o *order) }

type collector struct{ orders []*order }

func (c *collector) visit(o *order) { c.orders = append(c.orders, o) }

func (o *order) walk(v visitor) {
	for ; o != nil; o = o.next {
		v.visit(o)
	}
}

var _ = plant("carried/visitor", carriedVisitor)

// A visitor, known by its interface, collects what it is shown.
//
// want: race, asan, guard, trap
func carriedVisitor() {
	c := new(collector)
	a := newArena()
	o := arena.NewOf(a, order{customer: arena.New[customer](a)}) // allocated
	o.walk(c)
	a.Reset()                         // reclaimed
	sinkInt = c.orders[0].customer.id // used
}

var _ = plant("carried/OnceValue", carriedOnce)

// The owner is computed once, in the arena of the first request.
//
// want: race, asan, resets, guard, objects
// held by: *main.portal .owner
func carriedOnce() {
	p := newPortal()
	for range 2 {
		p.pool.Do(func(a *arena.Arena) error { // reclaimed
			if p.owner == nil {
				p.owner = sync.OnceValue(func() *customer { return arena.NewOf(a, customer{id: 7}) }) // allocated
			}
			sinkInt = p.owner().id // used
			return nil
		})
	}
}

// A cache is one of those that everybody writes.
type cache[K comparable, V any] struct {
	mu sync.Mutex
	of map[K]V
}

func (c *cache[K, V]) get(key K, load func() V) V {
	c.mu.Lock()
	defer c.mu.Unlock()
	v, ok := c.of[key]
	if !ok {
		if c.of == nil {
			c.of = map[K]V{}
		}
		v = load()
		c.of[key] = v
	}
	return v
}

var _ = plant("carried/generic cache", carriedCache)

// What is loaded into a cache is allocated by the request that misses.
//
// want: race, asan, resets, guard, objects
// held by: *main.portal .known.of
func carriedCache() {
	p := newPortal()
	for range 2 {
		p.pool.Do(func(a *arena.Arena) error { // reclaimed
			c := p.known.get(1, func() *customer { return arena.NewOf(a, customer{id: 1}) }) // allocated
			sinkInt = c.id                                                                   // used
			return nil
		})
	}
}

// flights lets one caller do the work for all who ask at the time.
type flights struct {
	mu  sync.Mutex
	now *flight
}

type flight struct {
	done   chan bool
	result *order
}

// do returns the flight, and whether the caller did the work.
func (f *flights) do(work func() *order) (*order, bool) {
	f.mu.Lock()
	if now := f.now; now != nil {
		f.mu.Unlock()
		<-now.done
		return now.result, false
	}
	now := &flight{done: make(chan bool)}
	f.now = now
	f.mu.Unlock()
	now.result = work()
	close(now.done)
	return now.result, true
}

var _ = plant("carried/flight", carriedFlight)

// Two requests share a result, as with package singleflight. It is in the arena of the first, which
// has ended when the second uses it.
//
// want: race, asan, resets, guard, trap
// held by: *main.portal .flights.now
func carriedFlight() {
	p := newPortal()
	first := make(chan bool)
	go func() {
		p.pool.Do(func(a *arena.Arena) error { // reclaimed
			p.flights.do(func() *order {
				return arena.NewOf(a, order{customer: arena.NewOf(a, customer{id: 1})}) // allocated
			})
			return nil
		})
		close(first)
	}()
	<-first
	o, _ := p.flights.do(nil)
	sinkInt = o.customer.id // used
}

var _ = plant("carried/lazy iterator", carriedIterator)

// An iterator that is returned goes through the rows when somebody ranges over it.
//
// want: race, asan, resets, guard, trap
// held by: *main.portal .rows
func carriedIterator() {
	p := newPortal()
	p.pool.Do(func(a *arena.Arena) error { // reclaimed
		p.rows = rowsOf(arena.CopySlice(a, []*customer{arena.New[customer](a)})) // allocated
		return nil
	})
	for c := range p.rows { // used
		sinkInt = c.id
	}
}

func rowsOf(list []*customer) iter.Seq[*customer] {
	return func(yield func(*customer) bool) {
		for _, c := range list {
			if !yield(c) {
				return
			}
		}
	}
}

var _ = plant("carried/range-over-func", carriedRange)

// Lines are collected in the body of a loop, over an iterator that takes each line back.
//
// want: guard, trap
func carriedRange() {
	var long []string
	for line := range lines(newArena(), 3) {
		long = append(long, line)
	}
	sinkBool = long[0] < long[1] // used
}

func lines(a *arena.Arena, n int) iter.Seq[string] {
	return func(yield func(string) bool) {
		for i := range n {
			if !yield(a.Sprintf("line %d", i)) { // allocated
				return
			}
			a.Reset() // reclaimed
		}
	}
}

var _ = plant("carried/pull", carriedPull)

// The next value is pulled out of an iterator, a goroutine of its own, after what it goes through has ended.
//
// want: race, asan, trap
func carriedPull() {
	a := newArena()
	list := arena.CopySlice(a, []*customer{{id: 1}, {id: 2}}) // allocated
	next, stop := iter.Pull(func(yield func(int) bool) {
		for i := range list {
			if !yield(list[i].id) { // used by another goroutine
				return
			}
		}
	})
	defer stop()
	next()
	a.Reset() // reclaimed
	sinkInt, _ = next()
}

var _ = plant("carried/handler", carriedHandler)

// A handler, in a goroutine of the server, shows the items of the order before.
//
// want: race, asan, resets, trap
// held by: *main.portal .last
func carriedHandler() {
	p := newPortal()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if p.last != nil {
			sinkInt = p.last.customer.id // used by another goroutine
			return
		}
		p.pool.Do(func(a *arena.Arena) error { // reclaimed
			p.last = arena.NewOf(a, order{customer: arena.New[customer](a)}) // allocated
			return nil
		})
	}))
	request(s, 2)
}

// request asks a server some times, and closes it.
func request(s *httptest.Server, times int) {
	defer s.Close()
	for range times {
		if r, err := http.Get(s.URL); err == nil {
			r.Body.Close()
		}
	}
}

var _ = plant("carried/text of a handler", carriedHandlerText)

// A handler compares the user's name with that of the request before.
//
// want: resets, trap
// held by: *main.portal .user
func carriedHandlerText() {
	p := newPortal()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if p.user != "" {
			sinkBool = p.user == text(1)+"23456789" // used by another goroutine
			return
		}
		p.pool.Do(func(a *arena.Arena) error { // reclaimed
			p.user = a.AllocString("ada of number 12") // allocated
			return nil
		})
	}))
	request(s, 2)
}

var _ = plant("carried/slog.With", carriedSlog)

// A logger with the user's name stays in the server, and its handler formats late.
//
// want: resets, guard, trap
// held by: *main.portal .log
func carriedSlog() {
	p := newPortal()
	a := p.pool.Get()
	p.log = slog.New(&keeper{Handler: slog.Default().Handler()}).With("user", a.AllocString("ada")) // allocated
	p.pool.Put(a)                                                                                   // reclaimed
	p.log.Info("done")
}

// A keeper is a slog.Handler that keeps attributes as they are, as those do that format later.
type keeper struct {
	slog.Handler
	attrs []slog.Attr
}

func (k *keeper) Handle(ctx context.Context, r slog.Record) error {
	for _, attr := range k.attrs {
		sinkText = attr.Key + attr.Value.String() // used
	}
	return nil
}

func (k *keeper) WithAttrs(attrs []slog.Attr) slog.Handler { return &keeper{k.Handler, attrs} }
