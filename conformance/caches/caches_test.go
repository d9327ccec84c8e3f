// Package caches tests that arena.Keep fits the usual caches: they still have their values after the arena's reset.
package caches

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/Yiling-J/theine-go"
	"github.com/allegro/bigcache/v3"
	"github.com/bluele/gcache"
	"github.com/coocood/freecache"
	"github.com/dgraph-io/ristretto/v2"
	"github.com/golang/groupcache/lru"
	golanglru "github.com/hashicorp/golang-lru/v2"
	"github.com/jellydator/ttlcache/v3"
	"github.com/maypok86/otter/v2"
	"github.com/patrickmn/go-cache"

	"github.com/harena-go/arena"
	"github.com/harena-go/arena/arenatest"
)

type order struct {
	Name string
	Tags []string
}

// A store is a cache with how a key and a value of an arena get there, and how they are read. Caches of bytes have
// the name only.
type store struct {
	cache any
	put   func(a *arena.Arena, key string, o *order)
	get   func(key string) any
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

// first returns the first of two results.
func first[V, O any](v V, _ O) V { return v }

var stores = map[string]func() store{
	"sync.Map": func() store {
		c := new(sync.Map)
		return store{c, func(a *arena.Arena, key string, o *order) { c.Store(arena.Keep(a, key, o)) },
			func(key string) any { return first(c.Load(key)) }}
	},
	"golang-lru": func() store {
		c := must(golanglru.New[string, *order](10))
		return store{c, func(a *arena.Arena, key string, o *order) { c.Add(arena.Keep(a, key, o)) },
			func(key string) any { return first(c.Get(key)) }}
	},
	"otter": func() store {
		c := otter.Must(&otter.Options[string, *order]{MaximumSize: 10})
		return store{c, func(a *arena.Arena, key string, o *order) { c.Set(arena.Keep(a, key, o)) },
			func(key string) any { return first(c.GetIfPresent(key)) }}
	},
	"ristretto": func() store {
		c := must(ristretto.NewCache(&ristretto.Config[string, *order]{NumCounters: 100, MaxCost: 1000, BufferItems: 64}))
		return store{c, func(a *arena.Arena, key string, o *order) {
			k, v := arena.Keep(a, key, o)
			c.Set(k, v, 1)
			c.Wait()
		}, func(key string) any { return first(c.Get(key)) }}
	},
	"go-cache": func() store {
		c := cache.New(time.Hour, time.Hour)
		return store{c, func(a *arena.Arena, key string, o *order) { c.SetDefault(arena.Keep[string, any](a, key, o)) },
			func(key string) any { return first(c.Get(key)) }}
	},
	"ttlcache": func() store {
		c := ttlcache.New[string, *order]()
		return store{c, func(a *arena.Arena, key string, o *order) {
			k, v := arena.Keep(a, key, o)
			c.Set(k, v, time.Hour)
		}, func(key string) any { return c.Get(key).Value() }}
	},
	"bigcache": func() store {
		c := must(bigcache.New(context.Background(), bigcache.DefaultConfig(time.Hour)))
		return store{c, func(a *arena.Arena, key string, o *order) { c.Set(arena.Keep(a, key, []byte(o.Name))) },
			func(key string) any { return &order{Name: string(must(c.Get(key)))} }}
	},
	"freecache": func() store {
		c := freecache.NewCache(1 << 20)
		return store{c, func(a *arena.Arena, key string, o *order) {
			k, v := arena.Keep(a, []byte(key), []byte(o.Name))
			c.Set(k, v, 3600)
		}, func(key string) any { return &order{Name: string(must(c.Get([]byte(key))))} }}
	},
	"groupcache": func() store {
		c := lru.New(10)
		return store{c, func(a *arena.Arena, key string, o *order) { c.Add(arena.Keep(a, key, o)) },
			func(key string) any { return first(c.Get(key)) }}
	},
	"theine": func() store {
		c := must(theine.NewBuilder[string, *order](10).Build())
		return store{c, func(a *arena.Arena, key string, o *order) {
			k, v := arena.Keep(a, key, o)
			c.Set(k, v, 1)
		}, func(key string) any { return first(c.Get(key)) }}
	},
	"gcache": func() store {
		c := gcache.New(10).LRU().Build()
		return store{c, func(a *arena.Arena, key string, o *order) { c.Set(arena.Keep(a, key, o)) },
			func(key string) any { return must(c.Get(key)) }}
	},
}

// TestKeep: after an arena's reset a cache still has the values kept from it, and none of its memory.
func TestKeep(t *testing.T) {
	for name, make := range stores {
		t.Run(name, func(t *testing.T) {
			s, a := make(), arenatest.New(t)
			arenatest.Hold(t, s.cache)
			o := arena.NewOf(a, order{Name: a.AllocString("tea"), Tags: arena.Append(a, nil, a.AllocString("green"))})
			s.put(a, a.Text().Str("order:").Int(17).String(), o)
			a.Reset()
			arenatest.Verify(t)
			got := s.get("order:17").(*order)
			if want := [...]string{"&{tea [green]}", "&{tea []}"}; fmt.Sprint(got) != want[0] && (got.Tags != nil || fmt.Sprint(got) != want[1]) {
				t.Errorf("%v", got)
			}
		})
	}
}
