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
	"github.com/harena-go/arena/internal/diagnose/watch"
	"github.com/harena-go/arena/internal/poolstats"
	"github.com/harena-go/arena/internal/tuning"
)

// This file lends arenas: Get, Put and Do. It must not depend on how large they should be (package learn), nor on the
// records of each (lease.go).

// A Pool lends arenas to pieces of work, such as requests, one to each. Any number of goroutines may use a Pool at the
// same time. Get and Put take no lock.
//
//	err := pool.Do(func(a *arena.Arena) error {
//		req, err := decode(a, r.Body)
//		...
//	})
//
// Put never reuses memory, unless the Pool was made with [WithReuse]. Values stay valid for as long as something points
// to them, so such a Pool is memory-safe in any program that has no data race. Allocating is cheap because consecutive
// pieces of work share chunks, which the GC finds as few objects. So a kept string keeps a chunk of 32 KiB, and a kept
// value with pointers keeps those of an epoch, of 16 to 64 KiB, with everything that any value in them leads to. The
// Pool looks at some pieces of work. Where the values of a key are kept more often, its work allocates each value by
// itself. Values that are kept for long should be copied with [Keep] or [CloneOut] before Put.
//
// With WithReuse an arena that is put back is reset and lent again, with its memory. The rest describes that.
//
// Idle arenas are kept in a [sync.Pool]: the GC drops arenas that stay idle for two of its cycles.
//
// The Pool learns how much memory the work takes. It makes the first chunk of each arena, and of each slab in it, large
// enough for nine in ten pieces of work, but no larger than a quarter of WithMaxRetained. Such a chunk is allocated
// when it is first needed. The Pool looks at some pieces of work only, forgets sizes within a few thousand pieces of
// work once they are rare, and ignores a single huge one. Where different kinds of work share a Pool, GetKeyed tells
// them apart.
//
// Some pieces of work may take much more than the others, with keys or without. If arenas would have more than twice
// their average use, no first chunk of more than some 256 KiB is made, and Put takes the further chunks out of the
// arena. The Pool keeps them apart for the arenas that need a chunk next, so that large pieces of work find the chunks
// of earlier ones, and small ones don't hold them.
//
// A Pool keeps about three times the needs of the arenas that are lent at a time, or 4 MiB if that is more, for any
// number of keys. While idle arenas have too much of it, Put lets an arena keep no more than its share.
//
// The zero Pool is ready to use. It lends arenas with the default options and reuses no memory. A Pool must not be
// copied after its first use. A nil *Pool lends nil arenas, which are the Go heap.
type Pool struct {
	config poolConfig
	state  poolState

	registered atomic.Bool // in pools
	madeAt     uintptr     // the call of NewPool; 0 of a zero Pool

	gear gear // of arenas without reuse

	main  class // of arenas without a key
	keys  atomic.Pointer[poolstats.Keys[class]]
	keyMu sync.Mutex // held while a key is added
}

// NewPool returns an empty pool. It panics if the options contradict each other, if [WithGuardRate] or [OnEscape] is
// given without WithReuse, or [WithNoScan] or [WithScrub] without WithReuse() for all keys.
func NewPool(opts ...PoolOption) *Pool {
	p := &Pool{config: poolConfig{config: defaults}}
	for _, o := range opts {
		o.applyPool(&p.config)
	}
	f := &p.config
	f.resolve("NewPool")
	f.settle()
	p.main.reuse = f.reuse
	f.special = f.once || f.rate > 0 || f.guard > 0 || f.observe > 0
	s := &p.state
	s.total.name = p.config.name
	s.total.limit = int64(p.config.total)
	s.total.relief, s.total.last = s.reap, s.collect
	if f.special || f.checks != 0 {
		p.countEscapes()
	}
	var caller [1]uintptr
	runtime.Callers(2, caller[:])
	p.madeAt = caller[0]
	p.register()
	return p
}

// countEscapes counts the reports of the pool's arenas, and passes them on.
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
	if p.config.Chunk == 0 {
		return &defaults
	}
	return &p.config.config
}

// Get returns an empty arena. It belongs to the caller until Put. Without [WithReuse] it is a new one, which takes the
// chunks that earlier ones have left open; no arena is lent twice.
func (p *Pool) Get() *Arena {
	if p == nil {
		return nil
	}
	return p.get(&p.main)
}

// GetKeyed is Get for one of several kinds of work, which [Pool.Stats] shows apart. A key may be a route or the name of
// a message, and [WithReuse] may be given for some keys. Of these the Pool learns how much memory the work takes, and
// lends an arena to the same kind again. Arenas without reuse take open chunks of any key, so that a rare key costs
// nothing. The first 1,024 keys of up to 256 bytes are distinguished; for others, GetKeyed is Get.
func (p *Pool) GetKeyed(key string) *Arena {
	if p == nil {
		return nil
	}
	return p.get(p.classOf(key))
}

// get returns an arena of a class.
func (p *Pool) get(c *class) *Arena {
	if p.config.special {
		return p.choose(c)
	}
	return p.plain(c)
}

// choose returns an ordinary arena or a special one, at random.
func (p *Pool) choose(c *class) *Arena {
	f := &p.config
	if f.guard > 0 {
		inspect.CatchFaults()
	}
	switch {
	case !c.reuse && !oneIn(f.observe):
		return p.lend(c)
	case !c.reuse:
		a := p.lend(c)
		a.account.lease.observe(a)
		return a
	case oneIn(f.guard):
		return p.sample(c, f.fence)
	case f.once || oneIn(f.rate):
		return p.sample(c, nil)
	case oneIn(f.observe):
		return p.observed(c)
	}
	return p.plain(c)
}

// plain lends an arena that is idle, or a new one.
func (p *Pool) plain(c *class) *Arena {
	if !c.reuse {
		return p.lend(c)
	}
	a, _ := c.idle.Get().(*Arena)
	if a == nil {
		a = p.newArena(c, p.options())
	}
	a.account.lease.begin(a)
	return a
}

// observed lends an observed arena. One in CheckObserved is checked too, which costs as much again.
func (p *Pool) observed(c *class) (a *Arena) {
	if rand.IntN(tuning.CheckObserved) == 0 {
		a = p.sample(c, nil)
	} else {
		a = p.plain(c)
	}
	a.account.lease.observe(a)
	return a
}

// sample lends a new, checked arena. fence puts fences around its reclaimed memory, or is nil.
func (p *Pool) sample(c *class, fence *func(*watch.Watch)) *Arena {
	options := *p.options()
	options.checks |= CheckResets
	options.fence = fence
	a := p.newArena(c, &options)
	a.account.lease.sampled = true
	c.checked.Add(1)
	a.account.lease.begin(a)
	return a
}

// Put ends the life of an arena. Its values stay valid for as long as something points to them, as after [Arena.Free].
// Allocating from the arena, or from a [Typed], a child or a collection made with it, panics from then on.
//
// With [WithReuse] everything allocated from the arena is dead, as after a Reset of other arenas, and the arena is lent
// again. Until then allocating from it panics.
//
// Put panics if the arena was put back already, was freed, or isn't from this pool. Put of a nil arena does nothing.
// Where another goroutine may still allocate from the arena, call neither Put nor Free: an allocation at the same time
// is a data race. Drop the arena instead; the GC finds it.
//
// If it is deferred itself, and the pool has a guard rate, Put passes on the panic of its caller: see [WithGuardRate].
func (p *Pool) Put(a *Arena) {
	if a == nil {
		return
	}
	var l *lease
	if a.core != nil {
		l = a.account.lease
	}
	if p == nil || l == nil || l.pool != &p.state || a.family.parent != nil {
		panic("arena: Put: the arena" + quoted(a.name()) + " isn't from this pool")
	}
	if p.config.guard > 0 {
		if v := inspect.ReportFault(recover()); v != nil { // Put is deferred, and its caller panics
			l.putPanicking(a, v)
		}
	}
	l.put(a)
}

func (l *lease) put(a *Arena) {
	l.end(a)
	if l.gear == nil && !l.sampled {
		l.class.idle.Put(a)
	}
}

// putPanicking is put for a caller that panics with v, which says more than the panic of a second Put.
func (l *lease) putPanicking(a *Arena, v any) {
	defer panic(v)
	l.put(a)
}

// Do gets an arena, calls f with it, puts it back even if f panics, and returns f's error. With [WithReuse] nothing in
// the arena may be used afterwards, the error included, unless f frees the arena.
//
// If f panics with a *LimitError, or with an error that wraps one, Do returns that error. If the limit is that of an
// arena of an outer Do of the same goroutine, the outer Do returns it. Other panics are passed on; their traces show
// their origin, since the functions that panicked are still on the stack. A panic in a goroutine that f starts ends the
// program: it has no Do above it.
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
		panic(nil) // as f has, which GODEBUG=panicnil=1 allows; Goexit doesn't return here
	}
	return err
}

// run calls f. It sets ended if f has returned, or has panicked with an error that Do returns.
func (p *Pool) run(a *Arena, f func(*Arena) error, err *error, ended *bool) {
	l := a.account.lease
	l.doTurn = l.turns.Load()
	defer p.done(a, l, l.doTurn, err, ended)
	*err = f(a)
	*ended = true
}

// done ends a Do. It is called by defer, so that it can recover. If f has put back the arena and has panicked, that
// panic is passed on rather than the one of a second Put, since it says more. The arena may be another
// goroutine's then.
func (p *Pool) done(a *Arena, l *lease, turn uint64, err *error, ended *bool) {
	v := recover()
	switch {
	case l.turns.Load() == turn:
		if f := reportOutlived.Load(); f != nil && a.watch().Single() {
			(*f)(a, "the error that Do returns: err", *err)
			(*f)(a, "the value of the panic: value", v)
		}
		p.Put(a)
	case !l.freed.Load() && !(l.gear != nil && a.Freed()) && *ended:
		l.panicPut()
	}
	if v == nil {
		return
	}
	e, asError := limitIn(v)
	if e == nil || e.isOuter(l) {
		if p.config.guard > 0 {
			v = inspect.ReportFault(v)
		}
		panic(v)
	}
	*err, *ended = asError, true
}

// isOuter reports whether an outer Do of the calling goroutine has lent the arena, and not the Do that has lent l.
func (e *LimitError) isOuter(l *lease) bool {
	w, _ := e.lease.(weak.Pointer[lease])
	o := w.Value()
	return o != nil && o != l && o.turns.Load() == e.turn && inAnotherDo()
}

// inAnotherDo is called by done. It reports whether there is another Do on the stack whose done hasn't been called:
// functions that have panicked are still there.
func inAnotherDo() bool {
	var pcs [64]uintptr
	open := 0
	for skip := 1; ; skip += len(pcs) {
		n := runtime.Callers(skip, pcs[:])
		for frames, more := runtime.CallersFrames(pcs[:n]), n > 0; more; {
			var f runtime.Frame
			f, more = frames.Next()
			switch {
			case strings.HasSuffix(f.Function, "arena.(*Pool).run"):
				open++
			case strings.HasSuffix(f.Function, "arena.(*Pool).done"):
				open--
			}
		}
		if n < len(pcs) {
			return open > 0
		}
	}
}

// newArena makes an arena of a class.
func (p *Pool) newArena(c *class, options *config) *Arena {
	a := newArena(options)
	a.init()
	a.life.state = pooled
	a.account.lease = &lease{pool: &p.state, class: c, arena: weak.Make(a)}
	if p.state.total.limit > 0 {
		a.account.total = &p.state.total
	}
	a.memory.SetAccount((*counted)(a.core))
	a.memory.SetLearned(true)
	if !a.quarantines() { // else its chunks never come back
		a.memory.SetLender((*client)(a.core))
	}
	a.plain.SetFirst(c.work.First(options.Chunk), nil)
	p.register()
	p.state.enlist(a.account.lease)
	return a
}

// classOf returns the class with a key.
func (p *Pool) classOf(key string) *class {
	if len(key) > poolstats.MaxKey {
		return &p.main
	}
	k := p.keys.Load()
	if c := k.Find(key); c != nil {
		return c
	}
	if k.Full() {
		return &p.main
	}
	return p.addClass(key)
}

// knownClass returns the class with the key of an arena of the pool.
func (p *Pool) knownClass(key string) *class {
	if c := p.keys.Load().Find(key); c != nil {
		return c
	}
	return &p.main
}

// addClass adds a class, unless there are too many.
func (p *Pool) addClass(key string) *class {
	p.keyMu.Lock()
	defer p.keyMu.Unlock()
	k := p.keys.Load()
	if c := k.Find(key); c != nil {
		return c // another goroutine was faster
	}
	if k.Full() {
		return &p.main
	}
	k = k.Grown()
	c := &class{key: strings.Clone(key), reuse: p.config.reuses(key)} // key may be in an arena
	c.work.Share(&p.state.types)
	k.Add(c.key, c)
	p.keys.Store(k)
	return c
}

// classes yields all classes of the pool.
func (p *Pool) classes(yield func(c *class) bool) {
	if !yield(&p.main) {
		return
	}
	for _, c := range p.keys.Load().All {
		if !yield(c) {
			return
		}
	}
}

// pools are all pools that are alive, and maybe some that are not.
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
