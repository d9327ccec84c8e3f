package arena

import (
	"slices"
	"weak"

	"github.com/harena-go/arena/internal/diagnose/inspect"
	"github.com/harena-go/arena/internal/tuning"
)

// This file lends arenas of Pools without reuse, and has the option that decides which they are. It must not depend on
// how the memory of an arena is treated at its end (gear.go).

// WithReuse makes Put reuse memory at once, for the arenas with these keys (see [Pool.GetKeyed]), or without keys for
// all. Requests of small objects then take five to ten times less time for allocation and collection than without. No
// value allocated between Get and Put may be used after Put: its memory is another life's by then. Without WithReuse
// values stay valid for as long as something points to them.
//
// Turn it on where tests with package [github.com/harena-go/arena/arenatest], whose Pools reuse memory, show that no
// value is kept. A canary with WithReuse and WithCheckRate(1), whose arenas reuse nothing, shows the same for
// production without harm. [WithGuardRate] and [OnEscape], which report uses of dead memory, need WithReuse, and
// [WithNoScan] and [WithScrub] need it for all keys.
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

// settle completes the options of a Pool unless all its arenas are reused.
func (c *poolConfig) settle() {
	if c.reuse {
		return
	}
	none := len(c.reuseOf) == 0
	for _, o := range [...]struct {
		set  bool
		what string
	}{
		{c.noScan, "WithNoScan needs WithReuse() without keys"}, {c.Scrub, "WithScrub needs WithReuse() without keys"},
		{none && c.guard > 0, "WithGuardRate needs WithReuse"}, {none && c.onEscape != nil, "OnEscape needs WithReuse"},
	} {
		if o.set {
			panic("arena: NewPool: " + o.what +
				": it is about memory that Put reuses, and without WithReuse Put reuses none")
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

// lend returns an arena of a class without reuse.
func (p *Pool) lend(c *class) *Arena {
	p.gear.made.Do(p.makeEnded)
	// Under arenatest.Main a value that is kept must not keep dead ones, which may point to a checked arena's memory.
	tested := inspect.All.Load() != nil
	apart := tested || c.apart.Load()
	cores := p.gear.store.pool(apart)
	k, _ := cores.Get().(*core)
	t := p.ticketOf(k, c)
	sampled := !tested && t.lease.due(p.config.rate)
	if t.lease.sampled = sampled; sampled && k != nil {
		cores.Put(k)
		k = nil
	}
	a := new(Arena)
	if k == nil {
		if !sampled {
			t.lease.misses.Add(1)
		}
		a.core = &core{config: p.lasting()}
		a.account.ticket, a.account.lease = t, t.lease
		if p.state.total.limit > 0 {
			a.account.total = &p.state.total
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

// ticketOf returns a ticket of a class. It is mostly the one of the core, which comes from the class's last life;
// another class gets its own back.
func (p *Pool) ticketOf(k *core, c *class) *ticket {
	if k != nil && k.account.ticket != nil {
		t := k.account.ticket
		k.account.ticket = nil
		if t.lease.class == c {
			return t
		}
		t.lease.class.idle.Put(t)
	}
	t, _ := c.idle.Get().(*ticket)
	if t == nil {
		t = new(ticket)
		t.lease = &lease{gear: &p.gear, pool: &p.state, class: c, ticket: weak.Make(t)}
		p.register()
		p.state.enlist(t.lease)
	}
	return t
}

// lasting returns the options of the pool's arenas without reuse.
func (p *Pool) lasting() *config {
	if p.config.lasting.Chunk == 0 {
		return &lastingDefaults
	}
	return &p.config.lasting
}

// makeEnded makes the cores of the handles that end, and chooses the store: one of the pool's own if its cores differ
// from those of other Pools.
func (p *Pool) makeEnded() {
	g := &p.gear
	for k, s := range map[*core]state{&g.put: pooled, &g.freed: freed} {
		k.handle, k.config, k.life.state = &nobody, p.lasting(), s
		k.account.lease = &lease{pool: &p.state, class: &p.main}
		k.account.lease.freed.Store(s == freed)
	}
	g.store = &open
	if c := &p.config; c.limit|uintptr(c.total) != 0 || c.ChunkSet || c.MaxChunkSet || c.observe > 0 {
		g.store = new(store)
	}
}
