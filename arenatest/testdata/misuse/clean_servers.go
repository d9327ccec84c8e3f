package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"time"

	"github.com/harena-go/arena"
)

// Correct programs in the way of services: what keeps is a field of a server, and keeps copies.

var _ = clean("clean/slog.With", cleanSlog)

// The handlers of package slog format attributes when they get them.
func cleanSlog() {
	p := newPortal()
	a := p.pool.Get()
	p.log = slog.New(slog.NewJSONHandler(io.Discard, nil)).With("user", a.AllocString("ada"))
	p.pool.Put(a)
	p.log.Info("done")
}

var _ = clean("clean/handler", cleanHandler)

// Handlers answer from their arenas, in goroutines of the server, which keeps a clone of a name.
func cleanHandler() {
	p := newPortal()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		p.pool.Do(func(a *arena.Arena) error {
			ctx := arena.NewContext(r.Context(), a)
			name := arena.FromContext(ctx).Sprintf("user of %s", r.URL.Path)
			sinkBool = p.user == name
			p.user = strings.Clone(name)
			_, err := io.WriteString(w, name)
			return err
		})
	}))
	request(s, 3)
	answer(p.user)
}

var _ = clean("clean/generic cache", cleanCache)

// What is loaded into the cache is copied out of the arena.
func cleanCache() {
	p := newPortal()
	for range 3 {
		p.pool.Do(func(a *arena.Arena) error {
			c := p.known.get(1, func() *customer {
				return arena.DeepClone(arena.NewOf(a, customer{id: 1, name: a.AllocString("ada")}))
			})
			answer(c.name)
			return nil
		})
	}
}

var _ = clean("clean/flight", cleanFlight)

// A shared result is on the heap.
func cleanFlight() {
	p := newPortal()
	var all sync.WaitGroup
	var totals [4]int
	for i := range totals {
		all.Go(func() {
			o, _ := p.flights.do(func() (o *order) {
				p.pool.Do(func(a *arena.Arena) error {
					o = arena.DeepClone(arena.NewOf(a, order{total: 5, items: arena.MakeSlice[item](a, 3, 3)}))
					return nil
				})
				return o
			})
			totals[i] = o.total + o.items[2].cents
		})
	}
	all.Wait()
	sinkInt = totals[3]
}

var _ = clean("clean/iterator", cleanIterator)

// An iterator is used up before what it goes through ends.
func cleanIterator() {
	a := newArena()
	for range 3 {
		for c := range rowsOf(arena.CopySlice(a, []*customer{arena.New[customer](a), arena.New[customer](a)})) {
			sinkInt = c.id
		}
		a.Reset()
	}
}

var _ = clean("clean/range-over-func", cleanRange)

// Of lines that are reclaimed one by one, clones are collected.
func cleanRange() {
	var long []string
	for line := range lines(newArena(), 3) {
		long = append(long, strings.Clone(line))
	}
	sinkBool = long[0] < long[1]
}

var _ = clean("clean/OnceValue", cleanOnce)

// What is computed once, with the memory of a request, is copied.
func cleanOnce() {
	p := newPortal()
	for range 2 {
		p.pool.Do(func(a *arena.Arena) error {
			if p.owner == nil {
				p.owner = sync.OnceValue(func() *customer { return arena.Clone(arena.NewOf(a, customer{id: 7})) })
			}
			sinkInt = p.owner().id
			return nil
		})
	}
}

var errNoItem = errors.New("no item")

var _ = clean("clean/wrapped error", cleanWrapped)

// The error that is kept was formatted, with what the arena's error says.
func cleanWrapped() {
	p := newPortal()
	p.failed = p.pool.Do(func(a *arena.Arena) error {
		e := arena.NewOf(a, fieldError{field: a.AllocString("name"), at: arena.New[point](a)})
		return fmt.Errorf("%w: %v", errNoItem, e)
	})
	sinkBool = errors.Is(p.failed, errNoItem)
	answer(p.failed.Error())
}

var _ = clean("clean/JSON reply", cleanReply)

// A reply is encoded before its parts are reclaimed, and logged.
func cleanReply() {
	s := underTest(newShop())
	var body []byte
	s.pool.Do(func(a *arena.Arena) (err error) {
		name := a.AllocString("ada")
		s.log.Printf("GET %q", name)
		body, err = json.Marshal(map[string]any{name: a.AllocBytes(10)})
		return err
	})
	sinkInt = len(body) + s.audit.Len()
	log.New(io.Discard, "", 0).Print(string(body))
}

var _ = clean("clean/body", cleanBody)

// What is written to a recorder and to a buffer, they copy.
func cleanBody() {
	pool := newPool()
	w := underTest(httptest.NewRecorder())
	var b bytes.Buffer
	pool.Do(func(a *arena.Arena) error {
		body := a.CopyAll([]byte("hens"), []byte(" and ducks"))
		b.Write(body)
		w.Write(body)
		w.Header().Set("X-Request-Id", strings.Clone(a.Sprintf("%08d", 1)))
		return nil
	})
	answer(b.String() + w.Body.String() + w.Header().Get("X-Request-Id"))
}

var _ = clean("clean/many", cleanMany)

// Thousands of texts are read while they live.
func cleanMany() {
	pool := newPool()
	for range 3 {
		pool.Do(func(a *arena.Arena) error {
			list := arena.MakeSlice[string](a, 0, 1000)
			for n := range cap(list) {
				list = append(list, a.Sprintf("line %d", n))
			}
			for i, line := range list {
				sinkBool = line == list[len(list)-1-i]
			}
			return nil
		})
	}
}

var _ = clean("clean/result of a closure", cleanResult)

// A number leaves the arena, and a copy.
func cleanResult() {
	pool := newPool()
	sinkInt = withArena(pool, func(a *arena.Arena) int { return newOrder(a, 7).total })
	o := withArena(pool, func(a *arena.Arena) order { return *newOrder(a, 7) })
	sinkInt = o.total
}

var _ = clean("clean/hand to hand", cleanHands)

// An arena goes from goroutine to goroutine. Only one has it at a time.
func cleanHands() {
	a := newArena()
	next := make(chan *arena.Arena)
	done := make(chan bool)
	for range 3 {
		go func() {
			mine := <-next
			mine.Sprintf("line %d", newOrder(mine, 1).total)
			done <- true
		}()
		next <- a
		<-done
	}
	a.Reset()
}

var _ = clean("clean/one at a time", cleanLocked)

// Two goroutines use an arena under a lock.
func cleanLocked() {
	w := newWorker()
	w.arena = w.pool.Get()
	var lock sync.Mutex
	var both sync.WaitGroup
	for range 2 {
		both.Go(func() {
			for range 100 {
				lock.Lock()
				w.count()
				lock.Unlock()
			}
		})
	}
	both.Wait()
	w.pool.Put(w.arena)
}

var _ = clean("clean/job's context", cleanContext)

// A job that goes on has a context without the request's values, and a copy of what it needs.
func cleanContext() {
	p := newPortal()
	p.pool.Do(func(a *arena.Arena) error {
		ctx := context.WithValue(arena.NewContext(context.Background(), a), contextKey{}, newOrder(a, 1))
		o := arena.Clone(ctx.Value(contextKey{}).(*order))
		p.jobs = append(p.jobs, context.WithValue(context.Background(), contextKey{}, o))
		return nil
	})
	sinkInt = p.jobs[0].Value(contextKey{}).(*order).id
}

var _ = clean("clean/library's values", cleanLibrary)

// Into a self-contained arena go times of zones that are static, parts of its own text, and numbers in boxes of
// its own.
func cleanLibrary() {
	a := newIndex()
	p := arena.New[page](a)
	p.created = time.Unix(0, 0)
	p.title = a.AllocString("hens and ducks")
	p.parts = arena.CopySlice(a, strings.Fields(p.title))
	p.any = arena.Box(a, 1000)
	zone := time.FixedZone("here", 3600)
	a.KeepAlive(zone)
	p.created = p.created.In(zone)
}
