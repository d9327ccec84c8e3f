package services

import (
	"strings"

	"github.com/harena-go/arena"
)

// A map that has a key already keeps it: what it is updated with isn't kept.

type keyed struct {
	hits  map[string]int
	seen  map[string]bool
	items map[string]*keyedItem
}

type keyedItem struct{ n int }

func (c *keyed) OKKeyCopiedOnce(pool *arena.Pool, name string) {
	a := pool.Get()
	defer pool.Put(a)
	key := a.ToLower(name)
	if _, ok := c.hits[key]; !ok {
		key = strings.Clone(key)
	}
	c.hits[key]++
}
func (c *keyed) OKKeyFound(pool *arena.Pool, name string) {
	a := pool.Get()
	defer pool.Put(a)
	key := a.ToLower(name)
	if n, ok := c.hits[key]; ok {
		c.hits[key] = n + 1
		return
	}
	c.hits[strings.Clone(key)] = 1
}
func (c *keyed) OKKeySeen(pool *arena.Pool, name string) {
	a := pool.Get()
	defer pool.Put(a)
	key := a.ToLower(name)
	if c.seen[key] {
		c.seen[key] = len(key) > 3
	}
}
func (c *keyed) OKKeyOfItem(pool *arena.Pool, name string) {
	a := pool.Get()
	defer pool.Put(a)
	key := a.ToLower(name)
	if x := c.items[key]; x != nil {
		c.items[key] = &keyedItem{x.n + 1}
	}
}
func (c *keyed) BadKeyNotFound(pool *arena.Pool, name string) {
	a := pool.Get()
	defer pool.Put(a)
	key := a.ToLower(name)
	if n, ok := c.hits[key]; !ok {
		c.hits[key] = n + 1
	}
}
func (c *keyed) BadKeyInOther(pool *arena.Pool, name string) {
	a := pool.Get()
	defer pool.Put(a)
	key := a.ToLower(name)
	if c.seen[key] {
		c.hits[key]++
	}
}
func (c *keyed) BadKeyAnyway(pool *arena.Pool, name string) {
	a := pool.Get()
	defer pool.Put(a)
	key := a.ToLower(name)
	if _, ok := c.hits[key]; !ok {
		c.seen[strings.Clone(key)] = true
	}
	c.hits[key]++
}
