package arena

import (
	"slices"
	"sync"
	"unsafe"
	"weak"

	"github.com/harena-go/arena/internal/engine/block"
	"github.com/harena-go/arena/internal/engine/memory"
)

// This file holds what keeps the memory of self-contained arenas alive: the GC doesn't look
// into it, so that whoever points to a part of it must keep all. It may not know when a life
// ends, nor what stale pointers lead to (limbo.go).
//
//	value ──▶ chunk ──▶ owner ──▶ arena ──▶ all chunks         while the arena lives
//	value ──▶ chunk ──▶ owner ──▶ chunks, kept, limbo, header  after Free
//	                      └─ leash ─▶ the parent's owner       of a child
//
// Each chunk has one owner, which changes only when a life ends: then the old owner gets what
// values that live on may point to, and the arena a new owner for the next life.

// An owner is what each chunk of a self-contained arena points to. It keeps
// all of them alive, through the arena or, after Free, by itself.
//
// The arena, its owner and its chunks are a cycle, which is harmless for the
// GC as long as nothing in it has a finalizer. Nothing has.
type owner struct {
	arena  *Arena
	chunks []memory.Chunk // that the arena has no more
	kept   []any
	header *Arena   // arena, once that has ended: values may point to it
	locals []*Arena // of a Shared, that have ended before it or with it; likewise
	parent *owner   // of what was taken back by Rewind: that of what stayed; of children that ended then, that of both

	leash *leash // of a child: that by which it holds the parent's owner

	limbo limbo

	ended bool // by Reset: no value in chunks may be used any more

	// survivors are the owners of what children have left, whose values may point to this life's. Each
	// keeps this owner, so that the survivors of survivors are found by way of them. The locals of a Shared have
	// one owner: the lock is for them.
	mu        sync.Mutex
	survivors []weak.Pointer[owner]
	tidyAt    int // how many there may be until those that the GC has collected are removed

	bytes uintptr // of chunks in quarantine
}

// A leash is what the owner of a child's chunks holds the parent's by: the child's
// values may point to the parent's, and may live on after the child's Free. When the
// parent's life has ended nothing else holds it, so that it tells whether they do; see
// watchEnd.
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

// survived says so of an arena and its descendants.
func (a *Arena) survived() bool {
	for c := range a.generations {
		if c.owner.survived() {
			return true
		}
	}
	return false
}

// leaveAll leaves all chunks to the owner, for the sake of values that outlive this life.
// The arena may use them again all the same, with another owner.
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

// keep adds what an arena has to what the owner keeps: all chunks, in use or not, as stale
// pointers may lead to any of them.
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
		a.sift()
	}
	o.limbo.close(false)
	o.arena, o.header, o.kept, o.chunks = nil, a, a.kept(), a.plain.Kept()
}
