package arena

import (
	"unsafe"

	"github.com/harena-go/arena/internal/block"
	"github.com/harena-go/arena/internal/memory"
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
	parent *owner   // of what was taken back by Rewind: that of what stayed

	leash *leash // of a child: that by which it holds the parent's owner

	limbo     limbo
	survivors bool // values of a child or a local that was freed may point to this life's

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
	o.kept = append(o.kept, a.kept...)
}

// succeed gives the arena a new owner, which has the arena's chunks.
func (a *Arena) succeed() {
	o := a.owner
	o.arena, o.header = nil, a
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
	if a.quarantines() && !o.survivors {
		a.sift()
	}
	o.limbo.close(false)
	*o = owner{header: a, kept: a.kept, leash: o.leash, limbo: o.limbo, chunks: a.plain.Kept()}
}
