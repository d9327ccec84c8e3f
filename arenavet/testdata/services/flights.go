package services

import (
	"strings"
	"sync"

	"github.com/harena-go/arena"
)

// Objects that others wait for, as package singleflight has them.

type flight struct {
	done chan struct{}
	wg   sync.WaitGroup
	used sync.WaitGroup
	val  *item
	text string
}

type flights struct {
	mu     sync.Mutex
	pool   *arena.Pool
	calls  map[string]*flight
	fetch  func(string) *item
	cached map[string]*flight
}

func (f *flights) do(key string, fn func() *item) *item {
	f.mu.Lock()
	if c, ok := f.calls[key]; ok {
		f.mu.Unlock()
		<-c.done
		return c.val
	}
	c := &flight{done: make(chan struct{})}
	f.calls[key] = c
	f.mu.Unlock()
	c.val = fn()
	f.mu.Lock()
	delete(f.calls, key)
	f.mu.Unlock()
	close(c.done)
	return c.val
}
func (f *flights) OKFlight(key string) (n int) {
	f.pool.Do(func(a *arena.Arena) error {
		n = f.do(key, func() *item { return &item{sku: strings.Clone(a.AllocString(key))} }).n
		n += f.do(key, func() *item { return arena.DeepClone(arena.New[item](a)) }).n
		n += f.do(key, func() *item { return f.fetch(key) }).n
		return nil
	})
	return n
}

// The leader waits for those who have waited for it.
func (f *flights) OKFlightWaits(key string) int {
	a := f.pool.Get()
	defer f.pool.Put(a)
	f.mu.Lock()
	if c := f.calls[key]; c != nil {
		c.used.Add(1)
		f.mu.Unlock()
		defer c.used.Done()
		<-c.done
		return len(c.text)
	}
	c := &flight{done: make(chan struct{})}
	f.calls[key] = c
	f.mu.Unlock()
	c.text = a.AllocString(key)
	n := len(c.text)
	f.mu.Lock()
	delete(f.calls, key)
	f.mu.Unlock()
	close(c.done)
	c.used.Wait()
	return n
}

// Nobody waits for what is in this map.
func (f *flights) OKFlightLocked(key string) (n int) {
	a := f.pool.Get()
	defer f.pool.Put(a)
	f.mu.Lock()
	defer f.mu.Unlock()
	if c := f.cached[key]; c != nil {
		return c.val.n
	}
	c := new(flight)
	f.cached[key] = c
	c.val = arena.New[item](a)
	n = c.val.n
	delete(f.cached, key)
	return n
}
