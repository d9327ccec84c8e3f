// Package caches is what a service imports that knows nothing of arenas: caches, queues and
// the like, as others write them.
package caches

import (
	"container/list"
	"errors"
	"strings"
	"sync"
)

type Cache[K comparable, V any] struct {
	mu    sync.Mutex
	size  int
	order *list.List
	items map[K]*list.Element
	onAdd func(K, V)
}

type entry[K comparable, V any] struct {
	key K
	v   V
}

func New[K comparable, V any](size int) (*Cache[K, V], error) {
	if size <= 0 {
		return nil, errors.New("no room")
	}
	return &Cache[K, V]{size: size, order: list.New(), items: map[K]*list.Element{}}, nil
}

func (c *Cache[K, V]) Add(key K, v V) (evicted bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if e, ok := c.items[key]; ok {
		c.order.MoveToFront(e)
		e.Value.(*entry[K, V]).v = v
		return false
	}
	c.items[key] = c.order.PushFront(&entry[K, V]{key, v})
	if c.order.Len() > c.size {
		c.removeOldest()
		return true
	}
	return false
}

func (c *Cache[K, V]) removeOldest() {
	if e := c.order.Back(); e != nil {
		c.order.Remove(e)
		delete(c.items, e.Value.(*entry[K, V]).key)
	}
}

func (c *Cache[K, V]) Get(key K) (v V, ok bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if e, ok := c.items[key]; ok {
		return e.Value.(*entry[K, V]).v, true
	}
	return v, false
}

func (c *Cache[K, V]) Remove(key K) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if e, ok := c.items[key]; ok {
		c.order.Remove(e)
		delete(c.items, key)
	}
}

// GetOrAdd keeps a value only if there is none.
func (c *Cache[K, V]) GetOrAdd(key K, v V) V {
	if old, ok := c.Get(key); ok {
		return old
	}
	c.Add(key, v)
	return v
}

// Sharded is several caches.
type Sharded struct{ shards [16]*bytesShard }

type bytesShard struct {
	mu sync.RWMutex
	m  map[string][]byte
}

func (s *Sharded) shard(key string) *bytesShard { return s.shards[len(key)%16] }

func (s *Sharded) Set(key string, b []byte) error {
	if len(key) == 0 {
		return errors.New("no key")
	}
	sh := s.shard(key)
	sh.mu.Lock()
	sh.m[key] = b
	sh.mu.Unlock()
	return nil
}

func (s *Sharded) SetLocked(key string, b []byte) (err error) {
	sh := s.shard(key)
	sh.mu.Lock()
	defer sh.mu.Unlock()
	if len(b) == 0 {
		return errors.New("no body")
	}
	sh.m[key] = b
	return nil
}

func (s *Sharded) SetCopy(key string, b []byte) {
	sh := s.shard(key)
	sh.mu.Lock()
	defer sh.mu.Unlock()
	sh.m[strings.Clone(key)] = append([]byte(nil), b...)
}

func (s *Sharded) Purge() {
	for n := range s.shards {
		s.shards[n] = &bytesShard{m: map[string][]byte{}}
	}
}

// Store is an interface with one implementation.
type Store interface {
	Put(key string, v any)
	Len() int
}

type memory struct{ all map[string]any }

func NewStore() Store                   { return &memory{map[string]any{}} }
func (m *memory) Put(key string, v any) { m.all[key] = v }
func (m *memory) Len() int              { return len(m.all) }

// Queue has a goroutine that takes out what is put in.
type Queue struct {
	in   chan job
	cur  any
	path []string
}

type job struct {
	v    any
	done chan struct{}
}

// Push doesn't wait for the job to be done; Do does.
func (q *Queue) Push(v any) { q.in <- job{v: v} }
func (q *Queue) Do(v any) {
	j := job{v, make(chan struct{})}
	q.in <- j
	<-j.done
}

// Go runs a function beside the caller.
func (q *Queue) Go(f func()) { go f() }

// With has the value only for the time of the call.
func (q *Queue) With(v any, f func()) {
	q.cur = v
	defer func() { q.cur = nil }()
	f()
}

// Enter has the name only for the time of the call.
func (q *Queue) Enter(name string, f func()) {
	q.path = append(q.path, name)
	f()
	q.path = q.path[:len(q.path)-1]
}

// Result is a part of a document.
type Result struct {
	Raw   string
	Index int
}

func Find(doc, key string) Result {
	i := strings.Index(doc, key)
	return Result{Raw: doc[i:], Index: i}
}

// Named wraps a value.
type Named struct {
	name string
	v    any
}

func Name(name string, v any) *Named { return &Named{name, v} }
func (n *Named) Value() any          { return n.v }

var Default = &Sharded{}

// Register keeps a value for all.
func Register(key string, b []byte) { Default.Set(key, b) }
