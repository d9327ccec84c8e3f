package arena

import (
	"slices"
	"sync"
	"weak"

	"github.com/harena-go/arena/internal/engine/memory"
	"github.com/harena-go/arena/internal/tuning"
)

// This file lends arenas of Pools without reuse. It must not depend on how a space leaves its memory to the values of
// a life (lasting.go of the engine).
//
//	Get ──▶ handle ──▶ core ──▶ open chunks          Put ──▶ handle ──▶ core of the ended: panics
//	                    │                                    core ──▶ store ──▶ the next Get
//	                    └──▶ lease of the class
//
// A handle ends with its life and is never lent again, so that a use of it at any later time panics, and harms nobody.
// The core goes on to the next handle: with what is open of its chunks, in which no life has allocated yet.

// WithReuse makes Put reuse memory at once, for the arenas with these keys (see [Pool.GetKeyed]), or without keys for
// all. Requests of small objects then take five to ten times less time for allocation and collection than without.
// Nothing that was allocated between Get and Put may be used after Put: by then it is another life's memory. Without
// WithReuse values stay valid for as long as something points to them.
//
// Turn it on where tests with package [github.com/harena-go/arena/arenatest], whose Pools reuse memory, show that
// nothing is kept. A canary with WithReuse and WithCheckRate(1), whose arenas reuse nothing, shows the same of
// production without harm. [WithGuardRate] and [OnEscape], which report uses of dead memory, need WithReuse for all
// keys, and so do [WithNoScan] and [WithScrub].
func WithReuse(keys ...string) PoolOption {
	keys = slices.Clone(keys)
	return poolOptionFunc(func(c *poolConfig) {
		if len(keys) == 0 {
			c.reuse = true
		}
		c.reuseOf = append(c.reuseOf, keys...)
	})
}

// reuses reports whether Put of an arena with the key reuses its memory.
func (c *poolConfig) reuses(key string) bool { return c.reuse || slices.Contains(c.reuseOf, key) }

// settle completes the options of a Pool of which some arenas aren't reused.
func (c *poolConfig) settle() {
	if c.reuse {
		return
	}
	for _, o := range [...]struct {
		set  bool
		name string
	}{{c.noScan, "WithNoScan"}, {c.Scrub, "WithScrub"}, {c.guard > 0, "WithGuardRate"}, {c.onEscape != nil, "OnEscape"}} {
		if o.set {
			panic("arena: NewPool: " + o.name + " needs WithReuse() without keys: " +
				"it is about memory that Put reuses, and without WithReuse Put reuses none")
		}
	}
	c.lasting = c.config
	c.lasting.checks, c.lasting.once, c.lasting.lasts = 0, false, true
	if !c.ChunkSet && !c.MaxChunkSet {
		c.lasting.Chunk, c.lasting.MaxChunk = tuning.EpochChunk, tuning.EpochChunk
	}
}

// lastingDefaults are the options of a zero Pool's arenas.
var lastingDefaults = func() config {
	c := poolConfig{config: defaults}
	c.settle()
	return c.lasting
}()

// A store has the cores that no handle has. It survives a cycle of the GC, as what is in a sync.Pool does.
type store struct {
	cores sync.Pool
	apart sync.Pool // those that allocate each value by itself
}

// of returns the cores for lives that allocate each value by itself, or for others.
func (s *store) of(apart bool) *sync.Pool {
	if apart {
		return &s.apart
	}
	return &s.cores
}

// open is the store of all Pools without options that concern memory.
var open store

// A ticket is the part of a lease that a lent arena holds: if the GC collects it in between, the arena was lost.
type ticket struct{ lease *lease }

// lend returns an arena of a class without reuse.
func (p *Pool) lend(c *class) *Arena {
	t, _ := c.idle.Get().(*ticket)
	if t == nil {
		p.ended.Do(p.makeEnded)
		t = new(ticket)
		t.lease = &lease{pool: p, books: &p.books, class: c, ticket: weak.Make(t)}
		p.register()
		p.books.enlist(t.lease)
	}
	sampled, apart := t.lease.due(p.config.rate), c.apart.Load()
	var k *core
	if t.lease.sampled = sampled; !sampled {
		k, _ = p.store().of(apart).Get().(*core)
	}
	a := new(Arena)
	if k == nil {
		t.lease.misses.Add(1)
		a.core = &core{config: p.lasting()}
		a.account.ticket, a.account.lease = t, t.lease
		if p.books.total.limit > 0 {
			a.account.total = &p.books.total
		}
		a.init()
		switch {
		case sampled:
			a.plain.SetFirst(tuning.Chunk, nil)
		case apart:
			a.memory.SetApart()
		}
	} else {
		k.account.ticket, k.account.lease = t, t.lease
		k.attach(a, p.lasting())
		t.lease.reserved.Store(int64(k.memory.Reserved()))
	}
	t.lease.begin(a)
	return a
}

// lasting returns the options of the pool's arenas without reuse.
func (p *Pool) lasting() *config {
	if p.config.lasting.Chunk == 0 {
		return &lastingDefaults
	}
	return &p.config.lasting
}

// store returns the store of the pool's cores: one of its own if they differ from those of other Pools.
func (p *Pool) store() *store {
	if c := &p.config; c.limit|uintptr(c.total) != 0 || c.ChunkSet || c.MaxChunkSet || c.observe > 0 {
		return &p.own
	}
	return &open
}

// attach makes a the handle of a core that has none.
func (k *core) attach(a *Arena, c *config) {
	a.core, a.self, a.types = k, a, k.memory.Catalog()
	k.handle, k.config = a, c
	k.life, k.family = life{}, family{}
	k.memory.Attach(&a.window)
	k.memory.SetConfig(&c.Config)
}

// detach ends a handle. Its core is another one from now on, which only says what has become of it.
func (a *Arena) detach(ended *core) {
	k := a.core
	k.memory.Detach()
	a.core, a.self, a.types = ended, nil, nil
	k.handle = &nobody
	k.account.ticket, k.account.lease = nil, nil
}

// nobody is the handle of cores in a store, and of those of ended handles.
var nobody Arena

// makeEnded makes the cores of the handles that end.
func (p *Pool) makeEnded() {
	for k, s := range map[*core]state{&p.put: pooled, &p.freed: freed} {
		k.handle, k.config, k.life.state = &nobody, p.lasting(), s
		k.account.lease = &lease{books: &p.books, class: &p.main}
		k.account.lease.freed.Store(s == freed)
	}
}

// endLasting ends the life of an arena without reuse that has been reset, and leaves ended to the handle.
func (l *lease) endLasting(a *Arena, ended *core) {
	k, t := a.core, a.account.ticket
	if l.skip--; l.skip < 0 {
		l.look(a, l.turns.Load(), l.bytes())
	}
	now := memory.Cycle()
	if l.looked != now {
		l.looked = now
		l.class.look(now)
	}
	k.memory.AgeEpoch(now, max(uintptr(l.class.epoch.Load()), tuning.Epoch/4))
	if k.account.total != nil {
		k.account.total.bytes.Add(-l.reserved.Load())
	}
	l.reserved.Store(0)
	a.detach(ended)
	if !l.sampled {
		l.pool.store().of(k.memory.Apart()).Put(k)
	}
	l.class.idle.Put(t)
}
