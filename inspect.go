package arena

import (
	"time"
	"unsafe"

	"github.com/harena-go/arena/internal/diagnose/inspect"
	"github.com/harena-go/arena/internal/diagnose/stray"
	"github.com/harena-go/arena/internal/diagnose/watch"
	"github.com/harena-go/arena/internal/poolstats"
)

// This file answers package inspect, through which arenatest, arenametrics and collections ask what no exported name
// tells. Nothing in this package calls it.

// engine implements the interfaces of package inspect. It has methods only, so that the linker leaves out those that a
// program doesn't use.
type engine struct{}

func init() {
	inspect.Engine = engine{}
	inspect.Checks = func(of any) bool { a := of.(*Arena); return a != nil && a.watch().Single() }
	inspect.Scrubs = func(a any) bool { return a.(*Arena).config.Scrub }
}

func (engine) Endings(arena string) []inspect.Ending { return watch.EndingsOf(arena) }

func (engine) Guarded(arena string) []inspect.GuardedBlock { return tracker.Guarded(arena) }

func (engine) DeadAt(addr uintptr) *inspect.Dead { return tracker.DeadAt(addr) }

func (engine) Lent(pool any) (stacks []string) {
	b := &pool.(*Pool).books
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, s := range b.lost {
		stacks = append(stacks, watch.StackText(s.Frames()))
	}
	for _, l := range b.leases {
		if l.remembered() && l.turns.Load()%2 == 1 {
			stacks = append(stacks, watch.StackText(l.lentAt.Frames()))
		}
	}
	return stacks
}

func (engine) LeaseAges(pool any, each func(key string, age time.Duration)) {
	if p := pool.(*Pool); p != nil {
		now := poolstats.Watch()
		for s := range p.sightings(now) {
			each(s.Key, s.Age(now))
		}
	}
}

func (engine) Strays(arena any, last bool) (err error) {
	a := arena.(*Arena)
	if !a.idle() && a.wantsHidden() {
		err = stray.LookAtAll((*surveyed)(a))
		a.watch().Fresh()
		a.quarantine.hidden.SetLooked(last)
	}
	return err
}

func (engine) OnStray(f func(inspect.Stray)) any {
	return optionFunc(func(c *config) { c.onStray = &f })
}

func (engine) OnTaken(f func()) any {
	return optionFunc(func(c *config) { c.onTaken, c.once = &f, true })
}

func (engine) Moved(of any, p unsafe.Pointer) {
	a := of.(*Arena)
	for r := range a.memory.Regions {
		for c := range r.Chunks {
			if c.Mem == p && c.Label != nil {
				a.watch().Move(c, a.owner != nil, a.config.name)
				return
			}
		}
	}
}

func (engine) Peek(during func(peeking bool)) {
	tracker.Peek(func(found []watch.Finding) {
		during(true)
		defer during(false)
		report(found)
	})
}
