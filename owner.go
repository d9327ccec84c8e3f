package arena

import (
	"iter"
	"slices"
	"sync"
	"unsafe"
	"weak"

	"github.com/harena-go/arena/internal/engine/block"
	"github.com/harena-go/arena/internal/engine/memory"
	"github.com/harena-go/arena/internal/reclaim"
)

// This file keeps the memory of self-contained arenas alive: the GC doesn't look into it, so that a pointer to any part
// must keep all of it. It must not depend on when a life ends. Package reclaim explains what stale pointers need.
//
//	value ──▶ chunk ──▶ owner ──▶ arena ──▶ all chunks         while the arena lives
//	value ──▶ chunk ──▶ owner ──▶ chunks, kept, limbo, header  after Free
//	                      └─ leash ─▶ the parent's owner       of a child
//
// Each chunk has one owner, which changes only when a life ends: then the old owner gets what values that live on may
// point to, and the arena a new owner for the next life.

// An owner is what each chunk of a self-contained arena points to. It keeps all chunks alive, through the arena or,
// after Free, by itself.
//
// The arena, its owner and its chunks are a cycle, which is harmless for the GC as long as nothing in it has a
// finalizer. Nothing has.
type owner struct {
	arena  *Arena
	chunks []memory.Chunk // that the arena has no more
	kept   []any
	header *Arena   // arena, once that has ended: values may point to it
	locals []*Arena // of a Shared, that have ended before it or with it; likewise
	parent *owner   // of what a Rewind reclaimed: the arena's own; of a child that ended by it: see held

	leash *leash // of a child: that by which it holds the parent's owner

	limbo reclaim.Limbo

	ended bool // by Reset: no value in chunks may be used any more

	// survivors are the owners of what children have left, whose values may point to this life's. Each keeps this
	// owner, so that the survivors of survivors are found through them. The locals of a Shared have one owner: the
	// lock is for them.
	mu        sync.Mutex
	survivors []weak.Pointer[owner]
	tidyAt    int // the number of survivors at which those that the GC has collected are removed

	bytes uintptr // of chunks in quarantine
}

// A leash is that by which the owner of a child's chunks holds the parent's: the child's values may point to the
// parent's, and may live on after the child's Free. When the parent's life has ended nothing else holds the leash, so
// that it shows whether they do; see watchEnd.
type leash struct{ owner *owner }

// lead returns the leash of the arena's children.
func (a *Arena) lead() *leash {
	if a.family.leash == nil && a.owner != nil {
		a.family.leash = &leash{a.owner}
	}
	return a.family.leash
}

// addSurvivor adds an owner of values that live on.
func (o *owner) addSurvivor(s *owner) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if len(o.survivors) >= o.tidyAt {
		o.forgetDead()
		o.tidyAt = 2*len(o.survivors) + 8
	}
	o.survivors = append(o.survivors, weak.Make(s))
}

// forgetDead forgets survivors that the GC has collected.
func (o *owner) forgetDead() {
	o.survivors = slices.DeleteFunc(o.survivors, func(s weak.Pointer[owner]) bool { return s.Value() == nil })
}

// survived reports whether values that children, or locals, have left may be in use.
func (o *owner) survived() bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.forgetDead()
	return len(o.survivors)+len(o.locals) > 0
}

// withSurvivors yields an owner, its survivors, and theirs.
func (o *owner) withSurvivors(yield func(o *owner) bool) {
	for next := []*owner{o}; len(next) > 0; {
		o, next = next[len(next)-1], next[:len(next)-1]
		if !yield(o) {
			return
		}
		o.mu.Lock()
		for _, s := range o.survivors {
			if p := s.Value(); p != nil {
				next = append(next, p)
			}
		}
		o.mu.Unlock()
	}
}

// survived reports the same of an arena and its descendants.
func (a *Arena) survived() bool {
	for c := range a.generations {
		if c.owner.survived() {
			return true
		}
	}
	return false
}

// leaveAll leaves all chunks to the owner, for values that outlive this life. The arena may use them again all the
// same, with another owner.
func (a *Arena) leaveAll() {
	o := a.owner
	a.succeed()
	o.keep(a)
	for c := range a.family.children {
		if c.isLocal() {
			o.keep(c)
			o.locals = append(o.locals, c)
			c.setOwner(a.owner)
		}
	}
}

// keep adds all chunks of an arena to those that the owner keeps: in use or not, as stale pointers may lead to any.
func (o *owner) keep(a *Arena) {
	for c := range a.plain.Chunks {
		o.chunks = append(o.chunks, *c)
	}
	o.kept = append(o.kept, a.kept()...)
}

// succeed gives the arena a new owner, which has the arena's chunks.
func (a *Arena) succeed() {
	o := a.owner
	o.arena, o.header, o.ended = nil, a, true
	if o.leash != nil && o.survived() {
		o.leash.owner.addSurvivor(o)
	}
	a.setOwner(&owner{arena: a, leash: o.leash})
}

// setOwner makes o the owner of the arena's chunks.
func (a *Arena) setOwner(o *owner) {
	a.owner, a.family.leash = o, nil
	a.memory.SetOwner(unsafe.Pointer(o))
	for c := range a.plain.Chunks {
		block.SetOwner(c.Mem, unsafe.Pointer(o))
	}
}

// endWithValues leaves to the owner, when the arena is freed, what its values may point to.
func (a *Arena) endWithValues() {
	o := a.owner
	if a.quarantines() {
		o.limbo.Sift(&sifted{a}, &tracker)
	}
	o.limbo.Close(false, &tracker)
	o.arena, o.header, o.kept, o.chunks = nil, a, a.kept(), a.plain.Kept()
}

// markSurvivors notes that the values of an arena that is freed stay valid during its parents' lives.
func (a *Arena) markSurvivors() {
	if a.owner == nil || a.plain.Used() == 0 && !a.owner.survived() {
		return
	}
	a.owner.leash.owner.addSurvivor(a.owner)
}

// keepsAll reports whether Reset must keep all chunks: those of a local in a self-contained Shared, since values of
// other locals may point to them until the Shared is reset.
func (a *Arena) keepsAll() bool { return a.owner != nil && a.isLocal() }

// forget releases what KeepAlive was given, from value n on, while the arena's life goes on. In a self-contained arena
// older values may still point to it, so it goes to limbo.
func (a *Arena) forget(n int) {
	kept := a.kept()
	if n == len(kept) {
		return
	}
	if a.owner != nil {
		if q := a.quarantine; q != nil && q.rewound != nil { // whose values may be held
			q.rewound.kept = slices.Clone(kept[n:])
		}
		a.toLimbo(reclaim.Remains{Kept: slices.Clone(kept[n:])})
	}
	a.dropKept(n)
}

// toLimbo puts remains into limbo, and may release some.
func (a *Arena) toLimbo(r reclaim.Remains) {
	if a.isLocal() {
		a.account.shared.mu.Lock()
		defer a.account.shared.mu.Unlock()
	}
	l := &a.owner.limbo
	l.Add(r)
	if a.isLocal() && !a.family.parent.family.only(a) {
		return // what the other locals point to can't be known here
	}
	if l.Due(a.watch() != nil) {
		l.Sift(&sifted{a}, &tracker)
	}
}

// sifted is an arena as package reclaim sees it.
type sifted struct{ arena *Arena }

// Known implements reclaim.Family.
func (f *sifted) Known(s *reclaim.Sieve) {
	for c := range f.arena.top().generations {
		for k := range c.plain.Chunks {
			s.Chunk(k)
		}
		s.Span(headerOf(c))
		s.Kept(c.kept())
		for o := range f.left(c) {
			for i := range o.chunks {
				s.Chunk(&o.chunks[i])
			}
			if o.header != nil {
				s.Span(headerOf(o.header))
			}
			s.Kept(o.kept)
			for _, l := range o.locals {
				s.Span(headerOf(l))
			}
		}
	}
}

// InUse implements reclaim.Family.
func (f *sifted) InUse(s *reclaim.Sieve) {
	for c := range f.arena.generations {
		s.Look(&c.plain)
		for o := range f.left(c) {
			if !o.ended {
				s.LookAt(o.chunks)
			}
		}
	}
}

// left returns the owners of values that may live on with c: c's own owner, its survivors, and theirs. The owner of a
// local is that of all locals, and is read under the lock of the Shared. That is held only if the local itself is the
// arena that is looked at, so otherwise a local has none here.
func (f *sifted) left(c *Arena) iter.Seq[*owner] {
	if c.isLocal() && c != f.arena {
		return func(func(*owner) bool) {}
	}
	return c.owner.withSurvivors
}
