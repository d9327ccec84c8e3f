package arena

import (
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"weak"

	"github.com/harena-go/arena/internal/diagnose/inspect"
	"github.com/harena-go/arena/internal/diagnose/profile"
	"github.com/harena-go/arena/internal/diagnose/watch"
	"github.com/harena-go/arena/internal/learn"
	"github.com/harena-go/arena/internal/tuning"
)

// This file holds how arenas are lent and come back. It may not know how large they should be
// (package learn), nor what is known of each (lease.go, pool_stats.go).

// A Pool lends arenas to pieces of work, such as requests, one to each. An
// arena that comes back is reset and lent again, with the memory it has. A Pool
// may be used by any number of goroutines at the same time.
//
//	err := pool.Do(func(a *arena.Arena) error {
//		req, err := decode(a, r.Body)
//		...
//	})
//
// Arenas that nobody uses are kept in a [sync.Pool]: there is no lock where one
// is taken or brought back, and the GC lets go of those that stay idle through
// two of its cycles.
//
// A Pool learns how much memory the work takes, and makes the first chunk of
// each arena, and of each slab in it, large enough for nine in ten pieces of
// work, but no larger than a quarter of WithMaxRetained. Such a chunk is
// allocated when it is first needed. The Pool looks at some uses only, forgets
// what has become rare within some thousands, and isn't impressed by a single
// huge one. Where different kinds of work share a Pool, GetKeyed tells it which
// is which.
//
// Where a few pieces of work take much more than the others, that isn't worth
// it: beyond some 256 KiB no arena gets a first chunk, and Put keeps none of the
// further ones, if arenas would have more than twice what they use on average.
// The few then take their memory from the Go heap each time.
//
// All arenas of a Pool together keep about three times what those need that are
// lent at a time, or 4 MiB if that is more, however many keys there are. While
// they have more, Put lets an arena keep no more than would be its share.
//
// The zero Pool is ready to use and lends arenas with the default options. A
// Pool must not be copied after its first use. A nil *Pool lends nil arenas,
// which are the Go heap.
type Pool struct {
	config poolConfig
	total  account // of the chunks of live arenas; its limit is 0 if there is none

	held   atomic.Int64 // bytes of the chunks of all arenas, lent or idle
	shares learn.Shares // what they may be

	registered atomic.Bool // in pools
	madeAt     uintptr     // the call of NewPool; 0 of a zero Pool
	profile    profile.Profile

	main  class // of arenas without a key
	keys  atomic.Pointer[keys[class]]
	keyMu sync.Mutex // held where a key is added

	mu       sync.Mutex     // for what follows, and for what classes know of the past
	leases   []*lease       // of all arenas that may still be in use or come back
	lost     []*watch.Stack // where those with CheckObjects were lent that were never put back
	pruneAt  int            // how many there may be until prune is worthwhile
	pruned   uint64         // the GC cycles that had passed at the last prune
	limitHit limitHit       // the last one

	untilReview int // arenas to come back until the shares are reviewed, while held is too much
}

// A class is the arenas of a pool that do the same kind of work.
type class struct {
	key  string
	idle sync.Pool // of *Arena

	work learn.Work
	past PoolStats // of arenas that were dropped; under the pool's lock

	checked   atomic.Uint64 // arenas that were lent as samples
	escapes   atomic.Uint64 // found in checked arenas
	limitHits int           // by limits; under the pool's lock
}

// NewPool returns an empty pool. It panics if the options contradict each
// other.
func NewPool(opts ...PoolOption) *Pool {
	p := &Pool{config: poolConfig{config: defaults}}
	for _, o := range opts {
		o.applyPool(&p.config)
	}
	p.config.resolve("NewPool")
	p.total.name = p.config.name
	p.total.limit = int64(p.config.total)
	p.total.relief, p.total.last = p.reap, p.collect
	if p.config.rate > 0 || p.config.observe > 0 || p.config.checks != 0 {
		p.countEscapes()
	}
	if p.config.observe > 0 {
		hookProfile.Do(setProfile)
	}
	var caller [1]uintptr
	runtime.Callers(2, caller[:])
	p.madeAt = caller[0]
	p.register()
	return p
}

// hookProfile lets package arenapprof ask for profiles, by setProfile.
var hookProfile sync.Once

func setProfile() {
	inspect.Profile.Store(new(func(pool any) (sites any, used, observed float64) {
		p := pool.(*Pool)
		if p == nil || p.config.observe == 0 {
			return []profile.Site(nil), 0, 0
		}
		sites, observed = p.profile.Sites(p.config.observe)
		return sites, float64(p.Stats().Used), observed
	}))
}

// countEscapes counts what is reported of the pool's arenas, and passes it on.
func (p *Pool) countEscapes() {
	handler := p.config.onEscape
	f := func(e Escape) {
		p.knownClass(e.Key).escapes.Add(1)
		deliver(e, handler)
	}
	p.config.onEscape = &f
}

// options returns the options of the pool's arenas.
func (p *Pool) options() *config {
	if p.config == (poolConfig{}) {
		return &defaults
	}
	return &p.config.config
}

// Get returns an empty arena, to be given back by Put. It belongs to the
// caller until then.
func (p *Pool) Get() *Arena {
	if p == nil {
		return nil
	}
	return p.get(&p.main)
}

// GetKeyed is Get for one of several kinds of work: what the work takes is
// learned for each key apart, and an arena is lent again to the same kind. A
// key may be a route or the name of a message. The first 1,024 keys of up to 256
// bytes are told apart; for others, GetKeyed is Get.
func (p *Pool) GetKeyed(key string) *Arena {
	if p == nil {
		return nil
	}
	return p.get(p.classOf(key))
}

// get returns an arena of a class.
func (p *Pool) get(c *class) *Arena {
	if p.config.once || p.config.rate > 0 && rand.IntN(p.config.rate) == 0 {
		return p.sample(c)
	}
	if p.config.observe > 0 && rand.IntN(p.config.observe) == 0 {
		return p.observed(c)
	}
	return p.plain(c)
}

// plain lends an arena that is idle, or a new one.
func (p *Pool) plain(c *class) *Arena {
	a, _ := c.idle.Get().(*Arena)
	if a == nil {
		a = p.newArena(c, p.options())
	}
	a.lease.begin(a)
	return a
}

// observed lends an observed arena, now and then one that is checked, too: that costs as much again.
func (p *Pool) observed(c *class) (a *Arena) {
	if rand.IntN(tuning.CheckObserved) == 0 {
		a = p.sample(c)
	} else {
		a = p.plain(c)
	}
	a.lease.observe(a)
	return a
}

// sample lends a new, checked arena.
func (p *Pool) sample(c *class) *Arena {
	options := *p.options()
	options.checks |= CheckResets
	a := p.newArena(c, &options)
	a.lease.sampled = true
	c.checked.Add(1)
	a.lease.begin(a)
	return a
}

// Put resets an arena and takes it back. Everything allocated from it is dead,
// as after [Arena.Reset], and who allocates from it panics, until Get returns it
// again. Put panics if the arena was put back already, was freed, or isn't from
// this pool. A nil arena is none: Put does nothing.
func (p *Pool) Put(a *Arena) {
	if a == nil {
		return
	}
	l := a.lease
	if p == nil || l == nil || l.pool != p || a.family.parent != nil {
		panic("arena: Put: the arena" + quoted(a.name()) + " isn't from this pool")
	}
	l.end(a)
	if !l.sampled {
		l.class.idle.Put(a)
	}
}

// Do calls f with an arena that it gets and puts back, whatever happens in f.
// It returns f's error. A *LimitError that f panics with, or an error that wraps one, returns
// as an error too, unless it is due to another arena of a Do, within which this one takes
// place: then that one returns it. A goroutine that f starts has no Do above it:
// its panics end the program. Other panics are passed on. f may Free the
// arena, so that what is in it stays valid.
//
// A panic that is passed on shows where it came from, since the functions that
// panicked are still on the stack.
func (p *Pool) Do(f func(*Arena) error) error {
	return p.do(p.Get(), f)
}

// DoKeyed is [Pool.Do] with an arena from [Pool.GetKeyed].
func (p *Pool) DoKeyed(key string, f func(*Arena) error) error {
	return p.do(p.GetKeyed(key), f)
}

func (p *Pool) do(a *Arena, f func(*Arena) error) (err error) {
	if a == nil {
		return f(nil)
	}
	ended := false
	p.run(a, f, &err, &ended)
	if !ended {
		panic(nil) // as f has, which GODEBUG=panicnil=1 allows; after Goexit nothing comes here
	}
	return err
}

// run calls f. It sets ended where f has returned, or has panicked with what is an error.
func (p *Pool) run(a *Arena, f func(*Arena) error, err *error, ended *bool) {
	a.lease.doing = true
	defer p.done(a, a.lease.turns.Load(), err, ended)
	*err = f(a)
	*ended = true
}

// done ends a Do. It is called by defer, so that it can recover. If f has panicked and has put
// back the arena, that panic says more.
func (p *Pool) done(a *Arena, turn uint64, err *error, ended *bool) {
	v := recover()
	a.lease.doing = false
	switch l := a.lease; {
	case l.turns.Load() == turn:
		p.Put(a)
	case !l.freed.Load() && *ended:
		l.panicPut()
	}
	if v == nil {
		return
	}
	e, asError := limitIn(v)
	if e == nil || e.lease != a.lease && e.lease != nil && e.lease.(*lease).inDo(e.turn) {
		panic(v)
	}
	e.lease = nil // which would keep the arena's class
	*err, *ended = asError, true
}

// classOf returns the class with a key.
func (p *Pool) classOf(key string) *class {
	if len(key) > maxKey {
		return &p.main
	}
	if k := p.keys.Load(); k != nil {
		if c := k.find(key); c != nil {
			return c
		}
		if k.n.Load() >= maxKeys {
			return &p.main
		}
	}
	return p.addClass(key)
}

// knownClass returns the class with the key of an arena of the pool.
func (p *Pool) knownClass(key string) *class {
	if k := p.keys.Load(); k != nil {
		if c := k.find(key); c != nil {
			return c
		}
	}
	return &p.main
}

// addClass adds a class, unless there are too many.
func (p *Pool) addClass(key string) *class {
	p.keyMu.Lock()
	defer p.keyMu.Unlock()
	k := p.keys.Load()
	if k != nil {
		if c := k.find(key); c != nil {
			return c // somebody else was faster
		}
		if k.n.Load() >= maxKeys {
			return &p.main
		}
	}
	k = k.grown()
	c := &class{key: strings.Clone(key)} // key may be in an arena
	k.add(c.key, c)
	p.keys.Store(k)
	return c
}

// classes yields all classes of the pool.
func (p *Pool) classes(yield func(c *class) bool) {
	if !yield(&p.main) {
		return
	}
	if k := p.keys.Load(); k != nil {
		for _, c := range k.all {
			if !yield(c) {
				return
			}
		}
	}
}

// pools are all that are alive, about.
var pools struct {
	mu      sync.Mutex
	all     []weak.Pointer[Pool]
	pruneAt int
}

// register adds a pool to all, once.
func (p *Pool) register() {
	if p.registered.Swap(true) {
		return
	}
	pools.mu.Lock()
	defer pools.mu.Unlock()
	if len(pools.all) >= pools.pruneAt {
		prunePools()
		pools.pruneAt = 2*len(pools.all) + 16
	}
	pools.all = append(pools.all, weak.Make(p))
}

// prunePools forgets pools that are gone.
func prunePools() {
	pools.all = slices.DeleteFunc(pools.all, func(w weak.Pointer[Pool]) bool { return w.Value() == nil })
}
